import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { canMount, smallDisk } from '../store/tmpfs.ts';
import type { Reply, TestGateway } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';
import { callerOf, startFailing } from './failure-project.ts';

const file = (rows: number): string => `COUNTED/CSV/FILE?prompt_uniquepromptname=N&prompt_fieldvalue=${rows}`;
/** Some 5 MB as CSV: more than the disks here hold. */
const MUCH = 8_000;

async function started(url: string): Promise<TestGateway> {
  const gateway = await startFailing(url);
  onTestFinished(() => gateway.stop());
  return gateway;
}

/** Asks for a file that is too large for the disk, at once and polled: both say so. */
async function expectFull(gateway: TestGateway): Promise<void> {
  const { get, poll, untilRun } = callerOf(gateway);
  const reply: Reply = await get(`ExecuteQuery.v1/PUBLIC/${file(MUCH)}`);
  expect([reply.status, reply.text]).toEqual([
    507,
    expect.stringMatching(/could not be stored: the storage is full\./),
  ]);
  // What the file took is given back a moment after the reply: the entry of a run needs some of it.
  const id = await eventually('the entry of a run', async () => {
    const entered = await poll('COUNTED', file(MUCH).slice('COUNTED/'.length));
    return entered === '' ? undefined : entered;
  });
  const { message } = await untilRun(id, 'error');
  expect(message).toMatch(/could not be stored: the storage is full\./);
}

async function expectRoom(gateway: TestGateway): Promise<void> {
  const reply = await callerOf(gateway).get(`ExecuteQuery.v1/PUBLIC/${file(10)}`);
  expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('COUNTED.csv')]);
}

describe.skipIf(!canMount)('a disk that is full while a file is written', () => {
  it('is told, and nothing of the file stays (SQLite)', async () => {
    const disk = smallDisk('size=4m,mode=777');
    const gateway = await started(`sqlite:${join(disk, 'box.db')}`);
    await expectFull(gateway);
    const left = readdirSync(disk, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .filter((name) => !/^box\.db(-wal|-shm)?$|lock/.test(name));
    expect(left).toEqual([]);
    const database = new Database(join(disk, 'box.db'), { readonly: true });
    onTestFinished(() => void database.close());
    const rows = (table: string) => database.prepare(`select count(*) as n from ${table}`).get();
    expect([rows('signalbox_blob'), rows('signalbox_loose_blob')]).toEqual([{ n: 0 }, { n: 0 }]);
    // Full to the last byte of what saves need.
    const filler = join(disk, 'filler');
    fill(filler);
    const { note } = callerOf(gateway);
    let refused: Reply = await note('n0');
    for (let at = 1; refused.status < 300 && at < 2_000; at++) refused = await note(`n${at}`);
    expect([refused.status, refused.text]).toEqual([507, expect.stringMatching(/the storage is full\./)]);
    rmSync(filler);
    expect((await note('after')).status).toBe(201);
    await expectRoom(gateway);
  });

  it.skipIf(!inject('postgres').includes('@127.0.0.1:'))(
    'is told, and nothing of the file stays (PostgreSQL)',
    async () => {
      const database = await createDatabase({ migrated: true });
      onTestFinished(() => database.drop());
      const gateway = await started(database.url);
      const owner = execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' }).trim();
      const name = `full_${Date.now()}`;
      await database.run(`create tablespace ${name} location '${smallDisk(`size=2m,mode=700,uid=${owner}`)}'`);
      await database.run(`alter table signalbox_blob_chunk set tablespace ${name}`);
      // Else it would be pressed until it fits.
      await database.run('alter table signalbox_blob_chunk alter column content set storage external');
      await expectFull(gateway);
      for (const table of ['blob', 'blob_chunk', 'loose_blob'])
        expect([table, (await database.run(`select 1 from signalbox_${table}`)).rowCount]).toEqual([table, 0]);
      await database.run('alter table signalbox_blob_chunk set tablespace pg_default');
      await database.run(`drop tablespace ${name}`);
      await expectRoom(gateway);
    },
  );
});

/** Writes until there is no room for a byte more. */
function fill(path: string): void {
  for (const size of [65_536, 4_096, 1]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: 'a' });
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
  }
}
