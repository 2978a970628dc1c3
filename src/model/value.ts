/** Binary content: described, and read as a stream. Never a string, never whole in memory. */
export interface Attachment {
  readonly contentType: string;
  readonly name?: string | undefined;
  /** In bytes, where known. */
  readonly length?: number | undefined;
  /** `stream()` may be called any number of times. */
  readonly again?: boolean;
  /** The bytes, once unless {@link Attachment.again}. */
  stream(): AsyncIterable<Uint8Array>;
}

/** A JSON value. */
export type JsonValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** One value of a document in memory; {@link ScalarType} says which form belongs to which type. */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | Attachment
  | JsonValue
  | DocumentValue
  | readonly Value[];

/** A document in memory: its fields by their names in YAML. What is not given is absent, never null. */
export interface DocumentValue {
  readonly [field: string]: Value;
}

/** A row of a stored query: columns by name. An SQL NULL is null. */
export type Row = Record<string, string | number | bigint | boolean | null>;
