import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundaryFault, boundaryOfText } from '../../../src/wire/multipart/boundary.ts';
import {
  MultipartError,
  type MultipartLimits,
  MultipartReader,
  SURROUNDINGS,
} from '../../../src/wire/multipart/read.ts';

const LIMITS: MultipartLimits = { parts: 10, headers: 1000 };

/** A source that counts what is taken from it, and knows whether it was ended. */
class Source implements AsyncIterable<Uint8Array> {
  taken = 0;
  ended = 0;
  readonly #chunks: Iterator<Uint8Array | Error>;

  constructor(chunks: Iterable<Uint8Array | Error>) {
    this.#chunks = chunks[Symbol.iterator]();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        const { done, value } = this.#chunks.next();
        if (done === true) return { done, value: undefined };
        this.taken++;
        if (value instanceof Error) throw value;
        return { done: false, value };
      },
      return: async () => {
        this.ended++;
        return { done: true, value: undefined };
      },
    };
  }
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Cut into pieces of these lengths, again and again. */
function cut(whole: Buffer, lengths: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < whole.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    chunks.push(whole.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of content) text += Buffer.from(piece).toString('latin1');
  return text;
}

type Read = [headers: Record<string, string>, content: string];

async function readAll(chunks: Iterable<Uint8Array>, boundary = 'b', limits = LIMITS): Promise<Read[]> {
  const reader = new MultipartReader(new Source(chunks), boundary, limits);
  const parts: Read[] = [];
  for (let part = await reader.next(); part !== undefined; part = await reader.next()) {
    parts.push([Object.fromEntries(part.headers), await textOf(part.body())]);
  }
  return parts;
}

const read = (text: string, boundary = 'b', limits = LIMITS): Promise<Read[]> =>
  readAll([bytes(text)], boundary, limits);

async function faultOf(work: Promise<unknown>): Promise<[string, string]> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(MultipartError);
  const { kind, reason } = error as MultipartError;
  return [kind, reason];
}

