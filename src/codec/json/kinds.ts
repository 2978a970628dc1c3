// Documents that others derive from, in JSON: a member of the object names the document that it is.
import { kindName, kindsOf } from '../../model/derivation.ts';
import type { Document } from '../../model/document.ts';
import type { DocumentValue } from '../../model/value.ts';
import { compileFindKind, type Kinded } from '../kind.ts';
import { isInherited, ownMember, plainObject } from '../value.ts';

/** Reads or writes a value as one of the documents. */
type One = (value: unknown, depth: number) => unknown;

/** Compiles the reading, or the writing, of a value as the document that it is; the member comes first in the result. */
export function compileKinds(
  document: Kinded,
  compile: (kind: Document) => One,
): (value: unknown, depth: number) => DocumentValue {
  const { name: by } = document.kinds.by;
  const inherited = isInherited(by);
  const ones = new Map(kindsOf(document).map((kind) => [kindName(kind), { name: kindName(kind), one: compile(kind) }]));
  const find = compileFindKind(document, ones);
  return (value, depth) => {
    const source = plainObject(value);
    const { name, one } = find(ownMember(source, by, inherited));
    const { [by]: _, ...members } = source;
    return { [by]: name, ...(one(members, depth) as DocumentValue) };
  };
}
