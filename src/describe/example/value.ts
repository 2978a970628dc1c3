import type { Kinds } from '../../model/derivation.ts';
import type { Document } from '../../model/document.ts';
import {
  type CompoundType,
  entryField,
  type Field,
  filledByFault,
  isCollection,
  isSpaced,
  type ScalarType,
  singleType,
} from '../../model/field.ts';
import { isAnyText, isNumeric, primitiveOf, traitsOf } from '../../model/scalar.ts';
import { exampleNamespace } from '../../model/wildcard.ts';
import { decimalOf } from '../../wire/decimal.ts';
import { LEXICAL } from '../../wire/lexical.ts';
import { brokenBound, integersWithin } from '../../wire/order.ts';
import { propertyRanges } from '../../wire/pattern.ts';
import { type CharacterClass, complement, type PatternNode } from '../../wire/pattern-syntax.ts';
import { escapeAttribute } from '../../wire/xml/text.ts';
import { exampleKey, longest, matchesPatterns, plainDefault, readWholePattern, takenFor } from '../field.ts';
import { isExact } from '../json.ts';

/** An example of a value: a scalar in its JSON form (binary in base64), a list, or the fields of a document by name. */
export type ExampleValue = string | number | boolean | readonly ExampleValue[] | ExampleDocument;

export interface ExampleDocument {
  readonly [field: string]: ExampleValue;
}

/** A document without values yet. It has no prototype, so that a field may be called `constructor`. */
export function emptyExample(): Record<string, ExampleValue> {
  return Object.create(null) as Record<string, ExampleValue>;
}

/**
 * An example of a document. If any fields have an `example`, it contains these, the required fields, and those that are always
 * written, so that definitions decide which fields are shown together. Otherwise it contains every field for which an example
 * can be derived from its `enum` or type. `undefined` if that fails for a required field, for instance because of its pattern.
 */
export function exampleDocument(document: Exemplary): ExampleDocument | undefined {
  return documentExample(document, []);
}

/** An example of a field's value; `undefined` if none can be derived. */
export function exampleField(field: Field): ExampleValue | undefined {
  return fieldExample(field, []);
}

/** The fields in the example of a request: those that are required or have an example, or all if there are none. */
export function tellingFields(fields: readonly Field[]): readonly Field[] {
  const telling = fields.filter((field) => field.required || hasExample(field, []));
  return telling.length > 0 ? telling : fields;
}

/** Whether the definition of a field, or of the document in it, has an example. */
function hasExample({ example, type }: Field, open: Open): boolean {
  const single = singleType(type);
  if (example !== undefined || single.kind !== 'document') return example !== undefined;
  const { document } = single;
  return !open.includes(document) && document.fields.some((field) => hasExample(field, [...open, document]));
}

/** The fields in an example of a document. */
function shownFields(fields: readonly Field[]): readonly Field[] {
  const telling = tellingFields(fields);
  if (!telling.some((field) => hasExample(field, []))) return fields;
  const always = (field: Field): boolean => field.fixed !== undefined || plainDefault(field) !== undefined;
  const shown = fields.filter((field) => telling.includes(field) || always(field));
  // A list that is written blank when absent is left out if another list is shown.
  const isList = ({ type }: Field): boolean => type.kind === 'list';
  const rest = shown.filter((field) => field.required || !(isList(field) && field.absent === 'blank'));
  return rest.some(isList) ? rest : shown;
}

/** The parts of a document that an example depends on. */
type Exemplary = Pick<Document, 'fields' | 'choice' | 'kinds' | 'abstract'>;

type Open = readonly Exemplary[];

function documentExample(document: Exemplary, open: Open): ExampleDocument | undefined {
  if (document.choice !== undefined) return choiceExample(document, [...open, document]);
  if (document.kinds !== undefined) return kindExample(document, document.kinds, [...open, document]);
  return itselfExample(document, [...open, document]);
}

