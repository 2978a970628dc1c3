import { describe, expect, it } from 'vitest';
import { renderDiagnostics } from '../../src/load/diagnostic/render.ts';
import { loadProject } from '../../src/load/index.ts';
import { expectFreed, inUse } from '../support/memory.ts';
import { writeProject } from '../support/project.ts';

const MiB = 1024 * 1024;

const laughs = (list: (name: string) => string): string =>
  `a0: &a0 ${list('ha').replaceAll('*', '')}\n${Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} ${list(`a${i}`)}`).join('\n')}\n`;
const nine = (name: string): string => `[${Array.from({ length: 9 }, () => `*${name}`).join()}]`;

/** What a definitions file may do to whoever checks it. */
const BOMBS: readonly (readonly [string, () => string])[] = [
  ['a billion laughs', () => laughs(nine)],
  [
    'a billion laughs in maps',
    () => laughs((name) => `{${Array.from({ length: 9 }, (_, i) => `k${i}: *${name}`).join()}}`),
  ],
  ['a billion laughs in keys', () => `a: &a [x]\n? *a\n: b\n${laughs(nine)}`],
  ['merged laughs', () => laughs((name) => `{ <<: [*${name}, *${name}] }`)],
  ['an alias of itself', () => 'document: &a { b: *a }\n'],
  ['aliases by number', () => `document: D\nfields: &f { A: string }\nx: [${'*f,'.repeat(50_000)}]\n`],
  ['anchors by number', () => `x: [${Array.from({ length: 20_000 }, (_, i) => `&a${i} b`).join()}]\n`],
  ['depth of lists', () => `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ['depth of maps', () => `${'{a: '.repeat(50_000)}${'}'.repeat(50_000)}`],
  ['depth by indentation', () => Array.from({ length: 3_000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
  ['depth of block lists', () => `${'- '.repeat(50_000)}a\n`],
  ['depth that never ends', () => '{['.repeat(100_000)],
  ['a scalar without an end', () => `document: "${'a'.repeat(8_000_000)}`],
  ['a huge scalar', () => `document: ${'A'.repeat(8_000_000)}\n`],
  ['a huge key', () => `${'k'.repeat(4_000_000)}: a\n`],
  ['a huge number', () => `document: D\nfields: { A: { type: integer, maximum: ${'9'.repeat(200_000)} } }\n`],
  [
    'a huge power',
    () => 'limits: { body: 1e999999999 }\ndocument: D\nfields: { A: { type: decimal, maximum: 1e999999999 } }\n',
  ],
  ['documents by number', () => '--- a\n'.repeat(3_000)],
  [
    'keys by number',
    () => `document: D\nfields: { ${Array.from({ length: 3_000 }, (_, i) => `F${i}: strin`).join(', ')} }\n`,
  ],
  ['one key again and again', () => `document: D\n${'fields: { A: string }\n'.repeat(3_000)}`],
  ['tags', () => `!!js/function "x": !!binary ${'A'.repeat(1_000_000)}\n${'!<tag:x> '.repeat(1000)}a\n`],
  [
    'a pattern of patterns',
    () => `document: D\nfields: { A: { type: string, pattern: "${'(a{1,999}){1,999}'.repeat(50)}" } }\n`,
  ],
  ['control characters', () => 'document: "\0\x01\x02"\n\x1b[2J: \x07\n'],
  ['directives', () => `${'%TAG !a! tag:x,2000:\n'.repeat(5_000)}---\na: b\n`],
  ['comments', () => `${'#'.repeat(4_000_000)}\ndocument: D\n`],
  ['quotes', () => `a: ${"'".repeat(1_000_001)}\n`],
];

describe('definitions', () => {
  it.each(BOMBS)('%s are refused in seconds, in words that can be read', async (_, make) => {
    const project = writeProject({ 'definitions/hostile.yaml': make() });
    try {
      const before = inUse();
      const from = performance.now();
      const loaded = loadProject({ root: project.root });
      const shown = renderDiagnostics(loaded, { colour: false });
      const took = performance.now() - from;
      expect(loaded.registry).toBeUndefined();
      expect(shown).toContain('definitions/hostile.yaml');
      for (const character of ['\x1b', '\x07', '\0']) expect(shown).not.toContain(character);
      expect(took).toBeLessThan(20_000);
      await expectFreed(before, 128 * MiB);
    } finally {
      project.remove();
    }
  });
});
