import { SCALARS } from '../../../model/scalar.ts';
import type { ResultColumn } from '../../plan.ts';

/** Room round a value, and beside a heading for the button of its filter. */
const MARGIN = 2;
const BUTTON = 3;
const WIDEST = 60;

/** The width of a column in characters (18.3.1.13): its heading's, or its values' as they are declared. */
export function widthOf({ name, kind, length }: ResultColumn): number {
  const values = length ?? SCALARS[kind].workbook.width;
  return Math.min(WIDEST, Math.max(name.length + BUTTON, values) + MARGIN);
}
