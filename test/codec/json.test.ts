import { describe, expect, it } from 'vitest';
import { compileDocument, type DocumentCodec } from '../../src/codec/index.ts';
import type { Document } from '../../src/model/document.ts';
import type { DocumentValue, Value } from '../../src/model/value.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { compound, document, field, LOC_RESPONSE, list, messageOf } from './support.ts';

const codecOf = (of: Document): DocumentCodec => compileDocument(of, { namespace: 'urn:test:Locations.v1' });
const lookup = codecOf(LOC_RESPONSE);

/** Reads a document of one field X. */
const readX = (type: string, json: string): Value =>
  codecOf(document('D', [field('X', type)])).fromJson(`{"X":${json}}`).X;
const writeX = (type: string, value: Value): string => codecOf(document('D', [field('X', type)])).toJson({ X: value });

describe('the lookup response of the specification', () => {
  it('writes LOC_DATA, and EMP_DATA as one object of empty strings', () => {
    expect(lookup.toJson({ LOC_DATA: [{ LOCATION: 'NYC01', EFFDT: '2024-02-29' }] })).toBe(
      '{"LOC_RESPONSE":{"LOC_DATA":[{"LOCATION":"NYC01","EFFDT":"2024-02-29"}],"EMP_DATA":{"DEPTNAME":"","NAME":""}}}',
    );
  });

  it('writes EMP_DATA alone', () => {
    expect(lookup.toJson({ EMP_DATA: [{ DEPTNAME: 'Sales', NAME: 'Ann' }] })).toBe(
      '{"LOC_RESPONSE":{"EMP_DATA":[{"DEPTNAME":"Sales","NAME":"Ann"}]}}',
    );
  });

  it('keeps an empty list', () => {
    expect(lookup.toJson({ LOC_DATA: [], EMP_DATA: [] })).toBe('{"LOC_RESPONSE":{"LOC_DATA":[],"EMP_DATA":[]}}');
  });

  it('reads both forms of the root, and the blank as absent', () => {
    const inner = '{"LOC_DATA":[{"LOCATION":"NYC01"}],"EMP_DATA":{"DEPTNAME":"","NAME":""}}';
    const value = { LOC_DATA: [{ LOCATION: 'NYC01' }] };
    expect(lookup.fromJson(inner)).toStrictEqual(value);
    expect(lookup.fromJson(`{"LOC_RESPONSE":${inner}}`)).toStrictEqual(value);
  });

  it('refuses an object that is no blank where a list belongs', () => {
    expect(messageOf(() => lookup.fromJson('{"EMP_DATA":{"DEPTNAME":"","NAME":"Ann"}}'))).toBe(
      'EMP_DATA is an object, not a list',
    );
    expect(messageOf(() => lookup.fromJson('{"EMP_DATA":{"DEPTNAME":""}}'))).toBe('EMP_DATA is an object, not a list');
  });

  it('names the place of a mistake', () => {
    expect(messageOf(() => lookup.fromJson('{"LOC_DATA":[{},{},{},{"EFFDT":"2024-02-30"}]}'))).toBe(
      'LOC_DATA[3].EFFDT is not a date (yyyy-MM-dd)',
    );
    expect(messageOf(() => lookup.toJson({ LOC_DATA: [{}, { LOCATION: 'x'.repeat(11) }] }))).toBe(
      'LOC_DATA[1].LOCATION is longer than 10 characters',
    );
  });
});

