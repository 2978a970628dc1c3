// White space of XML 1.0 (fifth edition), section 2.3, and its handling in XML Schema 1.1 Part 2, section 4.3.6.

/** Whether a text is white space and nothing else. */
export function isWhite(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!isSpace(text.charCodeAt(i))) return false;
  return true;
}

/** A text without the white space around it. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return end - start === text.length ? text : text.slice(start, end);
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** How white space of a text is normalised before anything else is checked (`whiteSpace` of XML Schema). */
export type Spacing = keyof typeof NORMALISED;

export const NORMALISED = {
  /** Each tab and line end becomes a space. */
  replace: (text: string): string => (/[\t\n\r]/.test(text) ? text.replace(/[\t\n\r]/g, ' ') : text),
  /** Of white space, only single spaces between other characters are left. */
  collapse: (text: string): string =>
    /[\t\n\r]| {2}|^ | $/.test(text) ? trimmed(text).replace(/[ \t\n\r]+/g, ' ') : text,
} as const;

/** The texts between white space. */
export function wordsOf(text: string): string[] {
  return text.split(/[ \t\n\r]+/).filter((word) => word !== '');
}
