import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore, type Store } from '../../src/store/index.ts';
import { unprivileged } from '../support/unprivileged.ts';
import { temporaryFolder } from './support.ts';

async function open(root: string, url = 'sqlite:data/box.db'): Promise<Store> {
  const store = await openStore({ url, root });
  onTestFinished(() => store.close());
  return store;
}

describe('the database URL', () => {
  it('is relative to the project folder, or absolute', async () => {
    const root = temporaryFolder();
    expect((await open(root)).location).toBe(join(root, 'data/box.db'));
    expect((await open('/nowhere', `sqlite:${root}/a.db`)).location).toBe(join(root, 'a.db'));
    expect((await open('/nowhere', `sqlite://${root}/b.db`)).location).toBe(join(root, 'b.db'));
  });

  it.each([
    ['postgres://user:hunter2@host/db', /PostgreSQL is not supported by this version/],
    ['postgresql://user:hunter2@host/db', /PostgreSQL is not supported by this version/],
    ['mysql://user:hunter2@host/db', /does not begin with sqlite:/],
    ['box.db', /does not begin with sqlite:/],
    ['', /does not begin with sqlite:/],
    ['sqlite:', /must be a file/],
    ['sqlite::memory:', /must be a file/],
    ['sqlite://host/box.db', /has no host/],
    ['sqlite:a\0b', /NUL/],
  ])('%j is refused, and what works is named', async (url, reason) => {
    const error = await openStore({ url, root: temporaryFolder() }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'StoreError', message: expect.stringMatching(reason) });
    expect(String(error)).toContain('sqlite:.signalbox/signalbox.db');
    expect(String(error)).not.toContain('hunter2');
  });
});

describe('the database file', () => {
  it('is made for its owner alone, with its folder and the files beside it', async () => {
    const root = temporaryFolder();
    const store = await open(root, 'sqlite:a/b/box.db');
    await store.migrate();
    const mode = (path: string): number => statSync(join(root, path)).mode & 0o777;
    expect([mode('a'), mode('a/b'), mode('a/b/box.db'), mode('a/b/box.db-wal')]).toEqual([0o700, 0o700, 0o600, 0o600]);
  });

  it('keeps the mode that somebody gave it', async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'box.db'), '', { mode: 0o640 });
    chmodSync(join(root, 'box.db'), 0o640);
    await open(root, 'sqlite:box.db');
    expect(statSync(join(root, 'box.db')).mode & 0o777).toBe(0o640);
  });

  it.each([
    [
      'no database',
      'just a text that is long enough to be looked at as a header'.repeat(40),
      /is not an SQLite database/,
    ],
    ['an empty schema page', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4080, 0xff)]), /box\.db/],
  ])('is refused with its name where it is %s', async (_, content, reason) => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'box.db'), content);
    const error = await openStore({ url: 'sqlite:box.db', root }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'StoreError', location: join(root, 'box.db') });
    expect(String(error)).toMatch(reason);
    expect(String(error)).toContain(join(root, 'box.db'));
  });

  it('is refused where its schema is damaged', async () => {
    const root = temporaryFolder();
    const file = join(root, 'box.db');
    const database = new Database(file);
    database.exec('create table t (a)');
    database.unsafeMode().pragma('writable_schema = ON');
    database.exec("update sqlite_schema set sql = 'create tabble t (a)'");
    database.close();
    await expect(openStore({ url: 'sqlite:box.db', root })).rejects.toThrow(/box\.db is damaged/);
  });

  it('is refused where it is a folder, or below a file', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'folder'));
    writeFileSync(join(root, 'file'), '');
    await expect(openStore({ url: 'sqlite:folder', root })).rejects.toThrow(/folder can't be used.*it is a folder/);
    await expect(openStore({ url: 'sqlite:file/box.db', root })).rejects.toThrow(/file\/box\.db can't be used/);
  });

  it('is refused where its folder may not be written', async () => {
    const root = temporaryFolder();
    chmodSync(root, 0o500);
    onTestFinished(() => chmodSync(root, 0o700));
    await unprivileged(() =>
      expect(openStore({ url: 'sqlite:box.db', root })).rejects.toThrow(/box\.db can't be written/),
    );
  });

  it.skipIf(!existsSync('/proc/self'))('is refused below /proc, where a folder can never be made', async () => {
    await expect(openStore({ url: 'sqlite:/proc/nowhere/box.db', root: '/' })).rejects.toThrow(
      /\/proc\/nowhere\/box\.db can't be used/,
    );
  });

  it('is missed when it was deleted or replaced under the gateway', async () => {
    const root = temporaryFolder();
    const store = await open(root);
    await expect(store.ready()).resolves.toBeUndefined();
    renameSync(store.location, `${store.location}.away`);
    await expect(store.ready()).rejects.toThrow(/was deleted or replaced/);
    writeFileSync(store.location, '');
    await expect(store.ready()).rejects.toThrow(/was deleted or replaced/);
  });
});