describe('the parts of a message', () => {
  it.each<[what: string, message: string, parts: Read[]]>([
    [
      'CRLF',
      '--b\r\nA: 1\r\n\r\nx\r\n--b\r\nA: 2\r\n\r\ny\r\n--b--\r\n',
      [
        [{ a: '1' }, 'x'],
        [{ a: '2' }, 'y'],
      ],
    ],
    [
      'LF',
      '--b\nA: 1\n\nx\n--b\nA: 2\n\ny\n--b--\n',
      [
        [{ a: '1' }, 'x'],
        [{ a: '2' }, 'y'],
      ],
    ],
    ['a preamble', 'read\r\nthis\r\n--b\r\n\r\nx\r\n--b--', [[{}, 'x']]],
    ['an empty line before', '\r\n--b\r\n\r\nx\r\n--b--', [[{}, 'x']]],
    ['an epilogue', '--b\r\n\r\nx\r\n--b--\r\nbye\r\n--b\r\n\r\nno part\r\n--b--', [[{}, 'x']]],
    [
      'transport padding',
      '--b \t\r\n\r\nx\r\n--b  \n\ny\r\n--b-- \t',
      [
        [{}, 'x'],
        [{}, 'y'],
      ],
    ],
    ['no header', '--b\r\n\r\nx: y\r\n\r\nz\r\n--b--', [[{}, 'x: y\r\n\r\nz']]],
    [
      'no content',
      '--b\r\nA: 1\r\n\r\n\r\n--b\r\n\r\n\r\n--b--',
      [
        [{ a: '1' }, ''],
        [{}, ''],
      ],
    ],
    [
      'no content, and no line end of its own',
      '--b\r\nA: 1\r\n\r\n--b\n\n--b--',
      [
        [{ a: '1' }, ''],
        [{}, ''],
      ],
    ],
    ['line ends in contents', '--b\r\n\r\n\r\nx\n\r\r\n\r\n--b--', [[{}, '\r\nx\n\r\r\n']]],
    [
      'lines that begin like a boundary',
      '--b\r\n\r\n--\n--c\n--bc\n--b-\n--b--c\n-b\n --b\n--b\r\n\r\ny\n--b--',
      [
        [{}, '--\n--c\n--bc\n--b-\n--b--c\n-b\n --b'],
        [{}, 'y'],
      ],
    ],
    ['CR that ends no line', '--b\r\n\r\nx\r--b\r\n\r--b\r\r\n--b--\r', [[{}, 'x\r--b\r\n\r--b\r']]],
    ['no part', '--b--', []],
    ['no part behind a preamble', 'x\r\n--b--\r\n', []],
  ])('%s', async (_, message, parts) => {
    expect(await read(message)).toEqual(parts);
    expect(await readAll(cut(bytes(message), [1]))).toEqual(parts);
  });

  it.each([
    'uuid:8f2a-:1+id=3',
    '----=_Part_4_701508.1145579811786',
    'a b',
    '{x}',
    'b'.repeat(70),
  ])('boundary %s', async (boundary) => {
    expect(await read(`--${boundary}\r\n\r\nx\r\n--${boundary}--`, boundary)).toEqual([[{}, 'x']]);
  });

  it.each(['', 'a ', 'b'.repeat(71), 'a\r\nb', 'é'])('refuses %j as a boundary', (boundary) => {
    expect(() => new MultipartReader(new Source([]), boundary, LIMITS)).toThrow(MultipartError);
    expect(boundaryFault(boundary)).toMatch(/^its boundary /);
  });

  it('are the same however their bytes are cut', async () => {
    const atom = fc.constantFrom(
      '\r',
      '\n',
      '\r\n',
      '-',
      '--',
      '--b',
      '\r\n--b',
      '\n--b',
      '\r\n--bo',
      ' ',
      '\t',
      'b',
      'o',
      'x',
      '\0',
      'é',
      ':',
    );
    const content = fc
      .array(atom, { maxLength: 12 })
      .map((atoms) => atoms.join(''))
      .filter((text) => !/(^|\n)--bo(--)?[ \t]*(\r?\n|\r?$)/.test(text));
    const padding = fc.constantFrom('', ' ', '\t \t');
    const lineEnd = fc.constantFrom('\r\n', '\n');
    const parts = fc.array(fc.tuple(content, lineEnd, lineEnd, padding), { minLength: 1, maxLength: 4 });
    const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(content, parts, padding, lengths, async (preamble, given, last, cuts) => {
        let message = preamble;
        for (const [text, before, within, blanks] of given) {
          message += `${before}--bo${blanks}${within}N: ${text.length}${within}${within}${text}`;
        }
        message += `\r\n--bo--${last}\r\nepilogue`;
        // The LF before a boundary and a CR that the content ends with are one line end.
        fc.pre(!given.some(([text], index) => text.endsWith('\r') && given[index + 1]?.[1] === '\n'));
        const expected = given.map(([text]) => [{ n: String(text.length) }, text]);
        const found = await readAll(cut(bytes(message), cuts), 'bo');
        expect(found).toEqual(expected);
      }),
      { numRuns: 1500 },
    );
  });
});

