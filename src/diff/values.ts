import type { Position } from '../model/definition.ts';
import { itemName } from '../model/document.ts';
import {
  entryField,
  type Field,
  type FieldType,
  isCollection,
  isSpaced,
  type ListType,
  type ScalarType,
  singleType,
  typeWords,
} from '../model/field.ts';
import { holdsNull, isAnyText, rangeOf, SCALARS, traitsOf } from '../model/scalar.ts';
import { integersWithin, ORDERS, type Order, type OrderName, type Range } from '../wire/order.ts';
import { wordsOf } from './alternatives.ts';
import { type Compare, type Pair, type Scope, type Sides, whenMoved, whenTurned } from './changes.ts';

/** How the values of one type relate to those of another. Of types with sizes, the sizes are compared separately. */
type Relation = 'same' | 'wider' | 'narrower' | 'other';

/** Whether each value of a type is a text of one line that a type for any text holds too. */
function isWithin(type: ScalarType, text: ScalarType): boolean {
  const { json, body, longest = Number.POSITIVE_INFINITY } = SCALARS[type.kind];
  if (json.type !== 'string' || body !== 'text') return false;
  return text.length === undefined || longest <= text.length;
}

function relationOf(before: ScalarType, after: ScalarType): Relation {
  const [old, now] = [isAnyText(before), isAnyText(after)];
  if (before.kind === after.kind || (old && now)) return 'same';
  if (now) return isWithin(before, after) ? 'wider' : 'other';
  if (old) return isWithin(after, before) ? 'narrower' : 'other';
  const [from, to] = [SCALARS[before.kind].primitive, SCALARS[after.kind].primitive];
  // Integers of 32 and of 64 bits differ in their bounds.
  if (from === 'integer' && to === 'integer') return 'same';
  if (from === 'integer' && to === 'decimal' && after.length === undefined) return 'wider';
  if (from === 'decimal' && to === 'integer' && before.length === undefined) return 'narrower';
  if (from === 'double' && to === 'double') return relationOfDoubles(before, after);
  return 'other';
}

/** Floating-point numbers differ in their bits in contracts, and in whether infinities and NaN are among them. */
function relationOfDoubles(before: ScalarType, after: ScalarType): Relation {
  const holds = (type: ScalarType, other: ScalarType): boolean => {
    const [outer, inner] = [SCALARS[type.kind], SCALARS[other.kind]];
    const isShort = ({ json }: typeof outer): boolean => json.format === 'float';
    return (!isShort(outer) || isShort(inner)) && (outer.beyondNumbers === true || inner.beyondNumbers !== true);
  };
  const [isWider, isNarrower] = [holds(after, before), holds(before, after)];
  if (isWider && isNarrower) return 'same';
  return isWider ? 'wider' : isNarrower ? 'narrower' : 'other';
}

/** Whether two types have a form in common, so that restrictions of their values can be compared. */
function isAkin(before: FieldType, after: FieldType): boolean {
  const shape = (type: FieldType): string => (isCollection(type) ? type.kind : 'single');
  if (shape(before) !== shape(after)) return false;
  const [old, now] = [singleType(before), singleType(after)];
  if (old.kind === 'document' || now.kind === 'document') return old.kind === now.kind;
  return relationOf(old, now) !== 'other';
}

export const compareTypes: Compare<Field> = ({ before, after }, { changes, ...scope }) => {
  const sides = {
    before: { text: typeWords(before.type), at: before.at },
    after: { text: typeWords(after.type), at: after.at },
  };
  const add = (rule: Parameters<typeof changes.add>[0]): void => changes.add(rule, { ...scope, changes }, sides);
  const [was, is] = [isCollection(before.type), isCollection(after.type)];
  if (was !== is) return add(is ? 'list-begun' : 'list-ended');
  if (before.type.kind !== after.type.kind && was) return add('type-changed');
  const [old, now] = [singleType(before.type), singleType(after.type)];
  if (old.kind === 'document' && now.kind === 'document') return;
  const relation = old.kind === 'document' || now.kind === 'document' ? 'other' : relationOf(old, now);
  if (relation === 'same') return;
  add(relation === 'wider' ? 'type-widened' : relation === 'narrower' ? 'type-narrowed' : 'type-changed');
};

