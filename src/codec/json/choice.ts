// A choice in JSON: the object of the chosen branch, with a member that names the branch where the choice has a tag.

import { compileMayBe, jsonBranch } from '../../model/choice.ts';
import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { DocumentValue } from '../../model/value.ts';
import { quote } from '../../wire/words.ts';
import { CodecError, kindOf, refuse, stepOf, within } from '../error.ts';
import { checkDepth, chosenField, isInherited, nearest, ownMember, plainObject, setMember } from '../value.ts';
import { NumberToken } from './number-token.ts';
import { objectOf } from './plain.ts';

/** Reads or writes the value of one branch. */
type Branch<T> = (value: T, depth: number) => unknown;

/**
 * Compiles the reading of a choice. Errors in the branch begin with its name.
 * @param branches aligned with the fields of the choice
 */
export function choiceReader(
  document: Document,
  branches: readonly Branch<unknown>[],
): (raw: unknown, depth: number) => DocumentValue {
  const names = document.fields.map(({ name }) => name);
  const find = document.choice?.tag === undefined ? bestOf(document) : taggedBy(document.choice.tag, document.fields);
  return (raw, depth) => {
    checkDepth(depth);
    const { index, members } = find(objectOf(raw));
    const name = names[index] as string;
    const value: Record<string, unknown> = {};
    try {
      setMember(value, name, (branches[index] as Branch<unknown>)(members, depth + 1));
    } catch (error) {
      throw within(error, name);
    }
    return value as DocumentValue;
  };
}

/** Finds the branch of an object, and the object as that branch has it. */
type FindBranch = (source: Record<string, unknown>) => { readonly index: number; readonly members: unknown };

function taggedBy(tag: string, branches: readonly Field[]): FindBranch {
  const names = branches.map(({ jsonName }) => jsonName);
  const inherited = isInherited(tag);
  const wrong = (reason: string): never => {
    throw new CodecError(tag, reason, [stepOf(tag)]);
  };
  return (source) => {
    const given = ownMember(source, tag, inherited);
    if (given === undefined || given === null) wrong(`is missing, and says which it is: ${names.join(', ')}`);
    if (typeof given !== 'string') return wrong(`is ${kindOf(given)}, not one of ${names.join(', ')}`);
    const index = names.indexOf(given);
    if (index < 0) {
      const meant = nearest(given, names);
      const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
      wrong(`is ${quote(given)}, not one of ${names.join(', ')}${hint}`);
    }
    const { [tag]: _, ...members } = source;
    return { index, members };
  };
}

/** Finds the branch that the fewest members speak against, so that an object with a mistake is read as what was meant. */
function bestOf({ fields }: Document): FindBranch {
  const doubts = fields.map(({ type }) => (type.kind === 'document' ? compileDoubts(type.document) : () => 0));
  const names = fields.map(({ name }) => name).join(', ');
  return (source) => {
    const counts = doubts.map((each) => each(source));
    const least = Math.min(...counts);
    const index = counts.indexOf(least);
    if (counts.lastIndexOf(least) === index) return { index, members: source };
    return refuse(`has members that do not tell which it is: ${names}`);
  };
}

/** Compiles the count of what speaks against an object being a document: members that it lacks, has more, or of other values. */
function compileDoubts(document: Document): (source: Readonly<Record<string, unknown>>) => number {
  const { needed, fields } = jsonBranch(document.fields);
  const tests = new Map([...fields].map(([name, field]) => [name, compileMayBe(field)]));
  return (source) => {
    let count = 0;
    for (const { jsonName, nullable } of needed)
      if (!Object.hasOwn(source, jsonName) || (source[jsonName] === null && !nullable)) count++;
    for (const [name, value] of Object.entries(source)) {
      const mayBe = tests.get(name);
      if (mayBe === undefined) count++;
      else if (value !== null && !mayBe(jsonKindOf(value), textOf(value))) count++;
    }
    return count;
  };
}

function jsonKindOf(value: unknown): 'array' | 'object' | 'string' | 'number' | 'boolean' {
  if (value instanceof NumberToken) return 'number';
  return Array.isArray(value) ? 'array' : (typeof value as 'object' | 'string' | 'number' | 'boolean');
}

function textOf(value: unknown): string | undefined {
  if (value instanceof NumberToken) return undefined;
  return typeof value === 'object' ? undefined : String(value);
}

/** Compiles the writing of a choice. */
export function choiceWriter<T>(
  document: Document,
  branches: readonly Branch<T>[],
): (value: T, depth: number) => unknown {
  const tag = document.choice?.tag;
  const { fields } = document;
  return (value, depth) => {
    const source = plainObject(value);
    checkDepth(depth);
    const field = chosenField(document, source);
    let written: unknown;
    try {
      written = (branches[fields.indexOf(field)] as Branch<T>)(source[field.name] as T, depth + 1);
    } catch (error) {
      throw within(error, field.name);
    }
    return tag === undefined ? written : { [tag]: field.jsonName, ...(written as object) };
  };
}