describe('reading JSON', () => {
  it.each<[string, string, Value]>([
    ['string', '"a"', 'a'],
    ['integer', '1', 1],
    ['integer', '1.0', 1],
    ['integer', '1e2', 100],
    ['integer', '-0', 0],
    ['integer', '"12"', 12],
    ['integer', '9007199254740993', 9007199254740993n],
    ['integer', '"9007199254740993"', 9007199254740993n],
    ['integer', '1e18', 1000000000000000000n],
    ['integer', '9223372036854775807', 9223372036854775807n],
    ['integer', '-9223372036854775808', -9223372036854775808n],
    ['int', '-2147483648', -2147483648],
    ['int', '"2147483647"', 2147483647],
    ['decimal', '1.50', '1.50'],
    ['decimal', '100', '100'],
    ['decimal', '"1.50"', '1.50'],
    ['decimal', '1.5e3', '1500'],
    ['decimal', '125E-4', '0.0125'],
    ['decimal', '-0.0', '0.0'],
    ['decimal', '12345678901234567890.12345678901234567890', '12345678901234567890.12345678901234567890'],
    ['boolean', 'true', true],
    ['flag', '"y"', 'Y'],
    ['json', 'null', null],
    ['json', '[1.50,9007199254740993,{"a":null}]', [1.5, 9007199254740993n, { a: null }]],
    ['datetime', '"2024-01-01T00:00:00+0100"', '2024-01-01T00:00:00+01:00'],
  ])('%s takes %s', (type, json, value) => {
    expect(readX(type, json)).toStrictEqual(value);
  });

  it.each([
    ['string', '1', 'is a number, not a string'],
    ['string', 'true', 'is a boolean, not a string'],
    ['string', '{}', 'is an object, not a string'],
    ['string', '[]', 'is a list, not a string'],
    ['date', '20240101', 'is a number, not a string'],
    ['integer', '1.5', 'is not an integer'],
    ['integer', '9007199254740993.5', 'is not an integer'],
    ['integer', '"1.0"', 'is not an integer'],
    ['integer', 'true', 'is a boolean, not an integer'],
    ['integer', '1e99999', 'is not an integer'],
    ['integer', '9223372036854775808', 'is beyond the integers of 64 bits'],
    ['integer', '-9223372036854775809', 'is beyond the integers of 64 bits'],
    ['integer', '1e20', 'is beyond the integers of 64 bits'],
    ['int', '2147483648', 'is greater than 2147483647'],
    ['int', '-2147483649', 'is less than -2147483648'],
    ['int', '9223372036854775807', 'is greater than 2147483647'],
    ['decimal', '1e2000', 'is not a decimal'],
    ['decimal', '"1e3"', 'is not a decimal'],
    ['decimal', '"NaN"', 'is not a decimal'],
    ['decimal', '[]', 'is a list, not a decimal'],
    ['boolean', '"true"', 'is a string, not true or false'],
    ['boolean', '1', 'is a number, not true or false'],
    ['binary', '1', 'is a number, not base64 in a string'],
    ['json', '[1e4000]', 'is a number out of range'],
    ['text', '"\\u0000"', 'holds a NUL character'],
    ['text', '"\\ud800"', 'holds half of a surrogate pair, which is not a character'],
  ])('%s refuses %s', (type, json, reason) => {
    expect(messageOf(() => readX(type, json))).toBe(`${type === 'json' ? 'X[0]' : 'X'} ${reason}`);
  });

  const order = codecOf(
    document('ORDER', [
      field('ID', 'integer', { required: true }),
      field('STATE', 'string', { default: 'new' }),
      field('NOTE', 'text'),
      field('KIND', 'string', { fixed: 'order' }),
      field('TAGS', list('string(3)'), { minimum: 1, maximum: 2 }),
    ]),
  );

  it('fills in defaults and fixed values', () => {
    expect(order.fromJson('{"ID":1}')).toStrictEqual({ ID: 1, STATE: 'new', KIND: 'order' });
  });

  it('takes null for absent', () => {
    expect(order.fromJson('{"ID":1,"STATE":null,"NOTE":null,"TAGS":null}')).toStrictEqual({
      ID: 1,
      STATE: 'new',
      KIND: 'order',
    });
    expect(messageOf(() => order.fromJson('{"ID":null}'))).toBe('ID is missing');
    expect(messageOf(() => order.fromJson('{"ID":1,"TAGS":[null]}'))).toBe('TAGS[0] is null, not a string');
  });

  it.each([
    ['{}', 'ID is missing'],
    ['{"ID":1,"TAGS":[]}', 'TAGS has fewer than 1 entry'],
    ['{"ID":1,"TAGS":["a","b","c"]}', 'TAGS has more than 2 entries'],
    ['{"ID":1,"TAGS":["a","bbbb"]}', 'TAGS[1] is longer than 3 characters'],
    ['{"ID":1,"KIND":"x"}', 'KIND is not "order", its only value'],
    ['{"ID":1,"NOTES":"x"}', 'NOTES is not a field of ORDER (did you mean NOTE?)'],
    ['{"ID":1,"id":2}', 'id is not a field of ORDER (did you mean ID?)'],
    ['{"ID":1,"entirely different":"x"}', '"entirely different" is not a field of ORDER'],
    ['{"ID":1,"\\u001b[0m":"x"}', '"\\u001b[0m" is not a field of ORDER'],
    ['[]', 'ORDER is a list, not an object'],
    ['null', 'ORDER is null, not an object'],
    ['"x"', 'ORDER is a string, not an object'],
    ['', 'ORDER is not JSON: it ends too early'],
    ['{"ID":NaN}', 'ORDER is not JSON'],
    ['{"ID":Infinity}', 'ORDER is not JSON'],
    ["{'ID':1}", 'ORDER is not JSON: an error at line 1, column 2'],
    ['{"ID":1,}', 'ORDER is not JSON: an error at line 1, column 9'],
    ['{"ID":01}', 'ORDER is not JSON: an error at line 1, column 8'],
    ['\ufeff{"ID":1}', 'ORDER is not JSON'],
  ])('refuses %s', (json, message) => {
    expect(messageOf(() => order.fromJson(json))).toBe(message);
  });

  it('never repeats the text of what is no JSON', () => {
    expect(messageOf(() => order.fromJson('{"ID": hunter2}'))).not.toContain('hunter2');
  });

  it('refuses a name that an object has twice, but takes the last one in a reply of a partner', () => {
    const text = '{"ID":1,\n "ID":2}';
    expect(messageOf(() => order.fromJson(text))).toBe(
      'ORDER has an object that holds the name "ID" twice, at line 2, column 2',
    );
    const reply = compileDocument(document('D', [field('ID', 'integer'), field('J', 'json')]), {
      namespace: '',
      foreign: 'pass',
    });
    expect(reply.fromJson('{"ID":1,"ID":2,"J":{"a":1,"a":2}}')).toEqual({ ID: 2, J: { a: 2 } });
    const inXml = readXml('<D><J>{"a":1,"a":2}</J></D>');
    expect(reply.fromXml(inXml)).toEqual({ J: { a: 2 } });
  });

  it('reads JSON once, whatever stands beside it', () => {
    const codec = codecOf(document('D', [field('J', 'json'), field('D', 'decimal')]));
    expect(codec.fromJson('{"J":[-1e+21],"D":0}')).toStrictEqual({ J: [-1e21], D: '0' });
  });

  it('renames', () => {
    const renamed = codecOf(
      document('D', [
        field('queryname', 'string', { jsonName: 'queryname=' }),
        field('rownumber', 'integer', { jsonName: 'attr:rownumber' }),
      ]),
    );
    const json = '{"queryname=":"Q","attr:rownumber":1}';
    expect(renamed.fromJson(json)).toStrictEqual({ queryname: 'Q', rownumber: 1 });
    expect(renamed.toJson({ rownumber: 1, queryname: 'Q' })).toBe(json);
    expect(messageOf(() => renamed.fromJson('{"queryname":"Q"}'))).toBe(
      'queryname is not a field of D (did you mean queryname=?)',
    );
    expect(messageOf(() => renamed.toJson({ 'queryname=': 'Q' }))).toBe(
      'queryname= is not a field of D (did you mean queryname?)',
    );
  });
});

