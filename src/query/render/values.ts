/** Rows as they cross for a handler: arrays of every column's value, an integer beyond 2^53 - 1 its digits. */

import type { Query } from '../../model/query.ts';
import { SCALARS, traitsOf } from '../../model/scalar.ts';
import type { Primitive } from '../../model/scalar-traits.ts';
import type { Row } from '../../model/value.ts';
import { doubleJson, readDouble } from '../../wire/double.ts';
import type { Zone } from '../../wire/timezone.ts';
import type { ResultColumn } from '../plan.ts';
import { compileTextOf } from './convert.ts';
import { slices } from './json.ts';
import type { RendererFactory } from './renderer.ts';
import type { Present, SqlValue } from './value.ts';

/** Compiles the writing of rows. */
export function compileValues(columns: readonly ResultColumn[], zone: Zone): RendererFactory {
  const cells = columns.map((column) => {
    const text = compileTextOf(column, zone, 'document');
    const { primitive } = SCALARS[column.kind];
    if (primitive === 'integer') return (value: Present) => smallInteger(text(value));
    if (primitive === 'double') return (value: Present) => doubleJson(readDouble(text(value)) ?? Number.NaN);
    return primitive === 'boolean' ? (value: Present) => text(value) === 'true' : text;
  });
  const places = columns.map((column) => column.at);
  const row = (raw: readonly SqlValue[]): unknown =>
    cells.map((cell, index) => {
      const value = raw[places[index]!] ?? null;
      return value === null ? null : cell(value);
    });
  return slices(row, () => '[', ']');
}

/** A number that JSON does not have crosses as its text. */
function fromDigits(text: string, primitive: Primitive | undefined): string | number | bigint {
  if (primitive === 'integer') return BigInt(text);
  return primitive === 'double' ? (readDouble(text) ?? text) : text;
}

function smallInteger(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

/**
 * Compiles the reading of rows, by the names of their columns.
 * @returns a function that throws an Error for NULL in a column that is `required`, whose type in handlers has no null
 */
export function compileRows({ id, columns }: Pick<Query, 'id' | 'columns'>): (json: Buffer) => Row[] {
  const names = columns.map((column) => column.name);
  const primitives = columns.map((column) => traitsOf(column.type)?.primitive);
  return (json) => {
    const cells: Row[string][][] = JSON.parse(json.toString());
    return cells.map((row) => {
      const named: Row = {};
      for (const [index, name] of names.entries()) {
        const cell = row[index] ?? null;
        if (cell === null && columns[index]?.required === true) {
          throw new Error(`query ${id}: column ${name} is required, but the database returned NULL`);
        }
        named[name] = typeof cell === 'string' ? fromDigits(cell, primitives[index]) : cell;
      }
      return named;
    });
  };
}
