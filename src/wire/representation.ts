import { parseQuality } from './media-type.ts';

// Content codings and their negotiation: RFC 9110 sections 8.4.1, 12.4.2 and 12.5.3; br is RFC 7932, zstd RFC 8878.

/** Codings that are written here. */
export const CODINGS = ['zstd', 'br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** Codings that a caller takes, the one to use first. */
interface AcceptedCodings {
  /** Undefined when the caller prefers the bytes as they are, or takes nothing else. */
  readonly coding: Coding | undefined;
  /** Whether it takes the bytes as they are. */
  readonly identity: boolean;
}

const AS_THEY_ARE: AcceptedCodings = { coding: undefined, identity: true };

/**
 * Reads `Accept-Encoding`. The highest quality decides, then a coding before the bytes as they are, one that is named before
 * one that `*` lets through, then speed: zstd, br, gzip. For `*` alone it is gzip, which every client has. Without the header
 * anything may be sent (section 12.5.3), but many a client that leaves it out can read nothing but the bytes as they are.
 * Malformed entries are ignored.
 */
export function acceptedCodings(header: string | undefined): AcceptedCodings {
  if (header === undefined || header === '' || header === 'identity') return AS_THEY_ARE;
  const qualities = new Map<string, number>();
  for (const entry of header.split(',')) {
    const [, name = '', quality = '1'] = ENTRY.exec(entry) ?? [];
    const value = parseQuality(quality);
    if (name === '' || value === undefined) continue;
    const key = name.toLowerCase();
    qualities.set(ALIASES.get(key) ?? key, value);
  }
  const others = qualities.get('*');
  // Content without a coding is accepted unless it is excluded, but any named coding is better (section 12.5.3).
  const identity = qualities.get('identity') ?? (others === 0 ? 0 : undefined);
  let coding: Coding | undefined;
  let best = qualities.get('identity') ?? others ?? 0;
  const consider = (each: Coding, quality: number | undefined): void => {
    if (quality === undefined || quality === 0 || quality < best || (quality === best && coding !== undefined)) return;
    coding = each;
    best = quality;
  };
  for (const each of CODINGS) consider(each, qualities.get(each));
  for (const each of BY_WILDCARD) if (!qualities.has(each)) consider(each, others);
  return { coding, identity: identity !== 0 };
}

const ENTRY = /^[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*(?:;[ \t]*[qQ]=([0-9.]+)[ \t]*)?$/;

/** Section 8.4.1.3. */
const ALIASES: ReadonlyMap<string, string> = new Map([['x-gzip', 'gzip']]);

const BY_WILDCARD: readonly Coding[] = ['gzip', 'br', 'zstd'];

/** The entity tag of a representation in a coding: a strong one tells them apart (section 8.8.3.3); a weak one need not. */
export function codedTag(tag: string, coding: Coding): string {
  return tag.startsWith('W/') ? tag : `${tag.slice(0, -1)}-${coding}"`;
}

/** Entity tags of a header without what {@link codedTag} adds: what a caller saves is the same in every coding. */
export function uncodedTags(header: string): string {
  return header.replace(CODED_END, '"');
}

const CODED_END = new RegExp(`-(?:${CODINGS.join('|')})"`, 'g');

// Entity tags (RFC 9110, section 8.8.3) and the conditions made of them (section 13.1).

/** An entity tag. */
interface EntityTag {
  readonly weak: boolean;
  /** Without the quotes. */
  readonly opaque: string;
}

const TAG = /\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(,|$)|\s*(,|$)/y;

/**
 * Reads `If-Match` or `If-None-Match`: `*`, or a list of entity tags. Empty entries of the list are ignored (section 5.6.1),
 * so that an empty text is a list of none.
 * @returns undefined when the text is neither
 */
export function parseEntityTags(text: string): '*' | readonly EntityTag[] | undefined {
  if (text.trim() === '*') return '*';
  const tags: EntityTag[] = [];
  let at = 0;
  while (at < text.length) {
    TAG.lastIndex = at;
    const found = TAG.exec(text);
    if (found === null) return undefined;
    if (found[2] !== undefined) tags.push({ weak: found[1] !== undefined, opaque: found[2] });
    at = TAG.lastIndex;
  }
  return tags;
}

/** What is there, as a condition looks at it: a strong tag without its quotes; `undefined` when there is nothing. */
type Present = string | undefined;

/** Whether `If-Match` holds: something is there, and is one of those named, by the strong comparison. */
export function matches(condition: '*' | readonly EntityTag[], present: Present): boolean {
  if (present === undefined) return false;
  return condition === '*' || condition.some(({ weak, opaque }) => !weak && opaque === present);
}

/** Whether `If-None-Match` holds: nothing is there, or none of those named, by the weak comparison. */
export function matchesNone(condition: '*' | readonly EntityTag[], present: Present): boolean {
  if (present === undefined) return true;
  return condition !== '*' && condition.every(({ opaque }) => opaque !== present);
}

// Range requests for bytes: RFC 9110, section 14.

/** Some of the bytes of a representation, from 0. */
interface Bytes {
  readonly start: number;
  readonly length: number;
}

/**
 * Reads the header `Range` against a representation of so many bytes.
 * @returns the bytes that it asks for; `unsatisfiable` when there are none of them; undefined when the header is to be
 *   ignored: another unit, no valid range, or several ranges, which a server may answer with the whole (section 14.2)
 */
export function parseRange(header: string, size: number): Bytes | 'unsatisfiable' | undefined {
  const found = RANGE.exec(header);
  if (found === null) return undefined;
  const [, first = '', last = ''] = found;
  if (first === '') {
    if (last === '') return undefined;
    const length = Math.min(Number(last), size);
    // An empty range can't be expressed: `Content-Range` has no form for it.
    if (length === 0) return Number(last) === 0 ? 'unsatisfiable' : undefined;
    return { start: size - length, length };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return { start, length: end - start + 1 };
}

/** Names of units do not depend on letter case (section 14.1); blanks may be where a list could go on (section 5.6.1). */
const RANGE = /^bytes=[ \t,]*(\d*)-(\d*)[ \t,]*$/i;

/** `Content-Range` of some bytes (section 14.4). */
export function contentRange({ start, length }: Bytes, size: number): string {
  return `bytes ${start}-${start + length - 1}/${size}`;
}
