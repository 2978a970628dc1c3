// Namespaces in XML 1.0 (third edition), section 4: qualified names in the text of a document.
import type { XmlError, XmlSource } from './source.ts';
import { isXmlName } from './text.ts';

/** The name of an element or attribute. */
export interface XmlName {
  /** As it was written. */
  readonly raw: string;
  /** Empty for none. */
  readonly prefix: string;
  readonly local: string;
  readonly hash: number;
}

/** ASCII characters that stand in names, the colon among them. */
const NAME = new Uint8Array(0x80);
for (const each of '-.:_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz') NAME[each.charCodeAt(0)] = 1;

/**
 * Names that were read before, in this document or another: few are new, and making one takes much longer than finding it.
 * Each has its place in the set that its hash names, and gives way to those that come after it.
 */
const SETS = 256;
const WAYS = 4;
/** Characters of the longest that is kept. */
const KEPT = 64;
const NOBODY: XmlName = { raw: '', prefix: '', local: '', hash: -1 };
const known = new Array<XmlName>(SETS * WAYS).fill(NOBODY);

/**
 * The qualified name that begins at `start`, and goes on as long as its characters do; undefined where there is none.
 * @param bound where to stop, no more than the length of the text
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

/** Whether a UTF-16 unit may stand in a name; beyond ASCII that is left to be seen from the whole. */
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

/** A copy that does not hold on to the string that it is a part of, as a slice may: the engine gives a property one. */
export function ownString(slice: string): string {
  const [own = ''] = Object.keys({ [slice]: 0 });
  return own;
}

/**
 * What to say where {@link nameAt} has found no name, or one that is too long.
 * @param whose what it would be the name of
 * @param limit characters of a name
 */
export function nameError(source: XmlSource, start: number, bound: number, whose: string, limit: number): XmlError {
  const { text } = source;
  let end = start;
  while (end < bound && isNameUnit(text.charCodeAt(end))) end++;
  if (end === start) return source.error(`disallowed character in ${whose} name`, start);
  if (end - start > limit) return source.error(`a name has more than ${limit} characters`, start);
  return source.error(`malformed name: ${text.slice(start, end)}`, start);
}