describe('the header of a part', () => {
  const headersOf = async (block: string): Promise<Record<string, string>> => {
    const [part] = await readAll([Buffer.from(`--b\r\n${block}\r\n\r\nx\r\n--b--`)]);
    expect(part?.[1]).toBe('x');
    return part?.[0] ?? {};
  };

  it.each<[string, Record<string, string>]>([
    ['CONTENT-type:text/xml', { 'content-type': 'text/xml' }],
    ['Content-Type: a/b;\r\n\tc=d;\r\n   e=f', { 'content-type': 'a/b;\tc=d;   e=f' }],
    ['Content-ID :  <x@y>  ', { 'content-id': '<x@y>' }],
    ['A:', { a: '' }],
    ['A: b:c', { a: 'b:c' }],
    ['Received: 1\r\nReceived: 2', { received: '1, 2' }],
    ['Content-Description: Grüße', { 'content-description': 'Grüße' }],
  ])('%j', async (block, headers) => {
    expect(await headersOf(block)).toEqual(headers);
  });

  it('is read as ISO 8859-1 where it is no UTF-8', async () => {
    expect(await read('--b\r\nA: \xe9\r\n\r\n\r\n--b--')).toEqual([[{ a: 'é' }, '']]);
  });

  it.each([
    ['no colon', 'part 1: its header has a line without a name: "no colon"'],
    [': value', 'part 1: its header has a line without a name: ": value"'],
    ['a b: value', 'part 1: its header has a line without a name: "a b: value"'],
    [' A: 1', 'part 1: its header begins with a folded line'],
    ['A: x\0y', 'part 1: its header holds a control character in "A: x\\u0000y"'],
    ['A: x\ry', 'part 1: its header holds a control character in "A: x\\ry"'],
    ['Content-ID: <a>\r\nCONTENT-ID: <b>', 'part 1: its header has content-id twice'],
    ['x'.repeat(200), `part 1: its header has a line without a name: "${'x'.repeat(60)}..."`],
  ])('refuses %j', async (block, reason) => {
    expect(await faultOf(read(`--b\r\n${block}\r\n\r\nx\r\n--b--`))).toEqual(['syntax', reason]);
  });

  it('refuses a boundary where the blank line should stand', async () => {
    expect(await faultOf(read('--b\r\nA: 1\r\n--b--\r\n\r\n'))).toEqual([
      'syntax',
      'part 1: its header has a line without a name: "--b--"',
    ]);
  });

  it('may be as long as the limit', async () => {
    const limits = { parts: 1, headers: 100 };
    const block = (length: number): string => `A: ${'x'.repeat(length - 5)}\r\n`;
    expect(await read(`--b\r\n${block(100)}\r\n\r\n--b--`, 'b', limits)).toHaveLength(1);
    const reason = ['limit', 'part 1: its header is longer than 100 bytes'];
    expect(await faultOf(read(`--b\r\n${block(101)}\r\n\r\n--b--`, 'b', limits))).toEqual(reason);
    expect(await faultOf(read(`--b\nA: ${'x'.repeat(97)}\n\n\n--b--`, 'b', limits))).toEqual(reason);
    expect(await faultOf(readAll(cut(bytes(`--b\r\n${block(101)}\r\n\r\n--b--`), [7]), 'b', limits))).toEqual(reason);
  });

  it('of a megabyte is refused before it has come', async () => {
    const chunks = [bytes('--b\r\nA: '), ...cut(bytes('x'.repeat(1_000_000)), [500])];
    const source = new Source(chunks);
    const reader = new MultipartReader(source, 'b', LIMITS);
    expect(await faultOf(reader.next())).toEqual(['limit', 'part 1: its header is longer than 1000 bytes']);
    expect(source.taken).toBeLessThan(5);
  });
});

