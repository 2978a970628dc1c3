import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readLeanYaml } from '../../../src/import/openapi/lean-yaml.ts';
import { type Node, type Tree, TreeBuilder } from '../../../src/import/openapi/tree.ts';
import { readYaml } from '../../../src/import/openapi/yaml.ts';

const lean = (text: string): Tree | undefined => readLeanYaml(text, new TreeBuilder(text, 'api'));

/** Each value with its place. */
function placesOf(node: Node): unknown {
  const inner = [...node.entries().map(([key, each]) => [key, placesOf(each)]), ...node.items().map(placesOf)];
  return [node.place, node.number, inner.length === 0 ? node.value : inner];
}

/** What the lean reader makes of a text, and what the package does; `undefined` for what the first leaves to the other. */
function both(text: string): readonly [unknown, unknown] | undefined {
  const found = resultOf(() => lean(text));
  return found === undefined ? undefined : [found, resultOf(() => readYaml(text, 'api'))];
}

function resultOf(read: () => Tree | undefined): unknown {
  try {
    const tree = read();
    return tree && placesOf(tree.root);
  } catch (error) {
    return String(error);
  }
}

const PIECES =
  'a|foo| |  |\n|\n\n|\n  |: | #|#|- |-|"|\'|\\|{|}|[|]|,|&|*|>|%|@|`|?|!|\t|é|~|null|true|1|0x1|1.50|:|<<|---|a text that is folded somewhere'
    .split('|')
    .concat('|');
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((all) => all.join(''));
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.constantFrom(1, -1.5, 1e21, true, null),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(text, tie('any'), { maxKeys: 4 }),
  ),
})).any;
const layout = fc.record({
  lineWidth: fc.constantFrom(0, 20, 80),
  indent: fc.constantFrom(2, 4),
  indentSeq: fc.boolean(),
  defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_FOLDED', 'BLOCK_LITERAL'),
  collectionStyle: fc.constantFrom('any', 'flow'),
});

describe('the lean reader of YAML', () => {
  it.each([
    ['texts over several lines', "a: one\n  two\n\n  three # end\nb: \"x\n  y \\\n  z\"\nc: 'it''s\n\n  d'\n"],
    ['blocks', 'a: |2-\n    x\n  y\nb: >+\n  one\n  two\n\n   further\n  back\n\nc: >-\n\n  x\nd: |\n'],
    ['lists and maps', '- - 1\n  - a: {b: [1, "x", ~], "c":2}\n    d:\n    - e\n-\n  f: g\n- |\n  h\n'],
    ['braces over several lines', '---\na: {\n  b: [ # c\n    d, e\n  ],\n  }\n...\n'],
    ['anchors, aliases and merge keys', 'a: &a { b: 1 }\nc: &c\n  <<: *a\n  d: *a\ne: [*c, *a]\nf: &f text\n'],
    ['keys of all forms', "200: a\n1.10: b\n/x/{y}: c\n'q': d\n~: e\nk : f\napplication/json; v=1: g\n- : h\n"],
  ])('reads %s as the package does', (_, source) => {
    const [found, expected] = both(source.replace('- : h\n', '')) ?? [];
    expect(found).toBeDefined();
    expect(found).toEqual(expected);
  });

  it('reads what it takes as the package does, and takes nothing that the package refuses', () => {
    fc.assert(
      fc.property(value, layout, fc.nat(), fc.constantFrom('', ...PIECES), (root, options, at, piece) => {
        const written = stringify({ root }, options as object);
        const from = at % (written.length + 1);
        for (const source of [written, written.slice(0, from) + piece + written.slice(from + (piece === '' ? 1 : 0))]) {
          const found = both(source);
          if (found !== undefined) expect(found[0]).toEqual(found[1]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    '!!str a: 1',
    '? a\n: b',
    'a: b: c',
    '&a b: 1',
    'a:\n\tb: 1',
    'a: [b: c]',
    'just a text',
    'a: 1\n---\nb: 2',
  ])('leaves %j to the package', (source) => {
    expect(lean(source)).toBeUndefined();
  });
});
