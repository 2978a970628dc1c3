import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { BlobStore, Blobs } from '../../src/model/blob.ts';
import { Fault } from '../../src/model/fault.ts';
import type { Query } from '../../src/model/query.ts';
import { type NewRun, openQueryRuns, openSavedQueries, type QueryRuns, type RunOwners } from '../../src/query/index.ts';
import {
  type BlobStorage,
  type JobQueue,
  openBlobs,
  openQueue,
  openRetention,
  openStore,
  type Store,
} from '../../src/store/index.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';
import { registry } from '../support/registry.ts';
import { query, readersOf } from './support.ts';

const NO_GATEWAY = 'No gateway has been able to run it for 300 ms';

const ENDLESS = query(
  'with recursive c(n) as (select 1 union all select n + 1 from c) select max(n) as n from c',
  { N: 'integer' },
  {},
  { id: 'ENDLESS' },
);
const ONE = query('select 1 as n', { N: 'integer' }, {}, { id: 'ONE' });

const asked = (of: Query, more: Partial<NewRun> = {}): NewRun => ({
  owner: 'demo',
  query: of,
  input: { prompts: {}, connected: false },
  format: 'csv',
  file: false,
  ...more,
});

/** One gateway's part of it. */
interface Part {
  readonly runs: QueryRuns;
  readonly queue: JobQueue;
}

class Database {
  readonly store: Store;
  readonly blobs: BlobStorage;

  constructor(store: Store, blobs: BlobStorage) {
    this.store = store;
    this.blobs = blobs;
  }

  static async open(url: string): Promise<Database> {
    const root = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const store = await openStore({ url, root });
    onTestFinished(() => store.close());
    await store.migrate();
    const blobs = await openBlobs(store);
    onTestFinished(() => blobs.close());
    return new Database(store, blobs);
  }

  /** @param change of what keeps the results, and of how long they are kept, in milliseconds */
  async gateway(
    change: {
      readonly put?: Blobs['put'];
      readonly keep?: number;
      readonly mayRun?: RunOwners['mayRun'];
      readonly unknown?: number;
    } = {},
  ): Promise<Part> {
    const { store } = this;
    const queries = readersOf(store);
    const queue = await openQueue(store, { unknown: change.unknown ?? 60_000 });
    onTestFinished(() => queue.close({ timeoutMs: 0 }));
    const known = registry({});
    const { retention } = known.gateway;
    const whole = {
      ...known,
      queries: new Map([ENDLESS, ONE].map((each) => [each.id, each])),
      gateway: { ...known.gateway, retention: { ...retention, results: change.keep ?? retention.results } },
    };
    const { put } = change;
    const blobs: BlobStore = put === undefined ? this.blobs : { scope: (name) => ({ ...this.blobs.scope(name), put }) };
    const saved = openSavedQueries({ registry: whole, store });
    const owners = { keep: async () => {}, mayRun: change.mayRun ?? (async () => true) };
    const runs = openQueryRuns({ registry: whole, store, queue, blobs, queries, saved, owners, onError: () => {} });
    return { runs, queue };
  }

  /** How many results are kept. */
  async kept(): Promise<number> {
    const db = await this.store.tables();
    return (await db.selectFrom('signalbox_blob').select('key').execute()).length;
  }
}

