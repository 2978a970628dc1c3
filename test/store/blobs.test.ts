import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, rmSync, statSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BlobStorage, openBlobs, openStore, type Store } from '../../src/store/index.ts';
import { eventually } from '../support/project.ts';
import { unprivileged } from '../support/unprivileged.ts';
import { describeBlobs } from './blob-contract.ts';
import { attachment, bytesOf, openFiles, read, tap, tellsOpenFiles } from './content.ts';
import { temporaryFolder } from './support.ts';
import { canMount, smallDisk } from './tmpfs.ts';

async function openDatabase(root: string, file = 'box.db'): Promise<Store> {
  const store = await openStore({ url: `sqlite:${file}`, root });
  onTestFinished(() => store.close());
  await store.migrate();
  return store;
}

async function open(root: string, file?: string): Promise<BlobStorage> {
  const storage = await openBlobs(await openDatabase(root, file));
  onTestFinished(() => storage.close());
  return storage;
}

/** Files that hold content. */
function contents(root: string): string[] {
  const folder = join(root, 'blobs');
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(folder, entry.name));
}

/** Whatever else lies there. */
function locks(root: string): string[] {
  const folder = join(root, 'blobs');
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile() && entry.parentPath !== folder).map((entry) => entry.name);
}

describeBlobs('files', async () => {
  const root = temporaryFolder();
  let storage = await open(root);
  return {
    storage,
    contents: async () => contents(root).length,
    async reopen() {
      await storage.close();
      storage = await open(root);
      return storage;
    },
  };
});

describe('files of blobs', () => {
  it('lie beside the database, for its owner alone', async () => {
    const root = temporaryFolder();
    const storage = await open(root);
    expect(contents(root)).toEqual([]);
    await storage.scope('Files.v1').put('../a', attachment('x'));
    const [file = ''] = contents(root);
    expect([statSync(join(root, 'blobs')).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it('are all that is there once the storage is closed', async () => {
    const root = temporaryFolder();
    const storage = await open(root);
    await storage.scope('Files.v1').put('a', attachment('x'));
    expect(locks(root)).toHaveLength(1);
    await storage.close();
    await storage.close();
    expect([locks(root).length, contents(root).length]).toEqual([0, 1]);
  });

  it.skipIf(!tellsOpenFiles)('are closed where a stream ends, is left early, or fails', async () => {
    const root = temporaryFolder();
    const blobs = (await open(root)).scope('Files.v1');
    const blob = await blobs.put('a', attachment(bytesOf(2_000_000)));
    const closed = () => eventually('the file to be closed', () => openContents(root).length === 0 || undefined);
    await closed();
    await read(blob);
    await closed();
    for await (const _ of blob.stream()) {
      expect(openContents(root)).toHaveLength(1);
      break;
    }
    await closed();
    truncateSync(contents(root)[0] as string, 1_000_000);
    await expect(read(blob)).rejects.toThrow('blob "a" ended early');
    await closed();
    await expect(blobs.put('b', attachment('', { length: 1 }))).rejects.toThrow('0 of 1 announced bytes');
    await closed();
  });

  it('that somebody removed or cut are told when they are read', async () => {
    const root = temporaryFolder();
    const blobs = (await open(root)).scope('Files.v1');
    const blob = await blobs.put('a', attachment(bytesOf(10)));
    truncateSync(contents(root)[0] as string, 9);
    await expect(read(blob)).rejects.toThrow('blob "a" ended early');
    await blobs.put('b', attachment(bytesOf(2_000_000)));
    for (const file of contents(root)) truncateSync(file, 262_144);
    // The piece that is read ahead fails, and nobody asks for it any more.
    for await (const _ of (await blobs.get('b'))?.stream() ?? []) break;
    for (const file of contents(root)) unlinkSync(file);
    await expect(read(await blobs.get('a'))).rejects.toThrow('deleted or replaced');
    expect(await blobs.delete('a')).toBe(true);
  });

  it('can be put after somebody removed the folder', async () => {
    const root = temporaryFolder();
    const storage = await open(root);
    await storage.scope('Files.v1').put('a', attachment('one'));
    rmSync(join(root, 'blobs'), { recursive: true });
    await storage.scope('Files.v1').put('a', attachment('two'));
    expect(String(await read(await storage.scope('Files.v1').get('a')))).toBe('two');
    await storage.close();
  });

  it.each([
    'when the storage closes',
    'when the next opens',
  ])('that can not be removed now are removed %s', async (when) => {
    const root = temporaryFolder();
    const folder = join(root, 'blobs');
    const storage = await open(root);
    await storage.scope('Files.v1').put('a', attachment('one'));
    chmodSync(folder, 0o500);
    onTestFinished(() => chmodSync(folder, 0o700));
    expect(await unprivileged(() => storage.scope('Files.v1').delete('a'))).toBe(true);
    expect(contents(root)).toHaveLength(1);
    if (when === 'when the next opens') {
      await unprivileged(() => storage.close());
      expect(contents(root)).toHaveLength(1);
    }
    chmodSync(folder, 0o700);
    await storage.close();
    if (when === 'when the next opens') await open(root);
    expect([contents(root), locks(root)]).toEqual([[], []]);
  });

  it.skipIf(!tellsOpenFiles)('are closed with the storage, though the stream that fills them never ends', async () => {
    const root = temporaryFolder();
    const storage = await open(root);
    const source = tap();
    const failed = expect(storage.scope('Files.v1').put('a', attachment('', source))).rejects.toThrow('given up');
    await source.give(bytesOf(1_000_000));
    expect(openContents(root)).toHaveLength(1);
    await storage.close();
    await eventually('the file to be closed', () => openContents(root).length === 0 || undefined);
    void source.give(bytesOf(1_000_000));
    await failed;
  });

  it("that were taken for those of a dead process become nobody's", async () => {
    const root = temporaryFolder();
    const store = await openDatabase(root);
    const storage = await openBlobs(store);
    onTestFinished(() => storage.close());
    const source = tap();
    const putting = storage.scope('Files.v1').put('a', attachment('', source));
    const failed = expect(putting).rejects.toThrow('the file was removed while it was written');
    await source.give(bytesOf(10));
    await (await store.tables()).deleteFrom('signalbox_loose_blob').execute();
    source.end();
    await failed;
    expect(await storage.scope('Files.v1').get('a')).toBeUndefined();
    expect(contents(root)).toEqual([]);
  });

  it('are refused, with the folder, where that is none', async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'blobs'), '');
    await expect(open(root)).rejects.toThrow(`${join(root, 'blobs')} can't be used for blobs: ENOTDIR`);
  });

  it('of another database in the same folder are left alone', async () => {
    const root = temporaryFolder();
    const [one, other] = [await open(root, 'one.db'), await open(root, 'other.db')];
    await one.scope('Files.v1').put('a', attachment('one'));
    const source = tap();
    const putting = one.scope('Files.v1').put('b', attachment('', { stream: source.stream }));
    await source.give(bytesOf(1_000_000));
    await other.scope('Files.v1').put('a', attachment('other'));
    await other.close();
    await open(root, 'other.db');
    source.end();
    await putting;
    expect(String(await read(await one.scope('Files.v1').get('a')))).toBe('one');
    expect(contents(root)).toHaveLength(3);
  });
});

describe.skipIf(!canMount)('a full disk', () => {
  it('is told, and leaves what was there before and no half file', async () => {
    const root = smallDisk('size=4m');
    const storage = await open(root);
    const blobs = storage.scope('Files.v1');
    await blobs.put('a', attachment('one'));
    const bytes = bytesOf(8_000_000);
    for (const key of ['a', 'b']) {
      const error = await blobs.put(key, attachment(bytes)).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'Fault', code: 'STORAGE_FULL', cause: { code: 'ENOSPC' } });
    }
    expect([contents(root).length, await blobs.get('b')]).toEqual([1, undefined]);
    expect(String(await read(await blobs.get('a')))).toBe('one');
    await blobs.put('b', attachment(bytesOf(100_000)));
    await storage.close();
  });
});