/** Compares restrictions of values, unless the types have nothing in common, which is reported then. */
function ofAkin(compare: Compare<Field>): Compare<Field> {
  return (pair, scope) => {
    if (isAkin(pair.before.type, pair.after.type)) compare(pair, scope);
  };
}

/** The most characters of a text, or of an entry: the length of its type or the declared maximum, whichever is less. */
function longestOf(field: Field): number | undefined {
  const { type, maximum } = entryField(field);
  const single = singleType(type);
  if (single.kind === 'document' || !isAnyText(single)) return undefined;
  if (single.length === undefined) return maximum;
  return maximum === undefined ? single.length : Math.min(single.length, maximum);
}

export const compareLengths = ofAkin(
  whenMoved('length-lowered', 'length-raised', longestOf, (field) => String(longestOf(field) ?? 'any number of')),
);

/** The most digits of a number: in all, and before and after the point. */
interface Digits {
  readonly all: number;
  readonly whole: number;
  readonly fraction: number;
}

const ANY = Number.POSITIVE_INFINITY;

/** Those of a decimal with a size, or those that are declared. */
function digitsOf({ type, digits = ANY, fraction = ANY }: Field): Digits {
  const single = singleType(type);
  if (traitsOf(single)?.size !== 'digits' || single.kind === 'document' || single.length === undefined)
    return { all: digits, whole: digits, fraction };
  const { length, scale = 0 } = single;
  return { all: length, whole: length - scale, fraction: scale };
}

function digitWords(field: Field): string {
  const { all, whole, fraction } = digitsOf(field);
  if (all === whole && all !== ANY)
    return fraction === ANY ? `${all} digits` : `${all} digits, and ${fraction} after the point`;
  if (whole !== ANY) return `${whole} digits before and ${fraction} after the point`;
  return fraction === ANY ? 'any number of digits' : `${fraction} digits after the point`;
}

export const compareDigits = ofAkin(({ before, after }, scope) => {
  // Texts have lengths.
  if (isAnyText(singleType(before.type)) || isAnyText(singleType(after.type))) return;
  const [old, now] = [digitsOf(before), digitsOf(after)];
  const names = ['all', 'whole', 'fraction'] as const;
  const sides = {
    before: { text: digitWords(before), at: before.at },
    after: { text: digitWords(after), at: after.at },
  };
  if (names.some((each) => now[each] < old[each])) scope.changes.add('digits-lowered', scope, sides);
  if (names.some((each) => now[each] > old[each])) scope.changes.add('digits-raised', scope, sides);
});

/** Compares the least length of a text, or of a collection. */
export const compareMinimum = ofAkin(
  // No minimum is less than any.
  whenMoved(
    'minimum-lowered',
    'minimum-raised',
    ({ minimum = 0 }) => minimum,
    ({ minimum }) => String(minimum ?? 'none'),
  ),
);

export const compareMaximum = ofAkin((pair, scope) => {
  // The maximum of a text is compared together with the length of its type.
  if (isTextLength(pair.before) || isTextLength(pair.after)) return;
  const words = ({ maximum }: Field): string => String(maximum ?? 'none');
  whenMoved<Field>('maximum-lowered', 'maximum-raised', ({ maximum }) => maximum, words)(pair, scope);
});

function isTextLength({ type }: Field): boolean {
  return !isCollection(type) && isAnyText(type);
}

export const compareNull = whenTurned<Field, Scope>('null-allowed', 'null-refused', (field) => holdsNull(field));

/** Compares the lengths of entries, and whether they may be null. The maximum of a text is compared with the length of its type. */
export const compareEntry = ofAkin((pair, scope) => {
  if (!isCollection(pair.before.type)) return;
  const { before, after } = { before: entryOf(pair.before), after: entryOf(pair.after) };
  const within = { ...scope, what: `each entry of ${scope.what}` };
  compareMinimum({ before, after }, within);
  compareMaximum({ before, after }, within);
  compareNull({ before, after }, within);
});

/** One entry of a collection as a field of its own. */
function entryOf(field: Field): Field {
  return { ...entryField(field), type: singleType(field.type) };
}

