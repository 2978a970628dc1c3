import { parseTemplate } from 'url-template';
import { normalizePercent, octetAt, percentEncode } from '../percent.ts';
import {
  type Operator,
  type TemplatePart,
  type TemplateVariable,
  type UriTemplate,
  UriTemplateError,
} from './uri-template.ts';

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

// URI Template expansion, RFC 6570 section 3, by the url-template package; templates and values are prepared for it
// here.

/** How a value is written: `path` keeps slashes, `odata` doubles quotes (OData 4.01, 5.1.1.6.1), `odata-path` both. */
export type UrlStyle = 'segment' | 'path' | 'odata' | 'odata-path';

type Scalar = string | number | bigint | boolean | null | undefined;

/** The value of a variable: one value, a list, or names with values. Null, undefined and empty lists are absent. */
export type UriValue = Scalar | readonly Scalar[] | { readonly [name: string]: Scalar };

export type UriValues = Readonly<Record<string, UriValue>>;

/** @throws UriExpansionError for a value that the template can't carry */
export type UriExpander = (values: UriValues) => string;

/** A value that can't be written at its place. `reason` completes a sentence that begins with the variable's name. */
export class UriExpansionError extends Error {
  override readonly name = 'UriExpansionError';
  readonly variable: string;
  readonly reason: string;

  constructor(variable: string, reason: string) {
    super(`${variable} ${reason}`);
    this.variable = variable;
    this.reason = reason;
  }
}

/** A value in the form that url-template accepts: texts only, without absent members. */
type Prepared = string | string[] | Record<string, string>;

/** One occurrence of a variable: the operator passed to url-template, and how its texts are prepared. */
interface Writing {
  readonly operator: Operator;
  write(text: string): string;
}

/** Implements RFC 6570 exactly where the operator needs preparation; url-template does the rest. */
export function plainWriting({ operator }: TemplateVariable): Writing {
  return { operator, write: operator === '+' || operator === '#' ? encodeStrayPercent : (text) => text };
}

/**
 * Encodes a `%` that does not begin an octet like any other character; url-template passes it through where reserved
 * characters are allowed.
 */
function encodeStrayPercent(text: string): string {
  let out = '';
  let from = 0;
  for (let at = text.indexOf('%'); at !== -1; at = text.indexOf('%', at + 1)) {
    if (octetAt(text, at) !== -1) continue;
    out += `${text.slice(from, at)}%25`;
    from = at + 1;
  }
  return out + text.slice(from);
}

/**
 * Compiles a template: each occurrence has its own key in url-template, so one variable may be cut (`{x:3}`) or written
 * differently in two places.
 */
export function compileExpander(
  template: UriTemplate,
  writingOf: (variable: TemplateVariable, part: number) => Writing,
): UriExpander {
  const slots: { key: string; variable: TemplateVariable; writing: Writing }[] = [];
  const prepared = template.parts.map((part, index) => {
    // Literal text never changes, and most of a template is literal.
    if (part.kind === 'literal') return parseTemplate(part.text).expand({});
    const writings = part.variables.map((variable) => writingOf(variable, index));
    const operator = writings[0]?.operator ?? part.operator;
    const names = part.variables.map((variable, i) => {
      const key = keyOf(variable, part.operator, slots);
      slots.push({ key, variable, writing: writings[i] ?? { operator, write: (value) => value } });
      return variable.explode ? `${key}*` : key;
    });
    return compileExpression(operator, names);
  });
  return (values) => {
    const context: Record<string, Prepared> = Object.create(null);
    for (const { key, variable, writing } of slots) {
      const value = Object.hasOwn(values, variable.name)
        ? prepare(variable, values[variable.name], writing.write)
        : undefined;
      if (value !== undefined) context[key] = value;
    }
    let uri = '';
    for (const part of prepared) uri += typeof part === 'string' ? part : part(context);
    return uri;
  };
}

type Context = Readonly<Record<string, Prepared>>;

/** Every operator writes these characters as they are (RFC 6570 section 1.5). */
const UNRESERVED = /^[\w.~-]*$/;

