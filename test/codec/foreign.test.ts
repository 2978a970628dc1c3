import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { xmlCases } from './arbitraries.ts';
import { compound, document, field, list, messageOf } from './support.ts';

const INNER = document('INNER', [field('A'), field('N', 'integer', { attribute: true })]);
const DOC = document('DOC', [
  field('X'),
  field('renamed', 'integer', { jsonName: 'ren', xmlName: 'ren' }),
  field('inner', compound(INNER)),
  field('rows', list(INNER)),
  field('words', list('text', true)),
]);
const lenient = compileDocument(DOC, { namespace: 'urn:ours', foreign: 'pass' });
const strict = compileDocument(DOC, { namespace: 'urn:ours' });

describe('what nobody declared', () => {
  it('is passed over in JSON, at any depth', () => {
    const json = '{"more":{"X":1},"X":"x","ren":"7","__proto__":1,"inner":{"A":"a","B":1},"rows":[{"B":[]},{"A":"b"}]}';
    expect(lenient.fromJson(json)).toStrictEqual({ X: 'x', renamed: 7, inner: { A: 'a' }, rows: [{}, { A: 'b' }] });
    expect(messageOf(() => strict.fromJson('{"X":"x","more":1}'))).toBe('more is not a field of DOC');
  });

  it('leaves no trace where nothing is renamed', () => {
    const codec = compileDocument(INNER, { namespace: '', foreign: 'pass' });
    expect(codec.fromJson('{"B":1,"A":"a","C":null}')).toStrictEqual({ A: 'a' });
  });

  it('is passed over in XML, elements and attributes alike', () => {
    const xml =
      '<d v="1"><more><X>no</X></more><X lang="en">x</X><inner N="3" M="4"><A>a</A><B/></inner><rows n="1"><head/><INNER><A>b</A></INNER></rows><words>w</words><words q="">v</words></d>';
    expect(lenient.fromXml(readXml(xml))).toStrictEqual({
      X: 'x',
      inner: { A: 'a', N: 3 },
      rows: [{ A: 'b' }],
      words: ['w', 'v'],
    });
    const ours = '<d xmlns="urn:ours"><X>x</X><more/></d>';
    expect(messageOf(() => strict.fromXml(readXml(ours)))).toBe('more is not a field of DOC');
  });

  it('is kept where the document is open', () => {
    const open = compileDocument({ ...DOC, open: true }, { namespace: '', foreign: 'pass' });
    expect(open.fromJson('{"X":"x","more":1}')).toStrictEqual({ X: 'x', more: 1 });
  });
});

describe('a namespace', () => {
  it('is any where the document names none', () => {
    for (const namespace of ['', 'urn:theirs', 'urn:ours'])
      expect(lenient.fromXml(readXml(`<d xmlns="${namespace}"><X>x</X></d>`))).toStrictEqual({ X: 'x' });
  });

  it('is the document’s own where it names one: the same name in another is foreign', () => {
    const own = compileDocument(document('OWN', [field('X')], { namespace: 'urn:a' }), {
      namespace: '',
      foreign: 'pass',
    });
    expect(own.fromXml(readXml('<d xmlns:a="urn:a"><a:X>x</a:X><X>y</X></d>'))).toStrictEqual({ X: 'x' });
  });

  it('tells two fields of one name apart, before any other holds', () => {
    const two = document('TWO', [
      field('a', 'text', { xmlName: 'X', namespace: 'urn:a' }),
      field('b', 'text', { xmlName: 'X' }),
    ]);
    const codec = compileDocument(two, { namespace: 'urn:ours', foreign: 'pass' });
    expect(codec.fromXml(readXml('<d xmlns:a="urn:a"><X>2</X><a:X>1</a:X></d>'))).toStrictEqual({ a: '1', b: '2' });
  });
});

