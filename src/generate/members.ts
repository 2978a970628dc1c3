import { type Kinds, kindName, kindsOf } from '../model/derivation.ts';
import type { Document } from '../model/document.ts';
import {
  type CompoundType,
  type Field,
  type FieldType,
  isCollection,
  type ScalarType,
  singleType,
  typeWords,
} from '../model/field.ts';
import { holdsNull, primitiveOf, rangeOf, SCALARS, traitsOf } from '../model/scalar.ts';
import type { RawKind } from '../model/service.ts';
import { ownDescription, ownExample } from '../model/simple-type.ts';
import { integersWithin } from '../wire/order.ts';
import { counted } from '../wire/words.ts';
import type { TypeNames } from './names.ts';
import { code, comment, propertyName, quoted, sentence } from './typescript.ts';
import { isPresent, type Vocabulary } from './vocabulary.ts';

/** The vocabulary, with the types of the package that the text uses, collected while it is written. */
export interface Writing extends Vocabulary {
  readonly uses: Uses;
}

/** How a member differs from what its field says. */
interface MemberOptions {
  /** Replaces the type of the field. */
  readonly type?: string;
  /** Further lines of the comment. */
  readonly notes?: readonly (string | undefined)[];
}

/** The members of a document, in braces; of a choice, those of each branch. */
export function members(document: Document, face: Face, words: Writing): string {
  if (document.choice !== undefined) return `${choiceText(document, face, words)};\n`;
  if (document.kinds !== undefined) return `${kindsText(document, document.kinds, face, words)};\n`;
  return itselfText(document, [], face, words);
}

/** The members of the document itself, not of one that derives from it. */
function itselfText(document: Document, first: readonly string[], face: Face, words: Writing): string {
  const own = document.fields.map((field) =>
    property(field, face, face === 'given' ? codeMustGive(field) : isPresent(field), words),
  );
  const lines = [...first, ...own];
  if (document.open) {
    words.uses.add('Value');
    const note = comment('  ', ['Fields that are not declared are kept unchanged.']);
    lines.push(`${note}${leadOf(face)}[field: string]: Value;\n`);
  }
  return face === 'given' ? block(lines) : block(lines, 'never');
}

/**
 * One type for each document that may stand for another one, which the member that names it tells from the others: the document
 * itself, and those that derive from it directly, each with what derives from it.
 */
function kindsText(document: Document, { by, derived }: Kinds, face: Face, words: Writing): string {
  const member = propertyName(by.name);
  const lead = leadOf(face);
  const names = (of: Document): string =>
    kindsOf(of)
      .map((each) => quoted(kindName(each)))
      .join(' | ');
  const mark = face === 'given' ? '?' : '';
  const maybe = face === 'given' ? ' | null | undefined' : '';
  const itself = `${lead}${member}${mark}: ${quoted(kindName(document))}${maybe};\n`;
  const own = document.abstract ? [] : [itselfText(document, [itself], face, words).replace(/;\n$/, '')];
  const others = derived
    .filter(({ derivation }) => derivation?.base === document)
    .map((each) => {
      const name = face === 'given' ? words.names.given(each) : words.names.received(each);
      return `({ ${lead.trimStart()}${member}: ${names(each)} } & ${name})`;
    });
  return [...own, ...others].map((text) => `\n  | ${text.replaceAll('\n', '\n    ')}`).join('');
}

/** One type for each branch of a choice: its member, and none of the others. */
function choiceText({ fields }: Document, face: Face, words: Writing): string {
  const lead = leadOf(face).trimStart();
  return fields
    .map((branch) => {
      const lines = fields.map((field) => {
        const name = propertyName(field.name);
        return field === branch
          ? `${lead}${name}: ${valueText(field, face, words.names, words.uses)}${field.nullable ? ' | null' : ''}`
          : `${lead}${name}?: undefined`;
      });
      return `\n  | { ${lines.join('; ')} }`;
    })
    .join('');
}

/** Whether code has to set a field: otherwise a default or a fixed value is filled in. */
export function codeMustGive(field: Field): boolean {
  return field.required && field.default === undefined && field.fixed === undefined;
}

