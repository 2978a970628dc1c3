/** Binary content, read as a stream: it is never held in memory as a whole. */
export interface Attachment {
  /** Media type: `application/pdf`. */
  readonly contentType: string;
  /** File name, without a path. Absent if none was sent, or one that can't be the name of a file. */
  readonly name?: string | undefined;
  /**
   * The file name as a sender wrote it, when {@link Attachment.name} is not the same: with a path (`../../etc/passwd`,
   * `C:\\temp\\new.txt`), empty, or with control characters. For records only: never a path to open.
   */
  readonly rawName?: string | undefined;
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
