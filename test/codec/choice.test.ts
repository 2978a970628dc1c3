import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { areApart } from '../../src/model/choice.ts';
import type { Document } from '../../src/model/document.ts';
import type { Field } from '../../src/model/field.ts';
import { compound, document, field, list, messageOf } from './support.ts';

// What tells the documents of a choice without a tag apart, and that its reader goes by the same.

const required = { required: true };
const of = (...fields: readonly Field[]): Document => document('BRANCH', fields);

const A = field('A', 'string', required);
const fixed = (value: string): Field => field('K', 'string', { fixed: value, required: true });

describe('two documents', () => {
  it.each<[string, Document, Document]>([
    ['a required field of one of them', of(A), of(field('B', 'string'))],
    ['other fixed values', of(fixed('a')), of(fixed('b'))],
    ['a fixed value that is not one of the other', of(fixed('a')), of(field('K', 'string', { enum: ['b', 'c'] }))],
    ['other kinds of values', of(A), of(field('A', 'integer'))],
    ['a list in place of a value', of(A), of(field('A', list('string')))],
    [
      'null that the other has no room for',
      of(field('A', 'string', { required: true, nullable: true })),
      of(field('A', 'integer', required)),
    ],
  ])('are told apart by %s', (_, one, other) => {
    expect([areApart(one.fields, other.fields), areApart(other.fields, one.fields)]).toEqual([true, true]);
  });

  it.each<[string, Document, Document]>([
    ['are the same', of(A), of(A)],
    ['need nothing', of(field('A', 'string')), of(field('B', 'string'))],
    ['have a default in place of what they need', of(field('A', 'string', { default: 'x' })), of(field('B', 'string'))],
    [
      'differ only in letter case, which does not matter',
      of(fixed('a')),
      of(field('K', 'string', { enum: ['A'], anyCase: true })),
    ],
    ['may both be any JSON there', of(A), of(field('A', 'json'))],
    ['may both be null there', of(field('A', 'string', { required: true, nullable: true })), of(field('A', 'integer'))],
    ['may both be blank there', of(A), of(field('A', 'integer', { absent: 'blank' }))],
    [
      'have dates, which have several spellings',
      of(field('A', 'date', { required: true, enum: ['2026-01-01'] })),
      of(field('A', 'date', { enum: ['2026-01-02'] })),
    ],
  ])('are not told apart where they %s', (_, one, other) => {
    expect([areApart(one.fields, other.fields), areApart(other.fields, one.fields)]).toEqual([false, false]);
  });
});

/** The name of the branch that an object is read as. */
function readAs(one: Document, other: Document, json: string, foreign: 'refuse' | 'pass' = 'refuse'): string {
  const choice = document('CHOICE', [field('one', compound(one)), field('other', compound(other))], { choice: {} });
  return Object.keys(compileDocument(choice, { namespace: '', foreign }).fromJson(json)).join();
}

describe('an object of a choice without a tag', () => {
  it('is the document that it fits', () => {
    const number = of(field('A', 'integer'));
    expect([readAs(of(A), number, '{"A":"1"}'), readAs(of(A), number, '{"A":1}')]).toEqual(['one', 'other']);
    const digits = '{"A":12345678901234567}';
    expect(readAs(of(field('A', 'string', required)), number, digits)).toBe('other');
    expect([readAs(of(fixed('a')), of(fixed('b')), '{"K":"b"}')]).toEqual(['other']);
  });

  it('may be blank where that has another form', () => {
    const blank = of(A, field('L', list('integer'), { absent: 'blank' }));
    expect(readAs(blank, of(field('L', 'string')), '{"A":"1","L":null}')).toBe('one');
    expect(readAs(blank, of(field('L', 'string')), '{"L":"x"}')).toBe('other');
  });

  it('may have more members in the reply of another system', () => {
    expect(readAs(of(A), of(field('B', 'string')), '{"A":"1","MORE":1,"OTHER":2}', 'pass')).toBe('one');
  });

  it('is refused with the errors of the document that it was meant to be', () => {
    const one = of(A, field('N', 'integer'));
    expect(messageOf(() => readAs(one, of(field('B', 'string')), '{"A":"1","N":"x"}'))).toBe('one.N is not an integer');
    expect(messageOf(() => readAs(of(fixed('a')), of(fixed('b')), '{"K":"c"}'))).toBe(
      'CHOICE has members that do not tell which it is: one, other',
    );
  });
});

it('is nested as deep as other documents', () => {
  const fields: Field[] = [];
  const node = document('NODE', fields);
  const tree = document('TREE', [field('node', compound(node)), field('leaf', compound(of(A)))], {
    choice: { tag: 'is' },
  });
  fields.push(field('CHILD', compound(tree), required));
  const nested = (levels: number): string =>
    `${'{"is":"node","CHILD":'.repeat(levels)}{"is":"leaf","A":"x"}${'}'.repeat(levels)}`;
  const codec = compileDocument(tree, { namespace: '' });
  expect(codec.toJson(codec.fromJson(nested(49)))).toBe(nested(49));
  expect(messageOf(() => codec.fromJson(nested(50)))).toContain('is nested more than 100 levels deep');
});