/** An example of the first document that may stand for another one, and for which one can be derived. */
function kindExample(document: Exemplary, { by, derived }: Kinds, open: Open): ExampleDocument | undefined {
  const kinds = [document, ...derived].filter(({ abstract }) => !abstract);
  for (const [index, kind] of kinds.entries()) {
    const value = open.includes(kind) && kind !== document ? undefined : itselfExample(kind, [...open, kind]);
    if (value !== undefined) return Object.assign(emptyExample(), { [by.name]: by.enum?.[index] }, value);
  }
  return undefined;
}

/** An example of the document itself, not of one that derives from it. */
function itselfExample(document: Exemplary, open: Open): ExampleDocument | undefined {
  const values = emptyExample();
  for (const field of shownFields(document.fields)) {
    const value = fieldExample(field, open);
    if (value !== undefined) values[field.name] = value;
    else if (field.required) return undefined;
  }
  return values;
}

/** An example of a choice: a branch that has an example in the definitions, else the first for which one can be derived. */
function choiceExample({ fields }: Exemplary, open: Open): ExampleDocument | undefined {
  for (const field of [...fields.filter((each) => hasExample(each, open)), ...fields]) {
    const value = fieldExample(field, open);
    if (value !== undefined) return Object.assign(emptyExample(), { [field.name]: value });
  }
  return undefined;
}

function fieldExample(field: Field, open: Open): ExampleValue | undefined {
  const { type } = field;
  if (!isCollection(type)) return typeExample(field, type, open);
  const inner = (field.minimum ?? 0) > MOST_SHOWN ? undefined : typeExample(exampleEntry(field), type.item, open);
  const isMap = type.kind === 'map';
  if (inner !== undefined) {
    const entries = Array.from({ length: Math.max(1, field.minimum ?? 1) }, () => inner);
    return isMap ? Object.fromEntries(entries.map((each, index) => [exampleKey(field, index), each])) : entries;
  }
  return (field.minimum ?? 0) === 0 && field.required ? (isMap ? {} : []) : undefined;
}

/** The field for one entry of a list or a map. One with spaces between its entries has none inside of them. */
export function exampleEntry(field: Field): Field {
  const entry = entryField(field);
  const isText = isSpaced(field.type) && traitsOf(field.type.item)?.anyText === true;
  return isText ? { ...entry, patterns: [...(entry.patterns ?? []), '\\S+'] } : entry;
}

function typeExample(field: Field, type: CompoundType | ScalarType, open: Open): ExampleValue | undefined {
  if (type.kind !== 'document') return scalarExample(field, type);
  // A document inside itself ends here; only an optional field can contain one.
  return open.includes(type.document) ? undefined : documentExample(type.document, open);
}

function scalarExample(field: Field, type: ScalarType): string | number | boolean | undefined {
  const given = field.fixed ?? field.example ?? takenFor(field) ?? field.enum?.[0];
  if (given === undefined) return madeUp(field, type);
  if (isNumeric(type)) return numberOr(given);
  if (primitiveOf(type) === 'boolean') return given === true || given === 'true';
  return String(given);
}

/** A number; its text if JSON does not have it, or a JavaScript number does not keep its digits. */
function numberOr(given: string | number | boolean): string | number {
  return isExact(String(given)) ? Number(given) : String(given);
}

/** An example of a type, if the definition has none. */
function madeUp(field: Field, type: ScalarType): string | number | boolean | undefined {
  const { primitive, anyText, example, takes } = traitsOf(type);
  if (takes.bounds === 'bytes') return bytesExample(field, String(example));
  if (field.any !== undefined && !anyText) return markupExample(field.any);
  if (anyText) return textExample(field, type, String(example));
  if (primitive === 'integer') return wholeExample(field, BigInt(example));
  if (primitive === 'double') return within(field, type, Number(example), 0.5);
  if (takes.bounds === 'value' && primitive !== 'decimal') return momentExample(field, type, String(example));
  if (primitive !== 'decimal') return spelledExample(field, type, example);
  const { length = field.digits ?? 15, scale = field.fraction ?? Math.min(2, length) } = type;
  return within(field, type, scale === 0 ? 1 : length > scale ? Number(example) : 0.5, 10 ** -scale);
}

