// Entity tags (RFC 9110, section 8.8.3) and the conditions made of them (section 13.1).

/** An entity tag. */
export interface EntityTag {
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

/** What is there, as a condition looks at it: a strong tag without its quotes; undefined where there is nothing. */
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
