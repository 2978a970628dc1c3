import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundaryFault } from '../../../src/wire/multipart/boundary.ts';
import { MultipartError, MultipartReader, SURROUNDINGS } from '../../../src/wire/multipart/read-multipart.ts';
import { bytes, cut, faultOf, LIMITS, type Read, read, readAll, Source } from './support.ts';

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
      { numRuns: 500 },
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
    ['Content-ID: <a>\r\nCONTENT-ID: <b>', 'part 1: its header has content-id twice, as "<a>" and "<b>"'],
    ['x'.repeat(200), `part 1: its header has a line without a name: "${'x'.repeat(80)}..."`],
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
