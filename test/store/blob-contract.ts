import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlobStorage } from '../../src/store/index.ts';
import { eventually } from '../support/project.ts';
import { failureContract } from './blob-failure-contract.ts';
import { attachment, bytesOf, cut, read, reusing, sha256, tap } from './content.ts';

/** An implementation of the blob port, opened for one test. */
export interface OpenedBlobs {
  readonly storage: BlobStorage;
  /** How many contents it holds, those that no blob has any more among them. */
  contents(): Promise<number>;
  /** Closes it, and opens it anew over what it kept. */
  reopen(): Promise<BlobStorage>;
}

/** Texts that a file system, a database or a URL could take for something else. */
const HOSTILE = [
  ...[
    '.',
    '..',
    '../../etc/passwd',
    '/etc/passwd',
    'a/b',
    'a\\b',
    'C:',
    'con',
    '-rf',
    '~',
    '*',
    '%2e%2e%2f',
    "' or 1=1",
  ],
  ...[
    'a\0b',
    'a\0c',
    '\0',
    'a',
    'A',
    ' a',
    'a ',
    'a\nb',
    '\u00e9',
    'e\u0301',
    '\ufeff',
    '\u202e',
    'x'.repeat(255),
    '\u{1f4ce}'.repeat(255),
  ],
];

/** What every implementation of the blob port keeps to. */
export function describeBlobs(name: string, open: () => Promise<OpenedBlobs>): void {
  describe(`blobs in ${name}`, () => {
    describe('content', () => contentContract(open));
    describe('ranges', () => rangeContract(open));
    describe('old ones', () => ageContract(open));
    describe('keys', () => keyContract(open));
    describe('what fails', () => failureContract(open));
    describe('at the same time', () => simultaneousContract(open));
  });
}

function contentContract(open: () => Promise<OpenedBlobs>): void {
  it('comes back as it was put, with what is known of it, as often as it is asked for', async () => {
    const blobs = (await open()).storage.scope('Files.v1');
    const before = new Date().toISOString();
    const bytes = bytesOf(700_000);
    const put = await blobs.put('a', attachment(bytes, { contentType: 'text/plain; charset=x', name: 'ä.txt' }));
    const got = await blobs.get('a');
    for (const blob of [put, got]) {
      expect(blob).toMatchObject({ key: 'a', contentType: 'text/plain; charset=x', name: 'ä.txt', length: 700_000 });
      expect(blob?.sha256).toBe(sha256(bytes));
      expect(blob?.stored).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect([before, blob?.stored, new Date().toISOString()].toSorted()[1]).toBe(blob?.stored);
      expect(bytes.equals(await read(blob))).toBe(true);
    }
    const [one, other] = await Promise.all([read(got), read(got)]);
    expect(bytes.equals(one) && bytes.equals(other)).toBe(true);
  });

  it.each([
    ['report.pdf', 'application/octet-stream', 'application/pdf'],
    ['report.pdf', 'text/plain', 'text/plain'],
    ['report', 'application/octet-stream', 'application/octet-stream'],
    [undefined, 'application/octet-stream', 'application/octet-stream'],
  ])('named %s and put as %s is %s', async (name, contentType, type) => {
    const blobs = (await open()).storage.scope('Files.v1');
    const content = attachment('x', { contentType, ...(name === undefined ? {} : { name }) });
    expect((await blobs.put('a', content)).contentType).toBe(type);
    expect((await blobs.get('a'))?.contentType).toBe(type);
  });

  it('has no name where it had none', async () => {
    const blobs = (await open()).storage.scope('Files.v1');
    expect(await blobs.put('a', attachment('x'))).not.toHaveProperty('name');
    expect(await blobs.get('a')).not.toHaveProperty('name');
  });

  it.each([
    0, 1, 16_383, 16_384, 16_385, 262_144, 278_527, 278_528, 278_529, 3_000_000,
  ])('may have %i bytes, whatever the size of its chunks', async (length) => {
    const blobs = (await open()).storage.scope('Files.v1');
    const bytes = bytesOf(length);
    for (const size of [1000, 16_384, 65_536, 1_048_577]) {
      const put = await blobs.put('a', attachment(bytes, { length, stream: () => reusing(cut(bytes, size)) }));
      expect([put.length, put.sha256]).toEqual([length, sha256(bytes)]);
      expect(bytes.equals(await read(await blobs.get('a')))).toBe(true);
    }
  });

  it('may come in any chunks, empty ones too', async () => {
    const blobs = (await open()).storage.scope('Files.v1');
    const chunks = fc.array(
      fc.nat(70_000).map((length) => bytesOf(length, length)),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(chunks, async (given) => {
        const bytes = Buffer.concat(given);
        const put = await blobs.put('a', attachment('', { stream: () => reusing(given) }));
        expect([put.length, put.sha256]).toEqual([bytes.length, sha256(bytes)]);
        expect(bytes.equals(await read(put))).toBe(true);
      }),
      { numRuns: 12 },
    );
  });

  it('outlives the storage', async () => {
    const { storage, reopen } = await open();
    const held = await storage.scope('Files.v1').put('a', attachment('one'));
    const again = (await reopen()).scope('Files.v1');
    expect(await again.get('a')).toMatchObject({ ...held, stream: expect.any(Function) });
    expect(String(await read(await again.get('a')))).toBe('one');
  });

  it('is not read again where it is replaced, and is gone where it is deleted', async () => {
    const { storage, contents } = await open();
    const blobs = storage.scope('Files.v1');
    await blobs.put('a', attachment('one', { name: 'one.txt' }));
    await blobs.put('a', attachment('two'));
    expect(String(await read(await blobs.get('a')))).toBe('two');
    expect(await blobs.get('a')).not.toHaveProperty('name');
    expect(await contents()).toBe(1);
    expect(await blobs.delete('a')).toBe(true);
    expect(await blobs.get('a')).toBeUndefined();
    expect(await blobs.delete('a')).toBe(false);
    expect(await contents()).toBe(0);
  });
}

