import type { DraftDocument, DraftScalar, DraftType, FieldOptions } from '../draft.ts';
import type { SchemaContext, Schemas, Shape } from './shape.ts';
import type { Node } from './tree.ts';

/** A schema as a type of ours, with the options that a field of the type has. */
export interface TypeRead {
  readonly type: DraftType;
  readonly options: FieldOptions;
}

export const JSON_TYPE: DraftScalar = { kind: 'scalar', word: 'json' };

/** Any value. */
export const ANY_JSON: TypeRead = { type: JSON_TYPE, options: {} };

/** What is known about a schema where it is read. */
export interface SchemaNaming {
  readonly key: string;
  readonly name: string;
  readonly isNamed: boolean;
}

/** Reads schemas as types. */
export interface TypeReader {
  readonly context: SchemaContext;
  readonly documents: DraftDocument[];
  /** @param name of what has the type, for documents without a name of their own */
  read(schemas: Schemas, name: string): TypeRead;
  /** Reads a schema that has a name in the contract. */
  named(name: string, node: Node): TypeRead;
  /** Keeps in mind that others may extend a document, if its schema says so. */
  noteBase(document: DraftDocument, shape: Shape): void;
  /** Makes a document known before it is read, since it may contain itself. */
  begin(key: string, document: DraftDocument, isNullable: boolean): void;
}

/** The type, or null. */
export function nullable(read: TypeRead): TypeRead {
  const { type, options } = read;
  if (type.kind === 'scalar' && type.word === 'json') return read;
  const { fixed, ...others } = options;
  // A fixed value is the only one.
  const value = fixed === undefined ? {} : { enum: [fixed] };
  return { type, options: { ...others, ...value, nullable: true } };
}
