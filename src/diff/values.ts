import { type Field, type FieldType, isCollection, type ScalarType, singleType, typeWords } from '../model/field.ts';
import { isAnyText, SCALARS, traitsOf } from '../model/scalar.ts';
import { type Compare, type Pair, type Scope, whenMoved } from './changes.ts';

/** How the values of one type relate to those of another. Of types with sizes, the sizes are compared separately. */
type Relation = 'same' | 'wider' | 'narrower' | 'other';

/** Characters of the longest value, of types whose values are short texts. */
const WIDTHS: Readonly<Record<string, number>> = { flag: 1, date: 10, uuid: 36 };

/** Whether each value of a type is a text of one line that a type for any text holds too. */
function isWithin(type: ScalarType, text: ScalarType): boolean {
  const { json, body } = SCALARS[type.kind];
  if (json.type !== 'string' || body !== 'text') return false;
  return text.length === undefined || (WIDTHS[type.kind] ?? Number.POSITIVE_INFINITY) <= text.length;
}

function relationOf(before: ScalarType, after: ScalarType): Relation {
  const [old, now] = [isAnyText(before), isAnyText(after)];
  if (before.kind === after.kind || (old && now)) return 'same';
  if (now) return isWithin(before, after) ? 'wider' : 'other';
  if (old) return isWithin(after, before) ? 'narrower' : 'other';
  const [from, to] = [SCALARS[before.kind].primitive, SCALARS[after.kind].primitive];
  if (from === 'integer' && to === 'decimal' && after.length === undefined) return 'wider';
  if (from === 'decimal' && to === 'integer' && before.length === undefined) return 'narrower';
  return 'other';
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

/** The most characters of a text: its length or the field's maximum, whichever is less. */
function longestOf({ type, maximum }: Field): number | undefined {
  const single = singleType(type);
  if (single.kind === 'document' || !isAnyText(single)) return undefined;
  const bound = isCollection(type) ? undefined : numberOf(maximum);
  if (single.length === undefined) return bound;
  return bound === undefined ? single.length : Math.min(single.length, bound);
}

export const compareLengths = ofAkin(
  whenMoved('length-lowered', 'length-raised', longestOf, (field) => String(longestOf(field) ?? 'any number of')),
);

/** Digits before and after the point of a decimal with a size. */
function digitsOf({ type }: Field): { readonly whole: number; readonly fraction: number } {
  const single = singleType(type);
  if (traitsOf(single)?.size !== 'digits' || single.kind === 'document' || single.length === undefined)
    return { whole: Number.POSITIVE_INFINITY, fraction: Number.POSITIVE_INFINITY };
  const { length, scale = 0 } = single;
  return { whole: length - scale, fraction: scale };
}

function digitWords(field: Field): string {
  const { whole, fraction } = digitsOf(field);
  return whole === Number.POSITIVE_INFINITY
    ? 'any number of digits'
    : `${whole} digits before and ${fraction} after the point`;
}

export const compareDigits = ofAkin(({ before, after }, scope) => {
  if (singleType(before.type).kind !== singleType(after.type).kind) return;
  const [old, now] = [digitsOf(before), digitsOf(after)];
  const sides = {
    before: { text: digitWords(before), at: before.at },
    after: { text: digitWords(after), at: after.at },
  };
  if (now.whole < old.whole || now.fraction < old.fraction) scope.changes.add('digits-lowered', scope, sides);
  if (now.whole > old.whole || now.fraction > old.fraction) scope.changes.add('digits-raised', scope, sides);
});

/** A bound of numbers or of counts; a text of another type has its own order. */
type Bound = number | string | undefined;

function numberOf(bound: Bound): number | undefined {
  return bound === undefined ? undefined : Number(bound);
}

/** Whether a bound is above another one. Dates and times are compared as texts. */
function isAbove(bound: number | string, other: number | string): boolean {
  const [a, b] = [Number(bound), Number(other)];
  return Number.isNaN(a) || Number.isNaN(b) ? String(bound) > String(other) : a > b;
}

const boundWords = (bound: Bound): string => (bound === undefined ? 'none' : String(bound));

export const compareMinimum = ofAkin(({ before, after }, scope) => {
  const [old, now]: [Bound, Bound] = [before.minimum, after.minimum];
  if (old === now) return;
  const raised = old === undefined || (now !== undefined && isAbove(now, old));
  addBound(raised ? 'minimum-raised' : 'minimum-lowered', [old, now], { before, after }, scope);
});

export const compareMaximum = ofAkin(({ before, after }, scope) => {
  const [old, now]: [Bound, Bound] = [before.maximum, after.maximum];
  // The maximum of a text is compared together with its length.
  if (old === now || isTextLength(before) || isTextLength(after)) return;
  const raised = now === undefined || (old !== undefined && isAbove(now, old));
  addBound(raised ? 'maximum-raised' : 'maximum-lowered', [old, now], { before, after }, scope);
});

function isTextLength({ type }: Field): boolean {
  return !isCollection(type) && isAnyText(type);
}

function addBound(
  rule: 'minimum-raised' | 'minimum-lowered' | 'maximum-raised' | 'maximum-lowered',
  [old, now]: readonly [Bound, Bound],
  { before, after }: Pair<Field>,
  scope: Scope,
): void {
  scope.changes.add(rule, scope, {
    before: { text: boundWords(old), at: before.at },
    after: { text: boundWords(now), at: after.at },
  });
}

const patternsOf = ({ pattern }: Field): readonly string[] => (pattern === undefined ? [] : [pattern]);

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
  const side = (field: Field, values: readonly (string | number)[]) => ({ text: values.join(', '), at: field.at });
  const { changes } = scope;
  if (old === undefined && now === undefined) return;
  if (old === undefined || now === undefined) {
    const rule = old === undefined ? 'enum-begun' : 'enum-ended';
    return changes.add(rule, scope, { before: side(before, old ?? []), after: side(after, now ?? []) });
  }
  const spelled = (values: readonly (string | number)[]): Set<string> => new Set(values.map(String));
  const [had, has] = [spelled(old), spelled(now)];
  for (const value of now)
    if (!had.has(String(value)))
      changes.add('enum-value-added', scope, { before: side(before, old), after: side(after, [value]) });
  for (const value of old)
    if (!has.has(String(value)))
      changes.add('enum-value-removed', scope, { before: side(before, [value]), after: side(after, now) });
});

type Single = string | number | boolean | undefined;

/** Compares a value that a field may have: one that it always has, or one that it has otherwise. */
function compareValue(
  rules: {
    readonly begun: 'fixed-begun' | 'default-added';
    readonly ended: 'fixed-ended' | 'default-removed';
    readonly changed: 'fixed-changed' | 'default-changed';
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
