/** Binary content, read as a stream: it is never held in memory as a whole. */
export interface Attachment {
  /** Media type: `application/pdf`. */
  readonly contentType: string;
  /** File name. */
  readonly name?: string | undefined;
  /** In bytes, if known. */
  readonly length?: number | undefined;
  /** `stream()` can be called any number of times, so the content can be sent again. */
  readonly again?: boolean;
  /** The bytes. Can be called once, unless {@link Attachment.again} is true. */
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

/** A value of a document in memory. {@link ScalarType} defines the form of each type. */
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

/** A document in memory: values by the names of fields in YAML. A missing value is absent, never null. */
export interface DocumentValue {
  readonly [field: string]: Value;
}

/** A row of a stored query, by column name. NULL is null. */
export type Row = Record<string, string | number | bigint | boolean | null>;
