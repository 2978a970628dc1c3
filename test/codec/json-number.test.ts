import { expect, it } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { registryIn } from '../diff/sample.ts';

// Numbers whose digits count are objects while they are read, which must not be taken for those of a message.
it.each([
  ['1.50', 'DOC is a number, not an object'],
  ['100000000000000000000', 'DOC is a number, not an object'],
  ['{"DOC":1.50}', 'DOC is a number, not an object'],
  ['{"PRICES":1.50}', 'PRICES is a number, not an object'],
  ['{"LINES":[1.50]}', 'LINES[0] is a number, not an object'],
])('a number is not a document or a map: %s', (text, message) => {
  const definition =
    'document: DOC\nroot: true\nopen: true\nfields: { PRICES: map of decimal, LINES: { list: { open: true, fields: { PRICE: decimal } } } }\n';
  const document = registryIn(definition).documents.get('DOC');
  if (document === undefined) throw new Error('DOC is missing');
  expect(() => compileDocument(document, { namespace: '' }).fromJson(text)).toThrow(message);
});
