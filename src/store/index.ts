export { BlobError } from './blob-error.ts';
export { type BlobStorage, openBlobs } from './blobs.ts';
export { StoreError } from './error.ts';
export { fileAttachment } from './file-attachment.ts';
export type { SampleDataFile } from './sample-data.ts';
export { createSpool, type SpoolOptions } from './spool.ts';
export { openStore, type Store, type StoreOptions } from './store.ts';
export type { ProcessRequestTable, Tables } from './tables.ts';
