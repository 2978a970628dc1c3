import { expect, it } from 'vitest';
import type { OpenedBlobs } from './blob-contract.ts';
import { attachment, bytesOf, cut, read, tap } from './content.ts';

/** What every implementation of the blob port keeps to where something fails. */
export function failureContract(open: () => Promise<OpenedBlobs>): void {
  it.each([0, 100, 1_000_000])('after %i bytes leaves nothing, and what was there before', async (length) => {
    const { storage, contents } = await open();
    const blobs = storage.scope('Files.v1');
    const failing = attachment('', {
      async *stream() {
        yield* cut(bytesOf(length), 65_536);
        throw new Error('the line was cut');
      },
    });
    await expect(blobs.put('new', failing)).rejects.toThrow('the line was cut');
    expect(await blobs.get('new')).toBeUndefined();
    expect(await contents()).toBe(0);
    await blobs.put('old', attachment('one'));
    await expect(blobs.put('old', failing)).rejects.toThrow('the line was cut');
    expect(String(await read(await blobs.get('old')))).toBe('one');
    expect(await contents()).toBe(1);
  });

  it('is told where a stream can not even be opened', async () => {
    const { storage, contents } = await open();
    const stream = (): never => {
      throw new Error('it was read already');
    };
    await expect(storage.scope('Files.v1').put('a', attachment('', { stream }))).rejects.toThrow('read already');
    expect(await contents()).toBe(0);
  });

  it('is content that is not as long as it says', async () => {
    const { storage, contents } = await open();
    const blobs = storage.scope('Files.v1');
    const put = (length: number) => blobs.put('a "b"', attachment('12345', { length }));
    await expect(put(6)).rejects.toThrow('blob "a \\"b\\"": 5 of 6 announced bytes came');
    await expect(put(4)).rejects.toThrow('blob "a \\"b\\"": more came than the 4 bytes that were announced');
    await expect(put(0)).rejects.toThrow('more came than the 0 bytes');
    expect(await contents()).toBe(0);
    expect((await put(5)).length).toBe(5);
  });

  it('gives up a stream as soon as more comes than was announced', async () => {
    const blobs = (await open()).storage.scope('Files.v1');
    let given = 0;
    let ended = false;
    const endless = attachment('', {
      length: 100_000,
      async *stream() {
        try {
          for (;;) {
            given += 65_536;
            yield Buffer.alloc(65_536);
          }
        } finally {
          ended = true;
        }
      },
    });
    await expect(blobs.put('a', endless)).rejects.toThrow('more came');
    expect([given, ended]).toEqual([131_072, true]);
  });

  it('is a blob that was deleted or replaced before it was read, and says so', async () => {
    const blobs = (await open()).storage.scope('Files.v1');
    const deleted = await blobs.put('a', attachment('one'));
    await blobs.delete('a');
    await expect(read(deleted)).rejects.toThrow('blob "a": it was deleted or replaced before it was read');
    const replaced = await blobs.put('b', attachment('one'));
    await blobs.put('b', attachment('two'));
    await expect(read(replaced)).rejects.toThrow('blob "b": it was deleted or replaced before it was read');
  });

  it('is a put that the storage closes under, and leaves nothing', async () => {
    const { storage, contents, reopen } = await open();
    const source = tap();
    const putting = storage.scope('Files.v1').put('a', attachment('', { stream: source.stream }));
    const failed = expect(putting).rejects.toThrow();
    await source.give(bytesOf(1_000_000));
    await storage.close();
    expect(await contents()).toBe(0);
    source.end();
    await failed;
    await expect(storage.scope('Files.v1').put('b', attachment('x'))).rejects.toThrow('the blob storage is closed');
    await expect(storage.scope('Files.v1').delete('b')).rejects.toThrow('the blob storage is closed');
    expect(await (await reopen()).scope('Files.v1').get('a')).toBeUndefined();
    expect(await contents()).toBe(0);
  });

  it('is a put that the storage closes under at its very end, or none: it is whole or not there', async () => {
    const opened = await open();
    let { storage } = opened;
    for (let turns = 0; turns < 40; turns++) {
      const putting = storage.scope('Files.v1').put('a', attachment(`${turns}`));
      const put = putting.then(
        () => true,
        () => false,
      );
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      await storage.close();
      storage = await opened.reopen();
      const blob = await storage.scope('Files.v1').get('a');
      if (await put) expect(String(await read(blob))).toBe(`${turns}`);
      expect((await read(blob)).length).toBe(blob?.length ?? 0);
      expect(await opened.contents()).toBe(blob === undefined ? 0 : 1);
    }
  });
}
