/** A gateway that does nothing but work at a queue, until it is killed: `node gateway.ts <options of the store, JSON>`. */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { type Job, openQueue, openStore, type Store, type StoreOptions } from '../../../src/store/index.ts';

/** What runs say of themselves: when they began, and when they were completed. Milliseconds since 1970. */
export const RUNS = 'create table run (job text, key text, attempt integer, began bigint, ended bigint)';

/** Does a job, and leaves a row that says when. */
export async function record(store: Store, job: Job): Promise<void> {
  const db = await store.tables();
  const began = Date.now();
  await sql`insert into run values (${job.id}, ${job.key ?? null}, ${job.attempt}, ${began}, null)`.execute(db);
  await pause(10);
  await job.complete(async (tx) => {
    await sql`update run set ended = ${Date.now()} where job = ${job.id} and attempt = ${job.attempt}`.execute(tx);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const store = await openStore(JSON.parse(process.argv[2] as string) as StoreOptions);
  const queue = await openQueue(store);
  queue.work('work', {
    concurrency: 4,
    retry: { attempts: 3, first: 1, longest: 1 },
    run: (job) => record(store, job),
  });
  await queue.start();
}
