import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFailureResponse, readImportResponse } from '../../src/codec/json/node.ts';
import { JsonParser } from '../../src/codec/json/parser.ts';

describe('JsonParser', () => {
  const text = '{"10":1.50,"2":[true,null,"ä\\u00e4"],"b":{"1":9007199254740993},"a":-0.0e+1}';
  const root = JsonParser.parse(text).asObject();

  it('tells three kinds of value apart, with their places', () => {
    const kinds = root.properties.map(([name, { kind, path }]) => [name, kind, path]);
    expect(kinds).toEqual([
      ['10', 'scalar', '10'],
      ['2', 'array', '2'],
      ['b', 'object', 'b'],
      ['a', 'scalar', 'a'],
    ]);
    expect(root.array('2').entries.map(({ path }) => path)).toEqual(['2[0]', '2[1]', '2[2]']);
  });

  it('keeps the order of properties and the digits of numbers', () => {
    expect(root.names).toEqual(['10', '2', 'b', 'a']);
    expect(root.text('10')).toBe('1.50');
    expect(root.text('a')).toBe('-0.0e+1');
    expect(root.toString()).toBe(text.replace('\\u00e4', 'ä'));
  });

  it('gives single values as JavaScript has them', () => {
    const values = [...root.array('2')].map((each) => each.asScalar()).map(({ type, value }) => [type, value]);
    expect(values).toEqual([
      ['boolean', true],
      ['null', null],
      ['string', 'ää'],
    ]);
    expect(root.object('b').scalar('1').value).toBe(9007199254740993n);
    expect(root.scalar('10').value).toBe(1.5);
    expect(root.toValue()).toEqual({ 10: 1.5, 2: [true, null, 'ää'], b: { 1: 9007199254740993n }, a: -0 });
  });

  it('keeps what stands twice, and takes the last', () => {
    const twice = JsonParser.parse('{"a":1,"b":2,"a":3}').asObject();
    expect(twice.properties.map(([name]) => name)).toEqual(['a', 'b', 'a']);
    expect(twice.text('a')).toBe('3');
  });

  it.each<[string, () => unknown, string]>([
    ['what is missing', () => root.object('b').text('x'), 'b.x is missing'],
    ['another kind', () => root.array('b'), 'b is an object, not a list'],
    ['a list for a single value', () => root.text('2'), '2 is a list, not a single value'],
    [
      'a single value for an object',
      () => root.array('2').entries[0]!.asObject(),
      '2[0] is a single value, not an object',
    ],
  ])('names the place of %s', (_what, read, message) => {
    expect(read).toThrow(expect.objectContaining({ name: 'CodecError', message }) as Error);
  });

  it.each([
    ['', 'it ends too early at line 1, column 1'],
    ['{"a":1', 'a comma or } is missing at line 1, column 7'],
    ['[1 2]', 'a comma or ] is missing at line 1, column 4'],
    ['{"a" 1}', 'a colon is missing at line 1, column 6'],
    ['{a:1}', 'a text is missing at line 1, column 2'],
    ['["a\nb"]', 'a text is not sound at line 1, column 2'],
    ['["\\x"]', 'a text is not sound at line 1, column 2'],
    ['["\\u12"]', 'a text is not sound at line 1, column 2'],
    ['["a', 'a text is not sound at line 1, column 2'],
    ['[1,]', 'a value is missing at line 1, column 4'],
    ['{"a":1}\n x', 'something follows its end at line 2, column 2'],
    ['[01]', 'a value is missing at line 1, column 2'],
    ['[1.]', 'a value is missing at line 1, column 2'],
    ['[+1]', 'a value is missing at line 1, column 2'],
    ['[truth]', 'a value is missing at line 1, column 2'],
    ['\ufeff{}', 'a value is missing at line 1, column 1'],
  ])('refuses %j', (wrong, reason) => {
    expect(() => JsonParser.parse(wrong)).toThrow(`is not JSON: ${reason}`);
  });

  it('bounds the depth, and holds no text that is none', () => {
    expect(() => JsonParser.parse(`${'['.repeat(101)}${']'.repeat(101)}`)).toThrow(
      'is nested more than 100 levels deep',
    );
    expect(JsonParser.parse(`${'['.repeat(100)}${']'.repeat(100)}`).kind).toBe('array');
    expect(() => JsonParser.parse('{"a":["\\ud800"]}')).toThrow('a[0] holds half of a surrogate pair');
    expect(() => JsonParser.parse('["\\u0000"]')).toThrow('[0] holds a NUL character');
  });

  it('reads a text of megabytes, escapes in it', () => {
    const long = '\\n"'.repeat(500_000);
    expect(JsonParser.parse(JSON.stringify({ long })).asObject().text('long')).toBe(long);
  });

  it('takes and refuses what JSON.parse does, and reads the same', () => {
    const nearly = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '\\', '0', '-', '.', 'e', '[', '}', ' ', 'null'))
      .map(([json, at, put]) => `${json.slice(0, at % (json.length + 1))}${put}${json.slice(at % (json.length + 1))}`);
    fc.assert(
      fc.property(fc.oneof(fc.json(), nearly), (json) => {
        fc.pre(!json.includes('\\u') && !json.includes('__proto__') && json.isWellFormed());
        let expected: unknown;
        try {
          expected = JSON.parse(json);
        } catch {
          expect(() => JsonParser.parse(json)).toThrow('is not JSON');
          return;
        }
        expect(JSON.parse(JsonParser.parse(json).toString())).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the shapes of third parties (specification 2.5)', () => {
  const failure = '{"error":{"message":"No such table","detail":"u_imp"},"status":"failure"}';
  const imported =
    '{"import_set":"ISET001","staging_table":"u_imp","result":[{"status":"inserted"},{"status":"error","error_message":"No caller"}]}';

  it('are typed results', () => {
    expect(readFailureResponse(JsonParser.parse(failure))).toEqual({
      status: 'failure',
      error: { message: 'No such table', detail: 'u_imp' },
    });
    expect(readImportResponse(JsonParser.parse(imported))).toEqual({
      import_set: 'ISET001',
      staging_table: 'u_imp',
      result: [
        { status: 'inserted', error_message: '' },
        { status: 'error', error_message: 'No caller' },
      ],
    });
  });

  it('are not taken for each other', () => {
    expect(readFailureResponse(JsonParser.parse(imported))).toBeUndefined();
    expect(readImportResponse(JsonParser.parse(failure))).toBeUndefined();
    expect(readFailureResponse(JsonParser.parse('[]'))).toBeUndefined();
  });

  it('are refused where they are not whole', () => {
    expect(() => readFailureResponse(JsonParser.parse('{"status":"failure"}'))).toThrow('error is missing');
    expect(() => readImportResponse(JsonParser.parse('{"import_set":"I","staging_table":"t","result":{}}'))).toThrow(
      'result is an object, not a list',
    );
    expect(() => readImportResponse(JsonParser.parse('{"import_set":"I","staging_table":"t","result":[1]}'))).toThrow(
      'result[0] is a single value, not an object',
    );
  });
});
