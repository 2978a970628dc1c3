import { SCALARS, type ScalarKind } from '../../model/scalar.ts';
import { booleanText, decimalText, integerText } from '../render/convert.ts';
import type { Present, SqlValue } from '../render/value.ts';

/**
 * Compiles the key of rows: rows with equal values have the same key. Values are compared by their declared type: numbers by
 * value, everything else by its text. NULL and blobs equal nothing.
 * @param places indices of the values, one for each kind
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
 * The forms in which a value of a kind may be stored: SQLite distinguishes the number 1 from the text '1', whatever type a
 * query declares.
 */
export function storedForms(kind: ScalarKind, value: SqlValue): SqlValue[] {
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

/** A text that a database server can convert to any SQL type of the value's kind. */
export function neutralText(kind: ScalarKind, value: SqlValue): string {
  const text = value === null || Buffer.isBuffer(value) ? '' : textOf(kind)(value);
  return SCALARS[kind].sql.comparedAs === 'boolean' ? String(Number(text === 'true')) : text;
}

/** Removes trailing zeros of a fraction, so that 12.30 equals 12.3. */
function shortest(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}
