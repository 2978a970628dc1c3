// Namespaces of wildcards: those of elements and attributes of any name (XML Schema 1.0 Part 1, section 3.10).

/** Any namespace, or none. */
export const ANY_NAMESPACE = '##any';

/**
 * Whether a wildcard takes names of a namespace, empty for none.
 * @param any `##any`, `##other` (not the target's, and not none), or any of `##local` (none), `##targetNamespace` and URIs
 * @param target namespace of the document that has the wildcard
 */
export function takesNamespace(any: string, namespace: string, target: string): boolean {
  if (any === ANY_NAMESPACE) return true;
  if (any === '##other') return namespace !== '' && namespace !== target;
  return any.split(/\s+/).some((word) => namespace === meantBy(word, target));
}

/** The namespace that a word of a list stands for. */
function meantBy(word: string, target: string): string {
  if (word === '##local') return '';
  return word === '##targetNamespace' ? target : word;
}

/** A wildcard and the namespace of its document. */
export interface Wildcard {
  readonly any: string;
  readonly target: string;
}

/** Whether there is a namespace that both of two wildcards take. */
export function overlap(one: Wildcard, other: Wildcard): boolean {
  const namespaces = [one, other].flatMap(({ any, target }) => any.split(/\s+/).map((word) => meantBy(word, target)));
  // One that neither names.
  return ['', OTHER, one.target, other.target, ...namespaces].some(
    (each) => takesNamespace(one.any, each, one.target) && takesNamespace(other.any, each, other.target),
  );
}

const OTHER = 'urn:example:other';

/** A namespace that a wildcard takes, for examples; `undefined` where that depends on the document. */
export function exampleNamespace(any: string): string | undefined {
  if (any === ANY_NAMESPACE || any === '##other') return OTHER;
  const word = any.split(/\s+/).find((each) => each !== '##targetNamespace');
  return word === '##local' ? '' : word;
}

/** The name of an attribute as the key of a map: `{namespace}name`, or its name alone without a namespace. */
export function expandedName(namespace: string, local: string): string {
  return namespace === '' ? local : `{${namespace}}${local}`;
}

/** The parts of such a name. */
export function namePartsOf(key: string): { readonly namespace: string; readonly local: string } {
  const end = key.startsWith('{') ? key.lastIndexOf('}') : -1;
  return { namespace: key.slice(1, Math.max(end, 1)), local: key.slice(end + 1) };
}
