import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReport } from '../../src/load/diagnostic/diagnostic.ts';
import { createPlaces, type Places } from '../../src/load/read/places.ts';
import { parsePlain } from '../../src/load/read/plain.ts';
import { isTreeMap, parseTree, parseYaml, type TreeValue } from '../../src/load/read/tree.ts';
import { splitFiles } from './project-text.ts';

/** Everything that the loader can learn from a file: values, the order of keys, and every place; or the errors. */
function readWith(parse: typeof parseTree, text: string): unknown {
  const places = createPlaces();
  const report = createReport();
  const { roots, whole } = parse({ file: 'a.yaml', text }, places, report);
  return {
    roots: roots.map(({ value, at }) => ({ at, tree: describe(value, places) })),
    whole,
    report: report.sorted(),
  };
}

function describe(value: TreeValue, places: Places): unknown {
  if (isTreeMap(value)) {
    return {
      start: places.start(value),
      inBraces: places.inBraces(value),
      prototype: Object.getPrototypeOf(value),
      entries: Object.keys(value).map((key) => [key, places.key(value, key), entry(value, key, places)]),
    };
  }
  if (!Array.isArray(value)) return value;
  return {
    start: places.start(value),
    inBraces: places.inBraces(value),
    entries: value.map((_, index) => entry(value, index, places)),
  };
}

function entry(container: object, key: string | number, places: Places): unknown {
  const value = (container as Record<string | number, TreeValue>)[key] as TreeValue;
  const isSingle = typeof value !== 'object' || value === null;
  return {
    at: places.value(container, key),
    written: isSingle ? places.written(container, key) : undefined,
    within: typeof value === 'string' ? [0, 3, 17].map((at) => places.inText(container, key, at, 2)) : undefined,
    value: describe(value, places),
  };
}

const isPlain = (text: string): boolean => parsePlain({ file: 'a.yaml', text }, createPlaces()) !== undefined;

function expectSame(text: string): void {
  expect(readWith(parseTree, text), text).toEqual(readWith(parseYaml, text));
}

/** Every YAML text of the repository: the sample, the examples, what the package delivers, and the cases of these tests. */
function corpus(): string[] {
  const below = (folder: string, end: RegExp): string[] =>
    readdirSync(folder, { recursive: true })
      .map((name) => join(folder, String(name)))
      .filter((path) => end.test(path) && !path.includes('node_modules'))
      .map((path) => readFileSync(path, 'utf8'));
  const definitions = ['definitions', 'examples', 'src/delivered'].flatMap((folder) => below(folder, /\.ya?ml$/));
  const cases = below('test/load/cases', /\.case$/).flatMap((text) => [...splitFiles(text).values()]);
  return [...definitions, ...cases];
}

const texts = corpus();

test('the definitions of the sample are plain YAML', () => {
  const files = readdirSync('definitions', { recursive: true }).map(String);
  const definitions = files.filter((name) => name.endsWith('.yaml'));
  expect(definitions.filter((name) => !isPlain(readFileSync(join('definitions', name), 'utf8')))).toEqual([]);
});

test('every text of the repository has the values, places and errors that the yaml package reads', () => {
  for (const text of texts) expectSame(text);
});

test.each([
  ['a tab', 'a:\tb\n'],
  ['a tab after a literal block', 'a: |\n  b\n\tc\nd: e\t\n'],
  ['a blank line of a literal block with more spaces', 'a: |\n    \n  b\n'],
  ['a key with brackets in braces', 'a: { b[c]: d }\n'],
  ['a carriage return', 'a: b\r\nc: d\r\n'],
  ['a text of two lines', 'a: b\n  c\n'],
  ['an anchor', 'a: &b c\n'],
  ['a tag', 'a: !!str b\n'],
  ['a folded block', 'a: >\n  b\n'],
  ['a duplicate key', 'a: b\na: c\n'],
  ['braces over two lines', 'a: { b: c,\n  d: e }\n'],
  ['a key without a value in braces', 'a: { b }\n'],
  ['a map in brackets', 'a: [b: c]\n'],
  ['a colon in a text', 'a: b: c\n'],
  ['an indent that no map has', 'a:\n    b: c\n  d: e\n'],
  ['an octal number', 'a: 0o17\n'],
  ['a quote that is not closed', 'a: "b\n'],
  ['a text that is the whole file', 'a\n'],
])('the yaml package reads %s', (_, text) => {
  expect(isPlain(text)).toBe(false);
  expectSame(text);
});

