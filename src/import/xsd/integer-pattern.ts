import type { Facets } from '../draft.ts';

/** Whether an integer has 64 bits at most. */
const isLong = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/** Whether every integer that facets allow has 64 bits. */
export function isWithinLong({ minimum, maximum, digits, enum: values }: Facets): boolean {
  if (values !== undefined) return values.every((each) => isLong(BigInt(each)));
  if (digits !== undefined && digits <= 18) return true;
  return [minimum, maximum].every((each) => each !== undefined && isLong(BigInt(each)));
}

/** The pattern of the lexical forms of integers between two bounds. */
export function integerPattern(minimum: bigint | undefined, maximum: bigint | undefined): string {
  const parts: string[] = [];
  if (maximum === undefined || maximum >= 0n) {
    parts.push(`\\+?0*${group(digitsBetween(minimum !== undefined && minimum > 0n ? minimum : 0n, maximum))}`);
  }
  if (minimum === undefined || minimum <= 0n) {
    const least = maximum !== undefined && maximum < 0n ? -maximum : 0n;
    parts.push(`-0*${group(digitsBetween(least, minimum === undefined ? undefined : -minimum))}`);
  }
  return parts.join('|');
}

function group(alternatives: readonly string[]): string {
  return alternatives.length === 1 ? (alternatives[0] as string) : `(${alternatives.join('|')})`;
}

/** Patterns of the numbers from one to another, neither negative. Zeros in front have been read. */
function digitsBetween(from: bigint, to: bigint | undefined): string[] {
  const [low, high] = [String(from), to === undefined ? undefined : String(to)];
  const nines = '9'.repeat(low.length);
  if (high?.length === low.length) return sameLength(low, high);
  // Numbers with more digits than the lowest, and fewer than the highest.
  const [least, most] = [from === 0n ? 1 : low.length + 1, high === undefined ? undefined : high.length - 1];
  const first = from === 0n ? '' : '[1-9]';
  const inner = most === undefined || least <= most ? [`${first}${count(least, most, first === '' ? 0 : 1)}`] : [];
  return [
    ...(from === 0n ? [] : sameLength(low, nines)),
    ...inner,
    ...(high === undefined ? [] : sameLength(`1${'0'.repeat(high.length - 1)}`, high)),
  ];
}

/** So many digits, less those that are written already. */
function count(least: number, most: number | undefined, written: number): string {
  const [from, to] = [least - written, most === undefined ? undefined : most - written];
  if (to === undefined) return from <= 1 ? `[0-9]${from === 0 ? '*' : '+'}` : `[0-9]{${from},}`;
  return from === to ? digits(from) : `[0-9]{${from},${to}}`;
}

function digits(length: number): string {
  return length === 0 ? '' : length === 1 ? '[0-9]' : `[0-9]{${length}}`;
}

/** Patterns of the numbers between two of the same length. */
function sameLength(low: string, high: string): string[] {
  const [a = '', b = ''] = [low[0], high[0]];
  if (low === high) return [low];
  if (low.length === 1) return [digit(a, b)];
  if (a === b) return sameLength(low.slice(1), high.slice(1)).map((rest) => a + rest);
  const rest = low.length - 1;
  const [first, last] = [/^.0*$/.test(low), /^.9*$/.test(high)];
  const middle = [Number(a) + (first ? 0 : 1), Number(b) - (last ? 0 : 1)] as const;
  return [
    ...(first ? [] : sameLength(low.slice(1), '9'.repeat(rest)).map((each) => a + each)),
    ...(middle[0] > middle[1] ? [] : [`${digit(String(middle[0]), String(middle[1]))}${digits(rest)}`]),
    ...(last ? [] : sameLength('0'.repeat(rest), high.slice(1)).map((each) => b + each)),
  ];
}

function digit(from: string, to: string): string {
  return from === to ? from : `[${from}-${to}]`;
}
