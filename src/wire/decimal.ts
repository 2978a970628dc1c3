// Decimals as texts that keep their digits: the lexical space of xs:decimal (XML Schema 1.1 Part 2, section 3.3.3), and
// numbers of JSON (RFC 8259, section 6), whose exponent is written out.

/** Most digits of a number: arithmetic on longer numbers from callers becomes expensive. */
export const MAX_DIGITS = 1000;

/** As most decimals are written: in the form that is returned. */
const PLAIN = /^(?:0|[1-9]\d{0,99})(?:\.\d{1,99})?$/;

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,5}))?$/;

/**
 * A decimal in the form that JSON and XML Schema share: no plus sign, no superfluous leading zeros, trailing zeros
 * kept; `+007.50` becomes `7.50`, `.5` becomes `0.5`, `5.` becomes `5`, `-0.0` becomes `0.0`.
 * @param exponent whether exponents are accepted (`1.5e3` becomes `1500`)
 * @returns `undefined` if the text is not a decimal, or has more than {@link MAX_DIGITS} digits
 */
export function toDecimal(text: string, exponent: boolean): string | undefined {
  if (text.length > MAX_DIGITS + 8) return undefined;
  if (PLAIN.test(text)) return text;
  const found = FORM.exec(text);
  if (found === null) return undefined;
  const [, sign, whole = '', fraction = '', power] = found;
  if (whole === '' && fraction === '') return undefined;
  if (power === undefined) return join(sign === '-', whole, fraction);
  return exponent ? shift(sign === '-', whole, fraction, Number(power)) : undefined;
}

/** A finite number without an exponent, which xs:decimal and xs:integer do not allow. */
export function decimalOf(value: number): string {
  const text = String(value);
  return text.includes('e') ? (toDecimal(text, true) as string) : text;
}

/** Moves the decimal point `power` digits to the right, or to the left if it is negative. */
function shift(negative: boolean, whole: string, fraction: string, power: number): string | undefined {
  if (Math.abs(power) > MAX_DIGITS) return undefined;
  if (power >= 0) {
    const moved = fraction.slice(0, power).padEnd(power, '0');
    return join(negative, whole + moved, fraction.slice(power));
  }
  const padded = whole.padStart(-power, '0');
  return join(negative, padded.slice(0, padded.length + power), padded.slice(padded.length + power) + fraction);
}

function join(negative: boolean, whole: string, fraction: string): string | undefined {
  if (whole.length + fraction.length > MAX_DIGITS) return undefined;
  const plain = withoutZeros(whole);
  const text = fraction === '' ? plain : `${plain}.${fraction}`;
  return negative && !isZero(plain, fraction) ? `-${text}` : text;
}

function withoutZeros(whole: string): string {
  let start = 0;
  while (start < whole.length - 1 && whole[start] === '0') start++;
  return whole === '' ? '0' : whole.slice(start);
}

function isZero(whole: string, fraction: string): boolean {
  return whole === '0' && withoutZeros(fraction) === '0';
}

/** Digits that a decimal of {@link toDecimal}'s form needs, as the facets totalDigits and fractionDigits count them. */
export function digitsOf(decimal: string): { readonly total: number; readonly fraction: number } {
  const start = decimal[0] === '-' ? 1 : 0;
  const point = decimal.indexOf('.');
  const whole = decimal.slice(start, point < 0 ? undefined : point);
  let end = decimal.length;
  if (point >= 0) while (decimal[end - 1] === '0') end--;
  const fraction = point < 0 ? 0 : end - point - 1;
  return { total: (whole === '0' ? 0 : whole.length) + fraction, fraction };
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`; both in {@link toDecimal}'s form. */
export function compareDecimals(a: string, b: string): number {
  const x = Number(a);
  const y = Number(b);
  if (x !== y) return x - y; // Rounding keeps the order, so only equal roundings need all digits.
  const scale = Math.max(scaleOf(a), scaleOf(b));
  const exactA = scaled(a, scale);
  const exactB = scaled(b, scale);
  return exactA < exactB ? -1 : exactA > exactB ? 1 : 0;
}

function scaleOf(decimal: string): number {
  const point = decimal.indexOf('.');
  return point < 0 ? 0 : decimal.length - point - 1;
}

function scaled(decimal: string, scale: number): bigint {
  return BigInt(decimal.replace('.', '') + '0'.repeat(scale - scaleOf(decimal)));
}

/**
 * A decimal with at most so many digits after the point, rounded to the nearest, half away from zero; `2.345` to two places is `2.35`.
 * @param decimal in the form of {@link toDecimal}
 */
export function roundDecimal(decimal: string, places: number): string {
  const point = decimal.indexOf('.');
  if (point < 0 || decimal.length - point - 1 <= places) return decimal;
  const negative = decimal.startsWith('-');
  const digits = decimal.slice(negative ? 1 : 0);
  const at = digits.indexOf('.');
  const kept = BigInt(digits.slice(0, at) + digits.slice(at + 1, at + 1 + places));
  const rounded = String((digits[at + 1 + places] as string) >= '5' ? kept + 1n : kept).padStart(places + 1, '0');
  const whole = rounded.slice(0, rounded.length - places);
  return join(negative, whole, places === 0 ? '' : rounded.slice(-places)) as string;
}