/** The wanted integer, or the bound that it violates. */
function wholeExample(field: Field, wanted: bigint): string | number | undefined {
  const { least, most } = integersWithin(field.range ?? {});
  const raised = least !== undefined && wanted < least ? least : wanted;
  const nearest = most !== undefined && raised > most ? most : raised;
  return least !== undefined && nearest < least ? undefined : numberOr(String(nearest));
}

/** An element of any name. */
function markupExample(any: string): string | undefined {
  const namespace = exampleNamespace(any);
  if (namespace === undefined || namespace === '') return namespace === '' ? '<value/>' : undefined;
  return `<value xmlns="${escapeAttribute(namespace)}"/>`;
}

/** Hexadecimal digits, filled up with zeros or cut. */
function bytesExample(field: Field, digits: string): string | undefined {
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = field;
  if (minimum > MOST_SHOWN) return undefined;
  const text = digits.padEnd(2 * minimum, '0').slice(0, 2 * maximum);
  return matchesPatterns(field, text) ? text : undefined;
}

/** The example of a type whose values have a form, or a text that matches the patterns. */
function spelledExample(
  field: Field,
  type: ScalarType,
  example: string | number | boolean,
): string | number | boolean | undefined {
  if (field.patterns === undefined) return isAllowed(field, String(example)) ? example : undefined;
  const { lexical } = traitsOf(type);
  const isValid = (text: string): boolean => lexical === undefined || LEXICAL[lexical].read(text) !== undefined;
  return [String(example), ...samplesOf(field.patterns, 1)].find((text) => isValid(text) && isAllowed(field, text));
}

/** Whether a text fits the bounds and the patterns of a field. */
function isAllowed(field: Field, text: string): boolean {
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = field;
  return text.length >= minimum && text.length <= maximum && matchesPatterns(field, text);
}

/** The example of a date or a time, or a bound, if it is within the bounds. */
function momentExample({ range = {} }: Field, type: ScalarType, example: string): string | undefined {
  const { order } = traitsOf(type);
  const candidates = [example, range.minimum, range.maximum].filter((each) => each !== undefined);
  return candidates.find((each) => order !== undefined && brokenBound(each, range, order) === undefined);
}

/** The wanted number, or one next to the bound that it violates, rounded to a multiple of `step`. */
function within({ range = {} }: Field, type: ScalarType, wanted: number, step: number): number | undefined {
  const { order } = traitsOf(type);
  const next = (bound: string, offset: number, round: (value: number) => number): number =>
    Number(((round(Number(bound) / step) + offset) * step).toFixed(10));
  const { minimum, above, maximum, below } = range;
  const candidates = [
    wanted,
    ...(minimum === undefined ? [] : [next(minimum, 0, Math.ceil)]),
    ...(above === undefined ? [] : [next(above, 1, Math.floor)]),
    ...(maximum === undefined ? [] : [next(maximum, 0, Math.floor)]),
    ...(below === undefined ? [] : [next(below, -1, Math.ceil)]),
  ];
  return candidates.find((each) => order !== undefined && brokenBound(decimalOf(each), range, order) === undefined);
}

/** Contracts show no text with more characters than this, and no list with more entries. */
const MOST_SHOWN = 1000;

function textExample(field: Field, type: ScalarType, word: string): string | undefined {
  const least = field.minimum ?? 0;
  if (least > MOST_SHOWN) return undefined;
  const most = longest(field, type) ?? Number.POSITIVE_INFINITY;
  if (field.patterns === undefined) {
    const text = word.padEnd(least, ` ${word}`).trimEnd();
    return [...text.padEnd(least, '.')].slice(0, most).join('');
  }
  // Not empty if the pattern permits it: an empty value in a URI counts as absent.
  return samplesOf(field.patterns, Math.max(least, 1)).find((sample) => {
    const { length } = [...sample];
    return length >= least && length <= most && matchesPatterns(field, sample);
  });
}

