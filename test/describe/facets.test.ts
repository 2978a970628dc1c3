import { describe, expect, test } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { exampleDocument } from '../../src/describe/example/value.ts';
import { describeOpenApi, describeXsdFiles } from '../../src/describe/index.ts';
import { instanceOf, seeded } from '../../src/mock/instance.ts';
import type { Document } from '../../src/model/document.ts';
import type { Service } from '../../src/model/service.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { load } from '../load/linked.ts';
import { hasXmllint, validateXml } from '../support/xmllint.ts';
import { type OpenApi, schemaCompiler } from './openapi-reader.ts';
import { base } from './samples.ts';

// Facets of fields, from their definition: what they allow in XML and JSON, and that the contracts say the same.

/** Values as JSON has them. */
type Values = readonly unknown[];

interface Facet {
  /** The definition of the field. */
  readonly field: string;
  readonly valid: Values;
  readonly invalid: Values;
  /** Invalid values for which JSON Schema has no words. */
  readonly untold?: Values;
  /** Texts of XML, where they are other than the values. */
  readonly texts?: { readonly valid: readonly string[]; readonly invalid: readonly string[] };
  /** Invalid texts that libxml2 takes: it lets pass what can't be compared with a bound. */
  readonly lax?: readonly string[];
}

const FACETS: readonly Facet[] = [
  { field: '{ type: string, pattern: "[A-Z]+" }', valid: ['A', 'AB'], invalid: ['', 'a', 'AB1'] },
  {
    field: '{ type: string, pattern: ["[A-Z0-9]+", ".{2}[0-9]*", "[^X]+"] }',
    valid: ['AB', 'AB1', '123'],
    invalid: ['A', 'ABC', 'ab1', 'XB1'],
  },
  {
    field: '{ type: string, space: collapse, enum: [a b, c] }',
    valid: ['a b', 'c'],
    invalid: ['ab', 'd'],
    texts: { valid: [' a\n  b ', '\tc'], invalid: ['a b c'] },
  },
  {
    field: '{ type: string(3), space: replace, pattern: "[a-z ]+" }',
    valid: ['a b', ' a '],
    invalid: ['abcd', 'A'],
    texts: { valid: ['a\nb', '\t\t\t'], invalid: ['a\n\nb'] },
  },
  { field: '{ type: hex, minimum: 1, maximum: 2 }', valid: ['0f', '0F1e'], invalid: ['', '0', '0f1e2d', '0g'] },
  { field: '{ type: integer, above: 0, maximum: 9007199254740993 }', valid: [1, 17], invalid: [0, -1, 0.5] },
  { field: '{ type: integer, minimum: -5, below: 5, digits: 1 }', valid: [-5, 4], invalid: [-6, 5] },
  { field: '{ type: integer, digits: 3 }', valid: [0, 999, -999], invalid: [1000, -1000] },
  {
    field: '{ type: decimal, above: "0.10", below: 0.3 }',
    valid: [0.11, 0.2999],
    invalid: [0.1, 0.3, 0],
    texts: { valid: ['0.10000000000000000001', ' +.2 '], invalid: ['0.100', '00.30'] },
  },
  {
    field: '{ type: decimal, digits: 5, fraction: 2 }',
    valid: [0, 123.45, -999.99, 99999],
    invalid: [100000],
    untold: [1.234, 12345.6],
    texts: { valid: ['00123.4500'], invalid: [] },
  },
  { field: '{ type: decimal, fraction: 0 }', valid: [1, 20], invalid: [], untold: [1.5] },
  { field: '{ type: decimal, enum: [1.50, 2] }', valid: [1.5, 2], invalid: [1, 2.5] },
  {
    field: '{ type: number, above: 0, maximum: 1e3 }',
    valid: [0.001, 1000],
    invalid: [0, 1001, 'INF', 'NaN', '-INF'],
    texts: { valid: ['1E3'], invalid: ['1.0000001e3'] },
  },
  { field: '{ type: xs-double, minimum: -1.5 }', valid: [-1.5, 'INF'], invalid: [-1.6, 'NaN', '-INF'], lax: ['NaN'] },
  { field: '{ type: number, enum: [1, 2.5] }', valid: [1, 2.5], invalid: [0, 'NaN'] },
  {
    field: 'number',
    valid: [0, 1e21],
    invalid: ['INF', '-INF', 'NaN', 'inf', '', true],
    lax: ['INF', '-INF', 'NaN'],
  },
  { field: 'float', valid: [0, 3.4e38, -3.4e38], invalid: ['INF'], untold: [3.5e38], lax: ['INF', '3.5e+38'] },
  { field: 'xs-double', valid: [0, 1e21, 'INF', '-INF', 'NaN'], invalid: ['inf', '', true] },
  {
    field: '{ type: date, minimum: 2026-01-01, below: 2027-01-01 }',
    valid: ['2026-01-01', '2026-12-31'],
    invalid: [],
    untold: ['2025-12-31', '2027-01-01'],
  },
  {
    field: '{ type: time, above: "08:00:00", maximum: "17:30:00.50" }',
    valid: ['08:00:01', '17:30:00', '17:30:00.5'],
    invalid: [],
    untold: ['08:00:00', '17:30:00.51', '08:00:00.0'],
  },
  {
    field: '{ type: datetime, minimum: "2026-01-01T12:00:00Z", below: "2026-01-02T12:00:00Z" }',
    valid: ['2026-01-01T12:00:00Z', '2026-01-01T14:00:00+02:00', '2026-01-02T11:59:59.999Z'],
    invalid: [],
    untold: ['2026-01-01T13:59:59+02:00', '2026-01-02T12:00:00Z', '2026-01-02T10:30:00-02:00'],
    texts: { valid: [], invalid: ['2026-01-02T02:00:00', '2026-01-01T23:00:00'] },
    lax: ['2026-01-02T02:00:00', '2026-01-01T23:00:00'],
  },
  {
    field: '{ type: datetime, minimum: "2026-01-01T12:00:00" }',
    valid: ['2026-01-02T02:00:01Z'],
    invalid: [],
    untold: ['2026-01-01T14:00:00Z', '2026-01-02T02:00:00Z'],
    texts: { valid: ['2026-01-01T12:00:00'], invalid: ['2026-01-01T11:59:59.9'] },
    lax: ['2026-01-01T14:00:00Z', '2026-01-02T02:00:00Z'],
  },
  { field: '{ type: list of integer, spaced: true }', valid: [[], [1], [1, -2, 3]], invalid: [['a'], [1, 1.5]] },
  {
    field:
      '{ type: list of string(3), spaced: true, minimum: 1, maximum: 2, entry: { pattern: "[a-z]+", minimum: 2 } }',
    valid: [['ab'], ['ab', 'abc']],
    invalid: [[], ['a'], ['abcd'], ['ab', 'cd', 'ef'], ['A1']],
    texts: { valid: [' ab\n abc\t'], invalid: ['  '] },
  },
  {
    field: '{ type: list of string, spaced: true, attribute: true, required: true, enum: [a, b] }',
    valid: [[], ['a', 'b', 'a']],
    invalid: [['c'], ['a', 'c']],
  },
  {
    field: '{ type: list of date, spaced: true, attribute: true, entry: { minimum: 2026-01-01 } }',
    valid: [['2026-01-01', '2026-02-01']],
    invalid: [['x']],
    untold: [['2025-12-31']],
  },
  {
    field:
      '{ type: list of integer, flat: true, required: true, minimum: 1, maximum: 2, entry: { above: 0, digits: 2 } }',
    valid: [[1], [99, 1]],
    invalid: [[], [0], [100], [1, 2, 3]],
  },
  {
    field: '{ type: list of text, maximum: 2, entry: { minimum: 2, maximum: 3, space: collapse, enum: [a b, cc] } }',
    valid: [[], ['a b', 'cc']],
    invalid: [['a'], ['cc', 'd d'], ['cc', 'cc', 'cc']],
  },
  {
    field: '{ type: map of decimal, maximum: 1, entry: { minimum: 0, fraction: 1 } }',
    valid: [{}, { EUR: 1.5 }],
    invalid: [{ EUR: -1 }, { EUR: 1, USD: 1 }],
    untold: [{ EUR: 1.25 }],
  },
  { field: '{ type: date, enum: [2026-01-01] }', valid: ['2026-01-01'], invalid: ['2026-01-02'] },
  { field: '{ type: duration, pattern: "P[0-9]+D" }', valid: ['P3D'], invalid: ['P3M', '-P3D', '3D'] },
];