function rangeContract(open: () => Promise<OpenedBlobs>): void {
  it('are those bytes, wherever they begin and end', async () => {
    const blobs = (await open()).storage.scope('Files.v1');
    const length = 2_500_000;
    const bytes = bytesOf(length);
    const blob = await blobs.put('a', attachment(bytes));
    const place = fc.oneof(fc.nat(length), fc.constantFrom(0, 1, 1_048_575, 1_048_576, 1_048_577, 2_097_152, length));
    await fc.assert(
      fc.asyncProperty(place, place, async (one, other) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other)];
        const read = Buffer.concat(await Array.fromAsync(blob.stream({ start, length: end - start })));
        expect(read.equals(bytes.subarray(start, end))).toBe(true);
      }),
      { numRuns: 12 },
    );
  });

  it.each([
    [-1, 1],
    [0, 11],
    [10, 1],
    [11, 0],
    [0, -1],
    [0.5, 1],
    [Number.NaN, 1],
  ])('from %d on of %d bytes are refused where the blob has 10', async (start, length) => {
    const blob = await (await open()).storage.scope('Files.v1').put('a', attachment(bytesOf(10)));
    expect(() => blob.stream({ start, length })).toThrow(RangeError);
    expect(await Array.fromAsync(blob.stream({ start: 10, length: 0 }))).toEqual([]);
  });
}

function ageContract(open: () => Promise<OpenedBlobs>): void {
  it('are deleted where they were put before a time, in their scope alone', async () => {
    const { storage, contents } = await open();
    const [blobs, other] = [storage.scope('a'), storage.scope('b')];
    for (let at = 0; at < 120; at++) await blobs.put(`old \0 \\ ${at}`, attachment('x'));
    await other.put('old', attachment('x'));
    const old = await blobs.get('old \0 \\ 119');
    const limit = new Date(Date.parse(old?.stored ?? '') + 1);
    await eventually('the next millisecond', () => Date.now() > limit.getTime() || undefined);
    await blobs.put('new', attachment('new'));
    expect(await blobs.expire(limit)).toBe(120);
    expect(await blobs.expire(limit)).toBe(0);
    expect([await blobs.get('old \0 \\ 0'), String(await read(await blobs.get('new')))]).toEqual([undefined, 'new']);
    expect([String(await read(await other.get('old'))), await contents()]).toEqual(['x', 2]);
  });
}

