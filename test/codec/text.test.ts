import { describe, expect, it } from 'vitest';
import { CodecError, compileCheck, compileList, compileText } from '../../src/codec/index.ts';
import type { Field } from '../../src/model/field.ts';
import { document, field, list, messageOf } from './support.ts';

const read = (type: string, text: string, options: Partial<Field> = {}) => compileText(field('X', type, options))(text);
const refused = (type: string, text: string, options: Partial<Field> = {}) =>
  messageOf(() => read(type, text, options));

describe('values from text', () => {
  it.each([
    ['string(1)', 'N', 'N'],
    ['string(2)', '😀😀', '😀😀'],
    ['text', '', ''],
    ['integer', '100', 100],
    ['integer', '-0', 0],
    ['integer', '+7', 7],
    ['integer', '9007199254740991', 9007199254740991],
    ['integer', '9007199254740992', 9007199254740992n],
    ['integer', '-9223372036854775808', -9223372036854775808n],
    ['decimal', '+007.50', '7.50'],
    ['decimal', '.5', '0.5'],
    ['decimal', '5.', '5'],
    ['decimal', '-0.00', '0.00'],
    ['decimal(5.2)', '123.4500', '123.4500'],
    ['number', '1.50', 1.5],
    ['number', '-0', 0],
    ['number', '1e21', 1e21],
    ['xs-double', '-INF', Number.NEGATIVE_INFINITY],
    ['duration', '-P1Y2MT3.5S', '-P1Y2MT3.5S'],
    ['hex', '0fB7', '0fB7'],
    ['boolean', 'true', true],
    ['boolean', 'False', false],
    ['boolean', '1', true],
    ['boolean', '0', false],
    ['flag', 'y', 'Y'],
    ['flag', 'N', 'N'],
    ['date', '2024-02-29', '2024-02-29'],
    ['date', '2000-02-29', '2000-02-29'],
    ['date', '2024-01-01+01:00', '2024-01-01'],
    ['time', '23:59:59', '23:59:59'],
    ['time', '24:00:00Z', '00:00:00'],
    ['time', '00:00:00.125', '00:00:00.125'],
    ['datetime', '2024-02-29T12:00:00', '2024-02-29T12:00:00'],
    ['datetime', '2024-02-29T12:00:00Z', '2024-02-29T12:00:00Z'],
    ['datetime', '2024-02-29T12:00:00.5+14:00', '2024-02-29T12:00:00.5+14:00'],
    ['datetime', '2024-02-29T12:00:00-0530', '2024-02-29T12:00:00-05:30'],
    ['uuid', 'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
    ['uri', 'HTTPS://Example.com/%C3%A9?q#f', 'HTTPS://Example.com/%C3%A9?q#f'],
    ['json', '{"a":[1,9007199254740993]}', { a: [1, 9007199254740993n] }],
    ['xml', '<a/>', '<a/>'],
  ])('%s takes %s', (type, text, value) => {
    expect(read(type, text)).toStrictEqual(value);
  });

  const notDatetime = 'is not a datetime (yyyy-MM-ddTHH:mm:ss, optionally Z or +hh:mm)';
  it.each([
    ['string(1)', 'NN', 'is longer than 1 character'],
    ['string(10)', '😀'.repeat(11), 'is longer than 10 characters'],
    ['text', 'a\0b', 'holds a NUL character'],
    ['text', '\ud800', 'holds half of a surrogate pair, which is not a character'],
    ['number', '1,5', 'is not a number'],
    ['number', 'Infinity', 'is not a number'],
    ['duration', '8 h', 'is not a duration (P1Y2M3DT4H5M6S, without the parts that it does not have)'],
    ['hex', '0fB', 'is not hexadecimal digits, two for each byte'],
    ['integer', '', 'is not an integer'],
    ['integer', ' 1', 'is not an integer'],
    ['integer', '1.0', 'is not an integer'],
    ['integer', '9223372036854775808', 'is beyond the integers of 64 bits'],
    ['integer', '1e3', 'is not an integer'],
    ['integer', '0x10', 'is not an integer'],
    ['integer', '٣', 'is not an integer'],
    ['integer', '9'.repeat(1001), 'has more than 1000 digits'],
    ['decimal', '.', 'is not a decimal'],
    ['decimal', '1e3', 'is not a decimal'],
    ['decimal', '1,5', 'is not a decimal'],
    ['decimal', 'NaN', 'is not a decimal'],
    ['decimal', 'Infinity', 'is not a decimal'],
    ['decimal', '1'.repeat(2000), 'has more than 1000 digits'],
    ['decimal(5.2)', '1.555', 'has more than 2 digits after the point'],
    ['decimal(5.2)', '1234.56', 'has more than 5 digits'],
    ['decimal(5)', '1.5', 'has more than 0 digits after the point'],
    ['boolean', 'yes', 'is not true or false'],
    ['boolean', 'constructor', 'is not true or false'],
    ['flag', 'toString', 'is not Y or N'],
    ['flag', '', 'is not Y or N'],
    ['date', '2023-02-29', 'is not a date (yyyy-MM-dd)'],
    ['date', '1900-02-29', 'is not a date (yyyy-MM-dd)'],
    ['date', '2024-13-01', 'is not a date (yyyy-MM-dd)'],
    ['date', '2024-04-31', 'is not a date (yyyy-MM-dd)'],
    ['date', '0000-01-01', 'is not a date (yyyy-MM-dd)'],
    ['date', '2024-1-1', 'is not a date (yyyy-MM-dd)'],
    ['date', '2024-01-01+0100', 'is not a date (yyyy-MM-dd)'],
    ['time', '24:00:01', 'is not a time (HH:mm:ss)'],
    ['time', '12:00', 'is not a time (HH:mm:ss)'],
    ['time', '12:00:00.', 'is not a time (HH:mm:ss)'],
    ['time', '12:00:60', 'is not a time (HH:mm:ss)'],
    ['datetime', '2024-02-29 12:00:00', notDatetime],
    ['datetime', '2024-02-29T12:00:00+14:01', notDatetime],
    ['datetime', '2024-02-29T12:00:00+1', notDatetime],
    ['datetime', '2024-02-30T12:00:00Z', notDatetime],
    ['uuid', '', 'is not a UUID (8-4-4-4-12 hexadecimal digits)'],
    ['uuid', '{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}', 'is not a UUID (8-4-4-4-12 hexadecimal digits)'],
    ['uri', '', 'is not a URI with a scheme (RFC 3986)'],
    ['uri', '/orders/17', 'is not a URI with a scheme (RFC 3986)'],
    ['uri', 'https://example.com/a b', 'is not a URI with a scheme (RFC 3986)'],
    ['json', '{"a":', 'is not JSON: it ends too early'],
    ['json', '{"a" 1}', 'is not JSON: an error at line 1, column 6'],
    ['json', '{"__proto__":1}', 'holds a key "__proto__", which is not accepted'],
    ['binary', 'AA=', 'is not base64'],
    ['binary', 'AA==\n', 'is not base64'],
    ['binary', '@@@@', 'is not base64'],
  ])('%s refuses %s', (type, text, reason) => {
    expect(refused(type, text)).toBe(`X ${reason}`);
  });

  it('reads base64 as an attachment', async () => {
    const value = read('binary', 'AQID');
    expect(value).toMatchObject({ contentType: 'application/octet-stream', length: 3 });
    const chunks = await Array.fromAsync((value as { stream(): AsyncIterable<Uint8Array> }).stream());
    expect(Buffer.concat(chunks)).toEqual(Buffer.from([1, 2, 3]));
  });

  it('names the path and the reason apart', () => {
    const error = (() => {
      try {
        return read('string(1)', 'NN');
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(CodecError);
    expect(error).toMatchObject({ path: 'X', reason: 'is longer than 1 character' });
  });

  it('has no text form for a document', () => {
    expect(() => compileText(field('X', { kind: 'document', document: document('D', []) }))).toThrow(TypeError);
    expect(() => compileList(field('X', list(document('D', []))))).toThrow(TypeError);
  });
});

describe('the options of a field', () => {
  it('takes a value over as enum spells it', () => {
    const owner = { enum: ['PUBLIC', 'PRIVATE'], anyCase: true };
    expect(read('string', 'public', owner)).toBe('PUBLIC');
    expect(refused('string', 'PUBLC', owner)).toBe('X is "PUBLC", not one of PUBLIC, PRIVATE (did you mean PUBLIC?)');
    expect(refused('string', 'public', { ...owner, anyCase: false })).toContain('not one of PUBLIC, PRIVATE');
  });

  it('compares enum values of numbers by value', () => {
    expect(read('integer', '2', { enum: [1, 2] })).toBe(2);
    expect(read('decimal', '2.50', { enum: ['2.5'] })).toBe('2.5');
    expect(read('string', '2', { enum: [1, 2] })).toBe('2');
    expect(refused('integer', '3', { enum: [1, 2] })).toBe('X is "3", not one of 1, 2');
  });

  it.each([
    ['string', 'abc', { patterns: ['[a-z]+'] }],
    ['string', '😀', { patterns: ['.'] }],
    ['string', 'b', { patterns: ['a|b'] }],
    ['integer', '12', { patterns: ['\\d{2}'] }],
    ['string', 'AB12', { patterns: ['[A-Z0-9]+', '.{2}[0-9]*'] }],
    ['string(3)', ' a \n b ', { space: 'collapse' as const }],
    ['string(3)', 'a\nb', { space: 'replace' as const, enum: ['a b'] }],
    ['hex', '0f', { minimum: 1, maximum: 1, enum: ['0F'] }],
    ['duration', 'PT60S', { enum: ['PT1M'] }],
    ['string', '😀😀', { minimum: 2, maximum: 2 }],
    ['integer', '5', { minimum: 5, maximum: 5 }],
    ['decimal', '5.00', { minimum: 5, maximum: 5 }],
    ['decimal', '0.0000001', { minimum: 1e-7, maximum: 1e21 }],
    ['string', 'a', { fixed: 'a' }],
    ['decimal', '1.0', { fixed: 1 }],
    ['boolean', '1', { fixed: true }],
  ])('%s takes %s with %o', (type, text, options) => {
    expect(() => read(type, text, options)).not.toThrow();
  });

  it.each([
    ['string', 'abc1', { patterns: ['[a-z]+'] }, 'does not match the pattern [a-z]+'],
    ['string', 'ab', { patterns: ['a|b'] }, 'does not match the pattern a|b'],
    ['string', 'AB12', { patterns: ['[A-Z0-9]+', '[A-Z]+'] }, 'does not match the pattern [A-Z]+'],
    ['string(3)', ' a  bc ', { space: 'collapse' as const }, 'is longer than 3 characters'],
    ['string(3)', ' a\t ', { space: 'replace' as const, maximum: 2 }, 'is longer than 2 characters'],
    ['hex', '0f1e', { maximum: 1 }, 'is longer than 1 byte'],
    ['hex', '', { minimum: 1 }, 'is shorter than 1 byte'],
    ['string', '😀', { minimum: 2 }, 'is shorter than 2 characters'],
    ['text', 'abcd', { maximum: 3 }, 'is longer than 3 characters'],
    ['string(2)', 'abc', { maximum: 3 }, 'is longer than 2 characters'],
    ['integer', '-1', { minimum: 0 }, 'is less than 0'],
    ['integer', '9007199254740993', { maximum: 9007199254740992 }, 'is greater than 9007199254740992'],
    ['decimal', '5.00000000000000000000001', { maximum: 5 }, 'is greater than 5'],
    ['decimal', '-0.01', { minimum: 0 }, 'is less than 0'],
    ['decimal', '0.00000009', { minimum: 1e-7 }, 'is less than 0.0000001'],
    ['string', 'b', { fixed: 'a' }, 'is not "a", its only value'],
    ['integer', '2', { fixed: 1 }, 'is not 1, its only value'],
  ])('%s refuses %s with %o', (type, text, options, reason) => {
    expect(refused(type, text, options)).toBe(`X ${reason}`);
  });

  it('holds no text against a pattern that would take long', () => {
    const pattern = '(?:.*a){20}b';
    expect(refused('text', 'a'.repeat(1_000_000), { patterns: [pattern] })).toMatch(
      /^X is longer than \d+ characters, too long for the pattern /,
    );
    expect(refused('text', 'a'.repeat(100_000), { patterns: [pattern] })).toContain('does not match');
  });

  it('never shows the value of a sensitive field', () => {
    const options: Partial<Field>[] = [
      { enum: ['hunter1'] },
      { fixed: 'hunter1' },
      { patterns: ['x'] },
      { maximum: 3 },
      { minimum: 30 },
    ];
    for (const each of options)
      expect(refused('string', 'hunter2', { ...each, sensitive: true })).not.toContain('hunter2');
    expect(refused('string', 'hunter2', { fixed: 'hunter1', sensitive: true })).toBe('X is not its only value');
    expect(refused('string', 'hunter2', { enum: ['hunter1'], sensitive: true })).toBe('X is not one of its values');
  });

  it('shortens and quotes the values of others', () => {
    const message = refused('string', `\u001b[31m${'x'.repeat(1000)}`, { enum: ['A'] });
    expect(message).toBe(`X is "\\u001b[31m${'x'.repeat(75)}...", not one of A`);
    expect(refused('string', 'a\u202eb', { enum: ['A'] })).toContain('"a\\u202eb"');
  });
});

describe('lists from text', () => {
  const prompts = compileList(field('P', list('string(3)'), { minimum: 1, maximum: 2 }));

  it('reads each entry', () => {
    expect(prompts(['a', ''])).toEqual(['a', '']);
    expect(compileText(field('P', list('integer')))('7')).toEqual([7]);
  });

  it('counts the entries', () => {
    expect(messageOf(() => prompts([]))).toBe('P has fewer than 1 entry');
    expect(messageOf(() => prompts(['a', 'b', 'c']))).toBe('P has more than 2 entries');
  });

  it('names the entry that is wrong', () => {
    expect(messageOf(() => prompts(['a', 'bbbb']))).toBe('P[1] is longer than 3 characters');
  });

  it('takes exactly one text for a single value', () => {
    const single = compileList(field('S', 'integer'));
    expect(single(['1'])).toBe(1);
    expect(messageOf(() => single([]))).toBe('S is missing');
    expect(messageOf(() => single(['1', '2']))).toBe('S is given more than once');
  });
});

describe('the check of a whole request', () => {
  const check = compileCheck([
    field('REGION', 'string(1)', { required: true }),
    field('isconnectedquery', 'flag', { default: 'n' }),
    field('maxrows', 'integer', { required: true, default: 100 }),
    field('kind', 'string', { fixed: 'lookup' }),
    field('message', 'text', { default: '{fault.message}' }),
    field('constructor', 'string'),
    field('price', 'decimal', { default: 7 }),
  ]);

  it('fills in fixed values and defaults, in the form of their type', () => {
    expect(check({ REGION: 'N' })).toStrictEqual({
      REGION: 'N',
      isconnectedquery: 'N',
      maxrows: 100,
      kind: 'lookup',
      price: '7',
    });
  });

  it('leaves what is given, and the given object itself', () => {
    const given = Object.freeze({ REGION: 'N', isconnectedquery: 'Y', extra: 1 });
    expect(check(given)).toMatchObject({ isconnectedquery: 'Y', extra: 1 });
  });

  it('refuses what is missing', () => {
    expect(messageOf(() => check({}))).toBe('REGION is missing');
    expect(messageOf(() => check({ REGION: undefined }))).toBe('REGION is missing');
  });

  it('takes nothing that objects inherit for a value', () => {
    const needs = compileCheck([field('constructor', 'string', { required: true })]);
    expect(messageOf(() => needs({}))).toBe('constructor is missing');
  });
});
