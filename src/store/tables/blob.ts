/** The tables of blobs. */
export interface BlobTables {
  signalbox_blob: BlobTable;
  signalbox_loose_blob: LooseBlobTable;
  signalbox_blob_chunk: BlobChunkTable;
  signalbox_blob_lease: BlobLeaseTable;
  signalbox_blob_reader: BlobReaderTable;
}

/** The description of a blob. Its bytes are in a file of their own, or in rows on PostgreSQL. */
export interface BlobTable {
  /** Its owner: each owner has keys of its own. */
  scope: string;
  key: string;
  /** The name of its file or chunks; never used twice. */
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

/** A file that belongs to no blob: one that is being written, or one that is to be removed. */
export interface LooseBlobTable {
  file: string;
  /** The process that removes it, by its lock file or its lease; empty on PostgreSQL when its last reader does. */
  process: string;
}

/** A part of a blob's bytes on PostgreSQL. */
export interface BlobChunkTable {
  file: string;
  /** From 0; all but the last are 1 MiB long. */
  number: number;
  content: Buffer;
}

/** A process that writes or reads blobs on PostgreSQL. */
export interface BlobLeaseTable {
  id: string;
  /** Incremented as long as the process is alive. */
  beats: number;
}

/** A stream of a blob on PostgreSQL that is in progress. */
export interface BlobReaderTable {
  id: string;
  file: string;
  /** Its process, by the lease. */
  process: string;
}
