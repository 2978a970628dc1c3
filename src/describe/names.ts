import { foldedName } from '../model/document.ts';

/** An NCName of ASCII characters (Namespaces in XML 1.0, section 4): any other character becomes `_`. */
export function ncName(text: string): string {
  const clean = text.replace(/[^\w.-]/g, '_');
  return /^[A-Za-z_]/.test(clean) ? clean : `_${clean}`;
}

/**
 * Allocates names that differ in every language ({@link foldedName}): a name that is taken gets `_2`, `_3` and so on.
 * @param taken names that are never allocated
 */
export function nameAllocator(taken: Iterable<string> = []): (wanted: string) => string {
  const given = new Set([...taken].map(foldedName));
  return (wanted) => {
    const name = firstFree(wanted, (candidate) => !given.has(foldedName(candidate)));
    given.add(foldedName(name));
    return name;
  };
}

/** The first of `X`, `X_2`, `X_3` and so on that is free. */
export function firstFree(wanted: string, isFree: (name: string) => boolean): string {
  let name = wanted;
  for (let count = 2; !isFree(name); count++) name = `${wanted}_${count}`;
  return name;
}

/**
 * Identifiers of an operation's URIs: the operation's own for the first, with the URI index for the others
 * (`LOCATIONS_GET`, `LOCATIONS_GET_2`), none of them the name of another operation of the service.
 */
export function uriNames(
  operations: readonly { readonly name: string; readonly uris: readonly { readonly index: number }[] }[],
) {
  const allocate = nameAllocator(operations.map((operation) => operation.name));
  const names = new Map<unknown, string>();
  for (const operation of operations) {
    for (const [position, uri] of operation.uris.entries()) {
      names.set(uri, position === 0 ? operation.name : allocate(`${operation.name}_${uri.index}`));
    }
  }
  return (uri: { readonly index: number }): string => names.get(uri) as string;
}
