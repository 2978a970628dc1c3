/** Jobs a second that are entered into our queue, run and completed: `queue-ours.ts <database URL> <jobs> [jobs per key]`. */
import { openQueue, openStore } from '../../../src/store/index.ts';

const [, , url = '', jobs = '', ofKey = ''] = process.argv;
const count = Number(jobs);

const store = await openStore({ url, root: process.cwd() });
await store.migrate();
const queue = await openQueue(store);
const { promise: done, resolve } = Promise.withResolvers<void>();
let ended = 0;
queue.work('bench', {
  concurrency: 8,
  retry: { attempts: 1, first: 1, longest: 1 },
  async run(job) {
    await job.complete(async () => {});
    if (++ended === count) resolve();
  },
});
const begin = performance.now();
for (let at = 0; at < count; at += 100) {
  await store.transaction(async (tx) => {
    for (let n = at; n < at + 100; n++) await queue.send(tx, { queue: 'bench', data: { n }, ...keyOf(n) });
  });
}
await queue.start();
await done;
process.stdout.write(`${(count / (performance.now() - begin)) * 1000}\n`);
await queue.close();
await store.close();

/** Jobs of the same key are entered far apart, like saves of the same record. */
function keyOf(n: number): { readonly key?: string } {
  return ofKey === '' ? {} : { key: String(n % Math.ceil(count / Number(ofKey))) };
}
