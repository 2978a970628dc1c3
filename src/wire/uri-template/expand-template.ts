import { parseTemplate } from 'url-template';
import { octetAt } from '../percent.ts';
import { type Operator, type TemplateVariable, type UriTemplate, UriTemplateError } from './uri-template.ts';

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
export interface Writing {
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