export function property(
  field: Field,
  face: Face,
  present: boolean,
  words: Writing,
  { type = valueText(field, face, words.names, words.uses), notes = [] }: MemberOptions = {},
): string {
  const isValue = field.nullable ? ' | null' : '';
  // Where null is no value, it is as good as none.
  const isAbsent = face === 'given' && !holdsNull(field) ? ' | null' : '';
  const absent = isValue + (present ? '' : `${isAbsent} | undefined`);
  const mark = present ? '' : '?';
  const said = isOfType(field)
    ? [sentence(ownDescription(field)), facts(besideType(field))]
    : [sentence(field.description), facts(field)];
  const title = comment('  ', [...said, ...notes, ...labelLines(field)]);
  return `${title}${leadOf(face)}${propertyName(field.name)}${mark}: ${type}${absent};\n`;
}

/** Whether the type of a field is the name of its named type, whose comment has the restrictions. */
function isOfType({ named, fixed }: Field): boolean {
  return named !== undefined && fixed === undefined;
}

/** The field without what is said at its type. */
function besideType(field: Field): Field {
  const {
    named,
    range: _,
    digits: __,
    fraction: ___,
    space: ____,
    patterns: _____,
    entry: ______,
    example: _______,
    ...own
  } = field;
  const { minimum, maximum, ...others } = own;
  const example = ownExample(field);
  return {
    ...(isCollection(field.type) ? own : others),
    ...(named === undefined ? {} : { named }),
    ...(example === undefined ? {} : { example }),
    anyCase: false,
  };
}

/** What the values mean that a field lists itself. */
function labelLines(field: Field): string[] {
  if (isOfType(field)) return [];
  return Object.entries(field.labels ?? {}).map(([value, label]) => `- ${code(value)}: ${label}`);
}

const leadOf = (face: Face): string => (face === 'received' ? '  readonly ' : '  ');

/**
 * Members in braces. Without members the type of the keys decides: with `string` it is an error to set any member, with
 * `never` to read one.
 */
export function block(lines: readonly string[], keys: 'string' | 'never' = 'string'): string {
  return lines.length === 0 ? `Record<${keys}, never>;\n` : `{\n${lines.join('')}};\n`;
}

/**
 * The two types of a document. Code passes the `given` one (a reply, prompts, the input of a call): it accepts as much as
 * possible, and a field that is absent, undefined or null has no value. Code gets the `received` one (a request, the reply to
 * a call): it promises as much as possible, after checks, defaults and fixed values; a field without a value is absent, never
 * null.
 */
export type Face = 'given' | 'received';

/** Names of the package's types that a generated text uses. */
type Uses = Set<string>;

/** The TypeScript type of a message without a document. */
export function rawText(kind: RawKind, uses: Uses): string {
  const text = SCALARS[kind].typescript.type;
  if (text !== 'string') uses.add(text);
  return text;
}

/** The TypeScript type of a field's value. */
export function valueText(field: Field, face: Face, names: TypeNames, uses: Uses): string {
  const text = typeText(field.type, field, face, names);
  const type = singleType(field.type);
  if (isOpaque(type)) uses.add(SCALARS[type.kind].typescript.type);
  return text;
}

function typeText(type: FieldType, field: Field, face: Face, names: TypeNames): string {
  if (type.kind === 'list') {
    const item = entryText(type.item, field, face, names);
    return `readonly ${item.includes(' ') ? `(${item})` : item}[]`;
  }
  if (type.kind === 'map') return `Readonly<Record<string, ${entryText(type.item, field, face, names)}>>`;
  if (type.kind === 'document') return face === 'given' ? names.given(type.document) : names.received(type.document);
  if (field.named !== undefined && field.fixed === undefined) return names.type(field.named);
  const only = field.fixed === undefined ? field.enum : [field.fixed];
  if (only !== undefined && only.length > 0 && !isOpaque(type))
    return [...new Set(only.map((each) => literal(type, each)))].join(' | ');
  return primitiveOf(type) === 'integer' && isSafe(field) ? 'number' : traitsOf(type).typescript.type;
}

function entryText(type: ScalarType | CompoundType, field: Field, face: Face, names: TypeNames): string {
  return typeText(type, field, face, names) + (field.entry?.nullable ? ' | null' : '');
}

