/** The tables of blobs. */
export interface BlobTables {
  signalbox_blob: BlobTable;
  signalbox_loose_blob: LooseBlobTable;
  signalbox_blob_chunk: BlobChunkTable;
  signalbox_blob_lease: BlobLeaseTable;
  signalbox_blob_reader: BlobReaderTable;
}

/** One blob: what is known of it. Its bytes are in a file of their own, or in rows on PostgreSQL. */
export interface BlobTable {
  /** Whose it is: keys are their owner's own. */
  scope: string;
  key: string;
  /** Name of the file, or of its chunks; never used twice. */
  file: string;
  content_type: string;
  name: string | null;
  /** In bytes. */
  length: number;
  /** Lower-case hexadecimal digits. */
  sha256: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  stored: string;
}

/** A file that no blob has: not yet, while it is written; or not any more, until it is removed. */
export interface LooseBlobTable {
  file: string;
  /** The process that sees to it, by its lock file or its lease; empty on PostgreSQL where the last reader does. */
  process: string;
}

/** A piece of a blob's bytes on PostgreSQL. */
export interface BlobChunkTable {
  file: string;
  /** From 0; all but the last have 1 MiB. */
  number: number;
  content: Buffer;
}

/** A process that writes or reads blobs on PostgreSQL. */
export interface BlobLeaseTable {
  id: string;
  /** Counted up as long as the process lives. */
  beats: number;
}

/** A stream of a blob on PostgreSQL that is under way. */
export interface BlobReaderTable {
  id: string;
  file: string;
  /** Its process, by the lease. */
  process: string;
}
