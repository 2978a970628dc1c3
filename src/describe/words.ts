import { entryField, type Field, isCollection, type ScalarType, singleType } from '../model/field.ts';
import type { Gateway } from '../model/gateway.ts';
import { isNumeric, traitsOf } from '../model/scalar.ts';
import type { Service } from '../model/service.ts';
import { BOUND_NAMES } from '../wire/order.ts';
import { counted } from '../wire/words.ts';
import { longest } from './field.ts';
import type { Scope } from './scope.ts';

/** Joins the texts that are not empty; `undefined` if there are none. */
export function joined(between: string, ...texts: readonly (string | undefined)[]): string | undefined {
  const there = texts.filter((each) => each !== undefined && each !== '');
  return there.length === 0 ? undefined : there.join(between);
}

/** The first sentence of a text, without its full stop. */
export function firstSentence(text: string): string {
  const [sentence = text] = /^.*?(?=[.!?]+(?:\s|$)|\n|$)/.exec(text.trim()) ?? [];
  return sentence;
}

/** What is counted where the length is bounded. */
const UNITS = { value: undefined, length: 'character', bytes: 'byte' } as const;

/** The bounds of a parameter in words, for contracts without facets; `undefined` if there are none. */
export function boundsNote(field: Field): string | undefined {
  const type = singleType(field.type);
  const notes: string[] = [];
  if (type.kind === 'document') return undefined;
  const entry = entryField(field);
  const most = longest(entry, type);
  const { takes, xml } = traitsOf(type);
  const unit = UNITS[takes.bounds ?? 'value'];
  if (unit !== undefined) {
    if (most !== undefined) notes.push(`At most ${counted(most, unit)}.`);
    if (entry.minimum !== undefined) notes.push(`At least ${counted(entry.minimum, unit)}.`);
  }
  notes.push(digitsNote(field, type) ?? '', rangeNote(field) ?? '');
  notes.push(countNote(field) ?? '');
  const patterns = field.patterns ?? (xml.pattern === undefined ? [] : [xml.pattern]);
  if (patterns.length > 0)
    notes.push(`Matches the ${wordsFor(patterns.length, 'regular expression')} ${patterns.join(' and ')}`);
  return joined(' ', ...notes, caseNote(field));
}

/** How many values a list or a map may have, in words. */
export function countNote({ type, minimum, maximum }: Field): string | undefined {
  if (!isCollection(type)) return undefined;
  const least = minimum === undefined ? undefined : `At least ${counted(minimum, 'value')}.`;
  const most = maximum === undefined ? undefined : `At most ${counted(maximum, 'value')}.`;
  return joined(' ', least, most);
}

const wordsFor = (count: number, word: string): string => (count === 1 ? word : `${word}s`);

/** What listed values mean, in words; `undefined` if none has a label. */
export function labelsNote({ enum: values = [], labels = {} }: Field): string | undefined {
  const labelled = values.map(String).filter((value) => labels[value] !== undefined);
  if (labelled.length === 0) return undefined;
  return `${labelled.map((value) => valueWithLabel({ labels }, value)).join('; ')}.`;
}

/** A listed value as people choose it: with what it means, if that is known. */
export function valueWithLabel({ labels }: Pick<Field, 'labels'>, value: string): string {
  const label = labels?.[value];
  return label === undefined ? value : `${value}: ${label}`;
}

/** White space that is normalised before a value is checked, in words; `undefined` if it is kept. */
export function spaceNote({ space }: Field): string | undefined {
  if (space === undefined) return undefined;
  return space === 'replace'
    ? 'Tabs and line ends are taken for spaces.'
    : 'White space around the value is dropped, and one space taken for any inside.';
}

/** The number of digits of a number, in words; `undefined` if it is not limited. */
export function digitsNote({ digits, fraction }: Field, type: ScalarType): string | undefined {
  const { length, scale = 0 } = type;
  if (length !== undefined && traitsOf(type).size === 'digits')
    return `At most ${counted(length, 'digit')}, ${scale} of them after the point.`;
  return joined(
    ' ',
    digits === undefined ? undefined : `At most ${counted(digits, 'digit')}.`,
    fraction === undefined ? undefined : `At most ${counted(fraction, 'digit')} after the point.`,
  );
}

const BOUND_WORDS = {
  number: { minimum: 'At least', above: 'Greater than', maximum: 'At most', below: 'Less than' },
  moment: { minimum: 'Not before', above: 'After', maximum: 'Not after', below: 'Before' },
} as const;

/** The bounds of a number, a date or a time, in words; `undefined` if there are none. */
export function rangeNote({ type, range = {} }: Field): string | undefined {
  const words = BOUND_WORDS[isNumeric(singleType(type)) ? 'number' : 'moment'];
  const notes = BOUND_NAMES.map((name) => (range[name] === undefined ? undefined : `${words[name]} ${range[name]}.`));
  return joined(' ', ...notes);
}

/** The fields of the URI that a body may repeat, in words; `undefined` if there are none. */
export function repeatsNote(repeats: readonly Field[]): string | undefined {
  if (repeats.length === 0) return undefined;
  return `May also contain ${repeats.map((field) => field.jsonName).join(', ')}, with the same value as in the URI.`;
}

export function caseNote({ anyCase }: Field): string | undefined {
  return anyCase ? 'Not case-sensitive.' : undefined;
}

/** The title of a contract, in one line. */
export function titleOf(scope: Scope): string {
  const { description, id } = scope.service;
  const name = scope.name === id ? id : `${scope.name} (${id})`;
  return description === undefined ? name : `${name}: ${description}`;
}

/** That a version is deprecated and when it ends; `undefined` if it is not deprecated. */
export function deprecationNote({ deprecated }: Service): string | undefined {
  if (deprecated === undefined) return undefined;
  const since = deprecated.since === undefined ? '' : ` since ${deprecated.since}`;
  const sunset = deprecated.sunset === undefined ? '' : ` It ends on ${deprecated.sunset}.`;
  return `This version is deprecated${since}.${sunset}`;
}

/**
 * How the bodies of requests may be compressed, in words; `undefined` if they may not. It is no parameter in any contract: generated
 * clients would set the header without encoding the body, and calls that are imported would have a field of its name.
 */
export function codingNote({ requestEncodings }: Pick<Gateway, 'requestEncodings'>): string | undefined {
  if (requestEncodings.length === 0) return undefined;
  return `A request body may be compressed, which its header Content-Encoding states: ${requestEncodings.join(', ')} (RFC 9110, section 8.4).`;
}