/** What is in front of the first value of an expression and of the others (RFC 6570, appendix A), and whether they have names. */
const RULES: Readonly<Record<Operator, readonly [first: string, next: string, named: boolean]>> = {
  '': ['', ',', false],
  '+': ['', ',', false],
  '#': ['#', ',', false],
  '.': ['.', '.', false],
  '/': ['/', '/', false],
  ';': [';', ';', true],
  '?': ['?', '&', true],
  '&': ['&', '&', true],
};

/** Values that need no encoding, as most, are written here: url-template reads its template anew for each, 7 microseconds. */
function compileExpression(operator: Operator, names: readonly string[]): (context: Context) => string {
  const template = parseTemplate(`{${operator}${names.join(',')}}`);
  const [first, next, named] = RULES[operator];
  const plain = names.every((name) => !name.endsWith('*') && (!named || UNRESERVED.test(name)));
  if (!plain) return (context) => template.expand(context);
  return (context) => {
    let out: string | undefined;
    for (const name of names) {
      const value = context[name];
      if (value === undefined) continue;
      if (typeof value !== 'string' || !UNRESERVED.test(value)) return template.expand(context);
      out = out === undefined ? first : out + next;
      if (named) out += value === '' && operator === ';' ? name : `${name}=`;
      out += value;
    }
    return out ?? '';
  };
}

/** `;`, `?` and `&` write the key, so for them the key is the decoded name, which url-template encodes. */
function keyOf(
  variable: TemplateVariable,
  operator: Operator,
  slots: readonly { key: string; variable: TemplateVariable }[],
): string {
  if (operator !== ';' && operator !== '?' && operator !== '&') return `\0${slots.length}`;
  const { wireName } = variable;
  if (/[{}:*,]/.test(wireName)) {
    throw new UriTemplateError(`the name ${variable.name} stands for a character that templates use themselves`, 0);
  }
  if (slots.some((slot) => slot.key === wireName && slot.variable.prefix !== variable.prefix)) {
    throw new UriTemplateError(`${variable.name} occurs in it twice with different lengths`, 0);
  }
  return wireName;
}

function prepare(variable: TemplateVariable, value: UriValue, write: (text: string) => string): Prepared | undefined {
  if (value === null || value === undefined) return undefined;
  const one = (scalar: Scalar) => encodeWith(variable, write, cut(variable, String(scalar)));
  if (!isComposite(value)) return one(value);
  if (variable.prefix !== undefined) {
    throw new UriExpansionError(
      variable.name,
      `holds more than one value, to which :${variable.prefix} does not apply`,
    );
  }
  if (isList(value)) {
    const given = value.filter((item) => item !== null && item !== undefined).map(one);
    return given.length === 0 ? undefined : given;
  }
  const given = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  if (given.length === 0) return undefined;
  return Object.fromEntries(given.map(([name, item]) => [encodeWith(variable, (text) => text, name), one(item)]));
}

function isComposite(value: UriValue): value is readonly Scalar[] | { readonly [name: string]: Scalar } {
  return typeof value === 'object' && value !== null;
}

function isList(value: readonly Scalar[] | { readonly [name: string]: Scalar }): value is readonly Scalar[] {
  return Array.isArray(value);
}

function encodeWith(variable: TemplateVariable, write: (text: string) => string, text: string): string {
  if (!text.isWellFormed())
    throw new UriExpansionError(variable.name, 'holds half of a surrogate pair, which UTF-8 does not carry');
  if (text.includes('\0')) throw new UriExpansionError(variable.name, 'holds the character NUL');
  return write(text);
}

/** Section 2.4.1: counts code points, and never splits a percent-encoded octet of a reserved expansion. */
function cut(variable: TemplateVariable, text: string): string {
  const { prefix, operator } = variable;
  if (prefix === undefined || text.length <= prefix) return text;
  const keepsTriplets = operator === '+' || operator === '#';
  let at = 0;
  for (let count = 0; count < prefix && at < text.length; count++) {
    if (keepsTriplets && octetAt(text, at) !== -1) at += 3;
    else at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, at);
}
