import { type Field, type FieldType, type ScalarKind, type ScalarType, singleType } from '../../model/field.ts';
import type { RawKind } from '../../model/service.ts';
import type { TypeNames } from '../names.ts';
import { quoted } from '../typescript.ts';

/**
 * The two ways in which code meets a document. `given` is what it hands over (a reply, prompts, the input of a call): as
 * much as possible is accepted, what is left out, undefined or null is not given. `received` is what it gets (a request,
 * the reply to a call): as much as possible is promised, after checks, defaults and fixed values; what the other side did
 * not give is absent, never null.
 */
export type Face = 'given' | 'received';

/** Strings in memory where nothing narrows them; see {@link ScalarType}. */
const plain: Readonly<Record<ScalarKind, string>> = {
  string: 'string',
  text: 'string',
  integer: 'number | bigint',
  decimal: 'string',
  boolean: 'boolean',
  flag: "'Y' | 'N'",
  date: 'string',
  time: 'string',
  datetime: 'string',
  binary: 'Attachment',
  json: 'JsonValue',
  xml: 'string',
};

/** Names of the package's types that a generated text uses, collected while it is written. */
export type Uses = Set<string>;

/** The TypeScript type of a message without a document. */
export function rawText(kind: RawKind, uses: Uses): string {
  const text = plain[kind];
  if (text !== 'string') uses.add(text);
  return text;
}

/** The TypeScript type of a field's value, where there is one. */
export function valueText(field: Field, face: Face, names: TypeNames, uses: Uses): string {
  const text = typeText(field.type, field, face, names);
  const { kind } = singleType(field.type);
  if (kind === 'binary') uses.add('Attachment');
  if (kind === 'json') uses.add('JsonValue');
  return text;
}

function typeText(type: FieldType, field: Field, face: Face, names: TypeNames): string {
  if (type.kind === 'list') {
    const item = typeText(type.item, field, face, names);
    return `readonly ${item.includes(' ') ? `(${item})` : item}[]`;
  }
  if (type.kind === 'document') return face === 'given' ? names.given(type.document) : names.received(type.document);
  const only = field.fixed === undefined ? field.enum : [field.fixed];
  if (only !== undefined && only.length > 0 && !OPAQUE.has(type.kind))
    return [...new Set(only.map((each) => literal(type, each)))].join(' | ');
  return type.kind === 'integer' && isSafe(field) ? 'number' : plain[type.kind];
}

/** Kinds without literals. */
const OPAQUE: ReadonlySet<ScalarKind> = new Set(['binary', 'json']);

/** Whether every value is exact as a number: both bounds lie within ±(2^53 - 1). */
function isSafe({ type, minimum, maximum }: Field): boolean {
  // Of a list they bound its entries' count, not their values.
  if (type.kind === 'list' || minimum === undefined || maximum === undefined) return false;
  return minimum >= Number.MIN_SAFE_INTEGER && maximum <= Number.MAX_SAFE_INTEGER;
}

/** A value of `enum` or `fixed` in the form that it has in memory. */
function literal(type: ScalarType, value: string | number | boolean): string {
  if (type.kind === 'boolean') return String(value);
  if (type.kind !== 'integer') return quoted(String(value));
  return Number.isSafeInteger(Number(value)) ? String(value) : `${BigInt(value)}n`;
}