const NAMESPACE = 'urn:signalbox:test:Facets.v1';
const idOf = (index: number): string => `D${index}`;

const registry = load(
  [
    'gateway: TEST\n---\nservice: Facets.v1\npublic: true\noperations:',
    ...FACETS.map((_, index) => `  ${idOf(index)}_GET: { get: "f${index}", response: ${idOf(index)} }`),
    ...FACETS.map(({ field }, index) => `---\ndocument: ${idOf(index)}\nfields:\n  F: ${field}`),
  ].join('\n'),
);
const service = registry.services.get('Facets.v1') as Service;
const documentOf = (index: number): Document => registry.documents.get(idOf(index)) as Document;
const codecs = FACETS.map((_, index) => compileDocument(documentOf(index), { namespace: NAMESPACE }));
const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(' ') : String(value));

/** The element of the document with a value, or with the text of one. */
function xmlOf(index: number, value: unknown): string {
  const [field] = documentOf(index).fields;
  const id = idOf(index);
  const whole = (content: string, attributes = ''): string =>
    `<${id} xmlns="${NAMESPACE}"${attributes}>${content}</${id}>`;
  if (field?.attribute) return whole('', ` F="${textOf(value)}"`);
  const type = field?.type;
  const each = (name: string): string =>
    Array.isArray(value) ? value.map((entry) => `<${name}>${entry}</${name}>`).join('') : '';
  if (type?.kind === 'list' && type.flat) return whole(each('F'));
  if (type?.kind === 'list' && !type.spaced) return whole(`<F>${each('item')}</F>`);
  if (type?.kind !== 'map') return whole(`<F>${textOf(value)}</F>`);
  const entries = Object.entries(value as object).map(([key, entry]) => `<entry key="${key}">${entry}</entry>`);
  return whole(`<F>${entries.join('')}</F>`);
}