describe('hostile JSON', () => {
  const open = codecOf(document('OPEN', [field('A', 'string'), field('constructor', 'string')], { open: true }));
  const closed = codecOf(document('CLOSED', [field('A', 'string'), field('J', 'json')]));
  const decimals = codecOf(document('DECIMALS', [field('D', 'decimal'), field('J', 'json')]));
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it('refuses what is nested more than 100 levels, at any depth', () => {
    for (const codec of [closed, decimals]) {
      expect(() => codec.fromJson(`{"J":${nested(99)}}`)).not.toThrow();
      for (const levels of [100, 10_000, 1_000_000]) {
        expect(messageOf(() => codec.fromJson(`{"J":${nested(levels)}}`))).toMatch(
          /^(CLOSED|DECIMALS) is nested more than 100 levels deep$/,
        );
      }
    }
    const escaped = `{"J":${nested(99)},"A":"\\u0041[[[[[[[[[["}`;
    expect(closed.fromJson(escaped)).toMatchObject({ A: 'A[[[[[[[[[[' });
  });

  it('stops at a million open brackets', () => {
    for (const codec of [closed, decimals, open]) {
      expect(messageOf(() => codec.fromJson('['.repeat(1_000_000)))).toMatch(/is (not JSON|nested)/);
    }
  });

  it('refuses a document that holds itself too often', () => {
    const node: { -readonly [K in keyof Document]: Document[K] } = { ...document('NODE', [field('ID', 'integer')]) };
    node.fields = [...node.fields, field('NEXT', compound(node)), field('ALL', list(node))];
    const codec = codecOf(node);
    const chain = (levels: number) => `${'{"NEXT":'.repeat(levels)}{"ID":1}${'}'.repeat(levels)}`;
    expect(codec.toJson(codec.fromJson(chain(99)))).toBe(chain(99));
    expect(messageOf(() => codec.fromJson(chain(100)))).toContain('is nested more than 100 levels deep');
    expect(codec.toXml({ ALL: [{ ID: 1 }] })).toContain('<ALL><NODE><ID>1</ID></NODE></ALL>');
    const circle: Record<string, Value> = {};
    circle.NEXT = circle;
    expect(messageOf(() => codec.toJson(circle))).toContain('is nested more than 100 levels deep');
    expect(messageOf(() => codec.toXml(circle))).toContain('is nested more than 100 levels deep');
  });

  it('gives no key power over prototypes', () => {
    for (const key of ['__proto__', 'toString', 'hasOwnProperty', 'valueOf']) {
      expect(messageOf(() => closed.fromJson(`{"${key}":{"polluted":true}}`))).toBe(`${key} is not a field of CLOSED`);
    }
    expect(messageOf(() => open.fromJson('{"__proto__":{"polluted":true}}'))).toBe('__proto__ is not a field of OPEN');
    expect(messageOf(() => open.fromJson('{"x":{"__proto__":1}}'))).toContain('"__proto__", which is not accepted');
    expect(messageOf(() => closed.fromJson('{"J":[{"__proto__":1}]}'))).toContain('"__proto__", which is not accepted');
    expect({}).not.toHaveProperty('polluted');
  });

  it('takes nothing inherited for a value', () => {
    expect(open.fromJson('{}')).toStrictEqual({});
    expect(open.toJson({ A: 'a' })).toBe('{"A":"a"}');
    expect(open.fromJson('{"constructor":"c"}')).toEqual({ constructor: 'c' });
  });

  it('carries fields named like members of every object', () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const codec = codecOf(
      document(
        'D',
        names.map((name) => field(name, 'string')),
      ),
    );
    const json = '{"__proto__":"a","constructor":"b","toString":"c"}';
    const value = codec.fromJson(json);
    expect(Object.keys(value)).toEqual(names);
    expect(codec.toJson(value)).toBe(json);
    expect(codec.toJson({})).toBe('{}');
  });

  it('reads a string of 10 MB, and refuses it where it is too long', () => {
    const text = 'x'.repeat(10_000_000);
    expect(closed.fromJson(`{"A":"${text}"}`).A).toHaveLength(10_000_000);
    const short = codecOf(document('D', [field('A', 'string(10)')]));
    const message = messageOf(() => short.fromJson(`{"A":"${text}"}`));
    expect(message).toBe('A is longer than 10 characters');
  });

  it('spends no time on a number of a million digits', () => {
    const digits = '9'.repeat(1_000_000);
    expect(messageOf(() => decimals.fromJson(`{"D":${digits}}`))).toBe('D has more than 1000 digits');
    expect(messageOf(() => readX('integer', digits))).toBe('X has more than 1000 digits');
  });

  it('looks at keys that nobody declared too', () => {
    expect(messageOf(() => open.fromJson('{"\\ud800":1}'))).toContain('half of a surrogate pair');
  });
});

