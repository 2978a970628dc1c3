export { StoreError } from './error.ts';
export type { SampleDataFile } from './sample-data.ts';
export { openStore, type Store, type StoreOptions } from './store.ts';
export type { ProcessRequestTable, Tables } from './tables.ts';
