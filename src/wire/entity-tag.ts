import { CODINGS, type Coding } from './accept-encoding.ts';

// Entity tags (RFC 9110, section 8.8.3) and conditional requests (section 13.1).

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
