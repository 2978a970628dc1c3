import { SCALARS, type ScalarKind } from '../../model/scalar.ts';
import type { Engine } from '../plan.ts';
import { booleanText, decimalText, integerText } from '../render/convert.ts';
import type { Present, SqlValue } from '../render/value.ts';

/**
 * The statement of a child for a whole batch of parents: its own, with only the rows that have one of the keys. Nothing is
 * joined to it, so that its own order stays.
 * @param columns names of the columns with the keys' values, as they stand in its result
 * @param parameters placeholders that the child's own statement has; those of the keys follow: on SQLite one, on PostgreSQL one a column
 */
export function childStatement(sql: string, columns: readonly string[], parameters: number, engine: Engine): string {
  const names = columns.map((name) => `"${name.replaceAll('"', '""')}"`);
  const condition = engine === 'sqlite' ? keysOfSqlite(names) : keysOfPostgres(names, parameters);
  return `select * from (\n${sql}\n) as signalbox_child where ${condition}`;
}

function keysOfSqlite(names: readonly string[]): string {
  if (names.length === 1) return `${names[0]} in (select value from json_each(?))`;
  const values = names.map((_, index) => `value ->> ${index}`);
  return `(${names.join(', ')}) in (select ${values.join(', ')} from json_each(?))`;
}

/**
 * Each column is looked for by itself, which may find pairs that are no key: whoever reads the rows drops them. A condition
 * on all columns at once would be a join, and PostgreSQL keeps no order through joins.
 */
function keysOfPostgres(names: readonly string[], parameters: number): string {
  return names.map((name, index) => `signalbox_child.${name} = any($${parameters + index + 1})`).join(' and ');
}

/** Keys as SQLite's placeholder takes them: a JSON array of values, or of arrays of them, in every form that may be stored. */
export function keysAsJson(keys: readonly (readonly SqlValue[])[], kinds: readonly ScalarKind[]): string {
  const texts = new Set<string>();
  for (const values of keys) {
    const forms = values.map((value, index) => storedForms(kinds[index] as ScalarKind, value).map(jsonOf));
    const [only = []] = forms;
    for (const text of forms.length === 1 ? only : combined(forms).map((each) => `[${each.join()}]`)) texts.add(text);
  }
  return `[${[...texts].join()}]`;
}

/** Every choice of one text from each list. */
function combined(lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>(
    (found, list) => found.flatMap((texts) => list.map((text) => [...texts, text])),
    [[]],
  );
}

function jsonOf(value: SqlValue): string {
  // JSON has no infinity, but reads what is larger than any number as one.
  if (value === Number.POSITIVE_INFINITY) return '9e999';
  if (value === Number.NEGATIVE_INFINITY) return '-9e999';
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}

/** Keys as PostgreSQL's placeholders take them: for each column an array of texts, which become values of the column's type. */
export function keysAsArrays(keys: readonly (readonly SqlValue[])[], kinds: readonly ScalarKind[]): string[][] {
  return kinds.map((kind, index) => [...new Set(keys.map((values) => neutralText(kind, values[index] ?? null)))]);
}

/**
 * Compiles the key of rows: what two rows have in common whose values are equal. Values are compared as their declared
 * type says: numbers by value, all else by their text. NULL equals nothing, and nor does a blob.
 * @param places of the values, one a kind
 */
export function keyOf(
  kinds: readonly ScalarKind[],
  places: readonly number[],
): (cells: readonly SqlValue[]) => string | undefined {
  const parts = kinds.map((kind, index) => ({ at: places[index] ?? 0, text: textOf(kind) }));
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return (cells) => part(cells, only);
  return (cells) => {
    const texts: string[] = [];
    for (const each of parts) {
      const text = part(cells, each);
      if (text === undefined) return undefined;
      texts.push(text);
    }
    return JSON.stringify(texts);
  };
}

interface KeyPart {
  readonly at: number;
  readonly text: (value: Present) => string;
}

function part(cells: readonly SqlValue[], { at, text }: KeyPart): string | undefined {
  const value = cells[at] ?? null;
  return value === null || Buffer.isBuffer(value) ? undefined : text(value);
}

function textOf(kind: ScalarKind): (value: Present) => string {
  switch (SCALARS[kind].sql.comparedAs) {
    case 'integer':
      return (value) => integerText(value) ?? String(value);
    case 'decimal':
      return (value) => shortest(decimalText(value, undefined) ?? String(value));
    case 'boolean':
      return (value) => booleanText(value) ?? String(value);
    default:
      return String;
  }
}

/**
 * The values that may be stored for a value of a kind: SQLite tells the number 1 from the text '1', whatever a query
 * declares them to be.
 */
function storedForms(kind: ScalarKind, value: SqlValue): SqlValue[] {
  if (value === null || Buffer.isBuffer(value)) return [];
  const text = textOf(kind)(value);
  switch (SCALARS[kind].sql.comparedAs) {
    case 'integer':
      return distinct([value, text, ...(integerText(value) === undefined ? [] : [BigInt(text)])]);
    case 'decimal':
      return distinct([value, text, ...(decimalText(value, undefined) === undefined ? [] : [Number(text)])]);
    case 'boolean':
      return distinct([value, text, text === 'true' ? 1n : 0n, text === 'true' ? '1' : '0']);
    default:
      return distinct([value, text]);
  }
}

function distinct(values: readonly SqlValue[]): SqlValue[] {
  return [...new Set(values)];
}

/** A value's text that PostgreSQL reads as a value of any type of its kind. */
function neutralText(kind: ScalarKind, value: SqlValue): string {
  const text = value === null || Buffer.isBuffer(value) ? '' : textOf(kind)(value);
  return SCALARS[kind].sql.comparedAs === 'boolean' ? String(Number(text === 'true')) : text;
}

/** Without zeros at the end of a fraction, so that 12.30 and 12.3 are one number. */
function shortest(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}
