import { describe, expect, it } from 'vitest';
import { compileDocument, compileFault } from '../../src/codec/index.ts';
import type { Document } from '../../src/model/document.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { compound, document, FAILURE, field, LOC_RESPONSE, list, messageOf } from './support.ts';

const NS = 'urn:test:Locations.v1';
const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

const read = (of: Document, xml: string, namespace = NS): DocumentValue =>
  compileDocument(of, { namespace }).fromXml(readXml(xml));

/** What is read inside an element `D` without a namespace. */
const inside = (of: Document, content: string): DocumentValue => read(of, `<D ${XSI}>${content}</D>`, '');
const complaint = (of: Document, content: string): string => messageOf(() => inside(of, content));

const INNER = document('INNER', [field('A', 'string'), field('B', 'integer', { attribute: true })]);

describe('reading XML', () => {
  it.each([
    ['string', ' a\tb\n', ' a\tb\n'],
    ['text', '', ''],
    ['text', '<![CDATA[<a/>]]>&amp;', '<a/>&'],
    ['integer', '\n 0042\t', 42],
    ['integer', '9007199254740993', 9007199254740993n],
    ['decimal', ' +1.50 ', '1.50'],
    ['boolean', ' 1 ', true],
    ['boolean', 'false', false],
    ['flag', ' y ', 'Y'],
    ['date', ' 2024-02-29\n', '2024-02-29'],
    ['time', ' 23:59:59.5 ', '23:59:59.5'],
    ['datetime', ' 2024-01-01T00:00:00-0500 ', '2024-01-01T00:00:00-05:00'],
    ['json', ' {"a": [1, null]} ', { a: [1, null] }],
    ['xml', ' &lt;a/> ', ' <a/> '],
  ])('reads a %s from %j', (type, content, value) => {
    expect(inside(document('D', [field('X', type)]), `<X>${content}</X>`)).toEqual({ X: value });
    if (content.includes('CDATA')) return;
    const text = content.replace(/[\t\n]/g, (c) => `&#${c.charCodeAt(0)};`).replaceAll('"', '&quot;');
    expect(read(document('D', [field('X', type, { attribute: true })]), `<D X="${text}"/>`)).toEqual({ X: value });
  });

  it('takes elements in a field of XML as the text that they are', () => {
    const of = document('D', [field('X', 'xml')]);
    expect(inside(of, '<X>a &amp; <b c="1">d</b><e/></X>')).toEqual({ X: 'a &amp; <b c="1">d</b><e/>' });
    expect(inside(of, '<X>a &amp; b</X>')).toEqual({ X: 'a & b' });
  });

  it.each([
    ['integer', '', 'X is not an integer'],
    ['integer', '1 2', 'X is not an integer'],
    ['integer', '1\u00a0', 'X is not an integer'],
    ['decimal', '1e3', 'X is not a decimal'],
    ['boolean', '', 'X is not true or false'],
    ['date', '', 'X is not a date (yyyy-MM-dd)'],
    ['json', '', 'X is not JSON: it ends too early'],
    ['string(2)', 'abc', 'X is longer than 2 characters'],
    ['string', '<b>x</b>', 'X holds an element "b", and is a single value'],
    ['string', 'x<!-- -->y<b/>', 'X holds an element "b", and is a single value'],
    ['string', '</X><X>', 'X is given more than once'],
    ['string', '</X><X xsi:nil="true">', 'X is given more than once'],
    ['string', '</X>, <X>', 'D holds text outside of its elements'],
  ])('refuses a %s that is %j', (type, content, message) => {
    expect(complaint(document('D', [field('X', type)]), `<X>${content}</X>`)).toBe(message);
  });

  it('gives elements of one name to their fields by their order, also if only one field names the namespace', () => {
    const of = document('D', [
      field('FIRST', 'string', { xmlName: 'X', required: true }),
      field('BETWEEN', 'string', { required: true }),
      field('SECOND', 'string', { xmlName: 'X', namespace: NS }),
    ]);
    const value = read(of, `<D xmlns="${NS}"><X>a</X><BETWEEN>b</BETWEEN><X>c</X></D>`);
    expect(value).toEqual({ FIRST: 'a', BETWEEN: 'b', SECOND: 'c' });
  });

  it('takes elements in any order, and comments and white space between them', () => {
    const d = document('D', [field('A', 'integer'), field('B', 'string')]);
    const value = inside(d, '\n<!-- c --><B>b</B>\t<?p i?>\r\n<A>1</A> ');
    expect(value).toEqual({ A: 1, B: 'b' });
    expect(Object.keys(value)).toEqual(['A', 'B']);
  });

  it('does not look at the name of the root', () => {
    expect(read(LOC_RESPONSE, '<m:GET xmlns:m="urn:m"/>')).toEqual({});
  });

  it('fills in defaults and fixed values, and checks as JSON is checked', () => {
    const d = document('D', [
      field('R', 'string', { required: true }),
      field('N', 'integer', { default: 7, attribute: true }),
      field('F', 'string', { fixed: 'x' }),
      field('E', 'string', { enum: ['Aa', 'Bb'], anyCase: true }),
      field('L', list('integer'), { minimum: 1, maximum: 2 }),
    ]);
    expect(inside(d, '<R/>')).toEqual({ R: '', N: 7, F: 'x' });
    expect(inside(d, '<R/><E>bB</E><L><item>1</item></L><F>x</F>')).toEqual({ R: '', N: 7, F: 'x', E: 'Bb', L: [1] });
    expect(complaint(d, '<F>x</F>')).toBe('R is missing');
    expect(complaint(d, '<R xsi:nil="1"/>')).toBe('R is missing');
    expect(complaint(d, '<R/><F>y</F>')).toBe('F is not "x", its only value');
    expect(complaint(d, '<R/><E>cc</E>')).toMatch(/^E is "cc", not one of Aa, Bb/);
    expect(complaint(d, '<R/><L/>')).toBe('L has fewer than 1 entry');
    expect(complaint(d, '<R/><L><item>1</item><item>2</item><item>3</item></L>')).toBe('L has more than 2 entries');
  });

  it('refuses what the document does not have, and says where', () => {
    const d = document('D', [field('LIST', list(INNER)), field('ONE', compound(INNER)), field('S', 'string')]);
    expect(complaint(d, '<LISTE/>')).toBe('LISTE is not a field of D (did you mean LIST?)');
    expect(complaint(d, '<ONE C="1"/>')).toBe('ONE.C is not a field of INNER (did you mean B?)');
    expect(complaint(d, '<ONE A="1"/>')).toBe('ONE.A is an element in XML, not an attribute');
    expect(complaint(d, '<ONE><B>1</B></ONE>')).toBe('ONE.B is an attribute in XML, not an element');
    expect(complaint(d, '<LIST><INNER/><INNER B="x"/></LIST>')).toBe('LIST[1].B is not an integer');
    expect(complaint(d, '<LIST><INNER><A/><A/></INNER></LIST>')).toBe('LIST[0].A is given more than once');
    expect(complaint(d, '<LIST><INNER/><OTHER/></LIST>')).toBe(
      'LIST[1] holds an element "OTHER", and its entries are "INNER"',
    );
    expect(complaint(d, '<LIST>x</LIST>')).toBe('LIST holds text outside of its entries');
    expect(complaint(d, '<LIST a="1"/>')).toBe('LIST has an attribute "a", which it can\'t have');
    expect(complaint(d, '<S a="1"/>')).toBe('S has an attribute "a", which it can\'t have');
    expect(complaint(d, '<\u00e9t\u00e9/>')).toBe('"\u00e9t\u00e9" is not a field of D');
  });

  it('passes over attributes that may stand anywhere', () => {
    const d = document('D', [field('S', 'string'), field('L', list('string')), field('O', compound(INNER))]);
    const common = 'xml:lang="en" xsi:type="x" xsi:schemaLocation="a b" xsi:nil=" false "';
    const xml = `<D ${XSI} ${common}><S ${common}>s</S><L ${common}><item ${common}/></L><O ${common} B="1"/></D>`;
    expect(read(d, xml, '')).toEqual({ S: 's', L: [''], O: { B: 1 } });
  });

  it('ends at a document nested too deep', () => {
    const self: { -readonly [K in keyof Document]: Document[K] } = { ...document('SELF', []) };
    self.fields = [field('S', compound(self))];
    const codec = compileDocument(self, { namespace: '' });
    const nested = (levels: number): DocumentValue =>
      codec.fromXml(readXml('<S>'.repeat(levels) + '</S>'.repeat(levels), { depth: 200 }));
    expect(nested(3)).toEqual({ S: { S: {} } });
    expect(() => nested(100)).not.toThrow();
    expect(messageOf(() => nested(101))).toMatch(/^S\..*S is nested more than 100 levels deep$/);
  });
});

