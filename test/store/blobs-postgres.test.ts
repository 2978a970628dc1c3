import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { DatabaseBlobs } from '../../src/store/blob/database-blobs.ts';
import { Leases, LOOKS } from '../../src/store/blob/leases.ts';
import { openBlobs, type Store } from '../../src/store/index.ts';
import { hasPostgres } from '../support/postgres.ts';
import { describeBlobs } from './blob-contract.ts';
import { attachment, bytesOf, read, tap } from './content.ts';
import { postgresPlace as freshPlace, type Place } from './engines.ts';
import { canMount, smallDisk } from './tmpfs.ts';

const TABLES = ['blob', 'blob_chunk', 'loose_blob', 'blob_reader', 'blob_lease'];

/** Files that have a row anywhere. */
async function contents({ run }: Place): Promise<number> {
  const all = TABLES.filter((name) => name !== 'blob_lease').map((table) => `select file from signalbox_${table}`);
  const [row] = await run(`select count(distinct file)::int as n from (${all.join(' union ')}) as files`);
  return Number(row?.n);
}

/** One database for all tests here, each of which begins with it empty. */
let shared: Promise<Place> | undefined;

async function postgresPlace(): Promise<Place> {
  if (shared !== undefined)
    await (await shared).run(`truncate ${TABLES.map((name) => `signalbox_${name}`).join(', ')}`);
  shared ??= freshPlace({ migrated: true });
  return shared;
}

function blobsOf(store: Store): DatabaseBlobs {
  const storage = new DatabaseBlobs(store);
  onTestFinished(() => storage.close());
  return storage;
}

async function looks(storage: DatabaseBlobs, count: number): Promise<void> {
  for (let at = 0; at < count; at++) await storage.tend();
}

describe.skipIf(!hasPostgres)('PostgreSQL', () => {
  describeBlobs('rows', async () => {
    const place = await postgresPlace();
    const store = await place.migrated();
    let storage = await openBlobs(store);
    onTestFinished(() => storage.close());
    return {
      storage,
      contents: () => contents(place),
      async reopen() {
        await storage.close();
        storage = await openBlobs(store);
        return storage;
      },
    };
  });

  describe('rows of blobs', () => {
    it('are chunks of one MiB', async () => {
      const place = await postgresPlace();
      await blobsOf(await place.migrated())
        .scope('a')
        .put('a', attachment(bytesOf(2_500_000)));
      const rows = await place.run('select number, length(content) as n from signalbox_blob_chunk order by number');
      expect(rows.map(({ number, n }) => [number, n])).toEqual([
        [0, 1_048_576],
        [1, 1_048_576],
        [2, 402_848],
      ]);
    });

    it('stay for the stream of another gateway that reads them, and go with its end', async () => {
      const place = await postgresPlace();
      const [one, other] = [blobsOf(await place.migrated()), blobsOf(await place.open())];
      const bytes = bytesOf(3_000_000);
      await one.scope('a').put('a', attachment(bytes));
      const stream = (await other.scope('a').get('a'))?.stream()[Symbol.asyncIterator]();
      const pieces = [(await stream?.next())?.value as Uint8Array];
      await one.scope('a').put('a', attachment('two'));
      // Not even a look for what is left over takes them.
      await looks(one, 2);
      expect(await contents(place)).toBe(2);
      for (let next = await stream?.next(); next?.done === false; next = await stream?.next()) pieces.push(next.value);
      expect(bytes.equals(Buffer.concat(pieces))).toBe(true);
      expect(await contents(place)).toBe(1);
    });

    it('that are cut are told when they are read', async () => {
      const place = await postgresPlace();
      const blobs = blobsOf(await place.migrated()).scope('a');
      const blob = await blobs.put('a', attachment(bytesOf(3_000_000)));
      await place.run('delete from signalbox_blob_chunk where number = 2');
      await expect(read(blob)).rejects.toThrow('blob "a" ended early');
      await place.run("update signalbox_blob_chunk set content = 'abc' where number = 1");
      await expect(read(blob)).rejects.toThrow('blob "a" ended early');
    });
  });

  describe('a gateway that is gone', () => {
    it('leaves its half blob and its streams to others, once they have not heard of it for some looks', async () => {
      const place = await postgresPlace();
      const [dead, living] = [blobsOf(await place.migrated()), blobsOf(await place.open())];
      await dead.scope('a').put('a', attachment(bytesOf(3_000_000)));
      for await (const _ of (await dead.scope('a').get('a'))?.stream() ?? []) {
        const source = tap();
        const lost = expect(dead.scope('a').put('b', attachment('', source))).rejects.toThrow(
          'removed while it was written',
        );
        await source.give(bytesOf(2_200_000));
        await living.scope('a').put('a', attachment('two'));
        await looks(living, LOOKS);
        expect(await contents(place)).toBe(3);
        // As long as it counts on, it is waited for.
        await dead.tend();
        await looks(living, LOOKS);
        expect(await contents(place)).toBe(3);
        await looks(living, 1);
        expect(await contents(place)).toBe(1);
        // It was only away: what it goes on to write is refused, so that none of it stays.
        void source.give(bytesOf(2_200_000));
        source.end();
        await lost;
        break;
      }
      expect([await contents(place), String(await read(await living.scope('a').get('a')))]).toEqual([1, 'two']);
      await dead.tend();
      expect((await dead.scope('a').put('b', attachment('three'))).length).toBe(5);
    });

    it('is not one that says that it lives before it is known', async () => {
      const place = await postgresPlace();
      const store = await place.migrated();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const tables = vi.fn(store.tables).mockImplementationOnce(async () => {
        await late;
        return store.tables();
      });
      const leases = new Leases({ ...store, tables });
      const held = leases.hold();
      await leases.beat();
      resolve();
      await held;
      expect(await place.run('select id from signalbox_blob_lease')).toEqual([{ id: leases.id }]);
    });
  });

  describe.skipIf(!canMount || inject('postgres').includes('@127.0.0.1:') === false)('a full disk', () => {
    it('is told, and leaves what was there before and no half content', async () => {
      const place = await postgresPlace();
      const blobs = blobsOf(await place.migrated()).scope('a');
      await blobs.put('a', attachment('one'));
      const owner = execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' }).trim();
      const disk = smallDisk(`size=4m,mode=700,uid=${owner}`);
      const name = `small_${Date.now()}`;
      await place.run(`create tablespace ${name} location '${disk}'`);
      await place.run(`alter table signalbox_blob_chunk set tablespace ${name}`);
      const error = await blobs.put('a', attachment(randomBytes(12_000_000))).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'Fault', code: 'STORAGE_FULL', cause: { code: '53100' } });
      expect([await contents(place), String(await read(await blobs.get('a')))]).toEqual([1, 'one']);
      await place.run('alter table signalbox_blob_chunk set tablespace pg_default');
      await place.run(`drop tablespace ${name}`);
    });
  });
});
