import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkCallText } from '../../src/load/consumer/input.ts';
import { createLinking } from '../../src/load/linking.ts';
import { namesValues } from '../../src/load/value/config-text.ts';
import type { CallPart } from '../../src/model/consumer.ts';
import type { Field } from '../../src/model/field.ts';
import type { ScalarKind } from '../../src/model/scalar.ts';

const at = { file: 'definitions/example.yaml', line: 1, column: 1 };

function field(name: string, kind: ScalarKind): [string, Field] {
  const plain = { required: false, anyCase: false, sensitive: false, attribute: false, absent: 'omit' } as const;
  return [name, { name, jsonName: name, xmlName: name, type: { kind }, ...plain, url: 'segment', at }];
}

const byName = new Map([
  field('NUMBER', 'integer'),
  field('A.EMPLID', 'text'),
  field('size=', 'text'),
  field('File', 'binary'),
]);

/** The parts of a text, and the codes of what is wrong with it with the columns where that stands. */
function read(source: string) {
  const linking = createLinking();
  const { parts } = linkCallText(linking, source, { byName, complete: true }, (offset, length) => ({
    ...at,
    column: offset + 1,
    length,
  }));
  return { parts, found: linking.report.sorted().map((each) => `${each.code} ${each.at.column}+${each.length}`) };
}

const written = (part: CallPart): string => {
  if (part.kind === 'literal') return part.text;
  if (part.kind === 'value') return `{${part.field.name}${part.of === undefined ? '' : `.${part.of}`}}`;
  if (part.kind === 'secret') return `\${secret:${part.name}}`;
  return `\${env:${part.name}${part.default === undefined ? '' : `:-${part.default}`}}`;
};

const literal = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[{}$]/g, ''));
const value = fc.constantFrom(
  '{NUMBER}',
  '{A.EMPLID}',
  '{size=}',
  '{File.name}',
  '{File.contentType}',
  '{File.length}',
);
const reference = fc.constantFrom('${env:X}', '${env:X:-a b}', '${secret:X_1}');
const braces = fc.constantFrom('{}', '{"a": 1}', '{ NUMBER }', '{', '}');

describe('a text that is made for each call', () => {
  it('is read into parts that say the same', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(literal, value, reference)), (pieces) => {
        const { parts, found } = read(pieces.join(''));
        expect(found).toEqual([]);
        expect(parts.map(written).join('')).toBe(pieces.join(''));
        expect(parts.filter(({ kind }) => kind !== 'literal')).toHaveLength(
          pieces.filter((piece) => /^\$?\{/.test(piece)).length,
        );
      }),
    );
  });

  it('holds braces that can mean no value as they are', () => {
    fc.assert(
      fc.property(literal, braces, literal, (before, text, after) => {
        const source = `${before}${text}${after}`;
        expect(namesValues(source)).toBe(false);
        expect(read(source)).toEqual({ parts: [{ kind: 'literal', text: source }], found: [] });
      }),
    );
  });

  it.each([
    ['{NUMBR}', 'unknown-value 1+7'],
    ['a {File.size} b', 'unknown-value 3+11'],
    ['${env:X}{NUMBER.name}', 'variable-type 9+13'],
    ['{NUMBER}{File}', 'variable-type 9+6'],
  ])('names what no value is, and where: %s', (source, expected) => {
    expect(namesValues(source)).toBe(true);
    expect(read(source).found).toEqual([expected]);
  });
});
