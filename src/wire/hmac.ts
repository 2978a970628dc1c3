// Signatures of requests by a shared secret (HMAC, RFC 2104) in a header, in the many forms of those who send webhooks.

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { WireError } from './error.ts';

export const HMAC_ALGORITHMS = ['sha1', 'sha256', 'sha384', 'sha512'] as const;

export type HmacAlgorithm = (typeof HMAC_ALGORITHMS)[number];

/** What a template may name: the digest in one of two codings, and the facts of the request. */
export type HmacVariable = 'hex' | 'base64' | 'timestamp' | 'id' | 'body';

type Part = { readonly text: string } | { readonly name: HmacVariable };

const isText = (part: Part): part is { readonly text: string } => 'text' in part;

/** One signature, or one fact, of a header: what stands before, at and behind its variable. */
interface Piece {
  readonly name: HmacVariable;
  readonly before: string;
  readonly after: string;
}

/** How a signature is written, and what is signed. */
export interface HmacForm {
  readonly pieces: readonly Piece[];
  readonly signed: readonly Part[];
}

/** A request that is signed. */
export interface HmacRequest {
  /** As it was sent. */
  readonly timestamp: string | undefined;
  readonly id: string | undefined;
  /** Exactly the bytes that are sent. */
  readonly body: Uint8Array | string;
}

/** Variables of a template in braces. @throws WireError for another one, or braces that do not fit */
function parse(template: string, known: readonly HmacVariable[]): Part[] {
  const parts = template.split(/\{([^{}]*)\}/).map((text, index): Part => {
    if (index % 2 === 0) {
      if (/[{}]/.test(text)) throw new WireError('has a brace that belongs to no variable');
      return { text };
    }
    const name = known.find((each) => each === text);
    if (name === undefined)
      throw new WireError(`has {${text}}, which is none of ${known.map((each) => `{${each}}`).join(', ')}`);
    return { name };
  });
  return parts.filter((part) => !isText(part) || part.text !== '');
}

/** The names that a template has. */
const namesIn = (parts: readonly Part[]): HmacVariable[] => parts.flatMap((part) => (isText(part) ? [] : [part.name]));

/**
 * The form of a header: pieces separated by commas, each with one variable: `sha256={hex}`, `{base64}`, `t={timestamp},v1={hex}`.
 * One of them is the digest.
 * @throws WireError that states the rule
 */
export function readHeaderForm(template: string): HmacForm['pieces'] {
  const pieces = template.split(',').map((text): Piece => {
    const parts = parse(text.trim(), ['hex', 'base64', 'timestamp']);
    const [name, ...others] = namesIn(parts);
    if (name === undefined || others.length > 0) throw new WireError('needs one variable between two commas');
    const at = parts.findIndex((part) => !isText(part));
    const textOf = (some: readonly Part[]): string => some.map((part) => (isText(part) ? part.text : '')).join('');
    return { name, before: textOf(parts.slice(0, at)), after: textOf(parts.slice(at + 1)) };
  });
  const names = pieces.map(({ name }) => name);
  if (names.filter(isDigest).length !== 1) throw new WireError('needs either {hex} or {base64}, once');
  if (new Set(names).size < names.length) throw new WireError('has {timestamp} twice');
  if (pieces.some(({ before, after }) => /\s/.test(before + after)))
    throw new WireError('has a space, which separates signatures');
  return pieces;
}

/**
 * What is signed: `{body}`, `{timestamp}.{body}`, `v0:{timestamp}:{body}`, `{id}{timestamp}{body}`.
 * @throws WireError that states the rule
 */
export function readSignedForm(template: string): HmacForm['signed'] {
  const parts = parse(template, ['timestamp', 'id', 'body']);
  const names = namesIn(parts);
  if (!names.includes('body')) throw new WireError('needs {body}: without it, anybody could replace the body');
  if (new Set(names).size < names.length) throw new WireError('has a variable twice');
  return parts;
}

/** Whether a template has a variable. */
export const hasVariable = (parts: readonly (Part | Piece)[], name: HmacVariable): boolean =>
  parts.some((part) => 'name' in part && part.name === name);

const isDigest = (name: HmacVariable): boolean => name === 'hex' || name === 'base64';

/** Signatures in one header; a sender has as many as it has secrets. */
const MOST_SIGNATURES = 16;

/** What a header says: digests, and the time if it has one. */
export interface HmacHeader {
  readonly digests: readonly Buffer[];
  readonly timestamp: string | undefined;
}

/** Reads a header; pieces of another form are ignored, and digests that are none. */
export function readHmacHeader(pieces: HmacForm['pieces'], header: string): HmacHeader {
  const shown = header.split(/[\s,]+/, 4 * MOST_SIGNATURES);
  const found = pieces.flatMap(({ name, before, after }) =>
    shown
      .filter((text) => text.length > before.length + after.length && text.startsWith(before) && text.endsWith(after))
      .map((text) => ({ name, value: text.slice(before.length, text.length - after.length) })),
  );
  const digests = found.flatMap(({ name, value }) => (isDigest(name) ? bytesOf(name, value) : []));
  return {
    digests: digests.slice(0, MOST_SIGNATURES),
    timestamp: found.find(({ name }) => name === 'timestamp')?.value,
  };
}

function bytesOf(name: HmacVariable, text: string): Buffer[] {
  if (name === 'hex') return /^(?:[0-9a-f]{2})+$/i.test(text) ? [Buffer.from(text, 'hex')] : [];
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? [Buffer.from(text, 'base64')] : [];
}

/** The digest of a request. */
export function hmacOf(
  algorithm: HmacAlgorithm,
  key: KeyObject,
  signed: HmacForm['signed'],
  request: HmacRequest,
): Buffer {
  const digest = createHmac(algorithm, key);
  for (const part of signed) {
    if (isText(part)) digest.update(part.text);
    else if (part.name === 'body') digest.update(request.body);
    else digest.update((part.name === 'id' ? request.id : request.timestamp) ?? '');
  }
  return digest.digest();
}

/** The header for a digest. */
export function writeHmacHeader(pieces: HmacForm['pieces'], digest: Buffer, timestamp: string): string {
  const written = pieces.map(({ name, before, after }) => {
    const value = name === 'timestamp' ? timestamp : digest.toString(name as 'hex' | 'base64');
    return `${before}${value}${after}`;
  });
  return written.join(',');
}

/** Whether one of several digests is this. All are compared, in constant time. */
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
