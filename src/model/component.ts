import type { Position } from './definition.ts';
import type { Document } from './document.ts';
import type { Field } from './field.ts';
import type { PermissionList } from './security.ts';
import type { DocumentValue } from './value.ts';

/** A record behind a document, that is saved as a whole and has events (specification 6.2, field notes 5). */
export interface Component {
  readonly id: string;
  readonly description?: string;
  /** A table of the gateway's database; the columns are called as the fields, in small letters. */
  readonly table: string;
  /** Its fields are single values that a column can hold. */
  readonly shape: Document;
  /** Fields of the shape that name one record, at least one. */
  readonly keys: readonly Field[];
  /** An integer field that counts the saves of a record: the optimistic lock, and the ETag. Without it the ETag is a digest of the record. */
  readonly lock?: Field;
  /** In the order of their sequence numbers, those before the save first. */
  readonly events: readonly ComponentEventRegistration[];
  /** Lists whose users may reach it: those that it names, and those that name it. */
  readonly permissions: readonly PermissionList[];
  /** Where each of them is named; undefined for what is in no file. */
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  /** Neither it nor a list says who may reach it, so that whoever may use what reads or saves it may. */
  readonly public: boolean;
  readonly at: Position;
}

/** When a class runs: in the transaction of the save, or after its commit. */
export type ComponentEventName = 'SavePreChange' | 'SavePostChange';

/** A class that is registered at an event of a component: the six facts of specification 6.2. */
export interface ComponentEventRegistration {
  readonly enabled: boolean;
  readonly event: ComponentEventName;
  readonly service: RelatedContent;
  /** From 1; of one event each number stands once. */
  readonly sequence: number;
  /** As declared; what runs before the save is `Pre Process`, what runs after it `Post Process`. */
  readonly processing: 'Pre Process' | 'Post Process';
  readonly at: Position;
}

/** A related-content service of URL type application class: code that can be registered at events. */
export interface RelatedContent {
  readonly id: string;
  readonly description?: string;
  /** Code of the project, `<handlers>/<file>.ts`, whose default export extends ServiceInterface. */
  readonly file: string;
  /** For whose saves it runs. Empty only where `public`. */
  readonly permissions: readonly PermissionList[];
  /** Where each of them is named; undefined for what is in no file. */
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly public: boolean;
  readonly at: Position;
}

/** What an operation does with a record: by its method, and over SOAP alone as its `save:` says. */
export type ComponentAction = 'read' | 'create' | 'put' | 'patch' | 'delete';

/** A record of a component as it stands in the database. */
export interface StoredRecord {
  readonly record: DocumentValue;
  /** Its entity tag with the quotes (RFC 9110, section 8.8.3): the lock's number, or a digest of the record. */
  readonly etag: string;
}

/** What a save came to. */
export interface SavedRecord {
  /** As it stands now; undefined where it was removed. */
  readonly record?: DocumentValue;
  /** Undefined where it was removed. */
  readonly etag?: string;
  /** There was none before. */
  readonly created: boolean;
}

/** How a record is saved from code. */
export interface SaveOptions {
  /** `put` where it is left out. */
  readonly action?: 'create' | 'put' | 'patch' | 'delete';
  /** Entity tags that the record must have one of (RFC 9110, section 13.1.1): `"3"`, `*`. */
  readonly ifMatch?: string;
  /** `*`: there must be no such record (section 13.1.2). */
  readonly ifNoneMatch?: string;
}
