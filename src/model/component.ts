import type { Document } from './document.ts';
import type { Field } from './field.ts';
import type { Position } from './position.ts';
import type { PermissionList } from './security.ts';

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
