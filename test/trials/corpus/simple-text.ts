import type { Pick } from '../../../src/mock/instance.ts';
import { samplerOf } from './pattern-sample.ts';
import type { Facets, Simple } from './simple-types.ts';

/** No value could be made for a type. */
export class Unmakeable extends Error {}

/** How many values are tried for the facets of a type. */
const TRIES = 60;

/** A text that is valid for a simple type. */
export function simpleText(simple: Simple, pick: Pick): string {
  const listed = simple.steps.findLast((step) => step.has('enumeration'))?.get('enumeration');
  for (let n = 0; n < TRIES; n++) {
    const text = listed === undefined ? candidate(simple, pick, n) : (listed[pick(listed.length)] as string);
    if (text !== undefined && fits(text, simple, listed !== undefined)) return text;
  }
  throw new Unmakeable(`no value for ${JSON.stringify(simple.steps.map((step) => [...step]))}`);
}

function candidate(simple: Simple, pick: Pick, attempt: number): string | undefined {
  const { steps } = simple;
  if (simple.kind === 'union') return simpleText(simple.members[pick(simple.members.length)] as Simple, pick);
  if (simple.kind === 'list') {
    const { least, most } = lengthsOf(steps);
    const count = least + pick(Math.min(most - least, 3) + 1);
    return Array.from({ length: count }, () => simpleText(simple.item, pick)).join(' ');
  }
  const patterns = steps.findLast((step) => step.has('pattern'))?.get('pattern');
  if (patterns !== undefined && attempt < TRIES - 5) {
    try {
      return samplerOf(patterns[pick(patterns.length)] as string, pick)();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return atomicText(simple.builtIn, steps, pick);
}

const one = (steps: readonly Facets[], name: string): string | undefined =>
  steps.findLast((step) => step.has(name))?.get(name)?.[0];

function lengthsOf(steps: readonly Facets[]): { readonly least: number; readonly most: number } {
  const exact = one(steps, 'length');
  const least = Number(exact ?? one(steps, 'minLength') ?? 0);
  return { least, most: Number(exact ?? one(steps, 'maxLength') ?? Math.max(least, 0) + 12) };
}

const CHARACTERS = 'abcdefgh ABCDE 0123456789 -_.,;:/()&<>"\'äß€中';

function characters(count: number, pick: Pick, from = CHARACTERS): string {
  const all = [...from];
  return Array.from({ length: count }, () => all[pick(all.length)] as string).join('');
}

function textOfLength(steps: readonly Facets[], pick: Pick): string {
  const { least, most } = lengthsOf(steps);
  const text = characters(least + pick(Math.min(most - least, 30) + 1), pick);
  // One in ten keeps white space at its ends: a string has it, a token does not.
  return pick(10) === 0 ? text : text.replace(/^ | $/g, 'x').replace(/ {2,}/g, (blanks) => 'x'.repeat(blanks.length));
}

const INTEGERS: Readonly<Record<string, readonly [bigint | undefined, bigint | undefined]>> = {
  integer: [undefined, undefined],
  long: [-(2n ** 63n), 2n ** 63n - 1n],
  int: [-(2n ** 31n), 2n ** 31n - 1n],
  short: [-32768n, 32767n],
  byte: [-128n, 127n],
  nonNegativeInteger: [0n, undefined],
  positiveInteger: [1n, undefined],
  nonPositiveInteger: [undefined, 0n],
  negativeInteger: [undefined, -1n],
  unsignedLong: [0n, 2n ** 64n - 1n],
  unsignedInt: [0n, 2n ** 32n - 1n],
  unsignedShort: [0n, 65535n],
  unsignedByte: [0n, 255n],
};

function number(builtIn: string, steps: readonly Facets[], pick: Pick): string {
  const [lowest, highest] = INTEGERS[builtIn] ?? [undefined, undefined];
  const fraction = builtIn === 'decimal' ? Number(one(steps, 'fractionDigits') ?? 2) : 0;
  const digits = Number(one(steps, 'totalDigits') ?? 9);
  const bound = (including: string, excluding: string, by: bigint): bigint | undefined => {
    const text = one(steps, including) ?? one(steps, excluding);
    if (text === undefined || Number.isNaN(Number(text))) return undefined;
    return BigInt(Math.trunc(Number(text))) + (one(steps, including) === undefined ? by : 0n);
  };
  const least = bound('minInclusive', 'minExclusive', 1n) ?? lowest;
  const most = bound('maxInclusive', 'maxExclusive', -1n) ?? highest;
  const span = 10n ** BigInt(Math.max(0, Math.min(digits - fraction, 9)));
  const low = least ?? (most === undefined ? 1n - span : most - span + 1n);
  const high = most ?? low + span + (least === undefined ? span : 0n);
  const edge = pick(6);
  const width = high - low + 1n > 1_000_000n ? 1_000_000n : high - low + 1n;
  // Small numbers on both sides of zero, where these are permitted.
  const near =
    low < -500n && high > 500n ? BigInt(pick(1000)) - 500n : low + BigInt(pick(Number(width > 0n ? width : 1n)));
  const whole = edge === 0 && least !== undefined ? low : edge === 1 && most !== undefined ? high : near;
  const text = String(whole);
  if (fraction === 0 || pick(3) === 0)
    return pick(12) === 0 && whole >= 0n && !builtIn.startsWith('unsigned') ? `+0${text}` : text;
  return `${text}.${characters(1 + pick(Math.min(fraction, 4)), pick, '0123456789')}`;
}

function zone(pick: Pick): string {
  return ['', '', 'Z', '+02:00', '-05:30'][pick(5)] as string;
}

const two = (n: number): string => String(n).padStart(2, '0');

const MOMENTS: Readonly<Record<string, (pick: Pick) => string>> = {
  date: (pick) => `${1990 + pick(50)}-${two(1 + pick(12))}-${two(1 + pick(28))}${zone(pick)}`,
  time: (pick) => `${two(pick(24))}:${two(pick(60))}:${two(pick(60))}${pick(4) === 0 ? '.125' : ''}${zone(pick)}`,
  dateTime: (pick) =>
    `${MOMENTS.date?.(() => 0).slice(0, 4)}-${two(1 + pick(12))}-${two(1 + pick(28))}T${MOMENTS.time?.(pick)}`,
  gYear: (pick) => `${1990 + pick(50)}${zone(pick)}`,
  gYearMonth: (pick) => `${1990 + pick(50)}-${two(1 + pick(12))}${zone(pick)}`,
  gMonth: (pick) => `--${two(1 + pick(12))}`,
  gMonthDay: (pick) => `--${two(1 + pick(12))}-${two(1 + pick(28))}`,
  gDay: (pick) => `---${two(1 + pick(31))}`,
  duration: (pick) => ['P1Y', 'PT5M', '-P1DT2H', 'P1Y2M3DT4H5M6.7S', 'P0D'][pick(5)] as string,
};

const NAMES = 'abcXYZ_';
let identities = 0;

function atomicText(builtIn: string, steps: readonly Facets[], pick: Pick): string {
  const moment = MOMENTS[builtIn];
  if (moment !== undefined) return pick(8) === 0 ? bounded(steps, moment(pick)) : moment(pick);
  if (builtIn === 'decimal' || INTEGERS[builtIn] !== undefined) return number(builtIn, steps, pick);
  const { least, most } = lengthsOf(steps);
  const size = least + pick(Math.min(most - least, 9) + 1);
  switch (builtIn) {
    case 'boolean':
      return ['true', 'false', '1', '0'][pick(4)] as string;
    case 'float':
    case 'double': {
      if (steps.length > 0) return number('decimal', steps, pick);
      return ['1.5', '-2', '1.25E3', '-1e-5', '0', 'INF', '-INF', 'NaN', '7.'][pick(9)] as string;
    }
    case 'base64Binary':
      return Buffer.from(characters(size, pick, 'abc')).toString('base64');
    case 'hexBinary':
      return Buffer.from(characters(size, pick, 'abcjz'))
        .toString('hex')
        [pick(2) === 0 ? 'toUpperCase' : 'toLowerCase']();
    case 'anyURI':
      return ['http://example.com/a?b=c&d=1', 'urn:x:1', 'a/b%20c', 'mailto:a@example.com'][pick(4)] as string;
    case 'language':
      return ['en', 'de-CH', 'zh-Hant'][pick(3)] as string;
    case 'ID':
      identities += 1;
      return `id${identities}`.padEnd(least, 'x');
    case 'Name':
    case 'NCName':
    case 'IDREF':
    case 'ENTITY':
    case 'QName':
    case 'NOTATION':
      return characters(Math.max(1, size), pick, NAMES);
    case 'NMTOKEN':
      return characters(Math.max(1, size), pick, `${NAMES}019-.`);
    case 'anySimpleType':
    case 'string':
    case 'normalizedString':
    case 'token':
      return textOfLength(steps, pick);
    default:
      throw new Unmakeable(`the type ${builtIn}`);
  }
}

/** A bound of dates, which is a value if it is inclusive. */
function bounded(steps: readonly Facets[], otherwise: string): string {
  return one(steps, 'minInclusive') ?? one(steps, 'maxInclusive') ?? otherwise;
}

/** Whether a text is within the facets, as far as can be seen easily: xmllint has the last word. */
function fits(text: string, simple: Simple, isListed: boolean): boolean {
  if (simple.kind !== 'atomic') return true;
  const { builtIn, steps } = simple;
  if (!steps.every((step) => matches(text, step.get('pattern')))) return false;
  const isNumber =
    builtIn === 'decimal' || INTEGERS[builtIn] !== undefined || builtIn === 'double' || builtIn === 'float';
  if (isNumber) {
    const value = Number(text);
    for (const [name, holds] of Object.entries(BOUNDS)) {
      const bound = one(steps, name);
      if (bound !== undefined && !holds(value, Number(bound))) return false;
    }
    const digits = /^[-+]?0*(\d*?)(?:\.(\d*?)0*)?$/.exec(text);
    const all = one(steps, 'totalDigits');
    if (all !== undefined && digits !== null && `${digits[1]}${digits[2] ?? ''}`.length > Number(all)) return false;
    return true;
  }
  if (isListed || builtIn.endsWith('Binary')) return true;
  const { least, most } = lengthsOf(steps);
  const hasMost = one(steps, 'length') !== undefined || one(steps, 'maxLength') !== undefined;
  const length = [...text].length;
  return length >= least && (!hasMost || length <= most);
}

/** Whether a text matches one of the patterns; those that are not ECMAScript too are not tried. */
function matches(text: string, patterns: readonly string[] | undefined): boolean {
  try {
    return patterns === undefined || patterns.some((each) => new RegExp(`^(?:${each})$`, 'u').test(text));
  } catch {
    return true;
  }
}

const BOUNDS: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  minInclusive: (value, bound) => value >= bound,
  maxInclusive: (value, bound) => value <= bound,
  minExclusive: (value, bound) => value > bound,
  maxExclusive: (value, bound) => value < bound,
};
