import { XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import type { Document } from '../../src/model/document.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { compound, document, FAILURE, field, LOC_RESPONSE, list, messageOf } from './support.ts';

const NS = 'urn:test:Locations.v1';

function xml(of: Document, value: DocumentValue, namespace = NS): string {
  const text = compileDocument(of, { namespace }).toXml(value);
  expect(XMLValidator.validate(text)).toBe(true);
  return text;
}

describe('XML', () => {
  it('wraps lists, entries being named as their documents', () => {
    expect(xml(LOC_RESPONSE, { LOC_DATA: [{ LOCATION: 'A' }, { LOCATION: 'B' }], EMP_DATA: [] })).toBe(
      `<LOC_RESPONSE xmlns="${NS}"><LOC_DATA><LOC_DTL_VW><LOCATION>A</LOCATION></LOC_DTL_VW>` +
        '<LOC_DTL_VW><LOCATION>B</LOCATION></LOC_DTL_VW></LOC_DATA><EMP_DATA/></LOC_RESPONSE>',
    );
  });

  it('writes an absent list that is blank as one entry of empty elements', () => {
    expect(xml(LOC_RESPONSE, {})).toBe(
      `<LOC_RESPONSE xmlns="${NS}"><EMP_DATA><EE_LIST_VW><DEPTNAME/><NAME/></EE_LIST_VW></EMP_DATA></LOC_RESPONSE>`,
    );
  });

  it('names entries of single values, and of documents in place, item', () => {
    const place = document('D_rows', [field('A', 'integer')], { inPlace: true });
    const named = document('D_row', [field('A', 'integer')], { inPlace: true, xmlName: 'row' });
    const d = document('D', [field('tags', list('string')), field('rows', list(place)), field('more', list(named))]);
    expect(xml(d, { tags: ['a', ''], rows: [{ A: 1 }], more: [{ A: 2 }] }, '')).toBe(
      '<D><tags><item>a</item><item/></tags><rows><item><A>1</A></item></rows><more><row><A>2</A></row></more></D>',
    );
  });

  it('repeats the element of a flat list, and writes attributes first', () => {
    const row = document('row_type', [field('COL', 'string'), field('rownumber', 'integer', { attribute: true })]);
    const d = document('query', [field('row', list(row, true)), field('numrows', 'integer', { attribute: true })]);
    expect(xml(d, { row: [{ COL: 'a', rownumber: 1 }, { rownumber: 2 }], numrows: 2 }, '')).toBe(
      '<query numrows="2"><row rownumber="1"><COL>a</COL></row><row rownumber="2"/></query>',
    );
    expect(xml(d, { row: [], numrows: 0 }, '')).toBe('<query numrows="0"/>');
  });

  it('uses the names of XML', () => {
    const d = document('D', [field('A', 'string', { xmlName: 'SearchString' })], { xmlName: 'root' });
    expect(xml(d, { A: 'x' })).toBe(`<root xmlns="${NS}"><SearchString>x</SearchString></root>`);
  });

  it('declares a namespace where it changes', () => {
    const inner = document('INNER', [field('X', 'string')], { namespace: 'urn:inner' });
    const d = document('D', [
      field('A', compound(inner)),
      field('B', 'string', { namespace: 'urn:b' }),
      field('C', 'string', { namespace: '' }),
      field('N', 'string', { attribute: true, namespace: 'urn:n' }),
      field('L', list(inner)),
    ]);
    expect(xml(d, { A: { X: '1' }, B: '2', C: '3', N: '4', L: [{ X: '5' }] })).toBe(
      `<D xmlns="${NS}" xmlns:a3="urn:n" a3:N="4"><A><X xmlns="urn:inner">1</X></A><B xmlns="urn:b">2</B>` +
        '<C xmlns="">3</C><L><INNER><X xmlns="urn:inner">5</X></INNER></L></D>',
    );
  });

  it('gives a document in place the namespace around it', () => {
    expect(xml(FAILURE, { error: { message: 'm' } })).toBe(
      '<FAILURE><status>failure</status><error><message>m</message></error></FAILURE>',
    );
  });

  it('writes every type in its XML Schema form', () => {
    const d = document('D', [
      field('i', 'integer'),
      field('d', 'decimal'),
      field('b', 'boolean'),
      field('f', 'flag'),
      field('t', 'datetime'),
      field('j', 'json'),
      field('x', 'xml'),
    ]);
    const value = {
      i: 9007199254740993n,
      d: '1.50',
      b: true,
      f: 'y',
      t: '2024-01-01T00:00:00-0500',
      j: { a: 1n },
      x: '<a/>',
    };
    expect(xml(d, value, '')).toBe(
      '<D><i>9007199254740993</i><d>1.50</d><b>true</b><f>Y</f><t>2024-01-01T00:00:00-05:00</t><j>{"a":1}</j><x>&lt;a/&gt;</x></D>',
    );
  });

  it('escapes what is markup', () => {
    const d = document('D', [field('T', 'text'), field('A', 'text', { attribute: true })], { namespace: 'urn:a&"b"' });
    expect(xml(d, { T: '<&>"\']]>\r\n', A: '<&>"\'\n' })).toBe(
      '<D xmlns="urn:a&amp;&quot;b&quot;" A="&lt;&amp;&gt;&quot;&apos;&#10;"><T>&lt;&amp;&gt;"\']]&gt;&#13;\n</T></D>',
    );
  });

  it('writes no blank that its type would refuse', () => {
    const b = { absent: 'blank' } as const;
    const strict = document('STRICT', [field('ID', 'integer', { required: true })]);
    const d = document('D', [
      field('at', 'string', { ...b, attribute: true }),
      field('num', 'integer', { ...b, attribute: true }),
      field('s', 'string', b),
      field('e', 'string', { ...b, enum: ['A'] }),
      field('m', 'string', { ...b, minimum: 1 }),
      field('i', 'integer', b),
      field('day', 'date', b),
      field('l', list('date'), b),
      field('strict', list(strict), b),
      field('flat', list(strict, true), b),
      field('one', compound(strict), b),
      field('known', 'string', { ...b, default: 'x' }),
    ]);
    expect(xml(d, {}, '')).toBe('<D at=""><s/><l/><strict/><known>x</known></D>');
  });

  it('writes the undeclared fields of an open document as elements without a namespace', () => {
    const d = document('D', [field('A', 'string')], { open: true });
    expect(xml(d, { 'B.C': 1n, L: ['x', null], O: { P: true, Q: undefined }, A: 'a' })).toBe(
      `<D xmlns="${NS}"><A>a</A><B.C xmlns="">1</B.C><L xmlns="">x</L><L xmlns=""/><O xmlns=""><P>true</P></O></D>`,
    );
    const codec = compileDocument(d, { namespace: NS });
    expect(messageOf(() => codec.toXml({ 'a b': 1 }))).toBe('D holds "a b", which can\'t be the name of an element');
    expect(messageOf(() => codec.toXml({ O: { '<': 1 } }))).toBe('O holds "<", which can\'t be the name of an element');
    expect(messageOf(() => codec.toXml({ L: [[1]] }))).toBe('L is a list, which has no form in XML here');
    expect(messageOf(() => codec.toXml({ N: Number.NaN }))).toBe('N is NaN, which a document does not allow');
  });

  it('refuses what the document does not have', () => {
    const codec = compileDocument(LOC_RESPONSE, { namespace: NS });
    expect(messageOf(() => codec.toXml({ LOC_DATA: [{}, { EFFDT: 'x' }] }))).toBe(
      'LOC_DATA[1].EFFDT is not a date (yyyy-MM-dd)',
    );
    expect(messageOf(() => codec.toXml({ LOC_DAT: [] }))).toBe(
      'LOC_DAT is not a field of LOC_RESPONSE (did you mean LOC_DATA?)',
    );
    expect(messageOf(() => codec.toXml({ LOC_DATA: {} }))).toBe('LOC_DATA is an object, not a list');
  });
});

it('keeps apart the prefixes of two attributes with namespaces, one of them blank', () => {
  const options = { attribute: true, namespace: 'urn:y' } as const;
  const both = document('D', [field('A', 'flag', options), field('B', 'string', { ...options, absent: 'blank' })]);
  expect(compileDocument(both, { namespace: '' }).toXml({ A: 'Y' })).toBe(
    '<D xmlns:a0="urn:y" a0:A="Y" xmlns:a1="urn:y" a1:B=""/>',
  );
});

it('writes attributes in the namespace of XML with its prefix', () => {
  const options = { attribute: true, namespace: 'http://www.w3.org/XML/1998/namespace' } as const;
  const d = document('D', [
    field('lang', 'string', options),
    field('space', 'string', { ...options, absent: 'blank' }),
  ]);
  expect(xml(d, { lang: 'en' }, '')).toBe('<D xml:lang="en" xml:space=""/>');
});