describe('migrations', () => {
  it('make the tables once where two processes start together', async () => {
    const root = temporaryFolder();
    const module = JSON.stringify(new URL('../../src/store/index.ts', import.meta.url).href);
    const script = `
      const { openStore } = await import(${module});
      const store = await openStore({ url: 'sqlite:box.db', root: process.argv[1] });
      await store.migrate();
      await store.close();`;
    const run = promisify(execFile);
    const start = () => run(process.execPath, ['--input-type=module', '-e', script, root]);
    await expect(Promise.all([start(), start()])).resolves.toHaveLength(2);
    const store = await open(root, 'sqlite:box.db');
    await expect(store.migrate()).resolves.toBeUndefined();
  });

  it('change nothing when they are run again', async () => {
    const root = temporaryFolder();
    const [first, second] = [await open(root), await open(root)];
    await first.migrate();
    await second.migrate();
    await first.migrate();
    const rows = await (await second.tables())
      .selectFrom('signalbox_migration')
      .select('name')
      .orderBy('name')
      .execute();
    expect(rows.map((row) => row.name)).toEqual(['0001-process-requests', '0002-sample-data', '0003-blobs']);
  });

  it('give the process request table every documented column', async () => {
    const store = await open(temporaryFolder());
    await store.migrate();
    const database = new Database(store.location, { readonly: true });
    onTestFinished(() => void database.close());
    const columns = database
      .prepare<[string], { name: string }>('select name from pragma_table_info(?)')
      .all('psprcsrqst');
    expect(columns.map((column) => column.name.toUpperCase())).toEqual(
      (
        'PRCSINSTANCE JOBINSTANCE MAINJOBINSTANCE PRCSJOBSEQ PRCSJOBNAME PRCSTYPE PRCSNAME MAINJOBNAME RUNLOCATION OPSYS ' +
        'SERVERNAMERQST SERVERNAMERUN RUNDTTM RECURNAME OPRID RUNCNTLID RUNSTATUS DISTSTATUS RQSTDTTM BEGINDTTM ENDDTTM'
      ).split(' '),
    );
  });

  it('keep nothing of a run that fails', async () => {
    const store = await open(temporaryFolder());
    const database = new Database(store.location);
    onTestFinished(() => void database.close());
    database.exec('create table signalbox_sample_data (of_somebody_else)');
    await expect(store.migrate()).rejects.toThrow(/box\.db.*migration 0002-sample-data failed/);
    const names = database.prepare<[], { name: string }>("select name from sqlite_schema where type = 'table'").all();
    expect(names).toEqual([{ name: 'signalbox_sample_data' }]);
  });

  it('refuse a database of a newer version', async () => {
    const store = await open(temporaryFolder());
    await store.migrate();
    const tables = await store.tables();
    await tables.insertInto('signalbox_migration').values({ name: '9999-from-the-future', applied: '' }).execute();
    await expect(store.migrate()).rejects.toThrow(/box\.db was written by a newer version.*9999-from-the-future/);
  });
});
