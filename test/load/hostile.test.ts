import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KIND_WORDS } from '../../src/kinds/kinds.ts';
import { renderDiagnostics } from '../../src/load/diagnostic/render.ts';
import { type LoadedProject, loadFiles } from '../../src/load/load.ts';
import { readProject } from '../../src/load/read/files.ts';
import { definitionsSchema } from '../../src/load/schema/index.ts';
import { processorMs } from '../support/duration.ts';
import { projectOf } from './project-text.ts';

/** Loads a text and shows what was found: neither may throw, and without a registry there is an error. */
function load(text: string): LoadedProject {
  const loaded = loadFiles(projectOf(text), 'ignore-missing');
  renderDiagnostics(loaded, { colour: true });
  const failed = loaded.diagnostics.some((each) => each.severity === 'error');
  expect(loaded.registry === undefined).toBe(failed);
  return loaded;
}

const codes = (text: string): string[] => load(text).diagnostics.map((each) => each.code);

/** Every key that the schema knows, at any level. */
function keysOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  return [...own, ...Object.values(schema).flatMap(keysOf)];
}

const words = [
  ...new Set(keysOf(definitionsSchema())),
  ...[
    'A',
    'B',
    'A.v1',
    'B.v2',
    'list of A',
    'string(3)',
    'integer',
    'decimal(5.2)',
    'json',
    'none',
    'basic',
    'psnonxml',
    '10 MiB',
  ],
  ...[
    '{A}',
    'x/{A}{?B}',
    '${env:A}',
    '${A}',
    '{fault.message}',
    'select :A',
    'A.*',
    'signalbox/x',
    '__proto__',
    'constructor',
    'toString',
  ],
];

const sample = readProject(new URL('../../', import.meta.url).pathname, 'definitions').definitions.flatMap((file) =>
  file.kind === 'text' ? [file] : [],
);

/** A few of each, so that the property stays stated: `npm run fuzz` tries many more. */
describe('the loader never throws', () => {
  it('on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => void load(text)),
      { numRuns: 30 },
    );
  });

  it('on any text of YAML punctuation', () => {
    const unit = fc.constantFrom(...'{}[]:,-?!&*#|>"\'%@`\n\t ab0~<=.$', '\n  ', ': ', '- ', '---\n', 'document: ');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), (parts) => void load(parts.join(''))),
      { numRuns: 40 },
    );
  });

  it('on any tree of the words that definitions have', () => {
    const word = fc.constantFrom(...words);
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        word,
        fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(word, tie('tree'), { maxKeys: 6, noNullPrototype: false }),
      ),
    }));
    const kind = fc.constantFrom(...KIND_WORDS);
    const definition = fc
      .tuple(kind, word, fc.dictionary(word, tree, { maxKeys: 8 }))
      .map(([name, id, rest]) => ({ ...rest, [name]: id }));
    fc.assert(
      fc.property(fc.array(definition, { maxLength: 4 }), (definitions) => {
        load(definitions.map((each) => JSON.stringify(each)).join('\n---\n'));
      }),
      { numRuns: 80 },
    );
  });

  it('on any small change of the sample', () => {
    const change = fc.record({
      file: fc.nat(sample.length - 1),
      at: fc.nat(),
      remove: fc.nat(12),
      insert: fc.oneof(fc.constantFrom(...words, ...'{}[]:,-?!&*#|>"\'%@\n\t ~'), fc.string({ maxLength: 3 })),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const files = sample.map(({ file, text }) => ({ file, text }));
        for (const { file, at, remove, insert } of changes) {
          const target = files[file] as { text: string };
          const offset = at % (target.text.length + 1);
          target.text = target.text.slice(0, offset) + insert + target.text.slice(offset + remove);
        }
        load(files.map(({ file, text }) => `#file ${file}\n${text}`).join('\n'));
      }),
      { numRuns: 10 },
    );
  });
});

describe('hostile files', () => {
  it('expands aliases within bounds, and refuses a bomb quickly', () => {
    const levels = Array.from({ length: 30 }, (_, level) => {
      const item = level === 0 ? 'x' : `*a${level - 1}`;
      return `a${level}: &a${level} [${Array.from({ length: 10 }, () => item).join(', ')}]`;
    });
    const start = processorMs();
    expect(codes(`document: BOMB\n${levels.join('\n')}\nfields: { A: string }\n`)).toEqual(['alias-expansion']);
    expect(processorMs() - start).toBeLessThan(1000);
  });

  it.each([
    ['lists', '['.repeat(50_000)],
    ['maps', '{a: '.repeat(20_000)],
    ['block lists', '- '.repeat(20_000)],
    ['closed lists', '['.repeat(5000) + ']'.repeat(5000)],
  ])('refuses %s nested without end', (_, text) => {
    const found = codes(`document: DEEP\nfields: ${text}`);
    expect(found).toHaveLength(1);
    expect(['nested-too-deep', 'yaml-syntax']).toContain(found[0]);
  });

  it('takes keys that objects inherit as keys like any other', () => {
    const loaded = load(
      'document: ODD\nfields: { constructor: string, toString: integer, hasOwnProperty: flag, valueOf: text }',
    );
    const fields = loaded.registry?.documents.get('ODD')?.fields.map((field) => [field.name, field.type.kind]);
    expect(fields).toEqual([
      ['constructor', 'string'],
      ['toString', 'integer'],
      ['hasOwnProperty', 'flag'],
      ['valueOf', 'text'],
    ]);
    expect(codes('document: ODD\nfields: { __proto__: string }')).toEqual(['reserved-name']);
    expect(codes('document: ODD\n__proto__: { fields: { A: string } }')).toEqual(['unknown-key']);
    expect(codes('document: __proto__\nfields: { A: string }')).toEqual(['reserved-name']);
    expect(codes('document: constructor\nfields: { A: constructor }')).toEqual([]);
    expect(Object.prototype).not.toHaveProperty('fields');
  });

  it('does not slow down beyond measure with the number of keys', () => {
    const fields = Array.from({ length: 20_000 }, (_, index) => `  F${index}: string`).join('\n');
    const start = processorMs();
    const loaded = load(`document: WIDE\nfields:\n${fields}\n  F7: string\n`);
    expect(loaded.diagnostics.map((each) => [each.code, each.at.line])).toEqual([['duplicate-key', 20_003]]);
    expect(processorMs() - start).toBeLessThan(10_000);
  });

  it('counts lines the same with CRLF, and columns with a byte order mark taken off', () => {
    const text = 'document: A\r\nfields:\r\n  B: strin\r\n';
    const [found] = load(text).diagnostics;
    expect(found).toMatchObject({ code: 'unknown-type', at: { line: 3, column: 6 }, length: 5 });
    expect(renderDiagnostics(load(text), { colour: false })).not.toContain('\r');
  });

  it('lets nothing of a file steer the terminal', () => {
    const shown = renderDiagnostics(load('document: "A\u001b[2J"\nfields: { B: "\u202estring" }'), { colour: false });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });
});

describe('the sample', () => {
  it('holds the bytes that the tests change', () => {
    expect(sample.length).toBeGreaterThan(5);
    for (const { file, text } of sample) {
      expect(text).toBe(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));
    }
  });
});
