// Signatures of requests by a shared secret (HMAC, RFC 2104) in a header, in the form that their sender has chosen.

import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { WireError } from './error.ts';

export const HMAC_ALGORITHMS = ['sha1', 'sha256', 'sha384', 'sha512'] as const;

export type HmacAlgorithm = (typeof HMAC_ALGORITHMS)[number];

/** How the text of a secret stands for the bytes of the key. */
export const SECRET_ENCODINGS = ['text', 'base64', 'hex'] as const;

export type SecretEncoding = (typeof SECRET_ENCODINGS)[number];

type Digest = 'hex' | 'base64';
type Variable = Digest | 'timestamp' | 'id' | 'body';
type Part<V extends Variable> = { readonly text: string } | { readonly name: V };

const isText = (part: Part<Variable>): part is { readonly text: string } => 'text' in part;

/** What is signed: texts, and the facts of a request. */
export type SignedForm = readonly Part<'timestamp' | 'id' | 'body'>[];

/** One variable of a header with the texts around it. */
interface Piece {
  readonly name: Digest | 'timestamp';
  readonly before: string;
  readonly after: string;
  /** Finds each of it, between separators. */
  readonly pattern: RegExp;
}

/** What a header contains. */
export interface HeaderForm {
  readonly parts: readonly Part<Piece['name']>[];
  readonly digest: Piece;
  readonly timestamp: Piece | undefined;
}

/** The facts of a request that can be signed. */
export interface SignedFacts {
  /** As it is sent. */
  readonly timestamp: string | undefined;
  readonly id: string | undefined;
  /** Exactly the bytes that are sent. */
  readonly body: Uint8Array | string;
}

/** The variables in braces of a template, with the texts between them. @throws WireError that states the rule */
function parse<V extends Variable>(template: string, known: readonly V[]): Part<V>[] {
  const parts = template.split(/\{([^{}]*)\}/).map((text, index): Part<V> => {
    if (index % 2 === 0) {
      if (/[{}]/.test(text)) throw new WireError('has a brace that belongs to no variable');
      return { text };
    }
    const name = known.find((each) => each === text);
    const words = known.map((each) => `{${each}}`).join(', ');
    if (name === undefined) throw new WireError(`has {${text}}, which is not one of ${words}`);
    return { name };
  });
  const names = parts.flatMap((part) => (isText(part) ? [] : part.name));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new WireError(`has {${twice}} twice`);
  return parts.filter((part) => !isText(part) || part.text !== '');
}

/** Whether a template has a variable. */
export function hasVariable(parts: readonly Part<Variable>[], name: Variable): boolean {
  return parts.some((part) => !isText(part) && part.name === name);
}

/** The text behind a variable; empty where another variable or nothing follows. */
export function textBehind(parts: readonly Part<Variable>[], name: Variable): string {
  const next = parts[parts.findIndex((part) => !isText(part) && part.name === name) + 1];
  return next !== undefined && isText(next) ? next.text : '';
}

/** What separates several signatures, or a signature and its time. */
const SEPARATORS = /[\s,;]+/;

/** The characters of each variable. None of them is a separator, so that a header is read in time linear to its length. */
const CHARACTERS: Readonly<Record<Piece['name'], string>> = {
  hex: '[0-9A-Fa-f]+',
  base64: '[A-Za-z0-9+/_-]+={0,2}',
  timestamp: '[^\\s,;]+',
};

function pieceOf(name: Piece['name'], before: string, after: string): Piece {
  const [head, tail] = [before, after].map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  const pattern = new RegExp(`(?<![^\\s,;])${head}(${CHARACTERS[name]})${tail}(?![^\\s,;])`, 'g');
  return { name, before, after, pattern };
}

/**
 * Reads what a header contains: `{hex}`, `sha256={hex}`, `HMAC {base64}`, `t={timestamp},v1={hex}`.
 * @throws WireError that states the rule
 */
export function readHeaderForm(template: string): HeaderForm {
  const parts = parse(template.trim(), ['hex', 'base64', 'timestamp']);
  if (hasVariable(parts, 'hex') === hasVariable(parts, 'base64'))
    throw new WireError('needs either {hex} or {base64}, where the signature is');
  if (/[^\t\x20-\x7e]/.test(template)) throw new WireError('has a character that is not valid in a header');
  const pieces: Piece[] = [];
  let before = '';
  for (const [index, part] of parts.entries()) {
    if (isText(part)) {
      if (pieces.length === 0) before = part.text;
      continue;
    }
    const [next, ...others] = parts.slice(index + 1);
    const behind = next !== undefined && isText(next) ? next.text : '';
    const isLast = others.length === 0 && (next === undefined || isText(next));
    const end = isLast ? behind.length : behind.search(SEPARATORS);
    if (end < 0) throw new WireError('needs a comma, a semicolon or a space between its two variables');
    pieces.push(pieceOf(part.name, before, behind.slice(0, end)));
    before = behind.slice(end).replace(SEPARATORS, '');
  }
  const timestamp = pieces.find(({ name }) => name === 'timestamp');
  return { parts, digest: pieces.find((each) => each !== timestamp) as Piece, timestamp };
}

