import { CharsetError, decodeText } from '../wire/charset.ts';
import { readXml, XmlError } from '../wire/xml/read.ts';
import { attributeOf, childrenOf, type XmlElement } from '../wire/xml/tree.ts';
import { ImportError, type Losses, type Place } from './place.ts';

/** Reads an XML document of a contract in the encoding that it declares. @throws ImportError */
export function parseXml(bytes: Uint8Array, location: string): XmlElement {
  const root = readStrictly(bytes, location);
  checkNamespaces(root, location, new Set());
  return root;
}

function readStrictly(bytes: Uint8Array, location: string): XmlElement {
  try {
    return readXml(decodeText(bytes, undefined, true).replace(DECLARED_ENCODING, '$1'));
  } catch (error) {
    if (error instanceof XmlError)
      throw new ImportError(`not valid XML: ${error.reason}`, {
        source: location,
        line: error.line,
        column: error.column,
      });
    if (error instanceof CharsetError) throw new ImportError(error.message, { source: location, line: 0, column: 0 });
    throw error;
  }
}

/** The encoding in an XML declaration, which was used before the text is read. */
const DECLARED_ENCODING = /^(\uFEFF?<\?xml\s[^>]*?)\s+encoding\s*=\s*(?:"[^"]*"|'[^']*')/;

/** Characters that no URI has (RFC 3986, section 2); those beyond ASCII are accepted, as in an IRI. */
const NOT_IN_URI = /[\s<>"{}|\\^`]/;

/** Refuses namespaces that are no URI references, as templates that were not filled in are (`{{host}}`). @throws ImportError */
function checkNamespaces(element: XmlElement, location: string, known: Set<string>): void {
  const target = attribute(element, 'targetNamespace');
  for (const each of [element, ...element.attributes].map(({ namespace }) => namespace).concat(target ?? [])) {
    if (known.has(each)) continue;
    known.add(each);
    if (NOT_IN_URI.test(each))
      throw new ImportError(`the namespace ${JSON.stringify(each)} is not a URI`, placeOf(element, location));
  }
  for (const each of childrenOf(element)) checkNamespaces(each, location, known);
}

/** The place of an element. */
export function placeOf({ line, column }: XmlElement, source: string): Place {
  return { source, line, column };
}

/** A name with its namespace, empty for none. */
export interface QName {
  readonly namespace: string;
  readonly local: string;
}

/** A text by which names are the same: `{namespace}local`. */
export function qnameKey({ namespace, local }: QName): string {
  return `{${namespace}}${local}`;
}

/** Resolves a QName in the scope of an element. An undeclared prefix is a loss; the name then is in no namespace. */
export function readQName(text: string, scope: XmlElement, source: string, losses: Losses): QName {
  const [, prefix = '', local = ''] = /^(?:([^:]*):)?(.*)$/s.exec(text.trim()) ?? [];
  const namespace = scope.namespaceOf(prefix);
  if (namespace === undefined) {
    losses.add(
      `the prefix "${prefix}" of "${text}" is not declared`,
      'taken without a namespace',
      placeOf(scope, source),
    );
  }
  return { namespace: namespace ?? '', local };
}

/** Children with a name, in a namespace. */
export function childrenNamed(element: XmlElement, namespace: string, ...locals: readonly string[]): XmlElement[] {
  return childrenOf(element).filter((each) => each.namespace === namespace && locals.includes(each.local));
}

/** An attribute, without blanks around it; `undefined` when it is absent. */
export function attribute(element: XmlElement, local: string): string | undefined {
  return attributeOf(element, local)?.trim();
}

/** The text of documentation, as one paragraph per blank line. */
export function proseOf(texts: readonly string[]): string | undefined {
  const text = texts
    .join('\n\n')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' ').trim())
    .filter((paragraph) => paragraph !== '')
    .join('\n');
  return text === '' ? undefined : text;
}