const stateOf = (runs: QueryRuns, id: string, ...states: string[]) =>
  eventually(`run ${id} to be ${states.join(' or ')}`, async () => {
    const run = await runs.find(id);
    return run !== undefined && states.includes(run.state) ? run : undefined;
  });

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe.skipIf(engine === 'PostgreSQL' && !hasPostgres)(`runs of queries on ${engine}`, () => {
    const open = async (): Promise<Database> => {
      if (engine === 'SQLite') return Database.open('sqlite:box.db');
      const database = await createDatabase({ migrated: true });
      onTestFinished(() => database.drop());
      return Database.open(database.url);
    };

    it('are taken up by another gateway where theirs stops', async () => {
      const database = await open();
      const first = await database.gateway();
      await first.queue.start();
      const id = await first.runs.enter(asked(ENDLESS), undefined);
      await stateOf(first.runs, id, 'running');
      await first.queue.close({ timeoutMs: 0 });
      expect((await first.runs.find(id))?.state).not.toBe('error');
      const second = await database.gateway();
      await second.queue.start();
      await eventually('the run to be taken up', async () => {
        const { running = 0 } = (await second.queue.depths()).find(({ queue }) => queue === 'query-runs') ?? {};
        return running === 1 ? true : undefined;
      });
      expect(await second.runs.cancel(id, 'demo')).toBe('success');
      await stateOf(second.runs, id, 'killed');
    });

    it('end in error where there is no room for their results, and leave nothing', async () => {
      const database = await open();
      const put = async (): Promise<never> => {
        throw Fault.of('STORAGE_FULL', { what: 'The result' });
      };
      const { runs, queue } = await database.gateway({ put });
      await queue.start();
      const run = await stateOf(runs, await runs.enter(asked(ONE), undefined), 'error');
      expect(run.message).toBe('The result could not be stored: the storage is full.');
      const { signal } = new AbortController();
      await expect(runs.keepFile(asked(ONE, { file: true }), { signal, sharer: undefined })).rejects.toMatchObject({
        code: 'STORAGE_FULL',
      });
      expect(await database.kept()).toBe(0);
    });

    it('stop being kept where they are cancelled meanwhile, and leave nothing', async () => {
      const database = await open();
      const stopped = Promise.withResolvers<unknown>();
      const put: Blobs['put'] = async (_key, content) => {
        const read = () => Array.fromAsync(content.stream()).then(() => undefined);
        const error = await eventually('the end of what is kept', () => read().catch((reason: unknown) => reason));
        stopped.resolve(error);
        throw error;
      };
      const { runs, queue } = await database.gateway({ put });
      await queue.start();
      const id = await runs.enter(asked(ONE), undefined);
      await stateOf(runs, id, 'posting');
      expect(await runs.cancel(id, 'demo')).toBe('success');
      expect(await stopped.promise).toMatchObject({ name: 'AbortError' });
      expect((await runs.find(id))?.state).toBe('killed');
      expect(await database.kept()).toBe(0);
    });

    it('end in error when no gateway has their query any more, or all have another', async () => {
      const database = await open();
      const { runs, queue } = await database.gateway({ unknown: 300 });
      const gone = await runs.enter(asked({ ...ONE, id: 'GONE' }), undefined);
      const other = await runs.enter(
        asked({ ...ONE, columns: ONE.columns.map((column) => ({ ...column, name: 'M' })) }),
        undefined,
      );
      await queue.start();
      expect((await stateOf(runs, gone, 'error')).message).toBe(`${NO_GATEWAY}: there is no query GONE here.`);
      expect((await stateOf(runs, other, 'error')).message).toBe(
        `${NO_GATEWAY}: the columns of query ONE are others here.`,
      );
      expect((await queue.deadLetters()).map(({ attempts }) => attempts)).toEqual([0, 0]);
    });

    it('and their results are removed when their time is over', async () => {
      const database = await open();
      const { runs, queue } = await database.gateway({ keep: -1000 });
      await queue.start();
      const polled = await runs.enter(asked(ONE), undefined);
      await stateOf(runs, polled, 'success');
      const file = await runs.keepFile(asked(ONE, { file: true }), {
        signal: new AbortController().signal,
        sharer: undefined,
      });
      const waiting = await runs.enter(asked(ENDLESS), undefined);
      expect(await database.kept()).toBe(2);
      await openRetention({ store: database.store, kinds: [runs.retained] }).sweep();
      expect([await runs.find(polled), await runs.find(file.id)]).toEqual([undefined, undefined]);
      expect((await runs.find(waiting))?.id, 'one that has not ended stays').toBe(waiting);
      expect(await database.kept()).toBe(0);
    });
  });
}

it('a row that is too large for the memory of a gateway is no block of a run', async () => {
  const { runs, queue } = await (await Database.open('sqlite:box.db')).gateway();
  await queue.start();
  const run = await stateOf(runs, await runs.enter(asked(ONE), undefined), 'success');
  // What is kept counts that much: writing it would take seconds.
  await expect(runs.block({ ...run, bytes: 67_108_865 }, ONE, 1, { format: 'csv' })).rejects.toMatchObject({
    code: 'BAD_PARAMETER',
    message: 'blocknumber is a row of 67108865 bytes, and a block holds 67108864; run the query to a FILE.',
  });
  expect((await runs.block(run, ONE, 1, { format: 'csv' }))?.bytes.toString()).toBe('N\r\n1\r\n');
});
