import type { Position } from './definition.ts';
import type { Document } from './document.ts';
import type { Field } from './field.ts';
import type { Conditions, InputMap } from './message.ts';
import type { Retry } from './retry.ts';
import type { PermissionList, Role } from './security.ts';
import type { Operation } from './service.ts';
import type { DocumentValue } from './value.ts';

/** A kind of record in a table, saved as a whole, with events (specification 6.2, field notes 5). */
export interface Component {
  readonly id: string;
  readonly description?: string;
  /** A table of the gateway's database. */
  readonly table: string;
  /** Names of columns by those of their fields; other columns have the name of their field in lower case. */
  readonly columns?: ReadonlyMap<string, string>;
  /** Its fields are single values that fit into a column. */
  readonly shape: Document;
  /** The fields that identify a record, at least one. */
  readonly keys: readonly Field[];
  /** An integer field that counts the saves of a record: optimistic lock and ETag. Without it the ETag is a digest of the record. */
  readonly lock?: Field;
  /** Values such as `infinity`, `NaN` and dates BC in columns of optional fields are read as NULL; without it, they are an error. */
  readonly infinity?: 'null';
  /** Sorted by sequence number, those before the save first. */
  readonly events: readonly ComponentEventRegistration[];
  /** Code that runs in the transaction of each save, after the record was written. */
  readonly afterSave?: AfterSave;
  /** What saves publish in their transaction, after that code. */
  readonly publications: readonly Publication[];
  /** Permission lists that grant access: those that it names, and those that name it. */
  readonly permissions: readonly PermissionList[];
  /** Where each list is granted; absent for definitions that are in no file. */
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  /** No list restricts access: the grants of the operations that read or save it are enough. */
  readonly public: boolean;
  readonly at: Position;
}

/** The name of a field's column. The table may have it in other letter case. */
export function columnOf({ columns }: Pick<Component, 'columns'>, { name }: Field): string {
  return columns?.get(name) ?? name.toLowerCase();
}

/** When a class runs: `SavePreChange` in the transaction of the save, `SavePostChange` after its commit. */
export type ComponentEventName = 'SavePreChange' | 'SavePostChange';

/** The registration of a class at an event of a component: the six facts of specification 6.2. */
export interface ComponentEventRegistration {
  readonly enabled: boolean;
  readonly event: ComponentEventName;
  readonly service: RelatedContent;
  /** From 1, unique for each event of the component. */
  readonly sequence: number;
  /** `Pre Process` before the save, `Post Process` after it. */
  readonly processing: 'Pre Process' | 'Post Process';
  /** The role under whose grants it runs; those of the user who saves by default. */
  readonly as?: Role;
  /** Of a class after the save; {@link CLASS_RETRY} by default. */
  readonly retry?: Retry;
  readonly at: Position;
}

/** The effect of a save on a record, whatever the method is. */
export const SAVE_EFFECTS = ['created', 'updated', 'deleted'] as const;
export type SaveEffect = (typeof SAVE_EFFECTS)[number];

/** The saves that something is for. */
export interface SaveFilter {
  /** All of {@link SAVE_EFFECTS} by default. */
  readonly on: readonly SaveEffect[];
  /** About {@link savedFields}. */
  readonly when: Conditions;
}

/** What the names of values before a save begin with. */
export const BEFORE = 'before.';
/** The name of the effect of a save. */
export const EFFECT = 'save.action';

/**
 * The fields that conditions and maps of saves are about: those of the record as it was written, or as it was when it was
 * deleted; `before.FIELD`, their values before the save, which a new record does not have; and {@link EFFECT}.
 * @param on the effects of these saves
 */
export function savedFields(
  { shape, keys, lock, at }: Pick<Component, 'shape' | 'keys' | 'lock' | 'at'>,
  on: readonly SaveEffect[],
): ReadonlyMap<string, Field> {
  const isAlwaysThere = (field: Field): boolean => field.required || field === lock || keys.includes(field);
  const found = new Map<string, Field>();
  const type = { kind: 'string', length: 7 } as const;
  const own = { anyCase: false, sensitive: false, attribute: false, absent: 'omit', url: 'segment', at } as const;
  found.set(EFFECT, { ...own, name: EFFECT, jsonName: EFFECT, xmlName: EFFECT, type, required: true, enum: on });
  if (on.some((effect) => effect !== 'created'))
    for (const field of shape.fields) {
      const { default: _, fixed: __, ...rest } = field;
      const required = isAlwaysThere(field) && !on.includes('created');
      found.set(BEFORE + field.name, { ...rest, name: BEFORE + field.name, required });
    }
  for (const field of shape.fields) found.set(field.name, { ...field, required: isAlwaysThere(field) });
  return found;
}

/** Code that runs after a record was written, in the transaction of the save (`after-save:`). */
export interface AfterSave extends SaveFilter {
  /** Code of the project: `<handlers>/<file>.ts`, with `onSave`. */
  readonly file: string;
  /** The role under whose grants it runs; those of the user who saves by default. */
  readonly as?: Role;
  readonly at: Position;
}

/** A message that saves publish, in their transaction (`publish:`). It needs no grant: the component itself grants it. */
export interface Publication extends SaveFilter {
  /** Its answer is a queue. */
  readonly operation: Operation;
  /** What fills its request. */
  readonly input: InputMap;
  readonly at: Position;
}

/** A related-content service of URL type application class: code that can be registered at events. */
export interface RelatedContent {
  readonly id: string;
  readonly description?: string;
  /** Code of the project, `<handlers>/<file>.ts`, whose default export extends ServiceInterface. */
  readonly file: string;
  /** It runs for saves by users with one of these lists. Empty only if `public`. */
  readonly permissions: readonly PermissionList[];
  /** Where each list is granted; absent for definitions that are in no file. */
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly public: boolean;
  readonly at: Position;
}

/** What an operation does with a record: given by its method, or by `save:` of an operation that is SOAP only. */
export type ComponentAction = 'read' | 'create' | 'put' | 'patch' | 'delete';

/** A record of a component as it is in the database. */
export interface StoredRecord {
  readonly record: DocumentValue;
  /** Entity tag with its quotes (RFC 9110, section 8.8.3): the number of the lock, or a digest of the record. */
  readonly etag: string;
}

/** The result of a save. */
export interface SavedRecord {
  /**
   * The record after the save and what its `after-save` code changed; absent if the save deleted it. If the code deleted it, the
   * record as the save wrote it.
   */
  readonly record?: DocumentValue;
  /** The entity tag after the save, with its quotes; absent if the record was deleted, also by the code. */
  readonly etag?: string;
  /** The record did not exist before and does now. */
  readonly created: boolean;
}

/** How code saves a record. */
export interface SaveOptions {
  /**
   * `put` (the default) creates or replaces the record, `create` fails if it exists, `patch` changes the given fields, `delete`
   * removes it.
   */
  readonly action?: 'create' | 'put' | 'patch' | 'delete';
  /** Save only if the record has one of these entity tags (RFC 9110, section 13.1.1): `"3"`; `*` for any. */
  readonly ifMatch?: string;
  /** `*`: save only if the record does not exist (section 13.1.2). */
  readonly ifNoneMatch?: string;
}
