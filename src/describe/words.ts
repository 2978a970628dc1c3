import { type Field, type ScalarType, singleType } from '../model/field.ts';
import { primitiveOf, traitsOf } from '../model/scalar.ts';
import type { Service } from '../model/service.ts';
import { decimalOf } from '../wire/decimal.ts';
import { counted } from '../wire/words.ts';
import { longest } from './field.ts';
import type { Scope } from './scope.ts';

/** Texts one behind the other; undefined where there is none. */
export function joined(between: string, ...texts: readonly (string | undefined)[]): string | undefined {
  const there = texts.filter((each) => each !== undefined && each !== '');
  return there.length === 0 ? undefined : there.join(between);
}

/** The first sentence of a text, without its full stop. */
export function firstSentence(text: string): string {
  const [sentence = text] = /^.*?(?=[.!?]+(?:\s|$)|\n|$)/.exec(text.trim()) ?? [];
  return sentence;
}

/** What the value of a parameter may be, in words, where the form of contract has no facets. Undefined where anything goes. */
export function boundsNote(field: Field): string | undefined {
  const isList = field.type.kind === 'list';
  const type = singleType(field.type);
  const notes: string[] = [];
  if (type.kind === 'document') return undefined;
  const most = isList ? type.length : longest(field, type);
  const { takes, xml } = traitsOf(type);
  if (takes.bounds === 'length') {
    if (most !== undefined) notes.push(`At most ${counted(most, 'character')}.`);
    if (!isList && field.minimum !== undefined) notes.push(`At least ${counted(field.minimum, 'character')}.`);
  }
  if (primitiveOf(type) === 'decimal') notes.push(digitsNote(type) ?? '');
  if (!isList && takes.bounds === 'value') {
    if (field.minimum !== undefined) notes.push(`At least ${decimalOf(field.minimum)}.`);
    if (field.maximum !== undefined) notes.push(`At most ${decimalOf(field.maximum)}.`);
  }
  if (isList && field.minimum !== undefined) notes.push(`At least ${counted(field.minimum, 'value')}.`);
  if (isList && field.maximum !== undefined) notes.push(`At most ${counted(field.maximum, 'value')}.`);
  const pattern = field.pattern ?? xml.pattern;
  if (pattern !== undefined) notes.push(`Matches the regular expression ${pattern}`);
  return joined(' ', ...notes, caseNote(field));
}

/** The digits of a decimal, in words; undefined where any number of them goes. */
export function digitsNote({ length, scale = 0 }: ScalarType): string | undefined {
  return length === undefined ? undefined : `At most ${counted(length, 'digit')}, ${scale} of them after the point.`;
}

/** That a body may say again what the URI says; undefined where there is nothing of the kind. */
export function repeatsNote(repeats: readonly Field[]): string | undefined {
  if (repeats.length === 0) return undefined;
  return `May hold ${repeats.map((field) => field.jsonName).join(', ')} too, as in the URI.`;
}

/** That a value may be spelled in any letter case, where it may. */
export function caseNote({ anyCase }: Field): string | undefined {
  return anyCase ? 'Letter case does not matter.' : undefined;
}

/** One line that says what a contract is of. */
export function titleOf(scope: Scope): string {
  const { description, id } = scope.service;
  const name = scope.name === id ? id : `${scope.name} (${id})`;
  return description === undefined ? name : `${name}: ${description}`;
}

/** That a version is deprecated, and until when it is there; undefined where it is not. */
export function deprecationNote({ deprecated }: Service): string | undefined {
  if (deprecated === undefined) return undefined;
  const since = deprecated.since === undefined ? '' : ` since ${deprecated.since}`;
  const sunset = deprecated.sunset === undefined ? '' : ` It ends on ${deprecated.sunset}.`;
  return `This version is deprecated${since}.${sunset}`;
}
