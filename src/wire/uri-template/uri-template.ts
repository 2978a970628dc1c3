// URI Template, RFC 6570: parsed, matched on the server side (section 1.4 in reverse) and expanded.

import { isAlphaNumeric, octetAt, PercentError, percentDecode } from '../percent.ts';

/** Expression operators of RFC 6570 section 2.2; `''` is simple expansion. */
export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';

/** One variable of a template, in order of appearance. */
export interface TemplateVariable {
  readonly name: string;
  readonly operator: Operator;
  /** `{list*}`. */
  readonly explode: boolean;
  /** `{var:3}`. */
  readonly prefix?: number;
  /** A variable is in the query if it follows a literal `?`, or is in `{?}` or `{&}`. */
  readonly place: 'path' | 'query';
  /** Its name on the wire: `region` of `region={REGION}`; the variable's own name elsewhere. */
  readonly wireName: string;
  /** Whether the URI must contain it: `{X}` in a path, `x={X}` in a query. `{?x}` may be absent. */
  readonly required: boolean;
}

export type TemplatePart =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'expression'; readonly operator: Operator; readonly variables: readonly TemplateVariable[] };

export interface UriTemplate {
  readonly text: string;
  readonly parts: readonly TemplatePart[];
  /** The variables of all parts, in order of appearance. A name that occurs twice is listed twice. */
  readonly variables: readonly TemplateVariable[];
}

