import type { Document } from '../model/document.ts';
import { type CompoundType, type Field, type FieldType, type ScalarType, singleType } from '../model/field.ts';
import { isNumeric, primitiveOf, SCALARS, traitsOf } from '../model/scalar.ts';
import type { RawKind } from '../model/service.ts';
import type { TypeNames } from './names.ts';
import { code, comment, propertyName, quoted, sentence } from './typescript.ts';
import { isPresent, type Vocabulary } from './vocabulary.ts';
import { typeWords } from './words.ts';

/** With the package's types that the text uses, collected while it is written. */
export interface Writing extends Vocabulary {
  readonly uses: Uses;
}

/** What else is said of a member. */
interface MemberOptions {
  /** Takes the place of the type that the field has. */
  readonly type?: string;
  /** Stands below the field's own words. */
  readonly said?: readonly (string | undefined)[];
}

/** The members of a document, in braces. */
export function members(document: Document, face: Face, words: Writing): string {
  const lines = document.fields.map((field) =>
    property(field, face, face === 'given' ? codeMustGive(field) : isPresent(field), words),
  );
  if (document.open) {
    words.uses.add('Value');
    const said = comment('  ', ['Fields that nobody declared are kept as they come.']);
    lines.push(`${said}${leadOf(face)}[field: string]: Value;\n`);
  }
  return face === 'given' ? block(lines) : block(lines, 'never');
}

/** Whether code has to give a field: a default or a fixed value is filled in where it gives none. */
export function codeMustGive(field: Field): boolean {
  return field.required && field.default === undefined && field.fixed === undefined;
}

export function property(
  field: Field,
  face: Face,
  present: boolean,
  words: Writing,
  { type = valueText(field, face, words.names, words.uses), said = [] }: MemberOptions = {},
): string {
  // A null in a JSON field is a value.
  const takesNull = face === 'given' && primitiveOf(field.type) !== 'json';
  const absent = present ? '' : takesNull ? ' | null | undefined' : ' | undefined';
  const mark = present ? '' : '?';
  const title = comment('  ', [sentence(field.description), facts(field), ...said]);
  return `${title}${leadOf(face)}${propertyName(field.name)}${mark}: ${type}${absent};\n`;
}

const leadOf = (face: Face): string => (face === 'received' ? '  readonly ' : '  ');

/**
 * Members in braces. Where there are none, the keys decide: of type string, any member that code gives is an error; of
 * type never, any that it reads.
 */
export function block(lines: readonly string[], keys: 'string' | 'never' = 'string'): string {
  return lines.length === 0 ? `Record<${keys}, never>;\n` : `{\n${lines.join('')}};\n`;
}

/**
 * The two ways in which code meets a document. `given` is what it hands over (a reply, prompts, the input of a call): as
 * much as possible is accepted, what is left out, undefined or null is not given. `received` is what it gets (a request,
 * the reply to a call): as much as possible is promised, after checks, defaults and fixed values; what the other side did
 * not give is absent, never null.
 */
export type Face = 'given' | 'received';

/** Names of the package's types that a generated text uses, collected while it is written. */
type Uses = Set<string>;

/** The TypeScript type of a message without a document. */
export function rawText(kind: RawKind, uses: Uses): string {
  const text = SCALARS[kind].typescript.type;
  if (text !== 'string') uses.add(text);
  return text;
}

/** The TypeScript type of a field's value, where there is one. */
export function valueText(field: Field, face: Face, names: TypeNames, uses: Uses): string {
  const text = typeText(field.type, field, face, names);
  const type = singleType(field.type);
  if (isOpaque(type)) uses.add(SCALARS[type.kind].typescript.type);
  return text;
}

function typeText(type: FieldType, field: Field, face: Face, names: TypeNames): string {
  if (type.kind === 'list') {
    const item = typeText(type.item, field, face, names);
    return `readonly ${item.includes(' ') ? `(${item})` : item}[]`;
  }
  if (type.kind === 'document') return face === 'given' ? names.given(type.document) : names.received(type.document);
  const only = field.fixed === undefined ? field.enum : [field.fixed];
  if (only !== undefined && only.length > 0 && !isOpaque(type))
    return [...new Set(only.map((each) => literal(type, each)))].join(' | ');
  return primitiveOf(type) === 'integer' && isSafe(field) ? 'number' : traitsOf(type).typescript.type;
}

/** Whether the values of a type have no literals: their TypeScript type is one of the package's. */
function isOpaque(type: ScalarType | CompoundType): type is ScalarType {
  const primitive = primitiveOf(type);
  return primitive === 'binary' || primitive === 'json';
}

/** Whether every value is exact as a number: both bounds lie within ±(2^53 - 1). */
function isSafe({ type, minimum, maximum }: Field): boolean {
  // Of a list they bound its entries' count, not their values.
  if (type.kind === 'list' || minimum === undefined || maximum === undefined) return false;
  return minimum >= Number.MIN_SAFE_INTEGER && maximum <= Number.MAX_SAFE_INTEGER;
}

/** A value of `enum` or `fixed` in the form that it has in memory. */
function literal(type: ScalarType, value: string | number | boolean): string {
  if (primitiveOf(type) === 'boolean') return String(value);
  if (primitiveOf(type) !== 'integer') return quoted(String(value));
  return Number.isSafeInteger(Number(value)) ? String(value) : `${BigInt(value)}n`;
}

/** What the definitions say of a field beyond its TypeScript type, in one sentence; empty where that is nothing. */
export function facts(field: Field): string {
  const { type, minimum, maximum } = field;
  const item = singleType(field.type);
  const said: string[] = [];
  if (item.kind !== 'document') {
    const { note } = traitsOf(item).typescript;
    if (item.length !== undefined || note !== undefined) said.push(code(typeWords(type)) + (note ?? ''));
  }
  if (minimum !== undefined || maximum !== undefined) said.push(bounds(field));
  if (field.pattern !== undefined) said.push(`pattern ${code(field.pattern)}`);
  if (field.default !== undefined) said.push(`default ${code(String(field.default))}`);
  if (field.anyCase) said.push('letter case does not matter to callers');
  if (field.sensitive) said.push('sensitive: masked in logs');
  if (field.absent === 'blank') said.push('written as a blank where it is not given');
  if (field.example !== undefined && !field.sensitive) said.push(`example ${code(String(field.example))}`);
  const text = said.join(', ');
  return text === '' ? '' : `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

function bounds({ type, minimum, maximum }: Field): string {
  const [one, many] =
    type.kind === 'list' ? [' entry', ' entries'] : isNumeric(type) ? ['', ''] : [' character', ' characters'];
  const counted = (count: number): string => `${count}${count === 1 ? one : many}`;
  if (minimum === undefined) return `at most ${counted(maximum ?? 0)}`;
  if (maximum === undefined) return `at least ${counted(minimum)}`;
  return `${minimum} to ${counted(maximum)}`;
}
