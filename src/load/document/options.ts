// The options of a field: which its type allows, which exclude each other, and the facets that they set.
import { type Field, type FieldType, isCollection, type ScalarType, singleType } from '../../model/field.ts';
import { isAnyText, traitsOf } from '../../model/scalar.ts';
import type { ScalarTraits } from '../../model/scalar-traits.ts';
import { ANY_NAMESPACE } from '../../model/wildcard.ts';
import { toDecimal } from '../../wire/decimal.ts';
import { doubleText, readDouble } from '../../wire/double.ts';
import { LEXICAL } from '../../wire/lexical.ts';
import { BOUND_NAMES, brokenBound, ORDERS, type Order, type Range } from '../../wire/order.ts';
import { compilePattern, type Pattern } from '../../wire/pattern.ts';
import { PatternError } from '../../wire/pattern-syntax.ts';
import { type Linking, refuseBoth } from '../linking.ts';
import { given } from '../object.ts';
import type { FacetsDeclared, FieldDeclared } from '../schema/document.ts';
import { type DocumentSource, type FieldSpot, typeWords } from './field-type.ts';

/** What options depend on: a field's type, that of an entry of a list, and its other options. */
interface Optional {
  readonly type: FieldType;
  /** The facts about a single value of it; `undefined` for a document. */
  readonly item: ScalarTraits | undefined;
  readonly declared: FieldDeclared;
}

const isList = ({ type }: Optional): boolean => type.kind === 'list';
const hasEntries = ({ type }: Optional): boolean => isCollection(type);
const isChoice = (type: FieldType): boolean => type.kind === 'document' && type.document.choice !== undefined;
const isAbstract = (type: FieldType): boolean => type.kind === 'document' && type.document.abstract === true;
const isInPlace = ({ declared }: Optional): boolean =>
  declared.fields !== undefined || declared['one-of'] !== undefined;
const isDocument = ({ item }: Optional): boolean => item === undefined;
const isWritten = (field: Optional): boolean => !isDocument(field) && field.item?.primitive !== 'binary';
const isCounted = (field: Optional): boolean => hasEntries(field) || field.item?.takes.bounds !== undefined;
const isOrdered = (field: Optional): boolean => !hasEntries(field) && field.item?.takes.bounds === 'value';
const hasDigits = ({ type, item }: Optional): boolean =>
  item?.order === 'decimal' && !isCollection(type) && (type as ScalarType).length === undefined;
const isWord = ({ item }: Optional): boolean => item?.body === 'text';
const isInAttribute = (field: Optional): boolean => !hasEntries(field) || field.declared.spaced === true;
const isTextItem = ({ item }: Optional): boolean => item?.anyText === true;

const isTextMap = (type: FieldType): boolean => type.kind === 'map' && isAnyText(type.item);

/** Whether a field may be elements, or attributes, of any name. */
function isAnyType(type: FieldType, { attribute = false, content = false }: FieldDeclared): boolean {
  if (attribute) return isTextMap(type);
  const isRepeated = type.kind === 'list' && type.flat;
  return !content && (isRepeated || !isCollection(type)) && traitsOf(singleType(type))?.xml.markup === true;
}

/** The namespaces of the elements or attributes of any name that a field takes; `undefined` if it has a name. */
export function anyOf(declared: FieldDeclared, type: FieldType): string | undefined {
  const { any, attribute = false } = declared;
  if (any === false || any === undefined) return attribute && isTextMap(type) ? ANY_NAMESPACE : undefined;
  if (!isAnyType(type, declared)) return undefined;
  return any === true ? ANY_NAMESPACE : any;
}

export const isInlineable = (type: FieldType): boolean =>
  type.kind === 'document' || (type.kind === 'list' && type.flat && type.item.kind === 'document');

