import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { readXml } from '../../src/wire/xml/read.ts';
import { cases } from './arbitraries.ts';
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
    fc.property(cases, ({ of, value }) => {
      const [one, other] = (['refuse', 'pass'] as const).map((foreign) =>
        compileDocument(of, { namespace: 'urn:x', foreign }),
      );
      expect(other!.fromJson(one!.toJson(value))).toEqual(one!.fromJson(one!.toJson(value)));
      expect(other!.fromXml(readXml(one!.toXml(value)))).toEqual(one!.fromXml(readXml(one!.toXml(value))));
    }),
  );
});