describe('open documents', () => {
  const row = codecOf(
    document('ROW', [field('rownumber', 'integer', { jsonName: 'attr:rownumber' }), field('A', 'string')], {
      open: true,
    }),
  );

  it('keeps what is not declared as it comes, behind what is', () => {
    const value = { 'B.X': 1, big: 9007199254740993n, deep: { a: [1n] }, rownumber: 1 };
    const json = '{"attr:rownumber":1,"B.X":1,"big":9007199254740993,"deep":{"a":[1]}}';
    expect(row.toJson(value)).toBe(json);
    expect(row.fromJson(json)).toStrictEqual({ ...value, deep: { a: [1] } });
  });

  it('refuses a name that would stand for a declared field', () => {
    expect(messageOf(() => row.fromJson('{"rownumber":1}'))).toBe('rownumber is not a field of ROW');
    expect(messageOf(() => row.toJson({ 'attr:rownumber': 1 }))).toBe('attr:rownumber is not a field of ROW');
  });

  it.each<[Value, string]>([
    [Number.NaN, "B.a is NaN, which JSON can't hold"],
    [new Date(0) as unknown as Value, 'B.a is an object of a class, not a plain one'],
    [(() => 1) as unknown as Value, "B.a is a function, which JSON can't hold"],
  ])('refuses %s', (value, message) => {
    expect(messageOf(() => row.toJson({ B: { a: value } }))).toBe(message);
  });
});

