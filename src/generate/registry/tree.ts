import type { JsonTree } from '../json-text.ts';
import { sorted } from '../vocabulary.ts';

/** Only what differs from the default is written. */
export const yes = (value: boolean): true | undefined => value || undefined;
export const no = (value: boolean): false | undefined => (value ? undefined : false);

/** What has entries. */
export function some<T extends readonly unknown[]>(entries: T): T | undefined {
  return entries.length === 0 ? undefined : entries;
}

/** The ids of things, in their order. */
export function idsOf(things: Iterable<{ readonly id: string }>): string[] {
  return Array.from(things, ({ id }) => id);
}

/** The ids of things whose order says nothing. */
export function sortedIds(things: Iterable<{ readonly id: string }>): string[] {
  return idsOf(things).sort();
}

/** A tree for each, by ids. */
export function each<T extends { readonly id: string }>(
  entries: ReadonlyMap<string, T> | readonly T[],
  tree: (entry: T) => JsonTree,
): ReadonlyMap<string, JsonTree> {
  return new Map(sorted(entries).map((entry) => [entry.id, tree(entry)]));
}

/** The same; nothing where there are none. */
export function anyOf<T extends { readonly id: string }>(
  entries: ReadonlyMap<string, T> | readonly T[],
  tree: (entry: T) => JsonTree,
): ReadonlyMap<string, JsonTree> | undefined {
  const trees = each(entries, tree);
  return trees.size === 0 ? undefined : trees;
}

/** Members by their names; nothing where there are none. */
export function membersOf(entries: Iterable<readonly [string, JsonTree]>): JsonTree {
  const members = Object.fromEntries(entries);
  return Object.keys(members).length === 0 ? undefined : members;
}
