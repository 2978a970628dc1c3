/** Ends the reading of a file with anything that is not plain. Made once, because a stack is not needed. */
export const UNUSUAL = new Error('not plain YAML');

/** A text in double quotes with escapes, if JSON has them as well. */
export function readEscapes(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw UNUSUAL;
  }
}

const INTEGER = /^[-+]?[0-9]+$/;
const REAL = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Forms of numbers that are rare: octal, hexadecimal, infinite, not a number. */
const RARE = /^(?:0[ox]|[-+]?\.(?:inf|nan)$)/i;

/** The value of a text without quotes, as YAML's core schema has it (10.3.2). */
export function resolvePlain(text: string): string | number | boolean | null {
  switch (text.charCodeAt(0)) {
    case 0x7e: // ~
    case 0x4e: // N
    case 0x6e: // n
      return text === '~' || text === 'null' || text === 'Null' || text === 'NULL' ? null : text;
    case 0x54: // T
    case 0x74: // t
      return text === 'true' || text === 'True' || text === 'TRUE' ? true : text;
    case 0x46: // F
    case 0x66: // f
      return text === 'false' || text === 'False' || text === 'FALSE' ? false : text;
    default:
  }
  // Letters and everything after them.
  if (text.charCodeAt(0) > 0x39) return text;
  if (INTEGER.test(text)) return Number.parseInt(text, 10);
  if (REAL.test(text)) return Number.parseFloat(text);
  if (RARE.test(text)) throw UNUSUAL;
  return text;
}

/** Which ASCII characters are marks, by their codes. */
export function tableOf(marks: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const mark of marks) table[mark.charCodeAt(0)] = 1;
  return table;
}
