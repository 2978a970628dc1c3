import { chmodSync, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore, pendingMigrations, type Store } from '../../src/store/index.ts';
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
    ['postgres://user:hunter2@host:port/db', /has a port t/],
    ['postgresql://user:hunter2%@[host/db', /is not well-formed/],
  ])('%j is refused, and the form of a URL is named', async (url, reason) => {
    const error = await openStore({ url, root: temporaryFolder() }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'StoreError', message: expect.stringMatching(reason) });
    expect(String(error)).not.toContain('hunter2');
  });

  it.each([
    ['mysql://user:hunter2@host/db', /can't be on MariaDB or MySQL, which are for datasources/],
    ['oracle://user:hunter2@host/db', /does not begin with sqlite: or postgres:/],
    ['box.db', /does not begin with sqlite: or postgres:/],
    ['', /does not begin with sqlite: or postgres:/],
    ['sqlite:', /must be a file/],
    ['sqlite::memory:', /must be a file/],
    ['sqlite://host/box.db', /has no host/],
    ['sqlite:a\0b', /NUL/],
  ])('%j is refused, and what works is named', async (url, reason) => {
    const error = await openStore({ url, root: temporaryFolder() }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'StoreError', message: expect.stringMatching(reason) });
    expect(String(error)).toContain('sqlite:.signalbox/signalbox.db, or postgres://<user>');
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

  it('is neither made nor changed by whoever asks what it lacks', async () => {
    const root = temporaryFolder();
    expect(await pendingMigrations({ url: 'sqlite:a/box.db', root })).not.toEqual([]);
    expect(existsSync(join(root, 'a'))).toBe(false);
    writeFileSync(join(root, 'box.db'), 'no database, whatever is asked of it'.repeat(40));
    await expect(pendingMigrations({ url: 'sqlite:box.db', root })).rejects.toThrow(/box.db is not an SQLite database/);
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