/** The end of a range: the value itself, or all that are beyond it. */
interface Bound {
  readonly value: string;
  readonly isOpen: boolean;
}

function boundOf(closed: string | undefined, open: string | undefined): Bound | undefined {
  if (open !== undefined) return { value: open, isOpen: true };
  return closed === undefined ? undefined : { value: closed, isOpen: false };
}

interface Ends {
  readonly low: Bound | undefined;
  readonly high: Bound | undefined;
}

/** The bounds of values. Those of integers are inclusive: above 0 is at least 1. */
function ends(field: Field, range: Range = {}): Ends {
  const single = singleType(field.type);
  const isWhole = traitsOf(single)?.primitive === 'integer';
  const { least, most } = isWhole ? integersWithin(range) : {};
  const { minimum, above, maximum, below } = isWhole
    ? { minimum: least?.toString(), maximum: most?.toString() }
    : range;
  return { low: boundOf(minimum, above), high: boundOf(maximum, below) };
}

/** Compares the values that lie between bounds. */
export const compareRanges = ofAkin(({ before, after }, scope) => {
  const isWhole = [before, after].every(({ type }) => traitsOf(singleType(type))?.primitive === 'integer');
  // A change from integers to decimals says that all bounds of the type are gone.
  const [old, now] = [before, after].map((each) => ends(each, isWhole ? rangeOf(each) : each.range)) as [Ends, Ends];
  const order = traitsOf(singleType(after.type))?.order ?? traitsOf(singleType(before.type))?.order;
  const low = orderOfBounds(old.low, now.low, order, 1);
  const high = orderOfBounds(old.high, now.high, order, -1);
  // The bounds of a type that both have are not worth a word.
  const isSameType = singleType(before.type).kind === singleType(after.type).kind;
  const [from, to] = isSameType ? [ends(before, before.range), ends(after, after.range)] : [old, now];
  const sides = (end: 'low' | 'high', words: string): Sides => ({
    before: { text: boundWords(from[end], words), at: before.at },
    after: { text: boundWords(to[end], words), at: after.at },
  });
  const lows = sides('low', 'above');
  const highs = sides('high', 'below');
  if (low.isNarrower) scope.changes.add('minimum-raised', scope, lows);
  if (low.isWider) scope.changes.add('minimum-lowered', scope, lows);
  if (high.isNarrower) scope.changes.add('maximum-lowered', scope, highs);
  if (high.isWider) scope.changes.add('maximum-raised', scope, highs);
});

function boundWords(bound: Bound | undefined, open: string): string {
  if (bound === undefined) return 'none';
  return bound.isOpen ? `${open} ${bound.value}` : bound.value;
}

/** Whether a bound permits fewer values than another, or more; both if their order is not certain. @param sign 1 for lower bounds */
function orderOfBounds(
  old: Bound | undefined,
  now: Bound | undefined,
  order: OrderName | undefined,
  sign: 1 | -1,
): { readonly isNarrower: boolean; readonly isWider: boolean } {
  if (old === undefined || now === undefined) return { isNarrower: now !== undefined, isWider: old !== undefined };
  const compare = order === undefined ? undefined : (ORDERS[order] as Order).compare;
  const moved = compare === undefined ? Number.NaN : compare(now.value, old.value) * sign;
  if (old.value === now.value || moved === 0)
    return { isNarrower: now.isOpen && !old.isOpen, isWider: old.isOpen && !now.isOpen };
  return { isNarrower: !(moved < 0), isWider: !(moved > 0) };
}

const patternsOf = ({ patterns = [] }: Field): readonly string[] => patterns;

export const comparePatterns = ofAkin(({ before, after }, scope) => {
  const [old, now] = [patternsOf(before), patternsOf(after)];
  const added = now.filter((each) => !old.includes(each));
  const removed = old.filter((each) => !now.includes(each));
  const sides = {
    before: { text: removed.map((each) => `\`${each}\``).join(' and '), at: before.at },
    after: { text: added.map((each) => `\`${each}\``).join(' and '), at: after.at },
  };
  if (added.length > 0 && removed.length > 0) scope.changes.add('pattern-changed', scope, sides);
  else if (added.length > 0) scope.changes.add('pattern-added', scope, sides);
  else if (removed.length > 0) scope.changes.add('pattern-removed', scope, sides);
});