/** The fields that each option is for. */
const APPLIES: readonly (readonly [keyof FieldDeclared, string, (field: Optional) => boolean])[] = [
  ['flat', 'lists', isList],
  ['pattern', 'texts and lists of them', ({ item }) => item?.takes.pattern === true],
  ['space', 'texts and lists of them', isTextItem],
  ['enum', 'texts, numbers, dates, times and truth values', ({ item }) => item?.takes.enum === true],
  [
    'any-case',
    'texts with enum',
    (field) =>
      isTextItem(field) &&
      (field.declared.enum !== undefined ||
        field.declared.entry?.enum !== undefined ||
        field.declared['any-case'] === false),
  ],
  ['minimum', 'numbers, dates, times, texts, lists and maps', isCounted],
  ['maximum', 'numbers, dates, times, texts, lists and maps', isCounted],
  ['above', 'numbers, dates and times', isOrdered],
  ['below', 'numbers, dates and times', isOrdered],
  ['digits', 'integers, and decimals without a size', hasDigits],
  ['fraction', 'integers, and decimals without a size', hasDigits],
  ['spaced', 'lists of single values without white space', (field) => isList(field) && isWord(field)],
  ['entry', 'lists and maps', hasEntries],
  [
    'attribute',
    'single values, lists with `spaced`, and maps of text',
    (field) => (isInAttribute(field) && !isDocument(field)) || isTextMap(field.type),
  ],
  [
    'any',
    'xml, lists of it that are `flat`, and maps of text that are attributes',
    ({ type, declared }) => isAnyType(type, declared),
  ],
  [
    'attachment',
    'binary content, and with `reference` lists of it',
    ({ type, item, declared }) =>
      item?.primitive === 'binary' && (!isCollection(type) || declared.attachment === 'reference'),
  ],
  ['content', 'single values, and lists with `spaced`', (field) => isInAttribute(field) && !isDocument(field)],
  ['inline', 'documents, and lists of them that are `flat`', ({ type }) => isInlineable(type)],
  ['default', 'single values', (field) => !hasEntries(field) && isWritten(field)],
  ['assumed', 'single values', (field) => !hasEntries(field) && isWritten(field)],
  ['fixed', 'single values', (field) => !hasEntries(field) && isWritten(field)],
  ['example', 'single values, and lists and maps of them', isWritten],
  ['url', 'single values and lists of them', isWritten],
  ['absent', 'all types but maps: one without entries is empty', ({ type }) => type.kind !== 'map'],
  ['absent', 'documents with fields: a choice has no blank', ({ type }) => !isChoice(singleType(type))],
  ['absent', 'documents that are not abstract', ({ type }) => !isAbstract(singleType(type))],
  [
    'nullable',
    'types other than json, which holds null anyway',
    (field) => field.item?.primitive !== 'json' || hasEntries(field),
  ],
  // Which of these a document in place can't have is reported with the document.
  ['open', 'compounds in place, together with `fields:`', isInPlace],
  ['by', 'choices in place, together with `one-of:`', isInPlace],
  ['named', 'choices in place, together with `one-of:`', isInPlace],
];

/** Reports the options that a type does not allow, and returns them. */
export function refusedOptions({ report, places }: Linking, declared: FieldDeclared, type: FieldType): Set<string> {
  const refused = new Set<string>();
  const field = { type, item: traitsOf(singleType(type)), declared };
  for (const [option, only, applies] of APPLIES) {
    if (declared[option] === undefined || applies(field)) continue;
    refused.add(option);
    report.raise('option-not-for-type', { option, type: typeWords(type), only }, places.key(declared, option));
  }
  return refused;
}

/**
 * Checks the options of a field against its type and each other.
 * @returns the options that the type does not allow
 */
export function checkOptions({ linking }: DocumentSource, { declared }: FieldSpot, type: FieldType): Set<string> {
  const refused = refusedOptions(linking, declared, type);
  checkConflicts(declared, type, (first, second, reason) => refuseBoth(linking, declared, first, second, reason));
  return refused;
}

/** Refuses two options that exclude each other. */
type Both = (first: keyof FieldDeclared, second: keyof FieldDeclared, reason: string) => void;

