import type { XmlError, XmlSource } from './source.ts';
import { isXmlName } from './text.ts';

// Namespaces in XML 1.0 (third edition), section 4: qualified names in the text of a document.

/** The name of an element or attribute. */
export interface XmlName {
  /** The name as written. */
  readonly raw: string;
  /** Empty if there is none. */
  readonly prefix: string;
  readonly local: string;
  readonly hash: number;
}

/** ASCII characters that names may contain, the colon included. */
const NAME = new Uint8Array(0x80);
for (const each of '-.:_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz') NAME[each.charCodeAt(0)] = 1;

/**
 * A cache of names read before, in this document or another: few are new, and creating one takes much longer than
 * finding it. The hash of a name selects its set in the cache, where later names replace it.
 */
const SETS = 256;
const WAYS = 4;
/** Longest name that is cached, in characters. */
const KEPT = 64;
const NOBODY: XmlName = { raw: '', prefix: '', local: '', hash: -1 };
const known = new Array<XmlName>(SETS * WAYS).fill(NOBODY);

/**
 * The qualified name that begins at `start` and extends as far as its characters do; `undefined` when there is none.
 * @param bound where to stop, at most the length of the text
 */
export function nameAt(text: string, start: number, bound: number): XmlName | undefined {
  let hash = 0;
  let end = start;
  for (; end < bound; end++) {
    const code = text.charCodeAt(end);
    if (!isNameUnit(code)) break;
    hash = (Math.imul(hash, 31) + code) | 0;
  }
  const raw = text.slice(start, end);
  const first = (hash & (SETS - 1)) * WAYS;
  for (let way = 0; way < WAYS; way++) {
    const found = known[first + way]!;
    if (found.hash === hash && found.raw === raw) return found;
  }
  return newName(raw, hash);
}

/** Whether a name may contain a UTF-16 unit. Beyond ASCII the whole name is checked later. */
function isNameUnit(code: number): boolean {
  return code >= 0x80 || NAME[code] === 1;
}

function newName(slice: string, hash: number): XmlName | undefined {
  const colon = slice.indexOf(':');
  if (colon !== -1 && !isXmlName(slice.slice(0, colon))) return undefined;
  if (!isXmlName(slice.slice(colon + 1))) return undefined;
  const raw = ownString(slice);
  const prefix = colon === -1 ? '' : raw.slice(0, colon);
  const local = colon === -1 ? raw : raw.slice(colon + 1);
  const name = { raw, prefix, local, hash };
  if (raw.length <= KEPT) keep(name);
  return name;
}

function keep(name: XmlName): void {
  const first = (name.hash & (SETS - 1)) * WAYS;
  known.copyWithin(first + 1, first, first + WAYS - 1);
  known[first] = name;
}

/** A copy that does not retain the string it is a slice of: the engine copies strings used as property names. */
export function ownString(slice: string): string {
  const [own = ''] = Object.keys({ [slice]: 0 });
  return own;
}

/**
 * The error for a position at which {@link nameAt} found no name, or one that is too long.
 * @param whose the construct that the name belongs to
 * @param limit longest name, in characters
 */
export function nameError(source: XmlSource, start: number, bound: number, whose: string, limit: number): XmlError {
  const { text } = source;
  let end = start;
  while (end < bound && isNameUnit(text.charCodeAt(end))) end++;
  if (end === start) return source.error(`disallowed character in ${whose} name`, start);
  if (end - start > limit) return source.error(`a name has more than ${limit} characters`, start);
  return source.error(`malformed name: ${text.slice(start, end)}`, start);
}
