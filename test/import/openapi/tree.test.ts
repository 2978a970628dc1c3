import { describe, expect, it } from 'vitest';
import { readJson } from '../../../src/import/openapi/json.ts';
import { OPENAPI_LANGUAGE } from '../../../src/import/openapi/sources.ts';
import { Losses } from '../../../src/import/place.ts';
import { readTexts } from './summary.ts';

const parse = (text: string) => OPENAPI_LANGUAGE.parse(new TextEncoder().encode(text), 'api', new Losses());
const VALUE = { a: [1, -2.5e3, 'x"y\n', true, null], 'b c': { d: {} }, 200: 'ok' };

describe('the tree of a contract', () => {
  it('is the same from JSON as from YAML, with the place of each value', () => {
    const json = readJson(JSON.stringify(VALUE, null, 2), 'api');
    expect(json?.root.value).toEqual(VALUE);
    expect(json?.root.at(['a', '2'])?.place).toEqual({ source: 'api', line: 6, column: 5 });
    const yaml = parse('a: [1, -2500, "x\\"y\\n", true, null]\nb c: { d: {} }\n200: ok\n');
    expect(yaml.root.value).toEqual(VALUE);
    expect(yaml.root.at(['b c', 'd'])?.place).toEqual({ source: 'api', line: 2, column: 8 });
  });

  it('keeps all digits of numbers', () => {
    const { root } = parse('{ "large": 9223372036854775807, "small": 1.10, "power": 1e3 }');
    expect(root.entries().map(([, node]) => node.number)).toEqual(['9223372036854775807', '1.10', '1e3']);
  });

  it('takes JSON with trailing commas and comments as YAML, as other tools do', () => {
    expect(parse('{ "a": 1, # one\n "b": [2,] }').root.value).toEqual({ a: 1, b: [2] });
  });

  it('loses members of maps, and entries of lists, and keeps the places of the others', () => {
    const { root } = parse('a: 1\nb: 2\nc: [x, y, z]\nd: 4\n');
    for (const key of ['a', 'd', 'gone']) root.remove(key);
    root.get('c')?.remove('1');
    expect(root.entries().map(([key, { value, place }]) => [key, value, place.line])).toEqual([
      ['b', 2, 2],
      ['c', ['x', 'z'], 3],
    ]);
    expect(root.get('a')).toBeUndefined();
    expect(root.without(new Set(['b'])).entries()).toHaveLength(1);
    expect(root.at(['c', '1'])?.place).toEqual({ source: 'api', line: 3, column: 11 });
  });

  it('loses any number of members and entries in steps as many', () => {
    const count = 200_000;
    const keys = Array.from({ length: count }, (_, index) => `k${index}`);
    const { root } = parse(JSON.stringify({ map: Object.fromEntries(keys.map((key) => [key, 1])) }));
    for (const key of keys) root.get('map')?.remove(key);
    expect(root.get('map')?.entries()).toEqual([]);
  });

  it('has a key __proto__ as a member like any other', () => {
    for (const { root } of [parse('{ "__proto__": { "a": 1 } }'), parse('__proto__: { a: 1 }')])
      expect(root.get('__proto__')?.get('a')?.value).toBe(1);
  });

  it.each([
    ['nests too deeply', '['.repeat(100_000), 'api:1:502: nests more than 500 levels'],
    ['is empty', '', 'api:1:1: is empty'],
    ['has two parts', 'a: 1\n---\nb: 2\n', 'api:2:1: holds more than one YAML document'],
    ['is not YAML', 'a: "b', 'api:1:6: not valid YAML: missing closing "quote'],
    ['contains itself', 'a: &a { b: *a }', 'api:1:12: the alias *a contains itself'],
    ['has a key that is a map', '{ { a: 1 }: 2 }', 'api:1:3: a key of a map is itself a map or a list'],
  ])('is refused when the text %s', (_, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('says which files it refers to', () => {
    const tree = parse(`
components:
  schemas:
    A: { $ref: 'a.yaml#/A' }
    B: { example: { $ref: 'no.yaml' }, properties: { example: { $ref: 'b.json' } } }
    C: { $id: 'https://example.org/c', properties: { self: { $ref: 'https://example.org/c' } } }
    D: { discriminator: { propertyName: x, mapping: { e: 'e.yaml#/E', f: A } } }
    G: { $ref: '#/components/schemas/A' }
`);
    expect(OPENAPI_LANGUAGE.referencesOf(tree, 'api').map(({ to }) => to)).toEqual([
      'a.yaml#/A',
      'b.json',
      'e.yaml#/E',
    ]);
  });
});

describe('a hostile contract', () => {
  const chain = (count: number, link: (next: string) => object): string =>
    JSON.stringify({
      openapi: '3.0.0',
      info: { title: 'Chain', version: '1' },
      paths: {},
      components: {
        schemas: Object.fromEntries(
          Array.from({ length: count }, (_, n) => [`S${n}`, link(`#/components/schemas/S${(n + 1) % count}`)]),
        ),
      },
    });

  it('is read although its documents refer to each other in a long chain', async () => {
    const text = chain(5000, ($ref) => ({ type: 'object', properties: { next: { $ref } } }));
    expect((await readTexts({ 'api.yaml': text })).documents).toHaveLength(5000);
  });

  it('is read although its schemas refer to each other without an object between', async () => {
    for (const link of [
      ($ref: string) => ({ $ref }),
      ($ref: string) => ({ type: 'array', items: { $ref } }),
      ($ref: string) => ({ oneOf: [{ $ref }, { type: 'string' }] }),
      ($ref: string) => ({ allOf: [{ $ref }, { type: 'object', properties: { a: { type: 'string' } } }] }),
    ])
      expect((await readTexts({ 'api.yaml': chain(50, link) })).documents.length).toBeLessThan(51);
  });

  it('is refused when alternatives in alternatives multiply', async () => {
    const level = (depth: number): object => ({
      type: 'object',
      properties: { [`p${depth}`]: { type: 'string' } },
      oneOf: [{ $ref: `#/components/schemas/L${depth + 1}` }, { $ref: `#/components/schemas/R${depth + 1}` }],
    });
    const schemas = Object.fromEntries(
      Array.from({ length: 24 }, (_, depth) => [
        [`L${depth}`, depth === 23 ? {} : level(depth)],
        [`R${depth}`, depth === 23 ? {} : level(depth)],
      ]).flat(),
    );
    const text = JSON.stringify({
      openapi: '3.0.0',
      info: { title: 'Bomb', version: '1' },
      paths: {},
      components: { schemas },
    });
    await expect(readTexts({ 'api.yaml': text })).rejects.toThrow('combines schemas in more than');
  });
});