/** A text that is not a URI template. `offset` counts UTF-16 units from 0 and marks the error. */
export class UriTemplateError extends Error {
  override readonly name = 'UriTemplateError';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/**
 * Parses a template of any level. The grammar is RFC 6570 section 2, except that `'` is accepted as a literal too,
 * because real templates use it (`add(url='{FileName}')`). A server may be unable to receive a valid template: see
 * `receivable`.
 * @throws UriTemplateError at the first invalid character
 */
export function parseUriTemplate(text: string): UriTemplate {
  const parts: TemplatePart[] = [];
  const context: Context = { place: 'path', piece: '' };
  let at = 0;
  while (at < text.length) {
    if (text[at] === '{') {
      const close = text.indexOf('}', at);
      if (close === -1) throw new UriTemplateError('the expression that starts here is not closed with }', at);
      parts.push(parseExpression(text, at, close, context));
      at = close + 1;
    } else {
      const end = literalEnd(text, at);
      const literal = text.slice(at, end);
      parts.push({ kind: 'literal', text: literal });
      readLiteral(literal, context);
      at = end;
    }
  }
  return { text, parts, variables: parts.flatMap((part) => (part.kind === 'literal' ? [] : part.variables)) };
}

/** The position of the parser within the URI. */
interface Context {
  place: 'path' | 'query' | 'fragment';
  /** Literal text since the last `?` or `&` of the query; `undefined` once that piece contains an expression. */
  piece: string | undefined;
}

function readLiteral(literal: string, context: Context): void {
  for (const c of literal) {
    if (context.place === 'fragment') return;
    if (c === '#') context.place = 'fragment';
    else if (context.place === 'path') {
      if (c === '?') Object.assign(context, { place: 'query', piece: '' });
    } else if (c === '&') context.piece = '';
    else if (context.piece !== undefined) context.piece += c;
  }
}

/**
 * Section 2.1: any character except controls, space, `" % < > \ ^ { | }` and the backtick; accepting `'` is our
 * extension.
 */
function literalEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== '{') {
    const code = text.codePointAt(at) ?? 0;
    if (code === 0x25) {
      if (octetAt(text, at) === -1) throw new UriTemplateError('% needs two hexadecimal digits after it', at);
      at += 3;
      continue;
    }
    if (code === 0x7d) throw new UriTemplateError('} closes no expression', at);
    if (!isLiteral(code)) throw new UriTemplateError(`${show(text, at)} must be percent-encoded in a template`, at);
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

function isLiteral(code: number): boolean {
  if (code < 0x80) return code > 0x20 && code < 0x7f && !'"<>\\^`|'.includes(String.fromCharCode(code));
  // ucschar and iprivate of RFC 3987: no C1 controls, surrogates, noncharacters or tags.
  if (code < 0xa0 || (code >= 0xd800 && code < 0xe000)) return false;
  if ((code >= 0xfdd0 && code <= 0xfdef) || (code >= 0xfff0 && code <= 0xffff)) return false;
  return (code & 0xffff) < 0xfffe && !(code >= 0xe0000 && code < 0xe1000);
}

const operators = '+#./;?&';

function parseExpression(text: string, open: number, close: number, context: Context): TemplatePart {
  let at = open + 1;
  if (at === close) throw new UriTemplateError('an expression needs a variable', open);
  const first = text[at] ?? '';
  const operator = (operators.includes(first) ? first : '') as Operator;
  if (operator !== '') at += 1;
  else if ('=,!@|'.includes(first)) {
    throw new UriTemplateError(`the operator ${first} is reserved and has no meaning (RFC 6570, section 2.2)`, at);
  }
  if (operator === '#') context.place = 'fragment';
  const place = operator === '?' || operator === '&' || context.place === 'query' ? 'query' : 'path';
  const variables: TemplateVariable[] = [];
  while (true) {
    const end = variableEnd(text, at, close);
    variables.push(parseVariable(text, at, end, operator, place));
    if (end === close) break;
    at = end + 1;
  }
  const named = nameByLiteral(variables, operator, context, open);
  if (context.place === 'path' && place === 'query') context.place = 'query';
  context.piece = undefined;
  return { kind: 'expression', operator, variables: named };
}

function variableEnd(text: string, start: number, close: number): number {
  const comma = text.indexOf(',', start);
  return comma === -1 || comma > close ? close : comma;
}

/** `region={REGION}`: the literal before the expression is the variable's name on the wire. */
function nameByLiteral(
  variables: TemplateVariable[],
  operator: Operator,
  context: Context,
  open: number,
): TemplateVariable[] {
  const [variable] = variables;
  const { place, piece } = context;
  if (variable === undefined || variables.length > 1 || place !== 'query' || piece === undefined) return variables;
  if ((operator !== '' && operator !== '+') || piece.indexOf('=') !== piece.length - 1 || piece.length < 2)
    return variables;
  return [{ ...variable, wireName: decoded(piece.slice(0, -1), true, open) }];
}

/** varspec of section 2.3, with the modifiers of section 2.4. */
function parseVariable(
  text: string,
  start: number,
  end: number,
  operator: Operator,
  place: 'path' | 'query',
): TemplateVariable {
  const nameEnd = variableNameEnd(text, start, end);
  const name = text.slice(start, nameEnd);
  const prefix = text[nameEnd] === ':' ? parsePrefix(text, nameEnd, end) : undefined;
  const explode = nameEnd < end && prefix === undefined;
  if (explode && nameEnd + 1 < end) throw new UriTemplateError('nothing may follow * but , or }', nameEnd + 1);
  const required = operator === '' || operator === '+';
  const wireName = operator === '?' || operator === '&' || operator === ';' ? decoded(name, false, start) : name;
  return { name, operator, explode, place, wireName, required, ...(prefix === undefined ? {} : { prefix }) };
}

/** varname: letters, digits, `_` and `%XX`, with single dots between them. */
function variableNameEnd(text: string, start: number, end: number): number {
  let at = start;
  let dot = true;
  while (at < end && text[at] !== ':' && text[at] !== '*') {
    const code = text.charCodeAt(at);
    if (code === 0x25) {
      if (octetAt(text, at) === -1) throw new UriTemplateError('% needs two hexadecimal digits after it', at);
      at += 2;
    } else if (code === 0x2e ? dot : !isAlphaNumeric(code) && code !== 0x5f) {
      throw new UriTemplateError(`a variable name can't hold ${show(text, at)} here`, at);
    }
    dot = code === 0x2e;
    at += 1;
  }
  if (at === start) throw new UriTemplateError('a variable name is missing', start);
  if (dot) throw new UriTemplateError("a variable name can't end with a dot", at - 1);
  return at;
}

/** `:` and a length from 1 to 9999 without leading zeros. */
function parsePrefix(text: string, colon: number, end: number): number {
  const digits = text.slice(colon + 1, end);
  if (!/^[1-9][0-9]{0,3}$/.test(digits)) {
    throw new UriTemplateError('a length from 1 to 9999 must follow the colon, and nothing after it', colon + 1);
  }
  return Number(digits);
}

/** The decoded name, as in requests. */
function decoded(name: string, plusIsSpace: boolean, offset: number): string {
  try {
    return percentDecode(name, plusIsSpace);
  } catch (error) {
    if (error instanceof PercentError)
      throw new UriTemplateError(`the name ${name} can't be decoded: ${error.reason}`, offset);
    throw error;
  }
}

function show(text: string, at: number): string {
  const code = text.codePointAt(at) ?? 0;
  const printable = code > 0x20 && code !== 0x7f && (code < 0xd800 || code > 0xdfff);
  return code === 0x20
    ? 'a space'
    : printable
      ? String.fromCodePoint(code)
      : `U+${code.toString(16).padStart(4, '0').toUpperCase()}`;
}
