import type { Field } from '../model/field.ts';
import { entryType } from './entry.ts';
import { longest, plainNumber } from './xsd-types.ts';

/** What the value of a parameter may be, in words, where the form of contract has no facets. Undefined where anything goes. */
export function boundsNote(field: Field): string | undefined {
  const isList = field.type.kind === 'list';
  const type = entryType(field);
  const notes: string[] = [];
  if (type.kind === 'document') return undefined;
  const most = isList ? type.length : longest(field, type);
  if (type.kind === 'string' || type.kind === 'text') {
    if (most !== undefined) notes.push(`At most ${count(most, 'character')}.`);
    if (!isList && field.minimum !== undefined) notes.push(`At least ${count(field.minimum, 'character')}.`);
  }
  if (type.kind === 'decimal' && type.length !== undefined) {
    notes.push(`At most ${count(type.length, 'digit')}, ${type.scale ?? 0} of them after the point.`);
  }
  if (!isList && (type.kind === 'integer' || type.kind === 'decimal')) {
    if (field.minimum !== undefined) notes.push(`At least ${plainNumber(field.minimum)}.`);
    if (field.maximum !== undefined) notes.push(`At most ${plainNumber(field.maximum)}.`);
  }
  if (isList && field.minimum !== undefined) notes.push(`At least ${count(field.minimum, 'value')}.`);
  if (isList && field.maximum !== undefined) notes.push(`At most ${count(field.maximum, 'value')}.`);
  if (field.pattern !== undefined) notes.push(`Matches the regular expression ${field.pattern}`);
  if (field.anyCase) notes.push('Letter case does not matter.');
  return notes.length === 0 ? undefined : notes.join(' ');
}

function count(number: number, noun: string): string {
  return `${plainNumber(number)} ${noun}${number === 1 ? '' : 's'}`;
}