it('what fits is read as it is where nothing may be foreign', () => {
  fc.assert(
    fc.property(xmlCases, ({ of, value }) => {
      const [one, other] = (['refuse', 'pass'] as const).map((foreign) =>
        compileDocument(of, { namespace: 'urn:x', foreign }),
      );
      expect(other!.fromJson(one!.toJson(value))).toEqual(one!.fromJson(one!.toJson(value)));
      expect(other!.fromXml(readXml(one!.toXml(value)))).toEqual(one!.fromXml(readXml(one!.toXml(value))));
    }),
  );
});

describe("a partner's JSON", () => {
  const rows = document('ROWS', [
    field('ROW', list(document('ROW', [field('PRICE', 'decimal'), field('NOTE', 'string')]))),
  ]);
  const read = (row: string, codec = compileDocument(rows, { namespace: '', foreign: 'pass' })) =>
    codec.fromJson(`{"ROW":[{"NOTE":"a"},${row}]}`);
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it('keeps the digits of decimals, whether the texts before had them as texts or as numbers', () => {
    const codec = compileDocument(rows, { namespace: '', foreign: 'pass' });
    for (const price of ['"1.50"', '1.50', '9007199254740993', '"2.50"', '2', '1.50']) {
      expect(read(`{"PRICE":${price}}`, codec)).toEqual({ ROW: [{ NOTE: 'a' }, { PRICE: price.replaceAll('"', '') }] });
    }
  });

  it('is not nested more than 100 levels, not even where it is ignored', () => {
    expect(read(`{"OTHER":${nested(97)}}`)).toEqual({ ROW: [{ NOTE: 'a' }, {}] });
    for (const levels of [98, 100_000])
      expect(messageOf(() => read(`{"OTHER":${nested(levels)}}`))).toContain('is nested more than 100 levels deep');
    expect(messageOf(() => read(`{"PRICE":1.50,"OTHER":${nested(100_000)}}`))).toContain('100 levels deep');
  });

  it('has a bounded number of names and values, however long it is', () => {
    const names = Array.from({ length: 50_001 }, (_, index) => `"${index}":0`).join(',');
    expect(messageOf(() => read(`{"OTHER":{${names}}}`))).toContain('more than 50000 different names');
    expect(messageOf(() => read(`{"OTHER":[${'0,'.repeat(500_000)}0]}`))).toContain('more than 500000 values');
  });
});

describe('an attribute of another namespace', () => {
  const marked = document('MARKED', [
    field('A'),
    field('id', 'text', { attribute: true, xmlName: 'Id' }),
    field('mark', 'text', { attribute: true, namespace: 'urn:marks' }),
    field('rows', list(INNER)),
  ]);
  const codec = compileDocument(marked, { namespace: 'urn:ours' });
  const read = (attributes: string, content = ''): unknown =>
    codec.fromXml(
      readXml(
        `<d xmlns="urn:ours" xmlns:u="urn:u" xmlns:m="urn:marks" xmlns:o="urn:ours" ${attributes}>${content}</d>`,
      ),
    );

  it('is ignored where the document declares none of that namespace, at every element', () => {
    expect(
      read('u:Id="x" Id="y" m:mark="z" u:more=""', '<A u:Id="">a</A><rows u:Id=""><INNER u:N="x"/></rows>'),
    ).toEqual({ A: 'a', id: 'y', mark: 'z', rows: [{}] });
  });

  it.each([
    ['of the namespace of a declared one', 'm:other=""', 'other is not a field of MARKED'],
    ['of the document’s own namespace', 'o:Id="1"', 'id is in namespace "urn:ours", and belongs to none'],
    [
      'with the name of a declared one with another namespace',
      'u:mark=""',
      'mark is in namespace "urn:u", not "urn:marks"',
    ],
    ['without a namespace', 'colour=""', 'colour is not a field of MARKED'],
  ])('is an error %s', (_, attributes, message) => {
    expect(messageOf(() => read(attributes))).toBe(message);
  });
});