describe('lists in XML', () => {
  const d = document('D', [
    field('W', list('integer')),
    field('F', list('integer', true)),
    field('R', list(INNER, true), { required: true }),
    field('N', 'string'),
  ]);

  it.each([
    ['', { R: [] }],
    ['<W/>', { W: [], R: [] }],
    ['<W> </W>', { W: [], R: [] }],
    ['<W xsi:nil="true"/>', { R: [] }],
    ['<W> <item>1</item>\n<item>2</item></W>', { W: [1, 2], R: [] }],
    ['<F>1</F><N>n</N><R B="1"/><F>2</F><R/>', { F: [1, 2], N: 'n', R: [{ B: 1 }, {}] }],
  ])('are read from %j', (content, value) => {
    expect(inside(d, content)).toEqual(value);
  });

  it.each([
    ['<W/><W/>', 'W is given more than once'],
    ['<W><item>1</item><item/></W>', 'W[1] is not an integer'],
    ['<W><item xsi:nil="true"/></W>', 'W[0] is nil, which no entry of its list can be'],
    ['<F>1</F><F xsi:nil="true"/>', 'F[1] is nil, which no entry of its list can be'],
    ['<F>1</F><N/><F>x</F>', 'F[1] is not an integer'],
    ['<R><C/></R>', 'R[0].C is not a field of INNER (did you mean A?)'],
  ])('are refused from %j', (content, message) => {
    expect(complaint(d, content)).toBe(message);
  });

  it('have null for an entry that is nil, where that is allowed', () => {
    const nullable = { entry: { nullable: true } } as const;
    const of = document('D', [
      field('W', list('string'), nullable),
      field('F', list('integer', true), nullable),
      field('R', list(INNER, true), nullable),
    ]);
    const content = '<W><item xsi:nil="true"/><item/></W><F>1</F><F xsi:nil="true"/><R B="1"/><R xsi:nil="true"/>';
    const value = { W: [null, ''], F: [1, null], R: [{ B: 1 }, null] };
    expect(inside(of, content)).toEqual(value);
    const codec = compileDocument(of, { namespace: '' });
    expect(codec.fromXml(readXml(codec.toXml(value)))).toEqual(value);
    expect(codec.fromJson('{"W":[null,""],"F":[1,null],"R":[{"B":1},null]}')).toEqual(value);
    expect(codec.toJson(value)).toBe('{"W":[null,""],"F":[1,null],"R":[{"B":1},null]}');
  });

  it('are counted where their elements are repeated', () => {
    const of = document('D', [field('F', list('string', true), { maximum: 2, minimum: 2 })]);
    expect(inside(of, '')).toEqual({});
    expect(complaint(of, '<F/>')).toBe('F has fewer than 2 entries');
    expect(complaint(of, '<F/><F/><F/>')).toBe('F has more than 2 entries');
  });
});

