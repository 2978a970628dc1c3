import type { Field } from '../model/field.ts';
import type { Row } from '../model/value.ts';

type Cell = Row[string];

/**
 * Compiles the reading of rows as they cross for a handler: arrays of every column's cell, where an integer beyond
 * 2^53 - 1 is its digits.
 */
export function compileRows(columns: readonly Field[]): (json: Buffer) => Row[] {
  const names = columns.map((column) => column.name);
  const integers = columns.map((column) => column.type.kind === 'integer');
  return (json) => {
    const cells: Cell[][] = JSON.parse(json.toString());
    return cells.map((row) => {
      const named: Row = {};
      for (const [index, name] of names.entries()) {
        const cell = row[index] ?? null;
        named[name] = integers[index] === true && typeof cell === 'string' ? BigInt(cell) : cell;
      }
      return named;
    });
  };
}
