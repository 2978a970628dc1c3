import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StreamedContent } from '../../../src/wire/measured.ts';
import { boundaryFault } from '../../../src/wire/multipart/boundary.ts';
import { MultipartReader } from '../../../src/wire/multipart/read-multipart.ts';
import { freshBoundary, type PartToWrite, writeMultipart } from '../../../src/wire/multipart/write.ts';

async function collect(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content));
}

/** A content in pieces, that says a length; undefined for none. */
function content(pieces: readonly string[], length?: number): StreamedContent & { closed: boolean } {
  const streamed = {
    ...(length === undefined ? {} : { length }),
    closed: false,
    async *stream() {
      try {
        for (const piece of pieces) yield new Uint8Array(Buffer.from(piece));
      } finally {
        streamed.closed = true;
      }
    },
  };
  return streamed;
}

describe('writeMultipart', () => {
  it('writes headers, contents and delimiters', async () => {
    const { length, bytes } = writeMultipart({
      boundary: 'b',
      parts: [
        { headers: { 'Content-Type': 'text/plain; charset=UTF-8', 'Content-ID': '<1@x>' }, content: 'é' },
        { headers: { 'Content-Transfer-Encoding': 'binary' }, content: content(['one', '', 'two'], 6) },
        { headers: {}, content: '' },
        {
          headers: { 'Content-Transfer-Encoding': 'base64' },
          content: content(['A'.repeat(58)], 58),
          encoding: 'base64',
        },
        { headers: { 'content-transfer-encoding': 'Base64' }, content: 'text', encoding: 'base64' },
      ],
    });
    const message = await collect(bytes());
    expect(message.toString()).toBe(
      [
        '--b',
        'Content-Type: text/plain; charset=UTF-8',
        'Content-ID: <1@x>',
        '',
        'é',
        '--b',
        'Content-Transfer-Encoding: binary',
        '',
        'onetwo',
        '--b',
        '',
        '',
        '--b',
        'Content-Transfer-Encoding: base64',
        '',
        'QUFB'.repeat(19),
        'QQ==',
        '--b',
        'content-transfer-encoding: Base64',
        '',
        'dGV4dA==',
        '--b--',
        '',
      ].join('\r\n'),
    );
    expect(length).toBe(message.length);
  });

  it('has no length where that of a content is not known', async () => {
    const parts = [
      { headers: {}, content: 'x' },
      { headers: {}, content: content(['y', 'z']) },
    ];
    const { length, bytes } = writeMultipart({ boundary: 'b', parts });
    expect(length).toBeUndefined();
    expect(String(await collect(bytes()))).toBe('--b\r\n\r\nx\r\n--b\r\n\r\nyz\r\n--b--\r\n');
  });

  it.each<PartToWrite['encoding']>([
    'binary',
    'base64',
  ])('breaks off where a content is not as long as it said (%s)', async (encoding) => {
    const headers = { 'Content-Transfer-Encoding': encoding ?? '' };
    const written = async (given: StreamedContent): Promise<number> => {
      const { bytes } = writeMultipart({
        boundary: 'b',
        parts: [{ headers, content: given, ...(encoding && { encoding }) }],
      });
      let sent = 0;
      for await (const piece of bytes()) sent += piece.length;
      return sent;
    };
    await expect(written(content(['abc', 'de'], 6))).rejects.toThrow(new RangeError('a content of 6 bytes holds 5'));
    await expect(written(content([], 1))).rejects.toThrow(new RangeError('a content of 1 bytes holds 0'));
    const longer = content(['abc', 'de'], 4);
    await expect(written(longer)).rejects.toThrow(new RangeError('a content of 4 bytes holds more'));
    expect(longer.closed).toBe(true);
    expect(await written(content([], 0))).toBeGreaterThan(0);
  });

  it('gives no byte that a content has too many', async () => {
    const { bytes } = writeMultipart({ boundary: 'b', parts: [{ headers: {}, content: content(['ab', 'cd'], 3) }] });
    const sent: string[] = [];
    await expect(
      (async () => {
        for await (const piece of bytes()) sent.push(Buffer.from(piece).toString());
      })(),
    ).rejects.toThrow(RangeError);
    expect(sent).toEqual(['--b\r\n\r\n', 'ab']);
  });

  it('opens a content when its turn comes, and closes it when nobody reads on', async () => {
    const opened: string[] = [];
    const watched = (name: string): StreamedContent => ({
      async *stream() {
        opened.push(name);
        try {
          for (;;) yield Buffer.from(name);
        } finally {
          opened.push(`${name} closed`);
        }
      },
    });
    const parts = ['first', 'second'].map((name) => ({ headers: {}, content: watched(name) }));
    for await (const piece of writeMultipart({ boundary: 'b', parts }).bytes()) {
      expect(opened.length).toBeLessThan(2);
      if (String(piece) === 'first') break;
    }
    expect(opened).toEqual(['first', 'first closed']);
  });

  it('lets the errors of a content through', async () => {
    const broken = new Error('disk');
    const failing: StreamedContent = {
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(broken) }) }),
    };
    const { bytes } = writeMultipart({ boundary: 'b', parts: [{ headers: {}, content: failing }] });
    await expect(collect(bytes())).rejects.toBe(broken);
  });

  it.each<[string, string, PartToWrite[]]>([
    [
      'a line end in a value',
      'the value of A holds a control character',
      [{ headers: { A: 'x\r\nB: y' }, content: '' }],
    ],
    ['LF in a value', 'the value of A holds a control character', [{ headers: { A: 'x\ny' }, content: '' }]],
    ['NUL in a value', 'the value of A holds a control character', [{ headers: { A: '\0' }, content: '' }]],
    ['a line end in a name', '"A\\r\\nB" is no name of a header field', [{ headers: { 'A\r\nB': 'x' }, content: '' }]],
    ['a colon in a name', '"A:" is no name of a header field', [{ headers: { 'A:': 'x' }, content: '' }]],
    ['no name', '"" is no name of a header field', [{ headers: { '': 'x' }, content: '' }]],
    [
      'base64 that the header does not say',
      'a header says the content is binary, and it is written as base64',
      [{ headers: { 'Content-Transfer-Encoding': 'binary' }, content: '', encoding: 'base64' }],
    ],
    [
      'base64 without a header',
      'a header says the content is 7bit, and it is written as base64',
      [{ headers: {}, content: '', encoding: 'base64' }],
    ],
    [
      'base64 that the header alone says',
      'a header says the content is base64, and it is written as binary',
      [{ headers: { 'content-transfer-encoding': 'BASE64' }, content: '' }],
    ],
    ['no parts', 'a multipart message has at least one part', []],
  ])('refuses %s', (_, message, parts) => {
    expect(() => writeMultipart({ boundary: 'b', parts })).toThrow(new TypeError(message));
  });

  it('refuses a boundary that is none', () => {
    const parts = [{ headers: {}, content: '' }];
    expect(() => writeMultipart({ boundary: 'a\r\nb', parts })).toThrow(TypeError);
  });

  it('writes what the reader reads', async () => {
    const data = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 });
    const part = fc.record({
      data,
      encoding: fc.constantFrom('binary' as const, 'base64' as const),
      known: fc.boolean(),
      id: fc.stringMatching(/^[a-z0-9@.]{1,20}$/),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 300 }),
        async (given, size) => {
          const boundary = freshBoundary();
          const parts = given.map(({ data: chunks, encoding, known, id }) => ({
            headers: { 'Content-Transfer-Encoding': encoding, 'Content-ID': `<${id}>` },
            encoding,
            content: {
              ...(known ? { length: Buffer.concat(chunks).length } : {}),
              async *stream() {
                yield* chunks;
              },
            },
          }));
          const written = writeMultipart({ boundary, parts });
          const message = await collect(written.bytes());
          expect(written.length).toBe(given.every(({ known }) => known) ? message.length : undefined);
          async function* source(): AsyncGenerator<Uint8Array> {
            for (let at = 0; at < message.length; at += size) yield message.subarray(at, at + size);
          }
          const reader = new MultipartReader(source(), boundary, { parts: 5, headers: 200 });
          for (const { data: chunks, id } of given) {
            const found = await reader.next();
            expect(found?.headers.get('content-id')).toBe(`<${id}>`);
            expect(await collect(found!.body())).toEqual(Buffer.concat(chunks));
          }
          expect(await reader.next()).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('freshBoundary', () => {
  it('is a boundary, and another one each time', () => {
    const boundaries = Array.from({ length: 1000 }, freshBoundary);
    expect(new Set(boundaries).size).toBe(1000);
    expect(boundaries.filter((each) => boundaryFault(each) !== undefined)).toEqual([]);
    // RFC 2046 section 5.1.1: bchars.
    expect(boundaries.every((each) => /^[A-Za-z0-9'()+_,\-./:=?]{1,70}$/.test(each))).toBe(true);
  });
});
