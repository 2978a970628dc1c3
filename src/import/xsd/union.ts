import { BIG_INTEGER } from '../../model/scalar.ts';
import { checkPattern } from '../../wire/pattern.ts';
import { PatternError } from '../../wire/pattern-syntax.ts';
import type { Facets } from '../draft.ts';
import { LEXICAL_FORMS, type SimpleType } from './builtin.ts';
import { patternsOf } from './facets.ts';
import { integerPattern } from './integer-pattern.ts';
import { anyOf, literalPattern } from './pattern.ts';

// Unions as texts with a pattern that each lexical form of a member matches, and no other text.

/** Every text. */
const ANYTHING = '[^]*';

/** Space that is removed around the values of most types. */
const AROUND = '[\\t\\n\\r ]*';

interface Member {
  readonly pattern: string;
  readonly collapsed: boolean;
  /** Whether facets are not in the pattern. */
  readonly imprecise: boolean;
}

/** The type of values of any of several types. */
export function unionOf(types: readonly SimpleType[]): { readonly type: SimpleType; readonly imprecise: boolean } {
  // A text keeps what numbers and dates lose.
  const note = types.find((each) => each.note !== undefined && each.word === 'string')?.note;
  const noted = note === undefined ? {} : { note };
  const [first] = types;
  if (first === undefined) return { type: { word: 'string', facets: {} }, imprecise: false };
  const values = types.map(valuesOf);
  const space = first.facets.space;
  if (values.every((each) => each !== undefined) && types.every(({ facets }) => facets.space === space)) {
    const labels = Object.assign({}, ...types.map((each) => each.facets.labels ?? {}));
    const facets: Facets = {
      enum: [...new Set(values.flat())],
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(space === undefined ? {} : { space }),
    };
    return { type: { word: 'string', facets, ...noted }, imprecise: false };
  }
  const members = types.map(memberOf);
  const facets = patternFacets(members);
  const isUsable = facets.pattern === undefined || isPattern(facets.pattern as string);
  const imprecise = !isUsable || members.some((each) => each.imprecise);
  return { type: { word: 'string', facets: isUsable ? facets : {}, ...noted }, imprecise };
}

/** Whether a pattern can be used: those of unions of many types may be too large. */
function isPattern(pattern: string): boolean {
  try {
    checkPattern(pattern);
    return true;
  } catch (error) {
    if (error instanceof PatternError) return false;
    throw error;
  }
}

/** The values of a type that only has these. */
function valuesOf({ word, facets, list }: SimpleType): readonly string[] | undefined {
  if (word !== 'string' || list !== undefined || facets.enum === undefined) return undefined;
  return facets.enum.map(String);
}

function patternFacets(members: readonly Member[]): Facets {
  const collapsed = members.every((each) => each.collapsed);
  if (members.some(({ pattern, collapsed: each }) => pattern === ANYTHING && (!each || collapsed)))
    return collapsed ? { space: 'collapse' } : {};
  const pattern = anyOf(
    members.map((each) => (each.collapsed && !collapsed ? `${AROUND}(${each.pattern})${AROUND}` : each.pattern)),
  );
  return collapsed ? { space: 'collapse', pattern } : { pattern };
}

function memberOf({ word, facets, list }: SimpleType): Member {
  const one = patternOf(word, facets);
  if (list === undefined) return { ...one, collapsed: word !== 'string' || facets.space === 'collapse' };
  const { minimum = 0, maximum } = list;
  // Entries that accept any text have no space inside.
  const entry = one.pattern === ANYTHING ? '[^\\t\\n\\r ]+' : `(${one.pattern})`;
  const more = `( ${entry})${times(Math.max(minimum - 1, 0), maximum === undefined ? undefined : maximum - 1)}`;
  const pattern = maximum === 0 ? '' : minimum === 0 ? `(${entry}${more})?` : `${entry}${more}`;
  return { pattern, imprecise: one.imprecise, collapsed: true };
}

/** A quantifier. */
function times(least: number, most: number | undefined): string {
  if (most === undefined) return least === 0 ? '*' : `{${least},}`;
  return least === most ? `{${least}}` : `{${least},${most}}`;
}

/** The pattern of the texts that a type accepts, and whether it accepts more than that. */
function patternOf(word: string, facets: Facets): { readonly pattern: string; readonly imprecise: boolean } {
  const { enum: values, minimum, maximum, above, below, digits, fraction } = facets;
  if ((word === 'integer' || word === BIG_INTEGER) && digits === undefined) {
    if (values !== undefined)
      return { pattern: anyOf(values.map((each) => integerPattern(BigInt(each), BigInt(each)))), imprecise: false };
    const [least, most] = [minimum, maximum].map((each) => (each === undefined ? undefined : BigInt(each)));
    if (least !== undefined || most !== undefined) return { pattern: integerPattern(least, most), imprecise: false };
  }
  if (values !== undefined && LEXICAL_FORMS[word] === undefined)
    return { pattern: anyOf(values.map((each) => literalPattern(String(each)))), imprecise: false };
  const patterns = patternsOf(facets);
  const [pattern = LEXICAL_FORMS[word] ?? ANYTHING] = patterns;
  const bounded = [minimum, maximum, above, below, digits, fraction, values].some((each) => each !== undefined);
  if (word === 'string' && patterns.length === 0 && (minimum !== undefined || maximum !== undefined)) {
    // Longer repetitions are too large for a pattern.
    const [least, most] = [Number(minimum ?? 0), maximum === undefined ? undefined : Number(maximum)];
    if (Math.max(least, most ?? 0) <= 900) return { pattern: `[^]${times(least, most)}`, imprecise: false };
  }
  return { pattern, imprecise: bounded || patterns.length > 1 };
}