function checkConflicts(declared: FieldDeclared, type: FieldType, both: Both): void {
  if (declared.nullable === true) {
    both('nullable', 'fixed', 'a fixed value is the only allowed one');
    if (declared.attribute === true) both('nullable', 'attribute', 'an XML attribute has no null');
    if (declared.flat === true) both('nullable', 'flat', 'a list without an element of its own has no null in XML');
    if (declared.absent === 'blank') both('nullable', 'absent', 'null would be both a value and the blank');
  }
  if (declared.content === true) {
    both('content', 'attribute', 'the text of an element is not one of its attributes');
    both('content', 'xml', 'the text of an element has no name in XML');
    both('content', 'namespace', 'the text of an element has no name in XML');
    if (declared.nullable === true) both('content', 'nullable', 'an element that is nil has no value at all');
    if (declared.absent === 'blank') both('content', 'absent', 'an element without text is its own blank');
  }
  const isAny = anyOf(declared, type) !== undefined;
  if (isAny) {
    const key = declared.any === undefined ? 'attribute' : 'any';
    both(key, 'xml', 'it takes any name');
    both(key, 'namespace', '`any` names the namespaces');
    if (declared.nullable === true) both(key, 'nullable', 'it has no element of its own that could be null');
    if (declared.absent === 'blank') both(key, 'absent', 'it has no element of its own that could be blank');
    both(key, 'default', 'nothing says where it would be put');
    both(key, 'assumed', 'it has no name of its own in a contract');
    both(key, 'fixed', 'nothing says where it would be put');
  }
  if (declared.inline === true) {
    both('inline', 'xml', 'without an element it has no name in XML');
    both('inline', 'namespace', 'without an element it has no name in XML');
    if (declared.nullable === true) both('inline', 'nullable', 'without an element there is no null in XML');
    if (declared.absent === 'blank') both('inline', 'absent', 'without an element there is no blank in XML');
  }
  if (declared.header === true) {
    if (declared.attribute === true) both('header', 'attribute', 'a header block is an element');
    if (declared.flat === true) both('header', 'flat', 'a header block occurs once');
  }
  if (attachmentOf(declared) !== undefined) checkAttachment(declared, both);
  if (declared.spaced === true) both('flat', 'spaced', 'a list that is one text has no elements for its entries');
  if (declared.required === true) both('required', 'default', 'a required field never uses its default');
  both('fixed', 'default', 'a fixed value is always used');
  if (declared.absent === 'blank') both('assumed', 'absent', 'the field is never absent where it is written blank');
  both('default', 'assumed', 'the field is never absent where it has a default');
  both('fixed', 'assumed', 'the field is never absent where it has a fixed value');
  both('fixed', 'enum', 'a fixed value is the only allowed one');
  if (isCollection(type) && Number(declared.minimum) > Number(declared.maximum))
    both('minimum', 'maximum', 'the minimum is greater than the maximum');
}

/** Where the content of a field is, as the model has it. */
export function attachmentOf({ attachment = false }: FieldDeclared): Field['attachment'] {
  if (attachment === false) return undefined;
  if (attachment === 'reference') return attachment;
  return attachment === true ? [] : [attachment].flat();
}

/** What is beside the envelope has no element, and what refers to it is an element. */
function checkAttachment({ attachment, header, attribute, nullable, absent }: FieldDeclared, both: Both): void {
  if (attribute === true) both('attachment', 'attribute', 'an attachment is not an XML attribute');
  if (header === true) both('attachment', 'header', 'an attachment is not a header block');
  if (attachment === 'reference') return;
  both('attachment', 'namespace', 'an attachment has no element');
  if (nullable === true) both('attachment', 'nullable', 'an attachment has no null');
  if (absent === 'blank') both('attachment', 'absent', 'an attachment has no blank');
}

/** The facets of a field; `minimum` and `maximum` are those of the length of a text. */
export type Facets = Pick<Field, 'space' | 'minimum' | 'maximum' | 'range' | 'digits' | 'fraction'> & {
  readonly patterns?: readonly Pattern[];
};

/**
 * Links the facets of single values.
 * @param refused options that the type does not allow, which have been reported
 */
export function linkFacets(
  linking: Linking,
  declared: FacetsDeclared,
  type: ScalarType,
  refused: ReadonlySet<string>,
): Facets {
  const allowed = Object.fromEntries(Object.entries(declared).filter(([key]) => !refused.has(key))) as FacetsDeclared;
  const { space, digits, fraction } = allowed;
  const isRange = traitsOf(type).takes.bounds === 'value';
  const patterns = allowed.pattern === undefined ? undefined : linkPatterns(linking, declared);
  checkPairs(linking, allowed, declared, type);
  const bounds = isRange ? { range: linkRange(linking, declared, allowed, type) } : lengths(linking, declared, allowed);
  return given({ patterns, space, digits, fraction, ...bounds });
}

/** The bounds of a length or a number of entries; texts are reported. */
export function lengths(
  { report, places }: Linking,
  declared: FacetsDeclared,
  allowed: FacetsDeclared = declared,
): Pick<Facets, 'minimum' | 'maximum'> {
  const bound = (key: 'minimum' | 'maximum'): number | undefined => {
    const value = allowed[key];
    if (typeof value !== 'string') return value;
    const reason = 'it is not a number';
    report.raise('value-does-not-fit', { option: key, value, reason }, places.value(declared, key));
    return undefined;
  };
  return given({ minimum: bound('minimum'), maximum: bound('maximum') });
}

