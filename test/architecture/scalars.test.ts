import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SCALAR_KINDS, SCALARS } from '../../src/model/scalar.ts';
import { RAW_KINDS } from '../../src/model/service.ts';

const src = fileURLToPath(new URL('../../src/', import.meta.url));

/** The table, and what its facts are typed by. */
const TABLE: readonly string[] = ['model/scalar.ts', 'model/scalar-traits.ts'];

const isRaw = (word: string): boolean => (RAW_KINDS as readonly string[]).includes(word);
const primitives: ReadonlySet<string> = new Set(SCALAR_KINDS.map((kind) => SCALARS[kind].primitive));

/** Words of types that are words for messages without a document too; what they are about is told by what is asked. */
const shared = SCALAR_KINDS.filter(isRaw);
const own = SCALAR_KINDS.filter((word) => !isRaw(word));
/** Words that mean a type wherever they are; others are text forms, families of columns and types of JSON and JavaScript too. */
const unmistakable = own.filter(
  (word) =>
    !['string', 'number', 'int', 'long', 'float'].includes(word) &&
    !primitives.has(word) &&
    SCALARS[word].lexical === undefined,
);

const any = (words: readonly string[]): string => `'(?:${words.join('|')})'`;

/** Places that ask for a type by its word. */
function asked(text: string): string[] {
  const found = [
    `\\b[kK]ind\\)? [!=]== ${any(own)}`,
    `\\b(?:type|item|single|from|to|column)\\??\\.kind [!=]== ${any(shared)}`,
    `\\.has\\((?:type|item|single|from|to|column|field\\.type)\\.kind\\)`,
    `\\b(?:Record|Map|Set|Partial<Record)<ScalarKind\\b(?!, Kind>)`,
    any(unmistakable),
    `^ +(?:${unmistakable.join('|')}): `,
  ].flatMap((pattern) => text.match(new RegExp(pattern, 'gm')) ?? []);
  const switches = text.matchAll(/^( *)switch \((?:[^\n]*\.)?kind\) \{\n([\s\S]*?)^\1\}/gm);
  const cases = [...switches].flatMap(([, , body = '']) => body.match(new RegExp(`case ${any(own)}`, 'g')) ?? []);
  const tables = text.matchAll(/\bRecord<string, [^=;]*= \{([^{}]*)\}/g);
  const keyed = [...tables].flatMap(([table, body = '']) => {
    const keys = [...body.matchAll(KEY)].map(([, key = '']) => key);
    return keys.length > 1 && keys.every((key) => (SCALAR_KINDS as readonly string[]).includes(key)) ? [table] : [];
  });
  return [...found, ...cases, ...keyed];
}

/** A key of a table, at the beginning of a line or within one. */
const KEY = /(?:^|,|\n)\s*'?([\w-]+)'?: /g;

describe('the table of scalars', () => {
  it('is what code asks about a type, not the word of the type', () => {
    const files = readdirSync(src, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !TABLE.includes(relative(src, file)));
    const wrong = files.flatMap((file) =>
      asked(readFileSync(file, 'utf8')).map((each) => `${relative(src, file)}: ${each.trim()}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    "if (type.kind === 'decimal') return 1;",
    "if (field.type.kind !== 'json') return 1;",
    "const isDate = kind === 'date';",
    "const SOME = new Set(['flag', 'string']);",
    'const WIDTHS: Readonly<Record<ScalarKind, number>> = {',
    'const LONGEST: Readonly<Record<string, number>> = { date: 10, uuid: 36 };',
    "const NATURES: Record<string, 'text' | 'number'> = {\n  date: 'text',\n  integer: 'number',\n};",
    'if (SOME.has(type.kind)) return 1;',
    "  switch (column.kind) {\n    case 'integer':\n      return 1;\n  }",
  ])('is asked for by the code that this test finds: %s', (text) => {
    expect(asked(text)).not.toEqual([]);
  });
});
