import { CompiledQuery } from 'kysely';
import { errorCode } from '../error.ts';
import { ENDS_TRANSACTION, ofSampleData, type SampleDataFile } from '../sample-data.ts';
import type { Store } from '../store.ts';
import type { Db } from '../tables.ts';
import { describePostgres } from './error.ts';
import { lockSteps } from './lock-row.ts';

/** There is no such savepoint, or no transaction that could have one. */
const NO_SAVEPOINT = new Set(['3B001', '25P01']);

/**
 * Runs each file once in the life of the database, in the order given, whatever number of gateways starts; a file and the
 * record that it was run are one transaction.
 * @throws StoreError naming the file of SQL; nothing of that file is kept
 */
export async function loadSampleData(
  location: string,
  db: Db,
  transaction: Store['transaction'],
  files: readonly SampleDataFile[],
): Promise<void> {
  for (const file of files) {
    // Looked at without a lock first: a later start waits for nobody.
    const loaded = await seen(db, file.name).catch((error: unknown) => {
      throw describePostgres(location, error);
    });
    if (loaded) continue;
    try {
      await transaction(async (tx) => {
        await lockSteps(tx);
        if (!(await seen(tx, file.name))) await load(tx, file);
      });
    } catch (error) {
      throw ofSampleData(location, file.name, error);
    }
  }
}

async function seen(db: Db, name: string): Promise<boolean> {
  const query = db.selectFrom('signalbox_sample_data').select('name').where('name', '=', name);
  return (await query.executeTakeFirst()) !== undefined;
}

async function load(tx: Db, { name, sql }: SampleDataFile): Promise<void> {
  const run = (text: string) => tx.executeQuery(CompiledQuery.raw(text));
  // A savepoint ends with its transaction: where it is gone, the file has ended that.
  await run('savepoint signalbox_sample_data');
  await run(sql);
  await run('release savepoint signalbox_sample_data').catch((error: unknown) => {
    throw NO_SAVEPOINT.has(errorCode(error)) ? new Error(ENDS_TRANSACTION) : error;
  });
  await tx.insertInto('signalbox_sample_data').values({ name, loaded: new Date().toISOString() }).execute();
}