describe('a message that is not whole or too much', () => {
  it.each([
    ['', 'it ends before its first boundary'],
    ['no boundary', 'it ends before its first boundary'],
    ['--b', 'it ends before its first boundary'],
    ['--b\r\n', 'it ends within part 1'],
    ['--b\r\nA: 1\r\n', 'it ends within part 1'],
    ['--b\r\nA: 1\r\n\r\n', 'it ends within part 1'],
    ['--b\r\n\r\nx\r\n', 'it ends within part 1'],
    ['--b\r\n\r\nx\r\n--b', 'it ends within part 1'],
    ['--b\r\n\r\nx\r\n--b-', 'it ends within part 1'],
    ['--b\r\n\r\nx\r\n--b--!', 'it ends within part 1'],
    ['--b\r\n\r\nx\r\n--b\r\n', 'it ends within part 2'],
    ['--b\r\n\r\nx\r\n--b\r\n\r\ny', 'it ends within part 2'],
  ])('%j is cut', async (message, reason) => {
    expect(await faultOf(read(message))).toEqual(['cut', reason]);
    expect(await faultOf(readAll(cut(bytes(message), [1])))).toEqual(['cut', reason]);
  });

  it('has no more parts than the limit', async () => {
    const part = '--b\r\n\r\nx\r\n';
    expect(await read(`${part.repeat(10)}--b--`)).toHaveLength(10);
    const source = new Source(cut(bytes(`${part.repeat(10_000)}--b--`), [100]));
    const reader = new MultipartReader(source, 'b', LIMITS);
    for (let count = 0; count < 10; count++) await reader.next();
    expect(await faultOf(reader.next())).toEqual(['limit', 'it has more than 10 parts']);
    expect(source.taken).toBeLessThan(5);
  });

  function* endless(): Generator<Buffer> {
    for (;;) yield Buffer.alloc(1000, 'x');
  }

  it('has a boundary that comes, and a source that ends behind the last', async () => {
    const never = new Source(endless());
    expect(await faultOf(new MultipartReader(never, 'b', LIMITS).next())).toEqual([
      'limit',
      `it has more than ${SURROUNDINGS} bytes before its first boundary`,
    ]);
    expect(never.taken).toBeLessThan(70);
    const behind = new Source([bytes('--b--\r\n'), ...endless().take(1000)]);
    expect(await faultOf(new MultipartReader(behind, 'b', LIMITS).next())).toEqual([
      'limit',
      `it has more than ${SURROUNDINGS} bytes behind its last boundary`,
    ]);
    expect(behind.taken).toBeLessThan(70);
  });

  it.each([0, 1, 255, 256])('is whole where %i bytes of padding come in the chunk behind the CR', async (blanks) => {
    const delimiters = [
      '--b\r\n\r\nx\r',
      `\n--b${' '.repeat(blanks)}\r\n\r\ny\r`,
      `\n--b--${' '.repeat(blanks)}\r\nepilogue`,
    ];
    expect(await readAll(delimiters.map(bytes))).toEqual([
      [{}, 'x'],
      [{}, 'y'],
    ]);
  });

  it('has little padding behind a boundary: more is content', async () => {
    const padded = `--b${' '.repeat(300)}\r\n\r\n`;
    expect(await read(`--b\r\n\r\n${padded}x\r\n--b--`)).toEqual([[{}, `${padded}x`]]);
    expect(await readAll(cut(bytes(`--b\r\n\r\n${padded}x\r\n--b--`), [100]))).toEqual([[{}, `${padded}x`]]);
  });
});