const invalidOf = ({ invalid, untold = [] }: Facet): Values => [...invalid, ...untold];

describe.each(FACETS.map((facet, index) => ({ ...facet, index })))('$field', (facet) => {
  const { index, valid, texts } = facet;
  const { fromJson, fromXml, toXml, toJson } = codecs[index] as (typeof codecs)[number];
  const readText = (value: unknown) => fromXml(readXml(xmlOf(index, value)));

  test.each(valid.map((value) => [value]))('allows %j', (value) => {
    const read = fromJson(JSON.stringify({ F: value }));
    expect(readText(value)).toEqual(read);
    expect(JSON.parse(toJson(read))).toEqual(JSON.parse(JSON.stringify({ F: value })));
    expect(fromXml(readXml(toXml(read)))).toEqual(read);
  });

  test.each(invalidOf(facet).map((value) => [value]))('refuses %j', (value) => {
    expect(() => fromJson(JSON.stringify({ F: value }))).toThrow();
    expect(() => readText(value)).toThrow();
    expect(() => toJson({ F: value as string })).toThrow();
  });

  test('allows texts of XML whose values are valid', () => {
    for (const text of texts?.valid ?? []) expect(() => readText(text)).not.toThrow();
    for (const text of texts?.invalid ?? []) expect(() => readText(text), text).toThrow();
  });
});

describe('an entry that is refused', () => {
  const reasonOf = (type: string, value: unknown, form: 'json' | 'xml'): string => {
    const index = FACETS.findIndex(({ field }) => field.includes(type));
    const { fromJson, fromXml } = codecs[index] as (typeof codecs)[number];
    try {
      return String(form === 'json' ? fromJson(JSON.stringify({ F: value })) : fromXml(readXml(xmlOf(index, value))));
    } catch (error) {
      return (error as Error).message;
    }
  };

  test.each(['json', 'xml'] as const)('is named by its index or key in %s', (form) => {
    expect(reasonOf('list of string(3)', ['ab', 'A1'], form)).toBe('F[1] does not match the pattern [a-z]+');
    expect(reasonOf('list of date', ['2026-01-01', '2025-12-31'], form)).toBe('F[1] is before 2026-01-01');
    expect(reasonOf('list of integer, flat', [5, 100], form)).toBe('F[1] has more than 2 digits');
    expect(reasonOf('map of decimal', { EUR: -1 }, form)).toBe('F.EUR is less than 0');
  });

  test('has no white space where spaces separate the entries', () => {
    expect(reasonOf('list of string, spaced', ['a', 'a b'], 'json')).toMatch(/^F\[1\] is "a b", not one of a, b/);
    const index = FACETS.findIndex(({ field }) => field.includes('list of string(3)'));
    expect(() => codecs[index]?.toXml({ F: ['a b'] })).toThrow();
  });
});

describe('contracts', () => {
  test.skipIf(!hasXmllint)('have the facets in XML Schema (needs xmllint)', () => {
    const schema = { name: 'Facets.v1.xsd', files: describeXsdFiles(registry, service) };
    const texts = (of: (facet: Facet) => Values): string[] =>
      FACETS.flatMap((facet, index) => of(facet).map((text) => xmlOf(index, text)));
    const valid = texts((facet) => [...facet.valid, ...(facet.texts?.valid ?? [])]);
    expect(validateXml(schema, valid)).toBe('');
    const invalid = texts((facet) =>
      [...invalidOf(facet), ...(facet.texts?.invalid ?? [])].filter((value) => !facet.lax?.includes(textOf(value))),
    );
    const errors = validateXml(schema, invalid);
    expect(invalid.filter((_, index) => !errors.includes(`/${index}.xml fails to validate`))).toEqual([]);
  });

  test('have the facets in JSON Schema', () => {
    const api = JSON.parse(describeOpenApi(registry, service, { base })) as OpenApi;
    const compile = schemaCompiler(api);
    for (const [index, { valid, invalid }] of FACETS.entries()) {
      const validate = compile({ $ref: `#/components/schemas/${idOf(index)}` });
      expect(valid.filter((value) => !validate({ F: value }))).toEqual([]);
      expect(invalid.filter((value) => validate({ F: value }))).toEqual([]);
    }
  });

  test('have examples with the facets', () => {
    for (const [index] of FACETS.entries()) {
      const example = exampleDocument(documentOf(index));
      expect(example).toHaveProperty('F');
      expect(() => codecs[index]?.fromJson(JSON.stringify(example))).not.toThrow();
    }
  });

  test('have instances with the facets', () => {
    for (const [index] of FACETS.entries())
      for (const seed of ['a', 'b', 'c']) expect(instanceOf(documentOf(index), seeded(seed))).toHaveProperty('F');
  });
});