describe('nil in XML', () => {
  const d = document('D', [
    field('S', 'string', { default: 's' }),
    field('O', compound(INNER)),
    field('J', 'json'),
    field('L', list('json')),
  ]);

  it('is absent, and null in JSON', () => {
    expect(inside(d, '<S xsi:nil="true"/><O xsi:nil=" 1 "> </O><J xsi:nil="true"/>')).toEqual({ S: 's', J: null });
    expect(inside(d, '<L><item xsi:nil="true"/><item>null</item></L>')).toEqual({ S: 's', L: [null, null] });
  });

  it('is refused where it is not so', () => {
    expect(complaint(d, '<S xsi:nil="true">x</S>')).toBe('S is nil, and holds something');
    expect(complaint(d, '<O xsi:nil="true"><A/></O>')).toBe('O is nil, and holds something');
    expect(complaint(d, '<O xsi:nil="true" B="1"/>')).toBe('O has an attribute "B", which it can\'t have');
    expect(complaint(d, '<S xsi:nil="yes"/>')).toBe('S has an xsi:nil that is not true or false');
    const needy = document('D', [field('A', 'string', { required: true })]);
    expect(messageOf(() => read(needy, `<D ${XSI} xsi:nil="true"/>`))).toBe('D is nil');
    expect(read(d, `<D ${XSI} xsi:nil="true"/>`)).toEqual(read(d, '<D/>'));
  });
});

