import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText } from '../../src/generate/json-text.ts';
import { facts, valueText } from '../../src/generate/members.ts';
import { typeNames } from '../../src/generate/names.ts';
import { comment, importLine, isIdentifier, propertyName, quoted, sentence } from '../../src/generate/typescript.ts';
import { typeWords } from '../../src/model/field.ts';
import { decimal, document, type FieldOptions, field, listOf, string } from '../support/registry.ts';

describe('names', () => {
  it('keep the spelling of ids that TypeScript can carry', () => {
    const names = typeNames([document('LOC_REQUEST', []), document('café', [])]);
    expect(names.given(document('LOC_REQUEST', []))).toBe('LOC_REQUEST');
    expect(names.given(document('café', []))).toBe('café');
  });

  it.each([
    ['A.b', 'A_b'],
    ['A-b', 'A_b'],
    ['1st', '_1st'],
    ['string', 'string_'],
    ['Promise', 'Promise_'],
    ['Queries', 'Queries_'],
    ['Calls', 'Calls_'],
    ['TypedClient', 'TypedClient_'],
    ['', '_'],
  ])('turn %j into %s', (id, name) => {
    expect(typeNames([]).given(document(id, []))).toBe(name);
  });

  it('leave an id its own name where another is turned into it', () => {
    const names = typeNames([document('A.b', []), document('A_b', []), document('A-b', [])]);
    expect(names.given(document('A_b', []))).toBe('A_b');
    expect(names.given(document('A.b', []))).toBe('A_b_');
    expect(names.given(document('A-b', []))).toBe('A_b__');
  });

  it('are identifiers, and different for different ids', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary' })), (ids) => {
        const names = typeNames(ids.map((id) => document(id, [])));
        const given = ids.map((id) => names.given(document(id, [])));
        const received = ids.map((id) => names.received(document(id, [])));
        expect(new Set([...given, ...received]).size).toBe(2 * ids.length);
        for (const name of given) expect(isIdentifier(name), name).toBe(true);
      }),
    );
  });

  it('of properties are quoted where they have to be', () => {
    expect(propertyName('REGION')).toBe('REGION');
    expect(propertyName('queryname=')).toBe("'queryname='");
    expect(propertyName('A.EMPLID')).toBe("'A.EMPLID'");
  });

  it('quoted, mean the text that they came from', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(new Function(`return ${quoted(text)}`)()).toBe(text);
      }),
    );
  });

  it('are imported in order, once each, on several lines where one is too long', () => {
    expect(importLine([], './types.ts')).toBe('');
    expect(importLine(['B', 'A', 'B'], './types.ts')).toBe("import type { A, B } from './types.ts';\n");
    const many = Array.from({ length: 20 }, (_, index) => `NAME_${index + 10}`);
    expect(importLine(many, 'x')).toBe(`import type {\n${many.map((name) => `  ${name},\n`).join('')}} from 'x';\n`);
  });
});

