import { errorText, StoreError } from './error.ts';

/** A file of SQL statements that fill tables with examples. */
export interface SampleDataFile {
  /** What it is remembered by: its path relative to the definitions folder. */
  readonly name: string;
  readonly sql: string;
}

/** Said of a file that ends the transaction that it is run in. */
export const ENDS_TRANSACTION = 'it ends its own transaction; take begin, commit and rollback out';

/** The same error with the file that it came of. */
export function ofSampleData(location: string, name: string, cause: unknown): StoreError {
  return new StoreError(location, `sample data ${name} could not be loaded: ${errorText(cause)}`, { cause });
}