/** A text that matches, for each pattern. */
function samplesOf(patterns: readonly string[], length: number): string[] {
  return patterns.map((pattern) => samplePattern(readWholePattern(pattern), length));
}

/** The shortest text that matches, extended by repetitions to `length` characters if the pattern permits it. */
export function samplePattern(node: PatternNode, length = 0): string {
  switch (node.kind) {
    case 'class':
      return sampleClass(node);
    case 'assertion':
      return '';
    case 'choice':
      return samplePattern(node.items[0] as PatternNode, length);
    case 'sequence':
      return sampleSequence(node.items, length);
    case 'repeat': {
      const one = samplePattern(node.item);
      const wanted = one.length === 0 ? node.least : Math.ceil(length / one.length);
      return one.repeat(Math.min(Math.max(node.least, wanted), node.most));
    }
  }
}

/** Parts that can grow make up for the missing length, the first such part first. */
function sampleSequence(items: readonly PatternNode[], length: number): string {
  const texts = items.map((item) => samplePattern(item));
  let missing = length - texts.join('').length;
  for (const [index, item] of items.entries()) {
    if (missing <= 0) break;
    const short = texts[index] as string;
    const grown = samplePattern(item, short.length + missing);
    texts[index] = grown;
    missing -= grown.length - short.length;
  }
  return texts.join('');
}

/** Letters and digits before anything else. */
const candidates = [...'A1a-_ .,:/@', 'é', '€'];

function sampleClass({ negated, ranges, properties }: CharacterClass): string {
  const named = [
    ...ranges,
    ...properties.flatMap(({ name, negated: not }) => (not ? complement(propertyRanges(name)) : propertyRanges(name))),
  ];
  const held = negated ? complement(named) : named;
  const holds = (candidate: string): boolean => {
    const code = candidate.codePointAt(0) as number;
    return held.some(([from, to]) => code >= from && code <= to);
  };
  const [first] = held;
  return candidates.find(holds) ?? (first === undefined ? '' : String.fromCodePoint(first[0]));
}

/** The values that fill a fault document. */
interface FaultWords {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** A fault document as a fault fills it: optional fields without a default or a fixed value are left out. */
export function exampleFault(document: Document, fault: FaultWords): ExampleDocument {
  return filled(document, fault, [document]);
}

/** @param open the documents around this one: a document inside itself ends there */
function filled(document: Document, fault: FaultWords, open: readonly Document[]): ExampleDocument {
  const values = emptyExample();
  for (const field of document.fields) {
    const value = faultValue(field, fault, open);
    if (value !== undefined) values[field.name] = value;
  }
  return values;
}

function faultValue(field: Field, fault: FaultWords, open: readonly Document[]): ExampleValue | undefined {
  if (field.type.kind === 'document') {
    const { document } = field.type;
    if (open.includes(document) || document.choice !== undefined || document.abstract) return undefined;
    const inner = filled(document, fault, [...open, document]);
    return Object.keys(inner).length === 0 && !field.required ? undefined : inner;
  }
  if (filledByFault(field)) return taken(field, faultText(String(field.default), fault));
  return field.required || field.fixed !== undefined || field.default !== undefined ? exampleField(field) : undefined;
}

function faultText(text: string, { status, code, message }: FaultWords): string {
  const words: Readonly<Record<string, string>> = { message, detail: '', code, status: String(status) };
  return text.replace(/\{fault\.(message|detail|code|status)\}/g, (_, name: string) => words[name] as string);
}

/** The text as a value of the field's type, cut to its length; `undefined` if it does not fit. */
function taken(field: Field, text: string): string | number | undefined {
  const { type } = field;
  if (isNumeric(type)) return Number.isFinite(Number(text)) ? Number(text) : undefined;
  if (isCollection(type) || type.kind === 'document' || !isAnyText(type)) return undefined;
  const cut = [...text].slice(0, longest(field, type)).join('');
  const isKnown = field.enum === undefined || field.enum.includes(cut);
  return isKnown && matchesPatterns(field, cut) && [...cut].length >= (field.minimum ?? 0) ? cut : undefined;
}