describe('reading', () => {
  const message = (content: string): Buffer => bytes(`--b\r\n\r\n${content}\r\n--b\r\nA: 2\r\n\r\ny\r\n--b--\r\n`);

  it('takes a chunk when one is asked for, and gives views of it', async () => {
    const chunks = [bytes('--b\r\n\r\nfirst'), bytes('second'), bytes('third\r\n--b--')];
    const source = new Source(chunks);
    const part = await new MultipartReader(source, 'b', LIMITS).next();
    expect(source.taken).toBe(1);
    const body = part?.body()[Symbol.asyncIterator]();
    expect(source.taken).toBe(1);
    expect(String((await body?.next())?.value)).toBe('first');
    expect(source.taken).toBe(1);
    const second = (await body?.next())?.value;
    expect(second?.buffer).toBe(chunks[1]?.buffer);
    expect(second?.byteOffset).toBe(chunks[1]?.byteOffset);
    expect(source.taken).toBe(2);
  });

  it('skips what is left of a part, begun or not', async () => {
    for (const begin of [true, false]) {
      const reader = new MultipartReader(new Source(cut(message('x'.repeat(100)), [10])), 'b', LIMITS);
      const first = await reader.next();
      if (begin && first !== undefined) {
        for await (const piece of first.body()) if (piece.length > 0) break;
      }
      const second = await reader.next();
      expect(second?.headers.get('a')).toBe('2');
      expect(await textOf(second!.body())).toBe('y');
      expect(await reader.next()).toBeUndefined();
      expect(await reader.next()).toBeUndefined();
    }
  });

  it('gives a body once, and none of a part that is past', async () => {
    const reader = new MultipartReader(new Source([message('x')]), 'b', LIMITS);
    const first = (await reader.next())!;
    const second = (await reader.next())!;
    await expect(textOf(first.body())).rejects.toThrow('the reader is past this part');
    expect(await textOf(second.body())).toBe('y');
    await expect(textOf(second.body())).rejects.toThrow('the body of a part can be read once');
  });

  it('stops a body whose part is left while it is read', async () => {
    const reader = new MultipartReader(new Source(cut(message('xxxxxxxxxx'), [10])), 'b', LIMITS);
    const body = (await reader.next())!.body()[Symbol.asyncIterator]();
    await body.next();
    await reader.next();
    await expect(body.next()).rejects.toThrow('the reader is past this part');
  });

  it('refuses two reads at once', async () => {
    const reader = new MultipartReader(new Source(cut(message('x'), [3])), 'b', LIMITS);
    const first = reader.next();
    await expect(reader.next()).rejects.toThrow('one place at a time');
    expect(await first).toBeDefined();
  });

  it('reads the source to its end behind the last part', async () => {
    const source = new Source([bytes('--b\r\n\r\nx\r\n--b--'), bytes('\r\n'), bytes('bye')]);
    const reader = new MultipartReader(source, 'b', LIMITS);
    await reader.next();
    await reader.next();
    expect(source.taken).toBe(3);
    reader.close();
    expect(source.ended).toBe(0);
  });

  it('ends the source when it is closed, once', async () => {
    const source = new Source(cut(message('x'.repeat(1000)), [50]));
    const reader = new MultipartReader(source, 'b', LIMITS);
    const part = (await reader.next())!;
    reader.close();
    reader.close();
    expect(source.ended).toBe(1);
    expect(await reader.next()).toBeUndefined();
    await expect(textOf(part.body())).rejects.toThrow('the reader is past this part');
  });

  it('lets the errors of the source through, in a header and in a body', async () => {
    const broken = new Error('connection reset');
    const early = new MultipartReader(new Source([bytes('--b\r\nA'), broken]), 'b', LIMITS);
    await expect(early.next()).rejects.toBe(broken);
    const late = new MultipartReader(new Source([bytes('--b\r\n\r\nx'), broken]), 'b', LIMITS);
    await expect(textOf((await late.next())!.body())).rejects.toBe(broken);
  });

  it('takes bytes that are no Buffer', async () => {
    const parts = await readAll([new Uint8Array(message('x')), new Uint8Array(0)]);
    expect(parts.map(([, content]) => content)).toEqual(['x', 'y']);
  });
});