describe('namespaces in XML', () => {
  const inner = document('INNER', [field('X', 'string')], { namespace: 'urn:inner' });
  const d = document('D', [
    field('A', compound(inner)),
    field('B', 'string', { namespace: 'urn:b' }),
    field('C', 'string', { namespace: '' }),
    field('N', 'string', { attribute: true, namespace: 'urn:n' }),
    field('P', 'string', { attribute: true }),
    field('L', list(inner), { namespace: 'urn:b' }),
    field('TWIN', 'string', { xmlName: 'T' }),
    field('TWIN_B', 'string', { xmlName: 'T', namespace: 'urn:b' }),
  ]);

  it('are known by name, whatever the prefixes', () => {
    const xml = `<q:D xmlns:q="${NS}" xmlns:z="urn:n" z:N="4" P="p" xmlns:b="urn:b" xmlns="urn:inner">
      <q:A><X>1</X></q:A><b:B>2</b:B><C xmlns="">3</C><b:L><b:INNER><X>5</X></b:INNER></b:L><b:T>b</b:T><q:T>t</q:T></q:D>`;
    expect(read(d, xml)).toEqual({
      A: { X: '1' },
      B: '2',
      C: '3',
      N: '4',
      P: 'p',
      L: [{ X: '5' }],
      TWIN: 't',
      TWIN_B: 'b',
    });
  });

  it.each([
    ['<A xmlns="urn:other"/>', `A is in namespace "urn:other", not "${NS}"`],
    ['<A xmlns=""/>', `A has no namespace, and belongs to "${NS}"`],
    ['<C/>', `C is in namespace "${NS}", and belongs to none`],
    ['<A><X/></A>', `A.X is in namespace "${NS}", not "urn:inner"`],
    ['<L/>', `L is in namespace "${NS}", not "urn:b"`],
    ['<L xmlns="urn:b"><INNER/><INNER xmlns=""/></L>', 'L[1] has no namespace, and belongs to "urn:b"'],
    ['<T xmlns=""/>', 'TWIN_B has no namespace, and belongs to "urn:b"'],
  ])('that are wrong are said to be: %s', (content, message) => {
    expect(messageOf(() => read(d, `<D xmlns="${NS}">${content}</D>`))).toBe(message);
  });

  it('hold for attributes', () => {
    expect(messageOf(() => read(d, `<D xmlns="${NS}" N="4"/>`))).toBe('N has no namespace, and belongs to "urn:n"');
    expect(messageOf(() => read(d, `<q:D xmlns:q="${NS}" q:P="4"/>`))).toBe(
      `P is in namespace "${NS}", and belongs to none`,
    );
  });
});