test.each([
  ['maps and lists', 'a:\n  b: c\n  d:\n  - e\n  - f: g\n    h: i\n'],
  ['braces and brackets', 'a: { b: c, d: [e, "f", { g: h }] }\ni: []\nj: {}\n'],
  ['numbers', 'a: 1\nb: -0\nc: 1.50\nd: 1e3\ne: +7\nf: 007\ng: 1.2.3\nh: 30s\ni: .5\nj: 2026-01-01\n'],
  ['true, false and nothing', 'a: true\nb: False\nc: null\nd: ~\ne: yes\nf: nothing\ng:\nh: TRUE\n'],
  ['quotes', `a: "b: c # d"\ne: 'it''s'\n"f g": 'h'\ni: "\\"\\n\\u00e9"\n`],
  ['comments', '# a\nb: c # d\n\n  # e\nf: # g\n  h: i#j\n'],
  ['parts', '---\na: b\n---\n# nothing\n---\nc: d\n'],
  ['tabs in a literal block', 'a: |-\n  \tb\n  c\td\n\n  \t\ne: |\n  f\t\ng: h\n'],
  ['blank lines at the begin of a literal block', 'a:\n  b: |\n    \n\n      \n      c\n     \nd: |-\n\n e\n'],
  ['brackets in a key', 'a[b]: c\nd[e][f]:\n  g%5Bh%5D: { i%5D: j }\n'],
  ['a literal block', 'a: |\n  b\n\n    c # d\nd: |-\n  e\n\n# f\n'],
  ['no line feed at the end', 'a:\n  - b'],
  ['a key of every object', '__proto__: a\nconstructor: b\n'],
  ['other scripts', 'a: größe € 😀\nb: "日本"\n'],
  ['an empty file', ''],
])('%s are plain YAML', (_, text) => {
  expect(isPlain(text)).toBe(true);
  expectSame(text);
});

/** Pieces with which YAML changes its meaning. */
const PIECES = [
  ...[' ', '  ', '\n', '\n\n', ': ', ':', '- ', '-', '#', ' # c', '"', "'", "''", '\\', '{', '}', '[', ']', ',', ', '],
  ...['&a', '*a', '!', '|', '|-', '>', '?', '? ', '%', '@', '~', '---', '---\n', '...', '\t', '\r\n', 'a', 'b: c', '0'],
  ...['1.5', '-1', '0x1', '.inf', 'null', 'true', '<<', '=', '\n ', '\n  ', '\n    ', '\n- ', '\n# x\n', 'é', '\u2028'],
];

/** A text of the repository, or a few short lines, with pieces inserted, repeated and removed. */
const altered = fc
  .record({
    base: fc.oneof(
      fc.constantFrom(...texts).map((text) => text.slice(0, 600)),
      fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join('')),
    ),
    changes: fc.array(
      fc.record({ at: fc.nat(600), cut: fc.constantFrom(0, 0, 0, 1, 2, 7), piece: fc.constantFrom('', ...PIECES) }),
      { maxLength: 4 },
    ),
  })
  .map(({ base, changes }) =>
    changes.reduce((text, { at, cut, piece }) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + piece + text.slice(start + cut);
    }, base),
  );

test('an altered text has the values, places and errors that the yaml package reads', () => {
  const runs = Number(process.env.PLAIN_RUNS ?? 3000);
  fc.assert(fc.property(altered, expectSame), { seed: 20261123, numRuns: runs });
});