describe('a message inside a text', () => {
  const text = [
    '',
    '------=_Part_12_345.678',
    'Content-Type: application/xop+xml; charset=UTF-8; type="text/xml"',
    'Content-Transfer-Encoding: 8bit',
    'Content-ID: <root>',
    '',
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/">é</soapenv:Envelope>',
    '------=_Part_12_345.678',
    'Content-Type: application/xml',
    'Content-Transfer-Encoding: 8bit',
    'Content-ID: <1>',
    '',
    '<Document>',
    '  <a/>',
    '</Document>',
    '------=_Part_12_345.678--',
    '',
  ];

  it.each(['\n', '\r\n'])('is read with the boundary of its first line (%j)', async (lineEnd) => {
    const message = text.join(lineEnd);
    const boundary = boundaryOfText(message);
    expect(boundary).toBe('----=_Part_12_345.678');
    const [root, second, ...more] = await readAll([Buffer.from(message)], boundary);
    expect(root?.[0]['content-id']).toBe('<root>');
    expect(Buffer.from(root?.[1] ?? '', 'latin1').toString()).toBe(text[6]);
    expect(second).toEqual([
      { 'content-type': 'application/xml', 'content-transfer-encoding': '8bit', 'content-id': '<1>' },
      ['<Document>', '  <a/>', '</Document>'].join(lineEnd),
    ]);
    expect(more).toEqual([]);
  });

  it.each([
    ['--x', 'x'],
    ['\r\n \n\t\r\n--x \t\r\ny', 'x'],
    ['', undefined],
    [' \n ', undefined],
    ['text\n--x', undefined],
    [' --x', undefined],
    ['-x', undefined],
    ['--', undefined],
    [`--${'x'.repeat(71)}`, undefined],
    [`<Document>${'x'.repeat(1000)}</Document>`, undefined],
  ])('%j has the boundary %s', (given, boundary) => {
    expect(boundaryOfText(given)).toBe(boundary);
  });
});

const corpus = new URL('../../../../shared/corpus/mtom/', import.meta.url);

describe.skipIf(!existsSync(corpus))('messages of other makers (skipped where ../shared/corpus is missing)', () => {
  async function partsOf(file: string, boundary: string, length: number) {
    const reader = new MultipartReader(
      new Source(cut(readFileSync(new URL(file, corpus)), [length])),
      boundary,
      LIMITS,
    );
    const parts: { id: string | undefined; type: string | undefined; content: Buffer }[] = [];
    for (let part = await reader.next(); part !== undefined; part = await reader.next()) {
      const content = bytes(await textOf(part.body()));
      parts.push({ id: part.headers.get('content-id'), type: part.headers.get('content-type'), content });
    }
    return parts;
  }

  const sha256 = (content: Buffer | undefined): string => createHash('sha256').update(content!).digest('hex');

  it.each([1, 1000, 100_000])('Apache CXF, in chunks of %i bytes', async (length) => {
    const [root, image, ...more] = await partsOf('cxf-mimedata.bin', '----=_Part_4_701508.1145579811786', length);
    expect(root).toMatchObject({ id: '<echo.xml>', type: 'text/xml' });
    expect(root?.content.toString()).toMatch(/^<env:Envelope [\s\S]*<\/env:Envelope>$/);
    expect(image).toMatchObject({ id: '<xfire_logo.jpg>', type: 'image/jpeg' });
    expect(image?.content).toHaveLength(27_364);
    expect(image?.content.subarray(0, 3).toString('hex')).toBe('ffd8ff');
    expect(image?.content.subarray(-2).toString('hex')).toBe('ffd9');
    expect(sha256(image?.content)).toBe('7151c43a7385317d6c0109a3799fd14803a51efdbd7b4c88a700d8a6c6980ab5');
    expect(more).toEqual([]);
  });

  it.each([1, 1000, 100_000])('Spring-WS, in chunks of %i bytes', async (length) => {
    const boundary = 'MIMEBoundaryurn_uuid_492264AB42E57108E01176731445507';
    const [root, image, ...more] = await partsOf('spring-ws-soap11-mtom.bin', boundary, length);
    expect(root?.id).toBe('<0.urn:uuid:492264AB42E57108E01176731445508@apache.org>');
    expect(root?.content.toString()).toMatch(/^<\?xml [\s\S]*<\/soapenv:Envelope>$/);
    expect(image?.type).toBe('image/png');
    expect(image?.content.subarray(1, 4).toString()).toBe('PNG');
    expect(image?.content.subarray(-8, -4).toString()).toBe('IEND');
    expect(more).toEqual([]);
  });
});
