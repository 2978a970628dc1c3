import type { DocumentValue } from './value.ts';

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
