import type { Store } from '../port.ts';

/** Characters (Unicode code points) that a key may have. */
const LONGEST_KEY = 255;

/** @throws RangeError for a key that is empty or too long, or is no Unicode text */
export function checkedKey(key: string): string {
  if (key === '') throw new RangeError('the key of a blob is empty');
  if (!key.isWellFormed())
    throw new RangeError('the key of a blob is not Unicode text: half of a surrogate pair stands alone');
  // UTF-16 has one or two units a character, so that most keys need no counting.
  if (key.length > LONGEST_KEY && (key.length > 2 * LONGEST_KEY || [...key].length > LONGEST_KEY))
    throw new RangeError(`the key of a blob has more than ${LONGEST_KEY} characters`);
  return key;
}

/** A text as a column holds it: PostgreSQL's have no NUL character, which is `\0` there, and the backslash `\\`. */
export function toColumn(text: string, kind: Store['kind']): string {
  return kind === 'sqlite' ? text : text.replaceAll('\\', '\\\\').replaceAll('\0', '\\0');
}

/** The text that a column holds. */
export function fromColumn(text: string, kind: Store['kind']): string {
  return kind === 'sqlite' ? text : text.replaceAll(/\\(.)/g, (_, escaped) => (escaped === '0' ? '\0' : '\\'));
}
