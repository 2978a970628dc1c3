/** Entries of a map or a list of the registry in the order of their ids, compared by code unit: the same on every machine. */
export function sorted<T extends { readonly id: string }>(entries: ReadonlyMap<string, T> | readonly T[]): T[] {
  return [...entries.values()].sort(byId);
}

export function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
