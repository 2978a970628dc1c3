import { readXmlPastDoctype, XmlError } from '../wire/xml/read-xml.ts';
import { attributeOf, childrenOf, type XmlElement } from '../wire/xml/tree.ts';
import { ImportError, type Losses, type Place } from './place.ts';
import { textOf } from './text.ts';

/** Nothing that a DOCTYPE names is ever read, and nothing that it declares expanded: both can be attacks. */
const RESOLVE_ENTITIES =
  'If you trust the file, import the output of `xmllint --noent --nonet FILE`, which has its entities in place.';

/**
 * Reads an XML document of a contract in the encoding that it declares, and past its DOCTYPE.
 * @throws ImportError
 */
export function parseXml(bytes: Uint8Array, location: string, losses: Losses): XmlElement {
  const text = textOf(bytes, location, true, losses);
  const entities = new Set<string>();
  try {
    const root = readXmlPastDoctype(text, {
      entity: (name, line, column, isValue) => {
        const what = `the entity "${name}" is declared by a DOCTYPE, which is not read`;
        const place = { source: location, line, column };
        // An attribute without it says something else.
        if (isValue) throw new ImportError(what, place, RESOLVE_ENTITIES);
        if (entities.has(name)) return;
        entities.add(name);
        losses.invalid(what, 'left out, with what it declares', place, RESOLVE_ENTITIES);
      },
      defaults: (line, column) =>
        losses.add('the defaults of attributes in a DOCTYPE', 'not applied', { source: location, line, column }),
    });
    checkNamespaces(text, root, location);
    return root;
  } catch (error) {
    if (error instanceof XmlError) {
      const { reason, line, column } = error;
      throw new ImportError(`not valid XML: ${reason}`, { source: location, line, column });
    }
    throw error;
  }
}

/** What has no declarations in it, and declarations of namespaces. */
const DECLARATION = /<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|\sxmlns(?::[^\s=]+)?\s*=\s*(?:"([^"]*)"|'([^']*)')/gs;

/** Characters that no URI has (RFC 3986, section 2); those beyond ASCII are accepted, as in an IRI. */
const NOT_IN_URI = /[\s<>"{}|\\^`]/;

/** Refuses namespaces that are no URI references, such as templates that were not filled in (`{{host}}`). @throws ImportError */
function checkNamespaces(whole: string, root: XmlElement, location: string): void {
  // A DOCTYPE may have any number of comments without an end in its texts: behind it, each one has an end.
  const start = startOf(root, whole);
  const text = whole.slice(start);
  for (const { 0: found, 1: quoted, 2: single, index } of text.matchAll(DECLARATION)) {
    const namespace = quoted ?? single;
    if (namespace === undefined || !NOT_IN_URI.test(namespace)) continue;
    const before = whole.slice(0, start + index + found.search(/\S/)).split('\n');
    const place = { source: location, line: before.length, column: (before.at(-1) as string).length + 1 };
    throw new ImportError(`the namespace ${JSON.stringify(namespace)} is not a URI`, place);
  }
}

/** The index of the start tag of an element, whose place is that of the end of the tag. */
function startOf({ line, column }: XmlElement, text: string): number {
  let at = 0;
  const lines = /\r\n?|\n/g;
  for (let each = 1; each < line && lines.exec(text) !== null; each++) at = lines.lastIndex;
  for (let each = 1; each < column; each++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return text.lastIndexOf('<', at);
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

/** Whether two declarations are the same but for their documentation and prefixes. */
export function isSameDeclaration(a: XmlElement, b: XmlElement): boolean {
  if (a.local !== b.local || a.namespace !== b.namespace || a.attributes.length !== b.attributes.length) return false;
  const same = a.attributes.every((each) => {
    const other = b.attributes.find(({ local, namespace }) => local === each.local && namespace === each.namespace);
    return other !== undefined && (other.value === each.value || spelled(each.value, a) === spelled(other.value, b));
  });
  if (!same) return false;
  const [inA, inB] = [declaredIn(a), declaredIn(b)];
  return inA.length === inB.length && inA.every((each, i) => isSameDeclaration(each, inB[i] as XmlElement));
}

function declaredIn(element: XmlElement): XmlElement[] {
  return childrenOf(element).filter(({ local }) => local !== 'annotation' && local !== 'documentation');
}

/** A value with the namespace in place of its prefix. */
function spelled(value: string, scope: XmlElement): string {
  return value.replace(/^([^:\s]*):/, (_, prefix: string) => `{${scope.namespaceOf(prefix) ?? prefix}}`);
}
