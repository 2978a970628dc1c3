/** Values that a database has and a type of ours has not: infinite dates and decimals, NaN, dates BC, and dates without a day. */

import { SCALARS } from '../../model/scalar.ts';
import type { Primitive } from '../../model/scalar-traits.ts';
import type { ResultColumn } from '../plan.ts';
import type { NestedRow, RendererFactory, ResultShape } from './renderer.ts';
import { isOdd, type SqlValue, ValueError } from './value.ts';

/** Writes such values of the columns that have `infinity: null` as NULL, and names the row of every value that does not fit. */
export function forgiving(shape: ResultShape, factory: RendererFactory): RendererFactory {
  const forget = compileForgetting(shape);
  return {
    ...factory,
    start() {
      const renderer = factory.start();
      return {
        ...renderer,
        row(cells, number, below) {
          try {
            renderer.row(forget === undefined ? cells : forget(cells), number, forget?.below(below) ?? below);
          } catch (error) {
            throw atRow(number, error);
          }
        },
      };
    },
  };
}

/** An error with the row of the value that it is about; `number` counts from 1. */
export function atRow(number: number, error: unknown): unknown {
  return error instanceof ValueError ? new ValueError(`row ${number}: ${error.message}`) : error;
}

interface Forgetting {
  (cells: readonly SqlValue[]): readonly SqlValue[];
  below(below: NestedRow['below']): NestedRow['below'];
}

/** `undefined` where no column forgets. */
function compileForgetting(shape: ResultShape): Forgetting | undefined {
  const places = shape.columns.flatMap(({ at, odd, kind }: ResultColumn) =>
    odd === 'null' && !KEEPS.has(SCALARS[kind].primitive) ? at : [],
  );
  const children = shape.children.map(compileForgetting);
  if (places.length === 0 && children.every((child) => child === undefined)) return undefined;
  const forget = (cells: readonly SqlValue[]): readonly SqlValue[] => {
    const found = places.filter((at) => cells[at] !== null && cells[at] !== undefined && isOdd(cells[at]));
    return found.length === 0 ? cells : cells.map((cell, at) => (found.includes(at) ? null : cell));
  };
  return Object.assign(forget, {
    below: (below: NestedRow['below']) =>
      below.map((rows, index) => {
        const child = children[index];
        return child === undefined
          ? rows
          : rows.map((row) => ({ cells: child(row.cells), below: child.below(row.below) }));
      }),
  });
}

/** Types that have such values: texts, and numbers that JSON writes as `INF` and `NaN`. */
const KEEPS: ReadonlySet<Primitive> = new Set(['text', 'double', 'json', 'binary']);