describe('blanks in XML', () => {
  const b = { absent: 'blank' } as const;
  const entry = document('ENTRY', [
    field('T', 'string'),
    field('U', 'text', { attribute: true }),
    field('I', 'integer'),
  ]);
  const d = document('D', [
    field('at', 'date', { ...b, attribute: true }),
    field('s', 'string', b),
    field('day', 'date', b),
    field('i', 'integer', b),
    field('x', 'xml', b),
    field('bin', 'binary', b),
    field('j', 'json', b),
    field('known', 'integer', { ...b, default: 5 }),
    field('l', list('date'), b),
    field('docs', list(entry), b),
    field('flat', list(entry, true), b),
    field('one', compound(entry), b),
  ]);

  it('are absent, unless they are texts', () => {
    const content = '<s/><day> </day><i/><x/><bin/><j/><known/><l/>';
    expect(read(d, `<D at="">${content}</D>`, '')).toEqual({ s: '', known: 5 });
  });

  it('of compounds and lists are what the writer puts there', () => {
    const { fromXml, toXml } = compileDocument(d, { namespace: NS });
    expect(toXml({})).toContain('<flat U=""><T/></flat>');
    expect(fromXml(readXml(toXml({})))).toEqual({ s: '', known: 5 });
    expect(fromXml(readXml(toXml({}).replaceAll('><', '>\n <')))).toEqual({ s: '', known: 5 });
  });

  it('are values where they are anything else', () => {
    expect(inside(d, '<docs/>')).toMatchObject({ docs: [] });
    expect(inside(d, '<docs><ENTRY><T/></ENTRY></docs>')).toMatchObject({ docs: [{ T: '' }] });
    expect(inside(d, '<one U=""/>')).toMatchObject({ one: { U: '' } });
    expect(inside(d, '<one U=""><T> </T></one>')).toMatchObject({ one: { T: ' ', U: '' } });
    expect(inside(d, '<one U=""><T/><I>1</I></one>')).toMatchObject({ one: { T: '', U: '', I: 1 } });
    expect(inside(d, '<flat U=""><T/></flat><flat/>')).toMatchObject({ flat: [{ T: '', U: '' }, {}] });
  });

  it('are no values where one has to be there', () => {
    const strict = document('D', [field('day', 'date', { ...b, required: true })]);
    expect(complaint(strict, '<day/>')).toBe('day is missing');
    const lists = document('D', [field('l', list('string'), { ...b, required: true })]);
    expect(inside(lists, '<l/>')).toEqual({ l: [] });
    const docs = document('D', [field('l', list(entry), { ...b, required: true })]);
    expect(complaint(docs, '<l><ENTRY U=""><T/></ENTRY></l>')).toBe('l is missing');
  });
});

describe('open documents in XML', () => {
  const d = document('D', [field('A', 'string'), field('B', 'string', { xmlName: 'x', attribute: true })], {
    open: true,
  });

  it('keep what they do not declare', () => {
    const { fromXml, toXml } = compileDocument(d, { namespace: NS });
    const value = { A: 'a', 'B.C': '1', L: ['x', ''], O: { P: 'true', Q: { R: ['', 'r'] } }, N: '', x: 'element' };
    expect(fromXml(readXml(toXml(value)))).toEqual(value);
  });

  it('keep attributes, elements of any namespace, and null for nil', () => {
    const xml = `<D xmlns="${NS}" ${XSI} at="1" x="b"><E at="2" xmlns="urn:e"> e </E><F xsi:nil="true"/></D>`;
    expect(read(d, xml)).toEqual({ at: '1', B: 'b', E: ' e ', F: null });
  });

  it.each([
    ['<B/>', 'B is not a field of D (did you mean A?)'],
    ['<A xmlns="urn:a"/>', 'A is in namespace "urn:a", and belongs to none'],
    ['<__proto__/>', '__proto__ is not a field of D'],
    ['<O><__proto__/></O>', 'O holds an element "__proto__", which is not accepted'],
    ['<O><P>x<Q/></P></O>', 'O.P holds text outside of its elements'],
    ['x<O/>', 'D holds text outside of its elements'],
  ])('refuse %s', (content, message) => {
    expect(complaint(d, content)).toBe(message);
  });
});

it('reads a fault document as it was written', () => {
  const written = compileFault(FAILURE, { namespace: NS }).toXml({ message: 'm', detail: 'd', code: 'C', status: 500 });
  expect(read(FAILURE, written)).toEqual({ status: 'failure', error: { message: 'm', detail: 'd' } });
  expect(read(FAILURE, '<FAILURE><error/></FAILURE>')).toEqual({ status: 'failure', error: {} });
});
