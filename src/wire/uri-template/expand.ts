import { normalizePercent, percentEncode } from '../percent.ts';
import {
  compileExpander,
  plainWriting,
  type UriExpander,
  UriExpansionError,
  type UriValues,
  type UrlStyle,
  type Writing,
} from './expand-template.ts';
import { type TemplatePart, type TemplateVariable, type UriTemplate, UriTemplateError } from './uri-template.ts';

// Writes values into a URI so that no value changes its structure: RFC 3986 section 2.2 (delimiters), 3.3 and 5.2.4
// (segments and dots), OData 4.01 part 2 section 5.1.1.6.1 (quotes).

/**
 * Compiles a template for writing. Values in any style but plain `segment` are encoded here and passed on as reserved
 * text, so they are encoded exactly once; `{+x}` counts as `path`, or in a query keeps `/ : @ ?`. No value can
 * introduce a dot segment, a `?`, a `#` or percent-encoding of its own.
 * With `hostText`, variables before the template's first slash are text of a host name (the base is a bare `https://`):
 * they are checked, never percent-encoded. The last of them may end in a port if it ends the host.
 * @throws UriTemplateError for `path` or `odata-path` on a variable of `{.x}`, `{/x}` or `{;x}`, which can't keep
 *   slashes
 */
export function compileUriExpander(
  template: UriTemplate,
  urlStyleOf: (variable: TemplateVariable) => UrlStyle = () => 'segment',
  options: { readonly hostText?: boolean } = {},
): UriExpander {
  const { parts } = template;
  const hostEnd = options.hostText === true ? hostEndPart(parts) : 0;
  const last = endsHost(parts[hostEnd]) ? hostEnd - 1 : -1;
  const expand = compileExpander(template, (variable, part) =>
    part < hostEnd
      ? hostWriting(variable, part === last)
      : joined(writingFor(variable, urlStyleOf(variable)), variable, urlStyleOf(variable), parts, part),
  );
  const inPath = template.variables.filter((variable) => variable.place === 'path' && variable.operator !== '#');
  return (values) => {
    const uri = expand(values);
    const dots = dotSegment(uri);
    if (dots !== undefined) throw dotError(inPath, values, dots);
    return uri;
  };
}

/** Index of the part that ends the host or is the first after it; everything before it is host text. */
function hostEndPart(parts: readonly TemplatePart[]): number {
  const index = parts.findIndex((part) =>
    part.kind === 'literal' ? /[/?#]/.test(part.text) : '/?#'.includes(part.operator || ' '),
  );
  return index === -1 ? parts.length : index;
}

/** Whether the host ends before this part. */
function endsHost(part: TemplatePart | undefined): boolean {
  return part === undefined || part.kind === 'expression' || /^[/?#]/.test(part.text);
}

/** RFC 3986, 3.2.2, restricted to DNS names (RFC 1123, 2.1): labels of letters, digits and hyphens. */
const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;
const PORT = /:[0-9]{1,5}$/;

function hostWriting(variable: TemplateVariable, mayHavePort: boolean): Writing {
  const write = (text: string) => {
    if (HOST.test(mayHavePort ? text.replace(PORT, '') : text)) return text;
    throw new UriExpansionError(variable.name, 'stands in a host name: letters, digits, dots and hyphens only');
  };
  return { operator: '+', write };
}

function writingFor(variable: TemplateVariable, style: UrlStyle): Writing {
  const { operator, place, name } = variable;
  const doubled = style === 'odata' || style === 'odata-path';
  const slashes = style === 'path' || style === 'odata-path' || operator === '+';
  if (operator !== '' && operator !== '+') {
    if (slashes && (operator === '.' || operator === '/' || operator === ';')) {
      throw new UriTemplateError(`{${operator}${name}} keeps no slashes: write {${name}} where its value is a path`, 0);
    }
    const plain = plainWriting(variable);
    return doubled ? { operator, write: (text) => plain.write(text.replaceAll("'", "''")) } : plain;
  }
  if (!doubled && !slashes) return { operator: '', write: (text) => text };
  const encode = place === 'query' && slashes ? encodeQuery : slashes ? encodePath : percentEncode;
  return { operator: '+', write: doubled ? (text) => text.split("'").map(encode).join("''") : encode };
}

/**
 * Joins a path whose own slashes adjoin those of the template: `/Shared Documents/` between two slashes is the same
 * folder as `Shared Documents`, but servers treat an empty segment as a different folder.
 */
function joined(
  writing: Writing,
  { name, place }: TemplateVariable,
  style: UrlStyle,
  parts: readonly TemplatePart[],
  part: number,
): Writing {
  const [previous, own, next] = [parts[part - 1], parts[part], parts[part + 1]];
  const isPath = place === 'path' && (style === 'path' || style === 'odata-path');
  if (!isPath || own?.kind !== 'expression' || own.variables.length !== 1) return writing;
  const behindSlash = previous?.kind === 'literal' && previous.text.endsWith('/');
  const beforeSlash = next?.kind === 'literal' && next.text.startsWith('/');
  if (!behindSlash && !beforeSlash) return writing;
  const cut = (text: string): string => {
    let start = 0;
    let end = text.length;
    if (behindSlash) while (text[start] === '/') start++;
    if (beforeSlash) while (end > start && text[end - 1] === '/') end--;
    if (start === end && text !== '')
      throw new UriExpansionError(name, 'consists of slashes only, but is part of the path');
    return text.slice(start, end);
  };
  return { ...writing, write: (text) => writing.write(cut(text)) };
}

const encodePath = (text: string) => text.split('/').map(percentEncode).join('/');

const encodeQuery = (text: string) => percentEncode(text).replace(/%(?:2F|3A|40|3F)/g, decodeURIComponent);

/**
 * Ends of a segment, including those for receivers that decode a path before they split it, or treat a backslash as a
 * slash.
 */
const SEGMENT_END = /\/|%2F|%5C/i;

/**
 * A `.` or `..` segment in the path of a URI, which the receiver would resolve away: many do so even with parameters
 * (`..;x=1`).
 */
function dotSegment(uri: string): string | undefined {
  if (!uri.includes('.') && !uri.includes('%2')) return undefined;
  const path = before(before(uri, '#'), '?');
  const segments = path.split(SEGMENT_END).map((segment) => before(segment, ';'));
  return segments.find((segment) => segment.length <= 6 && isDots(normalizePercent(segment)));
}

const isDots = (segment: string) => segment === '.' || segment === '..';

function before(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at === -1 ? text : text.slice(0, at);
}

/** Names the variable that the dots came from, if known. */
function dotError(variables: readonly TemplateVariable[], values: UriValues, dots: string): UriExpansionError {
  const holdsDots = (text: string) => text.split(/[/\\]/).some(isDots);
  const culprit = variables.find(({ name }) => {
    const value = values[name];
    const texts = typeof value === 'object' && value !== null ? Object.values(value) : [value];
    return texts.some((text) => holdsDots(String(text)));
  });
  const name = culprit?.name ?? variables.map((variable) => variable.name).join(', ');
  return new UriExpansionError(
    name === '' ? 'The template' : name,
    `would put a segment ${dots} into the path, which changes where it leads`,
  );
}