/** The bounds of a value in the form of its type: a number keeps the digits that it is written with. */
function linkRange(
  { report, places }: Linking,
  declared: FacetsDeclared,
  allowed: FacetsDeclared,
  type: ScalarType,
): Range | undefined {
  const range: Partial<Record<keyof Range, string>> = {};
  for (const name of BOUND_NAMES) {
    const value = allowed[name];
    if (value === undefined) continue;
    const written = typeof value === 'string' ? value : (places.written(declared, name) ?? String(value));
    const { text, noun } = boundText(written, type);
    const reason = text === undefined ? `it is not ${noun}` : beyondType(text, type);
    if (text !== undefined) range[name] = text;
    if (reason !== undefined)
      report.raise('value-does-not-fit', { option: name, value: written, reason }, places.value(declared, name));
  }
  return Object.keys(range).length === 0 ? undefined : range;
}

/** Why no value of a type is as small or as great as a bound. */
function beyondType(bound: string, type: ScalarType): string | undefined {
  const { range, order } = traitsOf(type);
  const isBroken = range !== undefined && order !== undefined && brokenBound(bound, range, order) !== undefined;
  return isBroken ? `values of the type ${type.kind} are from ${range.minimum} to ${range.maximum}` : undefined;
}

function boundText(written: string, type: ScalarType): { readonly text: string | undefined; readonly noun: string } {
  const { primitive, lexical } = traitsOf(type);
  if (lexical !== undefined) return { text: LEXICAL[lexical].read(written), noun: LEXICAL[lexical].noun };
  if (primitive === 'double') {
    const number = readDouble(written) ?? Number.NaN;
    return { text: Number.isNaN(number) ? undefined : doubleText(number), noun: 'a number' };
  }
  const decimal = toDecimal(written, true);
  if (primitive !== 'integer' || decimal === undefined) return { text: decimal, noun: 'a decimal number' };
  const [whole, fraction = ''] = decimal.split('.');
  return { text: /[1-9]/.test(fraction) ? undefined : whole, noun: 'a whole number' };
}

/** Pairs of options of which one is enough, or that leave no value. */
function checkPairs(linking: Linking, allowed: FacetsDeclared, declared: FacetsDeclared, type: ScalarType): void {
  const both = (first: keyof FacetsDeclared, second: keyof FacetsDeclared, reason: string): void => {
    if (allowed[first] !== undefined && allowed[second] !== undefined)
      refuseBoth(linking, declared, first, second, reason);
  };
  both('minimum', 'above', 'each of them is the lower bound');
  both('maximum', 'below', 'each of them is the upper bound');
  if ((declared.fraction ?? 0) > (declared.digits ?? Number.POSITIVE_INFINITY))
    both('digits', 'fraction', "the digits after the point can't exceed the total");
  for (const low of ['minimum', 'above'] as const)
    for (const high of ['maximum', 'below'] as const) {
      const order = compareBounds(declared[low], declared[high], type);
      const isEmpty = low === 'minimum' && high === 'maximum' ? order > 0 : order >= 0;
      if (isEmpty)
        both(
          low,
          high,
          low === 'minimum' && high === 'maximum'
            ? 'the minimum is greater than the maximum'
            : 'no value is between them',
        );
    }
}

/** NaN when a bound is missing or not valid. */
function compareBounds(low: number | string | undefined, high: number | string | undefined, type: ScalarType): number {
  if (low === undefined || high === undefined) return Number.NaN;
  const { order, takes } = traitsOf(type);
  if (takes.bounds !== 'value' || order === undefined) return Number(low) - Number(high);
  const { compare }: Order = ORDERS[order];
  const [a, b] = [low, high].map((each) => boundText(String(each), type).text);
  return a === undefined || b === undefined || compare === undefined ? Number.NaN : compare(a, b);
}

/** A pattern, or several, as a list. */
function patternsOf({ pattern }: FacetsDeclared): readonly string[] | undefined {
  return typeof pattern === 'string' ? [pattern] : pattern;
}

function linkPatterns({ report, places }: Linking, declared: FacetsDeclared): Pattern[] {
  const { pattern: given } = declared;
  return (patternsOf(declared) ?? []).flatMap((pattern, index) => {
    try {
      return compilePattern(pattern);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      const at = typeof given === 'string' ? places.value(declared, 'pattern') : places.value(given as object, index);
      report.raise('bad-pattern', { pattern, reason: error.message }, at);
      return [];
    }
  });
}
