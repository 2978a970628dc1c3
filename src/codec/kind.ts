import { type Kinds, kindMember, kindName } from '../model/derivation.ts';
import type { Document } from '../model/document.ts';
import { quote } from '../wire/words.ts';
import { CodecError, kindOf, stepOf } from './error.ts';
import { nearest } from './value.ts';

/** A document that others derive from. */
export type Kinded = Document & { readonly kinds: Kinds };

export function isKinded(document: Document): document is Kinded {
  return document.kinds !== undefined;
}

/**
 * Compiles the finding of what belongs to the document that a value is, by the member that names it. A value without the
 * member is the document itself.
 * @param byName what belongs to each document
 */
export function compileFindKind<T>(document: Kinded, byName: ReadonlyMap<string, T>): (given: unknown) => T {
  const { name: by } = document.kinds.by;
  const own = byName.get(kindName(document));
  const known = [...byName.keys()].join(', ');
  const wrong = (reason: string): never => {
    throw new CodecError(by, reason, [stepOf(by)]);
  };
  return (given) => {
    if (given === undefined || given === null) return own ?? wrong(`is missing, and says which it is: ${known}`);
    if (typeof given !== 'string') return wrong(`is ${kindOf(given)}, not one of ${known}`);
    const found = byName.get(given);
    if (found !== undefined) return found;
    const meant = nearest(given, byName.keys());
    return wrong(`is ${quote(given)}, not one of ${known}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`);
  };
}

/**
 * Compiles the test whether a member names the very document that it is in. A value that comes from a place where others of its
 * kind may stand has the member; where only this document may stand it has no meaning, and is left out.
 */
export function compileNamesItself(document: Document): (name: string, value: unknown) => boolean {
  const member = kindMember(document);
  const own = kindName(document);
  return (name, value) => name === member && value === own;
}
