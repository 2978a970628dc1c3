// Namespaces in XML 1.0 (third edition), sections 2, 3 and 6: the bindings of prefixes, and which declarations are
// valid.

export const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
export const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

/** The declarations of one start tag, within those around it: elements without any share the scope of their parent. */
export class Scope {
  // Most tags with declarations have just one. The default namespace has the empty prefix, and is empty if there is
  // none.
  readonly #prefix: string;
  readonly #namespace: string;
  #more: Map<string, string> | undefined;
  readonly #outer: Scope | undefined;

  constructor(prefix: string, namespace: string, outer: Scope | undefined) {
    this.#prefix = prefix;
    this.#namespace = namespace;
    this.#outer = outer;
  }

  /** Adds another declaration of the tag. @returns false if the tag has declared the prefix already */
  add(prefix: string, namespace: string): boolean {
    this.#more ??= new Map();
    if (prefix === this.#prefix || this.#more.has(prefix)) return false;
    this.#more.set(prefix, namespace);
    return true;
  }

  /** The namespace that a prefix is bound to; `undefined` when it is unbound. */
  namespaceOf(prefix: string): string | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#outer) {
      if (scope.#prefix === prefix) return scope.#namespace;
      const found = scope.#more?.get(prefix);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** The bindings that need no declaration. */
export const OUTERMOST = new Scope('', '', undefined);
OUTERMOST.add('xml', XML_NAMESPACE);
OUTERMOST.add('xmlns', XMLNS_NAMESPACE);

/** What is wrong with a declaration; `undefined` if it is valid. */
export function faultOfDeclaration(prefix: string, namespace: string): string | undefined {
  // If one reader strips the white space and another does not, they read different names.
  if (namespace.trim() !== namespace) return `the namespace of ${nameOf(prefix)} has white space around it`;
  if (prefix === 'xmlns') return 'the prefix xmlns may not be declared';
  if (prefix === 'xml') return namespace === XML_NAMESPACE ? undefined : `xml prefix must be bound to ${XML_NAMESPACE}`;
  if (namespace === XML_NAMESPACE || namespace === XMLNS_NAMESPACE)
    return `${nameOf(prefix)} may not be bound to ${namespace}, which has a prefix of its own`;
  return prefix !== '' && namespace === '' ? 'invalid attempt to undefine prefix in XML 1.0' : undefined;
}

function nameOf(prefix: string): string {
  return prefix === '' ? 'xmlns' : `xmlns:${prefix}`;
}

/** XML Schema 1.1 Part 1, section 2.7: `nil`, `type`, `schemaLocation`, `noNamespaceSchemaLocation`. */
export const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

/** The attributes of an element whose value is null (section 2.7.2), wherever it is. */
export const NIL = ` xmlns:xsi="${XSI}" xsi:nil="true"`;