describe('writing JSON', () => {
  it.each<[string, Value, string]>([
    ['integer', 9007199254740993n, '9007199254740993'],
    ['integer', 5n, '5'],
    ['integer', -0, '0'],
    ['decimal', '1.50', '1.50'],
    ['decimal', '007.0', '7.0'],
    ['decimal', 1e21, '1000000000000000000000'],
    ['decimal', 1e-7, '0.0000001'],
    ['boolean', false, 'false'],
    ['flag', 'n', '"N"'],
    ['datetime', '2024-01-01T00:00:00+0000', '"2024-01-01T00:00:00+00:00"'],
    ['text', '\ud800', '"\\ud800"'],
    ['json', { a: [1n, 'x', null] }, '{"a":[1,"x",null]}'],
    ['json', null, 'null'],
  ])('%s writes %s', (type, value, json) => {
    expect(writeX(type, value)).toBe(`{"X":${json}}`);
  });

  it.each<[string, Value, string]>([
    ['string', 1, 'is a number, not a string'],
    ['string(1)', 'ab', 'is longer than 1 character'],
    ['integer', '1', 'is a string, not an integer'],
    ['integer', 1.5, 'is not an integer'],
    ['integer', 2 ** 60, 'is beyond 2^53 - 1 and no bigint, so that its digits are not certain'],
    ['integer', 2n ** 63n, 'is beyond the integers of 64 bits'],
    ['integer', Number.NaN, 'is not an integer'],
    ['decimal', Number.NaN, 'is not a decimal'],
    ['decimal', true, 'is a boolean, not a decimal'],
    ['boolean', 'true', 'is a string, not true or false'],
    ['date', '2024-02-30', 'is not a date (yyyy-MM-dd)'],
    ['binary', 'AAAA', 'is a string, not an attachment'],
  ])('%s refuses %s', (type, value, reason) => {
    expect(messageOf(() => writeX(type, value))).toBe(`X ${reason}`);
  });

  const person = document('PERSON', [
    field('NAME', 'string', { required: true }),
    field('AGE', 'integer'),
    field('CITY', 'string', { default: 'Oslo' }),
    field('BORN', 'date', { absent: 'blank' }),
    field('KIDS', 'integer', { absent: 'blank' }),
    field('SIZES', list('string'), { absent: 'blank' }),
  ]);
  const codec = codecOf(person);
  const rest = '"BORN":"","KIDS":null,"SIZES":""';

  it('writes fields in declared order, with defaults and blanks', () => {
    expect(codec.toJson({ AGE: 1, NAME: 'Ann' })).toBe(`{"NAME":"Ann","AGE":1,"CITY":"Oslo",${rest}}`);
    expect(codec.toJson({ NAME: 'Ann', AGE: undefined, CITY: null })).toBe(`{"NAME":"Ann","CITY":"Oslo",${rest}}`);
  });

  it('reads blanks as absent', () => {
    expect(codec.fromJson(codec.toJson({ NAME: 'Ann' }))).toStrictEqual({ NAME: 'Ann', CITY: 'Oslo' });
  });

  it('refuses what the document does not have', () => {
    expect(messageOf(() => codec.toJson({ NAME: 'Ann', AGEE: 1 }))).toBe(
      'AGEE is not a field of PERSON (did you mean AGE?)',
    );
    expect(messageOf(() => codec.toJson({}))).toBe('NAME is missing');
    expect(messageOf(() => codec.toJson([] as unknown as DocumentValue))).toBe('PERSON is a list, not an object');
    expect(messageOf(() => codec.toJson({ NAME: 'Ann', SIZES: 'M' }))).toBe('SIZES is a string, not a list');
  });

  it('leaves what it is given as it was', () => {
    const value = Object.freeze({ AGE: 1, NAME: 'Ann', SIZES: Object.freeze(['M']) });
    expect(() => codec.toJson(value)).not.toThrow();
  });

  it('asks no object how it wants to be written', () => {
    const plain = codecOf(document('D', [field('A', 'string')]));
    class Told {
      A = 'a';
      toJSON() {
        return { B: 'b' };
      }
    }
    expect(plain.toJson(new Told() as unknown as DocumentValue)).toBe('{"A":"a"}');
  });

  it('writes documents inside documents, blank where nothing is given', () => {
    const outer = codecOf(document('OUTER', [field('P', compound(person), { absent: 'blank' })]));
    expect(outer.toJson({})).toBe('{"P":{"NAME":"","AGE":null,"CITY":"","BORN":"","KIDS":null,"SIZES":""}}');
    expect(outer.fromJson(outer.toJson({}))).toStrictEqual({});
  });
});
