import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SpoolLimitError } from '../../src/model/blob.ts';
import { createSpool } from '../../src/store/index.ts';
import { eventually } from '../support/project.ts';
import { bytesOf, cut, openFiles, read, reusing, tap, tellsOpenFiles } from './content.ts';
import { temporaryFolder } from './support.ts';

const MANY = 10_000_000;

/** A spool that keeps little in memory, in a folder that is not there yet. */
function smallSpool(options: { memory?: number; total?: number } = {}) {
  const folder = join(temporaryFolder(), 'below', 'spool');
  return { folder, spool: createSpool({ folder, memory: 5000, ...options }) };
}

const closed = (folder: string) =>
  eventually('the files to be closed', () => openFiles(folder).length === 0 || undefined);

describe('kept content', () => {
  it.each([
    0, 1, 1024, 4999, 5000, 5001, 300_000, 2_000_000,
  ])('of %i bytes can be read again and again', async (length) => {
    const { spool } = smallSpool();
    const bytes = bytesOf(length);
    for (const size of [999, 65_536]) {
      const kept = await spool.keep(reusing(cut(bytes, size)), MANY);
      expect(kept.length).toBe(length);
      const [one, other] = await Promise.all([read(kept), read(kept)]);
      expect(bytes.equals(one) && bytes.equals(other) && bytes.equals(await read(kept))).toBe(true);
      kept.dispose();
    }
  });

  it('may come in any chunks, however many are kept', async () => {
    const { spool } = smallSpool({ total: 20_000 });
    const chunks = fc.array(
      fc.nat(4000).map((length) => bytesOf(length, length)),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(chunks, { maxLength: 6 }), async (contents) => {
        const all = await Promise.all(contents.map((content) => spool.keep(reusing(content), MANY)));
        for (const [at, kept] of all.entries()) {
          const bytes = Buffer.concat(contents[at] ?? []);
          expect([kept.length, bytes.equals(await read(kept))]).toEqual([bytes.length, true]);
          kept.dispose();
          kept.dispose();
        }
      }),
      { numRuns: 40 },
    );
  });

  it('has no name on the disk, not even while it comes', async () => {
    const { spool, folder } = smallSpool();
    const source = tap();
    const keeping = spool.keep(source.stream(), MANY);
    await source.give(bytesOf(1_000_000));
    expect([statSync(folder).mode & 0o777, readdirSync(folder)]).toEqual([0o700, []]);
    source.end();
    expect((await keeping).length).toBe(1_000_000);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('can not be read once it is given back', async () => {
    const { spool } = smallSpool();
    for (const length of [10, 2_000_000]) {
      const kept = await spool.keep(reusing([bytesOf(length)]), MANY);
      kept.dispose();
      await expect(read(kept)).rejects.toThrow('the content was given up');
    }
    const kept = await spool.keep(reusing([bytesOf(2_000_000)]), MANY);
    const reading = (async () => {
      for await (const _ of kept.stream()) kept.dispose();
    })();
    await expect(reading).rejects.toThrow('the content was given up');
  });
});

describe('the limit', () => {
  it.each([100, 5000, 100_000])('of %i bytes is what content may have, and no byte more', async (limit) => {
    const { spool } = smallSpool();
    const kept = await spool.keep(reusing(cut(bytesOf(limit), 77)), limit);
    expect(kept.length).toBe(limit);
    const error = await spool.keep(reusing(cut(bytesOf(limit + 1), 77)), limit).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SpoolLimitError);
    expect(error).toMatchObject({ limit, message: `the content is longer than ${limit} bytes` });
  });

  it('ends a stream at once', async () => {
    const { spool, folder } = smallSpool();
    let given = 0;
    let ended = false;
    async function* endless() {
      try {
        for (;;) {
          given += 1000;
          yield Buffer.alloc(1000);
        }
      } finally {
        ended = true;
      }
    }
    await expect(spool.keep(endless(), 600_000)).rejects.toThrow(SpoolLimitError);
    expect([given, ended, readdirSync(folder)]).toEqual([601_000, true, []]);
  });
});

describe.skipIf(!tellsOpenFiles)('memory and files', () => {
  it('only what is longer than the memory goes to a file, and is closed when it is given back', async () => {
    const { spool, folder } = smallSpool();
    const short = await spool.keep(reusing([bytesOf(5000)]), MANY);
    expect([openFiles(folder), existsSync(folder)]).toEqual([[], false]);
    const long = await spool.keep(reusing([bytesOf(5001)]), MANY);
    expect(openFiles(folder)).toHaveLength(1);
    await read(long);
    expect(openFiles(folder)).toHaveLength(1);
    long.dispose();
    short.dispose();
    await closed(folder);
  });

  it('short content goes to files too once the memory of all is used, and no longer when that is given back', async () => {
    const { spool, folder } = smallSpool({ total: 10_000 });
    const keep = () => spool.keep(reusing(cut(bytesOf(4000), 100)), MANY);
    const [one, two] = [await keep(), await keep()];
    expect(openFiles(folder)).toEqual([]);
    const three = await keep();
    expect(openFiles(folder)).toHaveLength(1);
    three.dispose();
    one.dispose();
    await closed(folder);
    await keep();
    expect([openFiles(folder), bytesOf(4000).equals(await read(two))]).toEqual([[], true]);
  });

  it('content takes no more memory than it needs, and none once it went to a file', async () => {
    const { spool, folder } = smallSpool({ total: 5500 });
    for (let count = 0; count < 50; count++) await spool.keep(reusing([bytesOf(10)]), MANY);
    expect(openFiles(folder)).toEqual([]);
    await spool.keep(reusing(cut(bytesOf(20_000), 999)), MANY);
    expect(openFiles(folder)).toHaveLength(1);
    await spool.keep(reusing([bytesOf(5000)]), MANY);
    expect(openFiles(folder)).toHaveLength(1);
  });

  it.each([10, 4000, 1_000_000])('are given back where the stream fails after %i bytes', async (length) => {
    const { spool, folder } = smallSpool({ total: 5000 });
    async function* failing() {
      yield* cut(bytesOf(length), 999);
      throw new Error('the line was cut');
    }
    await expect(spool.keep(failing(), MANY)).rejects.toThrow('the line was cut');
    await closed(folder);
    await expect(spool.keep(failing(), length - 1)).rejects.toThrow(SpoolLimitError);
    await closed(folder);
    const kept = await spool.keep(reusing([bytesOf(5000)]), MANY);
    expect([openFiles(folder), kept.length]).toEqual([[], 5000]);
  });
});

it('what a killed process left in the folder is removed, but nothing that is young', () => {
  const folder = temporaryFolder();
  const [old, young] = [randomUUID(), randomUUID()];
  for (const name of [old, young]) writeFileSync(join(folder, name), '');
  const longAgo = Date.now() / 1000 - 3600;
  utimesSync(join(folder, old), longAgo, longAgo);
  createSpool({ folder });
  expect(readdirSync(folder)).toEqual([young]);
});
