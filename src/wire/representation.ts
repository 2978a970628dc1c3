import { parseQuality } from './media-type.ts';

// Content codings and their negotiation: RFC 9110 sections 8.4.1, 12.4.2 and 12.5.3; br is RFC 7932, zstd RFC 8878.

/** The supported content codings. */
export const CODINGS = ['zstd', 'br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** The codings that a caller accepts. */
interface AcceptedCodings {
  /** The preferred coding; `undefined` when the caller prefers unencoded content, or accepts nothing else. */
  readonly coding: Coding | undefined;
  /** Whether unencoded content is acceptable. */
  readonly identity: boolean;
}

const AS_THEY_ARE: AcceptedCodings = { coding: undefined, identity: true };

/** Whether `Accept-Encoding` names a coding, for content that is compressed beforehand. */
export function acceptsCoding(header: string | undefined, coding: Coding): boolean {
  return (header ?? '').split(',').some((entry) => {
    const [, name = '', quality = '1'] = ENTRY.exec(entry) ?? [];
    return name.toLowerCase() === coding && (parseQuality(quality) ?? 0) > 0;
  });
}

/**
 * Reads `Accept-Encoding`. The highest quality wins, then a coding over unencoded content, a named coding over one
 * matched by `*`, then speed: zstd, br, gzip. For `*` alone gzip is chosen, which every client supports. Without the
 * header any coding is permitted (section 12.5.3), but many clients that omit it can read only unencoded content.
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

/**
 * The entity tag of a representation in a coding: strong tags must differ between codings (section 8.8.3.3); weak ones
 * need not.
 */
export function codedTag(tag: string, coding: Coding): string {
  return tag.startsWith('W/') ? tag : `${tag.slice(0, -1)}-${coding}"`;
}

/**
 * Entity tags of a header without the suffix of {@link codedTag}: the resource that a caller saves is the same in every
 * coding.
 */
export function uncodedTags(header: string): string {
  return header.replace(CODED_END, '"');
}

const CODED_END = new RegExp(`-(?:${CODINGS.join('|')})"`, 'g');

// Entity tags (RFC 9110, section 8.8.3) and conditional requests (section 13.1).

interface EntityTag {
  readonly weak: boolean;
  /** Without the quotes. */
  readonly opaque: string;
}

const TAG = /\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(,|$)|\s*(,|$)/y;

/**
 * Reads `If-Match` or `If-None-Match`: `*`, or a list of entity tags. Empty entries of the list are ignored (section
 * 5.6.1), so an empty text is an empty list.
 * @returns `undefined` when the text is neither
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

/** The current representation for a condition: its strong tag without the quotes; `undefined` when none exists. */
type Present = string | undefined;

/** Whether `If-Match` holds: a representation exists and matches one of the tags by strong comparison. */
export function matches(condition: '*' | readonly EntityTag[], present: Present): boolean {
  if (present === undefined) return false;
  return condition === '*' || condition.some(({ weak, opaque }) => !weak && opaque === present);
}

/** Whether `If-None-Match` holds: no representation exists, or it matches none of the tags by weak comparison. */
export function matchesNone(condition: '*' | readonly EntityTag[], present: Present): boolean {
  if (present === undefined) return true;
  return condition !== '*' && condition.every(({ opaque }) => opaque !== present);
}

// Range requests for bytes: RFC 9110, section 14.

/** A range of the bytes of a representation; `start` counts from 0. */
interface Bytes {
  readonly start: number;
  readonly length: number;
}

/**
 * Reads the header `Range` for a representation of `size` bytes.
 * @returns the requested bytes; `unsatisfiable` when none of them exist; `undefined` when the header is to be ignored:
 *   another unit, an invalid range, or several ranges, which a server may answer with the whole representation (section
 *   14.2)
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

/** Unit names are case-insensitive (section 14.1); blanks and commas are allowed as in any list (section 5.6.1). */
const RANGE = /^bytes=[ \t,]*(\d*)-(\d*)[ \t,]*$/i;

/** `Content-Range` of some bytes (section 14.4). */
export function contentRange({ start, length }: Bytes, size: number): string {
  return `bytes ${start}-${start + length - 1}/${size}`;
}
