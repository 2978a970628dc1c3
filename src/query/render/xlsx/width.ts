import type { ScalarKind } from '../../../model/field.ts';
import type { ResultColumn } from '../../plan/plan.ts';

/** Characters that values of a kind usually take; those of texts and decimals are declared, or anything. */
const usual: Readonly<Record<ScalarKind, number>> = {
  string: 20,
  text: 40,
  integer: 11,
  decimal: 14,
  boolean: 7,
  flag: 5,
  date: 11,
  time: 9,
  datetime: 20,
  binary: 20,
  json: 40,
  xml: 40,
};

/** Room round a value, and beside a heading for the button of its filter. */
const MARGIN = 2;
const BUTTON = 3;
const WIDEST = 60;

/** The width of a column in characters (18.3.1.13): its heading's, or its values' as they are declared. */
export function widthOf({ name, kind, length }: ResultColumn): number {
  const values = length ?? usual[kind];
  return Math.min(WIDEST, Math.max(name.length + BUTTON, values) + MARGIN);
}