describe('types of values', () => {
  const text = (type: Parameters<typeof field>[1], options: FieldOptions = {}): string =>
    valueText(field('x', type, options), 'given', typeNames([]), new Set());

  it.each<[Parameters<typeof field>[1], FieldOptions, string]>([
    ['string', {}, 'string'],
    [string(10), {}, 'string'],
    ['integer', {}, 'number | bigint'],
    ['integer', { minimum: 0 }, 'number | bigint'],
    ['integer', { minimum: 0, maximum: 9 }, 'number'],
    ['integer', { minimum: -(2 ** 53), maximum: 9 }, 'number | bigint'],
    ['integer', { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, 'number'],
    ['integer', { enum: [3, 1] }, '3 | 1'],
    ['integer', { enum: [2 ** 60] }, '1152921504606846976n'],
    [decimal(10, 2), { enum: [1.5, '2.00'] }, "'1.5' | '2.00'"],
    ['string', { enum: [1, 'a'] }, "'1' | 'a'"],
    ['string', { enum: ['a', 'a'] }, "'a'"],
    ['string', { enum: ['a', 'b'], fixed: 'a' }, "'a'"],
    ['boolean', { fixed: false }, 'false'],
    ['flag', {}, "'Y' | 'N'"],
    ['flag', { fixed: 'Y' }, "'Y'"],
    ['json', { enum: ['a'] }, 'JsonValue'],
    ['binary', {}, 'Attachment'],
    [listOf('string'), {}, 'readonly string[]'],
    [listOf('integer'), { minimum: 0, maximum: 9 }, 'readonly (number | bigint)[]'],
    [listOf('string'), { enum: ['a', 'b'] }, "readonly ('a' | 'b')[]"],
    [listOf('string'), { enum: ['a b'] }, "readonly ('a b')[]"],
    [listOf(document('DOC', [])), {}, 'readonly DOC[]'],
  ])('%j with %j is %s', (type, options, expected) => {
    expect(text(type, options)).toBe(expected);
  });

  it('names what it needs of the package', () => {
    const uses = new Set<string>();
    for (const type of ['string', listOf('binary'), 'json'] as const)
      valueText(field('x', type), 'given', typeNames([]), uses);
    expect([...uses].sort()).toEqual(['Attachment', 'JsonValue']);
  });

  it.each<[Parameters<typeof typeWords>[0], string]>([
    [{ kind: 'datetime' }, 'datetime'],
    [string(10), 'string(10)'],
    [decimal(10, 2), 'decimal(10.2)'],
    [listOf(decimal(10, 0)), 'list of decimal(10.0)'],
    [listOf(document('DOC', [])), 'list of DOC'],
  ])('in the words of the definitions: %j is %s', (type, words) => {
    expect(typeWords(type)).toBe(words);
  });
});

describe('comments', () => {
  it('are one line where they fit, else wrapped, and never end early', () => {
    expect(comment('  ', ['Short.'])).toBe('  /** Short. */\n');
    expect(comment('', [undefined, ''])).toBe('');
    expect(comment('', ['Ends */ here.'])).toBe('/** Ends *\\/ here. */\n');
    expect(comment('', ['One.', 'Two.'])).toBe('/**\n * One.\n * Two.\n */\n');
  });

  it('keep every word, in lines of at most 120 columns', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,30}$/), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(words, (given) => {
        const text = comment('  ', [given.join(' ')]);
        for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
        expect(text.match(/[a-z]+/g)).toEqual(given);
      }),
    );
  });

  it('end descriptions like sentences', () => {
    expect(sentence('  A region ')).toBe('A region.');
    expect(sentence('Is it?')).toBe('Is it?');
    expect(sentence('  ')).toBeUndefined();
  });

  it.each<[Parameters<typeof field>[1], FieldOptions, string]>([
    ['string', {}, ''],
    [string(10), {}, '`string(10)`.'],
    ['string', { minimum: 2, maximum: 5 }, '2 to 5 characters.'],
    ['integer', { minimum: 2 }, 'At least 2.'],
    [string(10), { minimum: 1 }, '`string(10)`, at least 1 character.'],
    [listOf('string'), { maximum: 5 }, 'At most 5 entries.'],
    ['date', { default: '2026-01-01' }, '`date` (yyyy-MM-dd), default `2026-01-01`.'],
    ['string', { sensitive: true, example: 's3cret' }, 'Sensitive: masked in logs.'],
    ['string', { example: 'N', absent: 'blank' }, 'Written as a blank when absent, example `N`.'],
  ])('say of %j with %j: %s', (type, options, said) => {
    expect(facts(field('x', type, options))).toBe(said);
  });
});

describe('jsonText', () => {
  it('gives each name of a Map a line, and objects one line where they fit', () => {
    const fields = new Map([
      ['B', { type: 'string', required: true, description: undefined }],
      ['A', { type: 'x'.repeat(120) }],
    ]);
    expect(jsonText({ empty: new Map(), list: [1, 'two', null], none: [], fields })).toBe(`{
  "empty": {},
  "list": [1, "two", null],
  "none": [],
  "fields": {
    "B": { "type": "string", "required": true },
    "A": {
      "type": "${'x'.repeat(120)}"
    }
  }
}
`);
  });

  it('is JSON of what it was given, in lines of at most 120 columns where no text is longer', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(jsonText(value as never))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    const short = fc.object({
      values: [fc.integer(), fc.stringMatching(/^[a-z]{0,8}$/)],
      key: fc.stringMatching(/^[a-z]{1,8}$/),
      maxDepth: 5,
    });
    fc.assert(
      fc.property(short, (value) => {
        for (const line of jsonText(value as never).split('\n')) expect(line.length).toBeLessThanOrEqual(120);
      }),
    );
  });
});
