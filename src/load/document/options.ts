import { type Field, type FieldType, isCollection, type ScalarType, singleType } from '../../model/field.ts';
import { isAnyText, traitsOf } from '../../model/scalar.ts';
import type { ScalarTraits } from '../../model/scalar-traits.ts';
import { ANY_NAMESPACE } from '../../model/wildcard.ts';
import { type Linking, refuseBoth } from '../linking.ts';
import type { FieldDeclared } from '../schema/document.ts';
import { type DocumentSource, type FieldSpot, typeWords } from './field-type.ts';

// The options of a field: which its type allows, and which exclude each other.

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
  ['labels', 'values of enum', ({ declared }) => declared.enum !== undefined || declared.entry?.enum !== undefined],
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
