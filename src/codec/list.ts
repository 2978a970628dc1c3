import type { Field } from '../model/field.ts';
import { count, refuse } from './error.ts';

/** Compiles a list's `minimum` and `maximum`: the check of its number of entries. */
export function compileEntryCount(field: Field): (entries: number) => void {
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = field;
  const fewer = `has fewer than ${count(minimum, 'entry', 'entries')}`;
  const more = `has more than ${count(maximum, 'entry', 'entries')}`;
  return (entries) => {
    if (entries < minimum) refuse(fewer);
    if (entries > maximum) refuse(more);
  };
}
