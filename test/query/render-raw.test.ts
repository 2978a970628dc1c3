import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResultFormat } from '../../src/query/index.ts';
import { compileRenderer, type NestedRow, type ResultShape, type SqlValue } from '../../src/query/render/index.ts';
import { rawShape, readRaw } from '../../src/query/render/raw.ts';
import { type RawOptions, renderRaw, shapeOf } from '../../src/query/runs/render-block.ts';
import { compileZone } from '../../src/wire/timezone.ts';
import { query } from './support.ts';

const types = {
  ID: 'integer',
  NAME: 'string',
  COST: 'decimal',
  AT: 'datetime',
  SCAN: 'binary',
  PAID: 'boolean',
} as const;
const child = query('select 1', { N: 'integer', NOTE: 'text' }, {}, { id: 'CHILD' });
const alone = query('select 1', types);
const [ID] = alone.columns;
const [N] = child.columns;
if (ID === undefined || N === undefined) throw new Error('there are no columns');
const parent = { ...alone, children: [{ query: child, on: [{ parent: ID, child: N }] }] };

const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const real = fc.double({ noNaN: true, noDefaultInfinity: true });
const text = fc.string({ unit: 'binary' });
const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const datetime = fc.constantFrom('2026-01-02 03:04:05', '2026-07-01T10:00:00Z', '2026-03-29 02:30:00+05:00');
const blob = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes));
const decimal = fc.oneof(real, integer, fc.constantFrom('12.340', '-0.0000001', '12345678901234567890.5'));
const cells: fc.Arbitrary<SqlValue[]> = fc.tuple(
  nullable(integer),
  nullable(text),
  nullable(decimal),
  nullable(datetime),
  nullable(blob),
  nullable(fc.constantFrom(0n, 1n)),
);
const rows: fc.Arbitrary<NestedRow[]> = fc.array(
  fc.record({
    cells,
    below: fc.tuple(
      fc.array(fc.record({ cells: fc.tuple(nullable(integer), nullable(text)), below: fc.constant([]) }), {
        maxLength: 3,
      }),
    ),
  }),
  { maxLength: 6 },
);

function render(
  format: ResultFormat,
  shape: ResultShape,
  given: readonly NestedRow[],
  first: number,
  root?: RawOptions['root'],
): Buffer {
  const renderer = compileRenderer(format, shape, compileZone('Europe/Berlin'), { root }).start();
  const parts: (string | Uint8Array)[] = [];
  for (const [index, { cells: row, below }] of given.entries()) {
    renderer.row(row, first + index, below);
    parts.push(renderer.flush());
  }
  parts.push(renderer.flush(), renderer.tail());
  return Buffer.concat([renderer.head(given.length), ...parts].map((part) => Buffer.from(part as Uint8Array)));
}

describe('raw', () => {
  it('brings every value back as it was', () => {
    const shape = shapeOf(parent, { fields: undefined, connected: true });
    fc.assert(
      fc.property(rows, (given) => {
        const lines = render('raw', shape, given, 1).toString().split('\n').slice(0, -1);
        expect(lines.map((line) => readRaw(line, rawShape(shape)))).toEqual(given);
      }),
    );
  });

  it.each([
    0n,
    2n ** 53n - 1n,
    2n ** 53n,
    -(2n ** 63n),
    0,
    -0,
    1,
    1.5,
    5e-324,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    '',
    '\ud800',
    null,
  ])('keeps %s', (value) => {
    const shape = shapeOf(child, { fields: ['N'], connected: false });
    const line = render('raw', shape, [{ cells: [value], below: [] }], 1).toString();
    expect(readRaw(line, shape).cells).toStrictEqual([value]);
  });

  it.each([
    'json',
    'xmlp',
    'csv',
    'webrowset',
    'html',
    'xlsx',
  ] as const)('becomes the same %s as the rows themselves', (format) => {
    const connected = format === 'json' || format === 'xmlp';
    const root = format === 'xmlp' || format === 'webrowset' ? { name: 'REPLY', namespace: 'urn:x' } : undefined;
    fc.assert(
      fc.property(
        rows,
        fc.constantFrom(1, 1001),
        fc.constantFrom(undefined, ['ID', 'COST', 'AT']),
        (given, first, fields) => {
          const shape = shapeOf(parent, { fields, connected });
          const direct = render(format, shape, given, first, root);
          const lines = render('raw', shape, given, 1);
          const options = { query: parent, format, timezone: 'Europe/Berlin', first, connected };
          const made = renderRaw(lines, { ...options, ...(fields && { fields }), ...(root && { root }) });
          expect(Buffer.from(made).equals(direct)).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('a root of its own', () => {
  const shape = shapeOf(child, { fields: undefined, connected: false });
  const given = [{ cells: [1n, 'a'], below: [] }];

  it('qualifies nothing but itself, and has no declaration', () => {
    const root = { name: 'QAS_EXECUTEQRYSYNC_OPERResponse', namespace: 'urn:s:Q.v1' };
    expect(render('xmlp', shape, given, 1, root).toString()).toBe(
      '<QAS_EXECUTEQRYSYNC_OPERResponse xmlns="urn:s:Q.v1"><query xmlns="" numrows="1" queryname="CHILD">' +
        '<row rownumber="1"><N>1</N><NOTE><![CDATA[a]]></NOTE></row></query></QAS_EXECUTEQRYSYNC_OPERResponse>',
    );
    expect(render('webrowset', shape, given, 1, root).toString()).toMatch(
      /^<QAS_EXECUTEQRYSYNC_OPERResponse xmlns="urn:s:Q\.v1"><webRowSet xmlns="http:\/\/java\.sun\.com\/xml\/ns\/jdbc">.*<\/webRowSet><\/QAS_EXECUTEQRYSYNC_OPERResponse>$/,
    );
  });

  it('may have no namespace', () => {
    expect(render('xmlp', shape, [], 1, { name: 'REPLY', namespace: '' }).toString()).toBe(
      '<REPLY><query numrows="0" queryname="CHILD"></query></REPLY>',
    );
  });
});
