import { describe, expect, it } from 'vitest';
import type { Document } from '../../src/model/document.ts';
import type { Field } from '../../src/model/field.ts';
import { load, names } from './linked.ts';

describe('fields', () => {
  const registry = load(`
document: EVERY
description: Every option.
xml: every
namespace: urn:x
root: true
open: true
fields:
  WORD: string(10)
  LONG:
    type: string(20)
    description: A field.
    default: BB
    enum: [AA, BB]
    any-case: true
    pattern: "[A-Z]+"
    minimum: 2
    maximum: 20
    sensitive: true
    example: aa
    json: long
    xml: Long
    namespace: urn:y
    absent: blank
    url: odata-path
  FIXED: { type: boolean, fixed: true, attribute: true }
  NEED: { type: decimal(10.2), required: true, example: 10.50 }
  ONE: EVERY
  MANY: { type: list of EVERY, flat: true, maximum: 3 }
  CODES: { type: list of string(2), enum: [AA, BB] }
  INNER: { open: true, fields: { A: date, B: { fields: { C: time } } } }
  ROWS: { list: { open: true, fields: { A: flag } } }
  NAMED: { flat: true, list: { xml: named, fields: { A: xml } } }
`);
  const every = registry.documents.get('EVERY') as Document;
  const field = (name: string): Field => every.fields.find((each) => each.name === name) as Field;

  it('have every option, in the order declared', () => {
    expect(every).toMatchObject({
      description: 'Every option.',
      xmlName: 'every',
      namespace: 'urn:x',
      root: true,
      open: true,
      inPlace: false,
    });
    expect(names(every.fields)).toEqual([
      'WORD',
      'LONG',
      'FIXED',
      'NEED',
      'ONE',
      'MANY',
      'CODES',
      'INNER',
      'ROWS',
      'NAMED',
    ]);
    expect(field('WORD')).toEqual({
      name: 'WORD',
      jsonName: 'WORD',
      xmlName: 'WORD',
      type: { kind: 'string', length: 10 },
      required: false,
      anyCase: false,
      sensitive: false,
      attribute: false,
      absent: 'omit',
      url: 'segment',
      at: { file: 'definitions/example.yaml', line: 9, column: 3 },
    });
    expect(field('LONG')).toMatchObject({
      jsonName: 'long',
      xmlName: 'Long',
      namespace: 'urn:y',
      default: 'BB',
      enum: ['AA', 'BB'],
      anyCase: true,
      patterns: ['[A-Z]+'],
      minimum: 2,
      maximum: 20,
      sensitive: true,
      example: 'AA',
      absent: 'blank',
      url: 'odata-path',
    });
    expect(field('FIXED')).toMatchObject({ fixed: true, attribute: true });
    expect(field('NEED')).toMatchObject({
      required: true,
      example: '10.50',
      type: { kind: 'decimal', length: 10, scale: 2 },
    });
  });

  it('are linked to their documents by reference, in circles too', () => {
    expect(field('ONE').type).toEqual({ kind: 'document', document: every });
    expect(field('ONE').type).toHaveProperty('document', every);
    expect(field('MANY').type).toMatchObject({ kind: 'list', flat: true, item: { kind: 'document' } });
    expect(field('CODES').type).toEqual({ kind: 'list', flat: false, item: { kind: 'string', length: 2 } });
  });

  it('make documents in place of what they hold', () => {
    expect([...registry.documents.keys()]).toEqual([
      'EVERY',
      'EVERY_INNER',
      'EVERY_INNER_B',
      'EVERY_NAMED',
      'EVERY_ROWS',
    ]);
    expect(registry.documents.get('EVERY_INNER')).toMatchObject({ inPlace: true, open: true, xmlName: 'EVERY_INNER' });
    expect(registry.documents.get('EVERY_ROWS')).toMatchObject({ inPlace: true, open: true });
    expect(registry.documents.get('EVERY_NAMED')).toMatchObject({ xmlName: 'named' });
    expect(field('NAMED').type).toMatchObject({ kind: 'list', flat: true });
  });
});
