import fc from 'fast-check';

/** Values that parsers tend to mishandle. */
const TOKENS: readonly string[] = [
  ...[
    '\0',
    '\r\n',
    '\n',
    '\r',
    ' ',
    '\t',
    '%',
    '%00',
    '%2e%2e',
    '%2F',
    '%c0%af',
    '%ff',
    '..',
    '/',
    '//',
    ';',
    '\\',
    '#',
    '?',
    '&',
    '=',
  ],
  ...[
    '"',
    "'",
    '`',
    '{',
    '}',
    '[',
    ']',
    '<',
    '>',
    '<a>',
    '</',
    '/>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<!DOCTYPE a [',
    '<?a',
    '&lt;',
  ],
  ...[
    '&#0;',
    '&#x110000;',
    '&x;',
    '\\ud800',
    '\\u0000',
    '\ufeff',
    '\ud83d\ude00',
    '\u2028',
    'xmlns:a="',
    'xml:base="',
    'cid:',
    'file:///',
  ],
  ...[
    '__proto__',
    'constructor',
    'null',
    'true',
    'NaN',
    '-0',
    '1e999',
    '9'.repeat(400),
    '-1',
    '0x10',
    '99999999999999999999',
  ],
  ...[
    'Content-Length: 5\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Expect: 100-continue\r\n',
    'Range: bytes=0-\r\n',
    'Accept: */*;q=2\r\n',
  ],
  ...[
    '${env:X}',
    '${secret:X}',
    '&a ',
    '*a',
    '<<: ',
    '!!js ',
    '---\n',
    '...\n',
    '- ',
    ': ',
    '|+\n',
    '>9\n',
    '# ',
    '%YAML 9\n',
    '@',
    '{X}',
    '{?x*}',
  ],
];

/** One change to some bytes. */
type Edit = (bytes: Buffer) => Buffer;

/** A position as a fraction of the whole, so that it stays valid while a case is shrunk. */
const place = fc.nat({ max: 9_999 });
const at = (bytes: Buffer, share: number): number => Math.floor((share * (bytes.length + 1)) / 10_000);

const insertion: fc.Arbitrary<Edit> = fc
  .tuple(
    place,
    fc.oneof(
      fc.constantFrom(...TOKENS).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 8 }),
    ),
  )
  .map(([share, more]) => (bytes) => {
    const index = at(bytes, share);
    return Buffer.concat([bytes.subarray(0, index), more, bytes.subarray(index)]);
  });

const removal: fc.Arbitrary<Edit> = fc.tuple(place, fc.nat({ max: 60 })).map(([share, count]) => (bytes) => {
  const index = at(bytes, share);
  return Buffer.concat([bytes.subarray(0, index), bytes.subarray(index + count)]);
});

const repetition: fc.Arbitrary<Edit> = fc
  .tuple(place, fc.nat({ max: 80 }), fc.integer({ min: 2, max: 40 }))
  .map(([share, count, times]) => (bytes) => {
    const index = at(bytes, share);
    const piece = bytes.subarray(index, index + count);
    return Buffer.concat([
      bytes.subarray(0, index),
      ...Array.from({ length: times }, () => piece),
      bytes.subarray(index + count),
    ]);
  });

const replacement: fc.Arbitrary<Edit> = fc.tuple(place, fc.nat({ max: 255 })).map(([share, byte]) => (bytes) => {
  const changed = Buffer.from(bytes);
  const index = at(bytes, share);
  if (index < changed.length) changed[index] = byte;
  return changed;
});

const exchange: fc.Arbitrary<Edit> = fc.tuple(place, place, fc.nat({ max: 40 })).map(([from, to, count]) => (bytes) => {
  const piece = bytes.subarray(at(bytes, from), at(bytes, from) + count);
  const index = at(bytes, to);
  return Buffer.concat([bytes.subarray(0, index), piece, bytes.subarray(index + count)]);
});

/** One of the seeds with some changes; usually few, so that later checks are reached too. */
export function mutated(seeds: readonly (string | Buffer)[]): fc.Arbitrary<Buffer> {
  const edits = fc.array(fc.oneof(insertion, removal, repetition, replacement, exchange), {
    minLength: 1,
    maxLength: 5,
  });
  return fc
    .tuple(fc.constantFrom(...seeds), edits)
    .map(([seed, changes]) => changes.reduce<Buffer>((bytes, change) => change(bytes), Buffer.from(seed as string)));
}