/**
 * Reads what is signed: `{body}`, `{timestamp}.{body}`, `v0:{timestamp}:{body}`, `{id}{timestamp}{body}`.
 * @throws WireError that states the rule
 */
export function readSignedForm(template: string): SignedForm {
  const parts = parse(template, ['timestamp', 'id', 'body']);
  if (!hasVariable(parts, 'body')) throw new WireError('needs {body}: without it, anyone could replace the body');
  return parts;
}

/** Reads the text of a secret. @throws WireError that states the rule, and never quotes the text */
export function readHmacKey(text: string, encoding: SecretEncoding): KeyObject {
  if (text === '') throw new WireError('it is empty');
  if (encoding === 'hex' && !/^(?:[0-9a-f]{2})+$/i.test(text))
    throw new WireError('it does not consist of pairs of hexadecimal digits');
  if (encoding === 'base64' && !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) throw new WireError('it is not base64');
  return createSecretKey(Buffer.from(text, encoding === 'text' ? 'utf8' : encoding));
}

/** The texts and facts that are signed, one after the other. */
function* contentOf(signed: SignedForm, facts: SignedFacts): Generator<Uint8Array | string> {
  for (const part of signed) yield isText(part) ? part.text : (facts[part.name] ?? '');
}

/** The signature of a request. */
export function hmacOf(algorithm: HmacAlgorithm, key: KeyObject, signed: SignedForm, facts: SignedFacts): Buffer {
  const hmac = createHmac(algorithm, key);
  for (const each of contentOf(signed, facts)) hmac.update(each);
  return hmac.digest();
}

/** A text that is the same for all that have the same signatures, by whichever secret. */
export function fingerprintOf(signed: SignedForm, facts: SignedFacts): string {
  const hash = createHash('sha256');
  for (const each of contentOf(signed, facts)) hash.update(each);
  return hash.digest('hex');
}

/** Signatures in one header; a sender has as many as it has secrets. */
const MOST_SIGNATURES = 16;

/** What a header contains. */
export interface HmacHeader {
  /** At most 16; more are ignored. */
  readonly digests: readonly Buffer[];
  readonly timestamp: string | undefined;
}

/** Reads a header. What is not of its form is ignored, between separators. */
export function readHmacHeader({ digest, timestamp }: HeaderForm, header: string): HmacHeader {
  const coding = digest.name as Digest;
  const digests: Buffer[] = [];
  for (const [, text = ''] of header.matchAll(digest.pattern)) {
    if (digests.length === MOST_SIGNATURES) break;
    digests.push(Buffer.from(text, coding));
  }
  const times = timestamp === undefined ? [] : Array.from(header.matchAll(timestamp.pattern), ([, text]) => text);
  // Without a text around it, anything between separators may be the time.
  return { digests, timestamp: times.find((text) => hmacInstant(text ?? '') !== undefined) ?? times[0] };
}

/** Writes a header. Further signatures follow the first one, in the same form. */
export function writeHmacHeader(form: HeaderForm, digests: readonly Buffer[], timestamp: string): string {
  const { name, before, after } = form.digest;
  const [first = '', ...others] = digests.map((digest) => digest.toString(name as Digest));
  const whole = form.parts.map((part) => {
    if (isText(part)) return part.text;
    return part.name === 'timestamp' ? timestamp : first;
  });
  const separator = /[\s,;]/.test(before + after) ? ' ' : ',';
  return [whole.join(''), ...others.map((text) => `${before}${text}${after}`)].join(separator);
}

/** Whether a digest is among others. All are compared, in constant time. */
export function isAmong(digest: Buffer, shown: readonly Buffer[]): boolean {
  let isFound = false;
  for (const each of shown) if (each.length === digest.length && timingSafeEqual(each, digest)) isFound = true;
  return isFound;
}

/** A date and time of RFC 3339, with its offset. */
const INSTANT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** When a request was signed, in milliseconds since 1970: seconds, milliseconds or RFC 3339; `undefined` for other texts. */
export function hmacInstant(text: string): number | undefined {
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1000;
  if (/^\d{12,14}$/.test(text)) return Number(text);
  const at = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
