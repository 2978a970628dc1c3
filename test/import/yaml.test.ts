import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Declared, DeclaredValue } from '../../src/import/declare/declared.ts';
import { yamlText } from '../../src/import/yaml.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom(...'ab0 :#-\'"\\{}[],.\n\té~'), maxLength: 12 }),
  fc.constantFrom(
    'null',
    'True',
    '1e3',
    '0x1',
    '~',
    '.inf',
    'http://a/{b}?c',
    'A text: with a colon',
    'One.\n\n  Two # three',
  ),
  fc.lorem({ mode: 'sentences' }),
);
const { value } = fc.letrec<{ value: DeclaredValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.oneof(fc.boolean(), fc.integer(), fc.double()),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
}));
const key = fc.constantFrom(
  ...['fields', 'one-of', 'operations', 'description', 'xml', 'headers', '200', 'k'.repeat(1020), 'k'.repeat(1025)],
);

it('a new definition is read as it was written, whatever is in it', () => {
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 5, noNullPrototype: true }), text, (keys, id) => {
      const declared: Declared = { kind: 'document', id, keys, file: 'documents' };
      expect(parse(yamlText([declared]))).toEqual({ document: id, ...keys });
    }),
    { numRuns: 500 },
  );
});