describe('a process that ends', () => {
  it('in the middle leaves its half blob to the next that opens, and what was there before', async () => {
    const root = temporaryFolder();
    await (await open(root)).scope('Files.v1').put('a', attachment('one'));
    const writer = await startWriter(root);
    // While it lives nothing is taken from it.
    const beside = await open(root);
    expect([contents(root).length, locks(root).length]).toEqual([2, 2]);
    expect(String(await read(await beside.scope('Files.v1').get('a')))).toBe('one');
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    // Neither is it for another database to clean up.
    await open(root, 'other.db');
    const next = await open(root);
    expect([contents(root).length, locks(root).length]).toEqual([1, 1]);
    expect(String(await read(await next.scope('Files.v1').get('a')))).toBe('one');
  });

  it('finds its files limited, and leaves what was there before', async () => {
    const root = temporaryFolder();
    const storage = await open(root);
    await storage.scope('Files.v1').put('a', attachment('one'));
    // A limit of the size of files, in blocks of 512 bytes, stands for the disk.
    const writer = writerProcess(root, ['sh', '-c', 'ulimit -f 4096; exec "$0" "$@"']);
    let told = '';
    writer.stdout?.on('data', (text) => (told += text));
    await once(writer, 'close');
    expect(told).toMatch(/^writing\n+failed EFBIG\n$/);
    expect(contents(root)).toHaveLength(1);
    expect(String(await read(await storage.scope('Files.v1').get('a')))).toBe('one');
  });
});

/** Content files that this process has open. */
function openContents(root: string): string[] {
  return openFiles(join(root, 'blobs')).filter((path) => !path.includes('.lock'));
}

/** A process that puts content without an end under the key `a`. */
function writerProcess(root: string, before: readonly string[] = []): ChildProcess {
  const module = JSON.stringify(new URL('../../src/store/index.ts', import.meta.url).href);
  const script = `
    const { openBlobs, openStore } = await import(${module});
    const store = await openStore({ url: 'sqlite:box.db', root: process.argv[1] });
    const storage = await openBlobs(store);
    let given = 0;
    async function* stream() {
      for (;;) {
        if (given++ === 20) console.log('writing');
        yield Buffer.alloc(65536);
      }
    }
    await storage.scope('Files.v1').put('a', { contentType: 'x/y', stream }).catch((error) => console.log('failed ' + error.code));
    await storage.close();
    await store.close();`;
  const [command = '', ...parameters] = [...before, process.execPath, '--input-type=module', '-e', script, root];
  const child = spawn(command, parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The same, once some of it is on the disk. */
async function startWriter(root: string): Promise<ChildProcess> {
  const child = writerProcess(root);
  if (child.stdout !== null) await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  return child;
}
