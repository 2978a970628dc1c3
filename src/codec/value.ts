import { everyField, kindsOf } from '../model/derivation.ts';
import type { Document } from '../model/document.ts';
import { type Field, type FieldType, isCollection } from '../model/field.ts';
import { holdsNull, primitiveOf } from '../model/scalar.ts';
import type { Primitive } from '../model/scalar-traits.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { counted } from '../wire/words.ts';
import { CodecError, kindOf, refuse, type Step, shown, stepOf, within } from './error.ts';

/**
 * Whether every object inherits something by this name (`constructor`, `toString`), so that it must be looked up among an
 * object's own members. Others are read directly, which is faster.
 */
export function isInherited(name: string): boolean {
  return name in Object.prototype;
}

/** An object's own member by a declared name, {@link isInherited} or not. */
export function ownMember(object: Readonly<Record<string, unknown>>, name: string, inherited: boolean): unknown {
  return !inherited || Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets a member; `__proto__` becomes one like any other. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** How content that a document doesn't declare and that isn't open is handled: as an error, ignored, or ignored and counted. */
export type Foreign = 'refuse' | 'pass' | Ignored;

/** Counts the members, elements and attributes that a reader ignores. */
export interface Ignored {
  count: number;
  /** Whether names of documents without a namespace of their own match in any namespace, as with `pass`. */
  readonly anyNamespace: boolean;
}

/** Counts content that is ignored, where that is wanted. */
export function countIgnored(foreign: Foreign, count: number): void {
  if (typeof foreign === 'object') foreign.count += count;
}

/** The error for a name that a document doesn't declare. */
export function unknownField(document: Document, given: string, declared: Iterable<string>): CodecError {
  const meant = nearest(given, declared);
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  const step = stepOf(given);
  return new CodecError(shown(step), `is not a field of ${document.id}${hint}`, [step]);
}

/** Checks that a value of a choice has exactly one branch. @param given the names of those that it has */
export function checkChosen({ fields }: Pick<Document, 'fields'>, given: readonly string[]): void {
  if (given.length === 1) return;
  const names = fields.map((field) => field.name).join(', ');
  if (given.length === 0) refuse(`has none of ${names}, and needs one of them`);
  refuse(`has ${given.join(' and ')}, and can have only one of ${names}`);
}

/** The branch of a choice that a value in memory has. Undefined is absent, and so is null where the branch has none. */
export function chosenField(document: Document, source: Readonly<Record<string, unknown>>): Field {
  const { fields } = document;
  const isNull = (name: string): boolean => fields.some((field) => field.name === name && holdsNull(field));
  const given = Object.keys(source).filter(
    (name) => source[name] !== undefined && (source[name] !== null || isNull(name)),
  );
  const unknown = given.find((name) => fields.every((field) => field.name !== name));
  if (unknown !== undefined)
    throw unknownField(
      document,
      unknown,
      fields.map(({ name }) => name),
    );
  checkChosen(document, given);
  return fields.find(({ name }) => name === given[0]) as Field;
}

/** A document's value as its members. */
export function plainObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(`is ${kindOf(value)}, not an object`);
  return value as Record<string, unknown>;
}

/** The entries of a map in memory; a member that is undefined is none. */
export function mapEntries(value: unknown): [string, Value][] {
  const prototype: unknown = Object.getPrototypeOf(plainObject(value));
  if (prototype !== Object.prototype && prototype !== null) refuse('is an object of a class, not a plain one');
  return Object.entries(value as DocumentValue).filter(([, each]) => each !== undefined);
}

/** An error about a document as a whole gets its id for a path. */
export function named(error: unknown, document: Document): unknown {
  if (error instanceof CodecError) error.nameWhole(document.id);
  return error;
}

/** Longer names are not compared, so that no caller's name makes the search expensive. */
const LONGEST = 64;

/** Edit distance (Levenshtein), without regard to letter case. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(change, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[b.length]!;
}

/** The name that was probably meant: within a third of its length, the nearest first. `undefined` when none is close. */
export function nearest(given: string, names: Iterable<string>): string | undefined {
  if (given.length > LONGEST) return undefined;
  const sought = given.toLowerCase();
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const allowed = Math.max(1, Math.floor(name.length / 3));
    if (Math.abs(name.length - sought.length) > allowed) continue;
    const steps = distance(sought, name.toLowerCase());
    if (steps <= allowed && steps < least) {
      best = name;
      least = steps;
    }
  }
  return best;
}

/** Refuses text that not every store and encoding can hold: with a NUL, or with half of a surrogate pair. */
export function soundText(text: string): string {
  if (!text.isWellFormed()) refuse('holds half of a surrogate pair, which is not a character');
  if (text.includes('\0')) refuse('holds a NUL character');
  return text;
}

/**
 * Refuses a JSON text whose strings or keys are not sound. Only an escape can bring a NUL into JSON, and only an escape or
 * a text that is no UTF-16 half of a pair, so that most texts need no second look.
 * @param parsed what the text holds
 */
export function checkSound(text: string, parsed: unknown): void {
  if (text.includes('\\u') || !text.isWellFormed()) checkStrings(parsed, 1);
}

function checkStrings(value: unknown, depth: number): void {
  if (typeof value === 'string') soundText(value);
  if (typeof value !== 'object' || value === null) return;
  checkDepth(depth);
  let step: Step = 0;
  try {
    if (Array.isArray(value)) {
      for (const [index, entry] of value.entries()) {
        step = index;
        checkStrings(entry, depth + 1);
      }
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      step = stepOf(key);
      soundText(key);
      checkStrings(member, depth + 1);
    }
  } catch (error) {
    throw within(error, step);
  }
}

/** Deepest nesting of objects and lists that is read or written; the root is level 1. */
export const MAX_DEPTH = 100;

/** Refuses what is nested too deep. */
export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) refuse(`is nested more than ${MAX_DEPTH} levels deep`);
}

/** Compiles the `minimum` and `maximum` of a list or a map: the check of its number of entries. */
export function compileEntryCount(field: Field): (entries: number) => void {
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = field;
  const fewer = `has fewer than ${counted(minimum, 'entry', 'entries')}`;
  const more = `has more than ${counted(maximum, 'entry', 'entries')}`;
  return (entries) => {
    if (entries < minimum) refuse(fewer);
    if (entries > maximum) refuse(more);
  };
}

/** Whether values of a type are held as a primitive, or contain one that is, at any depth. */
export function holdsPrimitive(type: FieldType, primitive: Primitive, seen: Set<Document> = new Set()): boolean {
  if (isCollection(type)) return holdsPrimitive(type.item, primitive, seen);
  if (type.kind !== 'document') return primitiveOf(type) === primitive;
  if (seen.has(type.document)) return false;
  seen.add(type.document);
  return everyField(type.document).some((field) => holdsPrimitive(field.type, primitive, seen));
}

/** Whether JSON that no field declares may be in values of a type, at any depth: they keep undeclared members. */
export function holdsUndeclared(type: FieldType, seen: Set<Document> = new Set()): boolean {
  if (isCollection(type)) return holdsUndeclared(type.item, seen);
  if (type.kind !== 'document' || seen.has(type.document)) return false;
  seen.add(type.document);
  const { document } = type;
  return (
    kindsOf(document).some(({ open }) => open) ||
    everyField(document).some((field) => holdsUndeclared(field.type, seen))
  );
}
