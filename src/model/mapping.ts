import type { Document } from './document.ts';
import { type Field, singleType } from './field.ts';
import { isAnyText, isString } from './scalar.ts';
import type { Value } from './value.ts';

/** How the value of one document is filled from that of another. */
export interface Mapping {
  readonly from: Shape;
  readonly to: Shape;
  /** The fields of `to` that are filled, in its order. */
  readonly members: readonly MappedField[];
}

/** What a mapping needs to know of a document. */
export type Shape = Pick<Document, 'id' | 'fields' | 'open' | 'choice'>;

interface MappedField {
  readonly field: Field;
  readonly from: MapSource;
}

/** What a field is filled from. */
export type MapSource =
  | FieldSource
  /** Always the same. */
  | { readonly kind: 'value'; readonly value: Value }
  /** A document whose fields are filled one by one, from the same document as those around it. */
  | { readonly kind: 'parts'; readonly mapping: Mapping };

/** The value of a field. */
export interface FieldSource {
  readonly kind: 'field';
  /** The field, after the documents in which it is, outermost first. */
  readonly path: readonly Field[];
  /** Other values for some, by the text of the value. */
  readonly values?: ReadonlyMap<string, Value>;
  /** Used when it has no value. */
  readonly otherwise?: Value;
  /** Values that are too long are cut. */
  readonly cut?: true;
  /** For a document, or for each entry of a list or a map of documents. */
  readonly mapping?: Mapping;
}

/** Whether a mapping changes nothing, so that values are passed on as they are. */
export function isSame(mapping: Mapping, assumed: Set<Mapping> = new Set()): boolean {
  if (assumed.has(mapping)) return true;
  assumed.add(mapping);
  const { from, to, members } = mapping;
  if (from.open !== to.open || from.fields.length !== members.length || to.fields.length !== members.length)
    return false;
  return members.every(({ field, from: source }) => {
    const [first, second] = source.kind === 'field' ? source.path : [];
    if (source.kind !== 'field' || first === undefined || second !== undefined || first.name !== field.name)
      return false;
    if (
      source.values !== undefined ||
      source.otherwise !== undefined ||
      source.cut === true ||
      ownValue(first) !== ownValue(field)
    )
      return false;
    return source.mapping === undefined ? isSameType(first, field) : isSame(source.mapping, assumed);
  });
}

const ownValue = ({ fixed, default: standard }: Field): Field['fixed'] => fixed ?? standard;

/** Whether values need no conversion: a text field takes numbers and booleans as text. */
function isSameType({ type: from, nullable: fromNull }: Field, { type: to, nullable: toNull }: Field): boolean {
  if (fromNull === true && toNull !== true) return false;
  return !isAnyText(to) || isString(from);
}

/**
 * Whether a mapping changes nothing, and the messages have the same form: names, order, types and restrictions. Then bytes that
 * were written as the one are those of the other.
 */
export function isSameForm(mapping: Mapping, assumed: Set<Mapping> = new Set()): boolean {
  if (assumed.has(mapping)) return true;
  if (!isSame(mapping)) return false;
  assumed.add(mapping);
  const { from, to, members } = mapping;
  return members.every(({ field, from: source }, index) => {
    if (source.kind !== 'field' || from.fields[index]?.name !== field.name || to.fields[index] !== field) return false;
    const given = source.path[0] as Field;
    if (!FORM.every((key) => sameText(given[key], field[key]))) return false;
    const [one, other] = [singleType(given.type), singleType(field.type)];
    if (one.kind !== other.kind || given.type.kind !== field.type.kind) return false;
    if (one.kind !== 'document' || other.kind !== 'document') return sameText(one, other);
    return one.document === other.document || (source.mapping !== undefined && isSameForm(source.mapping, assumed));
  });
}

/** What decides how a field is written, and which values it accepts. */
const FORM = [
  ...(['jsonName', 'xmlName', 'attribute', 'namespace', 'nullable', 'absent', 'anyCase'] as const),
  ...([
    'enum',
    'patterns',
    'space',
    'range',
    'digits',
    'fraction',
    'minimum',
    'maximum',
    'fixed',
    'assumed',
    'entry',
  ] as const),
  ...(['content', 'inline', 'any', 'header', 'attachment'] as const),
] satisfies readonly (keyof Field)[];

const sameText = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
