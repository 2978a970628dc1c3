import { kindName, kindsOf } from '../model/derivation.ts';
import type { Choice, Document } from '../model/document.ts';
import type { Pair, Scope } from './changes.ts';

// What may stand where a document is expected: the branches of a choice, and documents that derive from it.

/** How the branches of a choice are distinguished in JSON, in words for each member of the model; empty for another one's. */
const CHOICE: Readonly<Record<keyof Choice, (choice: Choice) => string>> = {
  tag: ({ tag, named }) => tag ?? (named === true ? '' : 'their members'),
  named: ({ named }) => (named === true ? 'the member that they are in' : ''),
};

/** Compares the documents that may stand where one is expected, and the member of JSON that names them. */
export function compareKinds({ before, after }: Pair<Document>, scope: Scope): void {
  const namesIn = (document: Document): string[] => kindsOf(document).map(kindName);
  const [old, now] = [namesIn(before), namesIn(after)];
  const side = (text: string, { at }: Document) => ({ text, at });
  // A document that only has another name is reported as such.
  if (before.kinds === undefined && after.kinds === undefined) return;
  for (const name of now.filter((each) => !old.includes(each)))
    scope.changes.add('kind-added', scope, { before: side('', before), after: side(name, after) });
  for (const name of old.filter((each) => !now.includes(each)))
    scope.changes.add('kind-removed', scope, { before: side(name, before), after: side('', after) });
  const [was, is] = [before.kinds?.by.jsonName, after.kinds?.by.jsonName];
  if (was !== undefined && is !== undefined && was !== is)
    scope.changes.add('kind-member-changed', scope, { before: side(was, before), after: side(is, after) });
}

/** The words of a table for one thing. */
export function wordsOf<T>(table: Readonly<Record<string, (thing: T) => string>>, thing: T): string {
  return Object.values(table)
    .map((read) => read(thing))
    .filter((words) => words !== '')
    .join(', ');
}

export function compareChoices({ before, after }: Pair<Document>, scope: Scope): void {
  const words = ({ choice }: Document): string =>
    choice === undefined ? 'a document with fields' : 'one of several documents';
  const tag = ({ choice = {} }: Document): string => wordsOf(CHOICE, choice);
  const sides = (read: (each: Document) => string) => ({
    before: { text: read(before), at: before.at },
    after: { text: read(after), at: after.at },
  });
  if (words(before) !== words(after)) scope.changes.add('choice-changed', scope, sides(words));
  else if (tag(before) !== tag(after)) scope.changes.add('tag-changed', scope, sides(tag));
}
