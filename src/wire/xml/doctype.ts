import { skipWhite, type XmlSource } from './source.ts';

// XML 1.0 (fifth edition), section 2.8: a document type declaration, read past.

/** What is reported of a document whose DOCTYPE is read past. Nothing that one declares is fetched, expanded or applied. */
export interface DoctypeReport {
  /**
   * A reference to an entity that only a DOCTYPE may declare. Nothing stands for it. Lines and columns count from 1.
   * @param isValue whether it is in the value of an attribute and not in a text
   */
  entity(name: string, line: number, column: number, isValue: boolean): void;
  /** A declaration of attributes with a default, other than of namespaces. */
  defaults(line: number, column: number): void;
}

/** The defaults of namespaces, and the names of entities and the like, in a declaration of attributes. */
const NAMESPACE_DEFAULT = /\sxmlns(?::[^\s"'<>]+)?\s+CDATA\s+(?:#FIXED\s+)?(?:"[^"]*"|'[^']*')/g;

/**
 * Skips a document type declaration, in one pass.
 * @param start the index of its `<`
 * @returns the index after its `>`
 * @throws XmlError for one that is not well-formed, or has no end
 */
export function skipDoctype(source: XmlSource, start: number, report: DoctypeReport): number {
  const { text } = source;
  let at = start + '<!DOCTYPE'.length;
  if (skipWhite(text, at, text.length) === at) throw source.error('malformed DOCTYPE', start);
  for (; at < text.length; at++) {
    const code = text.charAt(at);
    if (code === '>') return at + 1;
    if (code === '"' || code === "'") at = find(source, code, at + 1, start);
    else if (code === '[') at = skipSubset(source, at + 1, start, report);
    else if (code === '<') break;
  }
  throw source.error('malformed DOCTYPE', start);
}

/** @returns the index of the `]` at the end of the internal subset */
function skipSubset(source: XmlSource, from: number, start: number, report: DoctypeReport): number {
  const { text } = source;
  for (let at = from; at < text.length; at++) {
    if (text.charAt(at) === ']') return at;
    if (text.charAt(at) !== '<') continue;
    if (text.startsWith('<!--', at)) at = find(source, '-->', at + 4, start) + 2;
    else if (text.startsWith('<?', at)) at = find(source, '?>', at + 2, start) + 1;
    else if (/[A-Z]/.test(text.charAt(at + 2)) && text.charAt(at + 1) === '!') {
      const end = endOfDeclaration(source, at, start);
      if (text.startsWith('<!ATTLIST', at)) tellDefaults(source, at, end, report);
      at = end;
    } else break;
  }
  throw source.error('malformed DOCTYPE', start);
}

/** @returns the index of its `>` */
function endOfDeclaration(source: XmlSource, from: number, start: number): number {
  const { text } = source;
  for (let at = from + 2; at < text.length; at++) {
    const code = text.charAt(at);
    if (code === '>') return at;
    if (code === '"' || code === "'") at = find(source, code, at + 1, start);
    else if (code === '<') break;
  }
  throw source.error('malformed DOCTYPE', start);
}

function tellDefaults(source: XmlSource, from: number, end: number, report: DoctypeReport): void {
  const others = source.text.slice(from, end).replace(NAMESPACE_DEFAULT, '');
  if (/["']/.test(others)) report.defaults(source.lineOf(from), source.columnOf(from));
}

function find(source: XmlSource, wanted: string, from: number, start: number): number {
  const found = source.text.indexOf(wanted, from);
  if (found === -1) throw source.error('a DOCTYPE has no end', start);
  return found;
}
