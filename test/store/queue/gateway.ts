/**
 * A gateway that does nothing but work at a queue, until it is killed:
 * `node gateway.ts <options of the store, JSON> [milliseconds for which each job is worked at]`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { type Job, JobLost, openQueue, openStore, type Store, type StoreOptions } from '../../../src/store/index.ts';

/** What runs say of themselves, in milliseconds since 1970: when they began, and were completed or found that they were lost. */
export const RUNS = 'create table run (job text, key text, attempt integer, began bigint, ended bigint, lost bigint)';

/** Does a job, and leaves a row that says when. */
export async function record(store: Store, job: Job, ms = 10): Promise<void> {
  const db = await store.tables();
  const began = Date.now();
  await sql`insert into run values (${job.id}, ${job.key ?? null}, ${job.attempt}, ${began}, null, null)`.execute(db);
  await pause(ms);
  const attempt = sql`job = ${job.id} and attempt = ${job.attempt}`;
  try {
    await job.complete(async (tx) => {
      await sql`update run set ended = ${Date.now()} where ${attempt}`.execute(tx);
    });
  } catch (error) {
    if (error instanceof JobLost && job.signal.aborted) {
      await sql`update run set lost = ${Date.now()} where ${attempt}`.execute(db);
    }
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const store = await openStore(JSON.parse(process.argv[2] as string) as StoreOptions);
  const queue = await openQueue(store);
  queue.work('work', {
    concurrency: 4,
    retry: { attempts: 4, first: 1, longest: 1 },
    run: (job) => record(store, job, Number(process.argv[3] ?? 10)),
  });
  await queue.start();
}