export const compareEnums = ofAkin(({ before, after }, scope) => {
  const [old, now] = [before.enum, after.enum];
  const side = (field: Field, values: NonNullable<Field['enum']>) => ({ text: values.join(', '), at: field.at });
  const { changes } = scope;
  if (old === undefined && now === undefined) return;
  if (old === undefined || now === undefined) {
    const rule = old === undefined ? 'enum-begun' : 'enum-ended';
    return changes.add(rule, scope, { before: side(before, old ?? []), after: side(after, now ?? []) });
  }
  const spelled = (values: NonNullable<Field['enum']>): Set<string> => new Set(values.map(String));
  const [had, has] = [spelled(old), spelled(now)];
  // Of long lists, the words for all of a side are made once.
  const [all, left] = [side(before, old), side(after, now)];
  for (const value of now)
    if (!had.has(String(value))) changes.add('enum-value-added', scope, { before: all, after: side(after, [value]) });
  for (const value of old)
    if (!has.has(String(value)))
      changes.add('enum-value-removed', scope, { before: side(before, [value]), after: left });
});

type Single = string | number | boolean | undefined;

/** Compares a value that a field may have: one that it always has, or one that it has, or is taken for, otherwise. */
function compareValue(
  rules: {
    readonly begun: 'fixed-begun' | 'default-added' | 'assumed-added';
    readonly ended: 'fixed-ended' | 'default-removed' | 'assumed-removed';
    readonly changed: 'fixed-changed' | 'default-changed' | 'assumed-changed';
  },
  read: (field: Field) => Single,
): Compare<Field> {
  return ofAkin(({ before, after }, scope) => {
    const [old, now] = [read(before), read(after)];
    if (String(old) === String(now)) return;
    const rule = old === undefined ? rules.begun : now === undefined ? rules.ended : rules.changed;
    const text = (value: Single): string => (value === '' ? 'empty' : String(value ?? ''));
    scope.changes.add(rule, scope, {
      before: { text: text(old), at: before.at },
      after: { text: text(now), at: after.at },
    });
  });
}

export const compareFixed = compareValue(
  { begun: 'fixed-begun', ended: 'fixed-ended', changed: 'fixed-changed' },
  (field) => field.fixed,
);

export const compareDefaults = compareValue(
  { begun: 'default-added', ended: 'default-removed', changed: 'default-changed' },
  (field) => field.default,
);

export const compareAssumed = compareValue(
  { begun: 'assumed-added', ended: 'assumed-removed', changed: 'assumed-changed' },
  (field) => field.assumed,
);

/** How the entries of a list are written in XML, in words for each member of the model but their type; empty for another one's. */
const LIST: Readonly<Record<Exclude<keyof ListType, 'kind' | 'item'>, (list: ListType) => string>> = {
  flat: ({ flat, spaced }) => {
    if (spaced === true) return '';
    return flat ? 'without an element around them' : 'inside an element';
  },
  spaced: ({ spaced }) => (spaced === true ? 'one text, separated by spaces' : ''),
  // Compared as the name of the element, wherever that is from.
  entryName: () => '',
};

/** The elements of a list's entries. */
export function compareEntries({ before, after }: Pair<Field>, scope: Scope): void {
  if (before.type.kind !== 'list' || after.type.kind !== 'list') return;
  const side = (field: Field, text: string): { text: string; at: Position } => ({ text, at: field.at });
  const form = (list: ListType): string => wordsOf(LIST, list);
  const [old, now] = [before.type, after.type];
  if (form(old) !== form(now))
    scope.changes.add('flat-changed', scope, { before: side(before, form(old)), after: side(after, form(now)) });
  // The entries of a flat list have the name of the field, and those of one text have none.
  else if (!old.flat && !isSpaced(old) && itemName(old) !== itemName(now))
    scope.changes.add('entry-name-changed', scope, {
      before: side(before, itemName(old)),
      after: side(after, itemName(now)),
    });
}
