/** An NCName of ASCII characters (Namespaces in XML 1.0, section 4): any other character becomes `_`. */
export function ncName(text: string): string {
  const clean = text.replace(/[^\w.-]/g, '_');
  return /^[A-Za-z_]/.test(clean) ? clean : `_${clean}`;
}

/** Gives out names, each once: one that is taken gets `_2`, `_3` and so on. */
export function nameAllocator(taken: Iterable<string> = []): (wanted: string) => string {
  const given = new Set(taken);
  return (wanted) => {
    let name = wanted;
    for (let count = 2; given.has(name); count++) name = `${wanted}_${count}`;
    given.add(name);
    return name;
  };
}

/** One name a key, the same one whenever it is asked for again. */
export function namesOf<K>(keys: Iterable<K>, wish: (key: K) => string): (key: K) => string {
  const allocate = nameAllocator();
  const names = new Map<K, string>();
  for (const key of keys) names.set(key, allocate(wish(key)));
  return (key) => names.get(key) ?? wish(key);
}

/**
 * Identifiers of an operation's URIs: the operation's own for the first, with the URI index for the others
 * (`LOCATIONS_GET`, `LOCATIONS_GET_2`), none of them the id of another operation.
 */
export function uriNames(
  operations: readonly { readonly id: string; readonly uris: readonly { readonly index: number }[] }[],
) {
  const allocate = nameAllocator(operations.map((operation) => operation.id));
  const names = new Map<unknown, string>();
  for (const operation of operations) {
    for (const [position, uri] of operation.uris.entries()) {
      names.set(uri, position === 0 ? operation.id : allocate(`${operation.id}_${uri.index}`));
    }
  }
  return (uri: { readonly index: number }): string => names.get(uri) as string;
}
