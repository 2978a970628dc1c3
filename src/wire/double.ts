// Floating-point numbers of 64 bits in the lexical space of xs:double (XML Schema Part 2, section 3.2.5). Those that JSON has
// no number for are texts there, the same as in XML.

const FORM = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

const BEYOND: Readonly<Record<string, number>> = {
  INF: Number.POSITIVE_INFINITY,
  '-INF': Number.NEGATIVE_INFINITY,
  NaN: Number.NaN,
};

/** The texts of the values that are not numbers in JSON. */
export const BEYOND_NUMBERS = Object.keys(BEYOND) as readonly string[];

/**
 * Reads a number. A text beyond the range of a double is infinite, as XML Schema defines; -0 is read as 0.
 * @returns `undefined` if the text is not a number
 */
export function readDouble(text: string): number | undefined {
  if (FORM.test(text)) return Number(text) || 0;
  return Object.hasOwn(BEYOND, text) ? BEYOND[text] : undefined;
}

/** The shortest digits that identify a number; `INF`, `-INF` or `NaN`. */
export function doubleText(value: number): string {
  return Number.isFinite(value) ? String(value || 0) : String(value).replace('Infinity', 'INF');
}

/** A number as JSON has it: itself, or the text of one that JSON does not have. */
export function doubleJson(value: number): number | string {
  return Number.isFinite(value) ? value : doubleText(value);
}