/** Whether the values of a type have no literals: their TypeScript type is one of the package's. */
function isOpaque(type: ScalarType | CompoundType): type is ScalarType {
  const primitive = primitiveOf(type);
  return primitive === 'binary' || primitive === 'json';
}

/** Whether every value is exact as a number: both bounds lie within ±(2^53 - 1). */
function isSafe(field: Field): boolean {
  const { digits = Number.POSITIVE_INFINITY } = field;
  const { least, most } = integersWithin(rangeOf(field) ?? {});
  if (digits <= 15) return true;
  return (
    least !== undefined && most !== undefined && least >= Number.MIN_SAFE_INTEGER && most <= Number.MAX_SAFE_INTEGER
  );
}

/** A value of `enum` or `fixed` as a literal of its form in memory. */
function literal(type: ScalarType, value: string | number | boolean): string {
  if (primitiveOf(type) === 'boolean') return String(value);
  if (primitiveOf(type) === 'double') return Number.isFinite(Number(value)) ? String(value) : 'number';
  if (primitiveOf(type) !== 'integer') return quoted(String(value));
  return Number.isSafeInteger(Number(value)) ? String(value) : `${BigInt(value)}n`;
}

/** What the definitions say about a field beyond its TypeScript type, as one sentence; empty if nothing. */
export function facts(field: Field): string {
  const { type, minimum, maximum } = field;
  const item = singleType(field.type);
  const notes: string[] = [];
  if (item.kind !== 'document') {
    const { note } = traitsOf(item).typescript;
    if (!isOfType(field) && (item.length !== undefined || note !== undefined))
      notes.push(code(typeWords(type)) + (note ?? ''));
  }
  if (field.any !== undefined)
    notes.push(field.attribute ? 'XML attributes by name or {namespace}name' : 'the markup of an XML element');
  if (minimum !== undefined || maximum !== undefined) notes.push(bounds(field));
  const { minimum: least, maximum: most } = field.entry ?? {};
  if (least !== undefined || most !== undefined) notes.push(`each ${bounds({ ...field, ...field.entry, type: item })}`);
  notes.push(...rangeWords(field));
  if (field.digits !== undefined) notes.push(`at most ${counted(field.digits, 'digit')}`);
  if (field.fraction !== undefined) notes.push(`at most ${counted(field.fraction, 'digit')} after the point`);
  if (field.space !== undefined)
    notes.push(`white space ${field.space === 'replace' ? 'replaced by spaces' : 'collapsed'}`);
  for (const pattern of field.patterns ?? []) notes.push(`pattern ${code(pattern)}`);
  if (field.default !== undefined)
    notes.push(`default ${field.default === '' ? 'empty' : code(String(field.default))}`);
  if (field.assumed !== undefined)
    notes.push(`assumed to be ${field.assumed === '' ? 'empty' : code(String(field.assumed))} when absent`);
  if (field.anyCase) notes.push('in any letter case');
  if (field.sensitive) notes.push('sensitive: masked in logs');
  if (field.absent === 'blank') notes.push('written as a blank when absent');
  if (field.example !== undefined && !field.sensitive) notes.push(`example ${code(String(field.example))}`);
  const text = notes.join(', ');
  return text === '' ? '' : `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

/** The bounds of a number, a date or a time. */
function rangeWords({ range = {} }: Field): string[] {
  const { minimum, above, maximum, below } = range;
  if (minimum !== undefined && maximum !== undefined) return [`${minimum} to ${maximum}`];
  const words = { 'at least': minimum, 'greater than': above, 'at most': maximum, 'less than': below };
  return Object.entries(words).flatMap(([word, bound]) => (bound === undefined ? [] : [`${word} ${bound}`]));
}

function bounds({ type, minimum, maximum }: Pick<Field, 'type' | 'minimum' | 'maximum'>): string {
  const size = (count: number): string => {
    if (isCollection(type)) return counted(count, 'entry', 'entries');
    return counted(count, traitsOf(type)?.takes.bounds === 'bytes' ? 'byte' : 'character');
  };
  if (minimum === undefined) return `at most ${size(maximum ?? 0)}`;
  if (maximum === undefined) return `at least ${size(minimum)}`;
  return `${minimum} to ${size(maximum)}`;
}