function keyContract(open: () => Promise<OpenedBlobs>): void {
  it('are texts and nothing else: each has its own content', async () => {
    const { storage, contents } = await open();
    const blobs = storage.scope('Files.v1');
    for (const key of HOSTILE) await blobs.put(key, attachment(`of ${key}`));
    for (const key of HOSTILE) {
      const blob = await blobs.get(key);
      expect([blob?.key, String(await read(blob))]).toEqual([key, `of ${key}`]);
    }
    expect(await contents()).toBe(HOSTILE.length);
    for (const key of HOSTILE) expect(await blobs.delete(key)).toBe(true);
    expect(await contents()).toBe(0);
  });

  it('behave as those of a map, whatever is put and deleted', async () => {
    const { storage, contents } = await open();
    const key = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary', minLength: 1, maxLength: 255 }));
    const step = fc.record({ key, scope: fc.constantFrom('a', 'b'), text: fc.option(fc.string(), { nil: undefined }) });
    const expected = new Map<string, string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        for (const { key, scope, text } of steps) {
          const place = JSON.stringify([scope, key]);
          if (text === undefined) expect(await storage.scope(scope).delete(key)).toBe(expected.delete(place));
          else expected.set(place, (await storage.scope(scope).put(key, attachment(text))) && text);
          const got = await storage.scope(scope).get(key);
          expect(got && String(await read(got))).toBe(expected.get(place));
        }
        expect(await contents()).toBe(expected.size);
      }),
      { numRuns: 12 },
    );
  });

  it('are those of their scope alone, whatever that is called', async () => {
    const { storage } = await open();
    const scopes = ['', 'A.v1', 'a.v1', ...HOSTILE.filter((name) => name.length < 20)];
    for (const scope of scopes) await storage.scope(scope).put('k', attachment(`of ${scope}`));
    for (const scope of scopes) expect(String(await read(await storage.scope(scope).get('k')))).toBe(`of ${scope}`);
    await storage.scope('A.v1').delete('k');
    expect(await storage.scope('a.v1').get('k')).toBeDefined();
  });

  it.each([
    ['empty', '', /is empty/],
    ['of 256 characters', 'x'.repeat(256), /more than 255 characters/],
    ['of 256 characters of two units each', '\u{1f4ce}'.repeat(256), /more than 255 characters/],
    ['half a character', 'a\ud83d', /is not Unicode text/],
  ])('are refused where they are %s', async (_, key, reason) => {
    const { storage, contents } = await open();
    const blobs = storage.scope('Files.v1');
    for (const refused of [blobs.put(key, attachment('x')), blobs.get(key), blobs.delete(key)]) {
      const error = await refused.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(RangeError);
      expect(String(error)).toMatch(reason);
    }
    expect(await contents()).toBe(0);
  });
}

function simultaneousContract(open: () => Promise<OpenedBlobs>): void {
  it.each(['replaced', 'deleted'])('a reader in the middle is not disturbed where the blob is %s', async (how) => {
    const { storage, contents } = await open();
    const blobs = storage.scope('Files.v1');
    const bytes = bytesOf(3_000_000);
    const blob = await blobs.put('a', attachment(bytes));
    const pieces: Uint8Array[] = [];
    for await (const piece of blob.stream()) {
      if (pieces.push(piece) > 1) continue;
      if (how === 'deleted') await blobs.delete('a');
      else await blobs.put('a', attachment('two'));
    }
    expect(bytes.equals(Buffer.concat(pieces))).toBe(true);
    expect(await contents()).toBe(how === 'deleted' ? 0 : 1);
  });

  it('the later of two puts to finish wins, and the other leaves nothing', async () => {
    const { storage, contents } = await open();
    const blobs = storage.scope('Files.v1');
    const [first, second] = [tap(), tap()];
    const puts = [first, second].map(({ stream }) => blobs.put('a', attachment('', { stream })));
    await first.give(Buffer.from('one'));
    await second.give(Buffer.from('two'));
    second.end();
    await puts[1];
    expect(String(await read(await blobs.get('a')))).toBe('two');
    first.end();
    await puts[0];
    expect(String(await read(await blobs.get('a')))).toBe('one');
    expect(await contents()).toBe(1);
  });

  it('what is being put is not seen until it is whole', async () => {
    const blobs = (await open()).storage.scope('Files.v1');
    const source = tap();
    const putting = blobs.put('a', attachment('', { stream: source.stream }));
    await source.give(bytesOf(600_000));
    expect(await blobs.get('a')).toBeUndefined();
    expect(await blobs.delete('a')).toBe(false);
    source.end();
    expect((await putting).length).toBe(600_000);
    expect(await blobs.get('a')).toBeDefined();
  });

  it('many puts, gets and deletes leave one content a key, each whole', async () => {
    const { storage, contents } = await open();
    const blobs = storage.scope('Files.v1');
    const texts = Array.from({ length: 40 }, (_, at) => `${at} `.repeat(5000 + at));
    await Promise.all(
      texts.map(async (text, at) => {
        await blobs.put(`k${at % 4}`, attachment(text));
        if (at % 7 === 0) await blobs.delete(`k${at % 4}`);
      }),
    );
    const left = await Promise.all(['k0', 'k1', 'k2', 'k3'].map((key) => blobs.get(key)));
    for (const blob of left) if (blob !== undefined) expect(texts).toContain(String(await read(blob)));
    expect(await contents()).toBe(left.filter((blob) => blob !== undefined).length);
  });
}
