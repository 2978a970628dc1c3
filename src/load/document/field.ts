import type { Position } from '../../model/definition.ts';
import { type Field, type FieldType, isCollection, type ScalarType, singleType } from '../../model/field.ts';
import { isAnyText, primitiveOf, traitsOf } from '../../model/scalar.ts';
import type { ScalarTraits } from '../../model/scalar-traits.ts';
import { ANY_NAMESPACE } from '../../model/wildcard.ts';
import { isXmlName } from '../../wire/xml/text.ts';
import { positionOf } from '../diagnostic/diagnostic.ts';
import { type Linking, refuseBoth, refuseKey } from '../linking.ts';
import { given } from '../object.ts';
import type { FieldDeclared, FieldsDeclared, Scalar } from '../schema/document.ts';
import { isMade } from '../value/config-text.ts';
import { type Facets, lengths, linkFacets } from './facets.ts';
import { type DerivedName, type DocumentSource, type FieldSpot, linkType, typeWords } from './field-type.ts';
import { fitValue, type Restriction, restrictionBroken, spelled } from './fit.ts';

/** Links one field of a document, a prompt or a column; `undefined` when its type is not valid. */
export function linkField(
  source: DocumentSource,
  container: object,
  name: string,
  owner: DerivedName,
): Field | undefined {
  const { report, places } = source.linking;
  const at = places.key(container, name);
  if (name === '__proto__') {
    report.raise('reserved-name', { name, why: 'it has another meaning in JavaScript' }, at);
    return undefined;
  }
  const value = (container as Readonly<Record<string, string | FieldDeclared>>)[name] as string | FieldDeclared;
  const declared: FieldDeclared = typeof value === 'string' ? { type: value } : value;
  const position = positionOf(at);
  const spot: FieldSpot = { name, declared, container, owner };
  const xmlName = declared.xml ?? name;
  if (!isXmlName(xmlName)) {
    const place = declared.xml === undefined ? at : places.value(declared, 'xml');
    report.raise('xml-name', { name: xmlName }, place);
  }
  const type = linkType(source, spot);
  if (type === undefined) return undefined;
  const values = typeof value === 'string' ? {} : linkValues(source, spot, type, position);
  return {
    name,
    jsonName: declared.json ?? name,
    xmlName,
    type,
    required: declared.required ?? false,
    anyCase: declared['any-case'] ?? false,
    sensitive: declared.sensitive ?? false,
    attribute: declared.attribute ?? false,
    absent: declared.absent ?? 'omit',
    url: declared.url ?? 'segment',
    ...given({
      description: declared.description,
      nullable: declared.nullable === true ? true : undefined,
      any: anyOf(declared, type),
      content: declared.content === true ? true : undefined,
      inline: declared.inline === true && isInlineable(type) ? true : undefined,
      header: declared.header === true ? true : undefined,
      namespace: declared.namespace ?? (owner.unqualified && declared.attribute !== true ? '' : undefined),
    }),
    ...values,
    at: position,
  };
}

type Values = Pick<Field, 'default' | 'enum' | 'fixed' | 'example' | Exclude<keyof Facets, 'patterns'>> &
  Pick<Field, 'patterns'>;

/** Checks the options against the type and each other, and converts their values to the form of the type. */
function linkValues(source: DocumentSource, spot: FieldSpot, type: FieldType, position: Position): Values {
  const refused = checkOptions(source, spot, type);
  const item = singleType(type);
  const { linking } = source;
  const { declared } = spot;
  const count = isCollection(type) ? lengths(linking, declared) : {};
  if (item.kind === 'document') return count;
  const scalar: ScalarType = item;
  const facets = isCollection(type)
    ? linkEntry(linking, declared, scalar, refused)
    : linkFacets(linking, declared, scalar, refused);
  const restriction: Restriction = { anyCase: declared['any-case'] ?? false, ...facets };
  const values = declared.enum ?? declared.entry?.enum;
  const listed =
    values === undefined || refused.has('enum') ? undefined : linkEnum(source, values, scalar, restriction);
  const one = (key: 'default' | 'fixed' | 'example'): Scalar | undefined =>
    refused.has(key)
      ? undefined
      : linkValue(source, spot, key, scalar, { ...restriction, ...given({ enum: listed }) }, position);
  const { patterns, ...plain } = facets;
  return given({
    ...plain,
    ...(isCollection(type) ? { minimum: undefined, maximum: undefined, ...count, entry: lengthsOf(facets) } : {}),
    patterns: patterns?.map((pattern) => pattern.source),
    enum: listed,
    default: one('default'),
    fixed: one('fixed'),
    example: one('example'),
  });
}

/** Keys of a list or a map that concern its entries, or else may be below `entry:`. */
const EITHER = ['enum', 'pattern', 'space'] as const;

/** Keys of a list or a map that concern the number of its entries, or are for single values only. */
const OF_COUNT: readonly string[] = ['minimum', 'maximum', 'above', 'below', 'digits', 'fraction'];

/** The facets of the entries of a list or a map. */
function linkEntry(linking: Linking, declared: FieldDeclared, type: ScalarType, refused: ReadonlySet<string>): Facets {
  const own = linkFacets(linking, declared, type, new Set([...refused, ...OF_COUNT]));
  const { entry } = declared;
  if (entry === undefined || refused.has('entry')) return own;
  const { report, places } = linking;
  for (const key of EITHER) {
    const reason = 'each of them is for the entries';
    if (declared[key] !== undefined && entry[key] !== undefined)
      report.raise('conflicting-options', { first: key, second: `entry.${key}`, reason }, places.key(entry, key));
  }
  return { ...own, ...linkFacets(linking, entry, type, refusedOptions(linking, entry, type)) };
}

/** The bounds of the length of a text, if there are any. */
function lengthsOf({ minimum, maximum }: Facets): Field['entry'] {
  return minimum === undefined && maximum === undefined ? undefined : given({ minimum, maximum });
}

function linkEnum({ linking }: DocumentSource, list: readonly (string | number)[], type: ScalarType, by: Restriction) {
  const { report, places } = linking;
  const found: (string | number)[] = [];
  for (const [index, value] of list.entries()) {
    const written = places.written(list, index) ?? String(value);
    const fitted = fitValue({ value, written }, type);
    const held = fitted.fits ? spelled(fitted.value, by) : undefined;
    const reason = fitted.fits ? restrictionBroken(held ?? fitted.value, type, by) : fitted.reason;
    if (reason !== undefined) {
      report.raise('value-does-not-fit', { option: 'enum value', value: written, reason }, places.value(list, index));
    } else if (held !== undefined && typeof held !== 'boolean') {
      found.push(held);
    }
  }
  return found.length === list.length ? found : undefined;
}

const PLACEHOLDER = /\{fault\.([^{}]*)\}/g;
const PLACEHOLDERS = new Set(['message', 'detail', 'code', 'status']);

function linkValue(
  { linking: { report, places, misfits } }: DocumentSource,
  { declared }: FieldSpot,
  key: 'default' | 'fixed' | 'example',
  type: ScalarType,
  by: Restriction,
  position: Position,
): Scalar | undefined {
  const value = declared[key];
  if (value === undefined) return undefined;
  const at = places.value(declared, key);
  if (key === 'default' && typeof value === 'string') {
    const names = [...value.matchAll(PLACEHOLDER)].map((found) => found[1] as string);
    const unknown = names.find((name) => !PLACEHOLDERS.has(name));
    if (unknown !== undefined) report.raise('unknown-placeholder', { name: unknown }, at);
    // The value is only known for a given fault, and is cut to its length then.
    if (names.length > 0) return value;
  }
  const written = places.written(declared, key) ?? String(value);
  const fitted = fitValue({ value, written }, type);
  const found = fitted.fits ? spelled(fitted.value, by) : undefined;
  const reason = fitted.fits ? restrictionBroken(found ?? fitted.value, type, by) : fitted.reason;
  if (reason === undefined) return found;
  const refuse = (): void => report.raise('value-does-not-fit', { option: key, value: written, reason }, at);
  if (key === 'default' && isAnyText(type) && isMade(written)) {
    // The value is only known in a call, and is checked then.
    misfits.set(position, refuse);
    return written;
  }
  refuse();
  return undefined;
}

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
function anyOf(declared: FieldDeclared, type: FieldType): string | undefined {
  const { any, attribute = false } = declared;
  if (any === false || any === undefined) return attribute && isTextMap(type) ? ANY_NAMESPACE : undefined;
  if (!isAnyType(type, declared)) return undefined;
  return any === true ? ANY_NAMESPACE : any;
}

const isInlineable = (type: FieldType): boolean =>
  type.kind === 'document' || (type.kind === 'list' && type.flat && type.item.kind === 'document');

/** The fields that each option is for. */
const APPLIES: readonly (readonly [keyof FieldDeclared, string, (field: Optional) => boolean])[] = [
  ['flat', 'lists', isList],
  ['pattern', 'texts and lists of them', ({ item }) => item?.takes.pattern === true],
  ['space', 'texts and lists of them', isTextItem],
  ['enum', 'texts, numbers, dates and times', ({ item }) => item?.takes.enum === true],
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
  ['entry', 'lists and maps of single values', (field) => hasEntries(field) && !isDocument(field)],
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
  ['content', 'single values, and lists with `spaced`', (field) => isInAttribute(field) && !isDocument(field)],
  ['inline', 'documents, and lists of them that are `flat`', ({ type }) => isInlineable(type)],
  ['default', 'single values', (field) => !hasEntries(field) && isWritten(field)],
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
function refusedOptions({ report, places }: Linking, declared: FieldDeclared, type: FieldType): Set<string> {
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
function checkOptions({ linking }: DocumentSource, { declared }: FieldSpot, type: FieldType): Set<string> {
  const refused = refusedOptions(linking, declared, type);
  const both = (first: keyof FieldDeclared, second: keyof FieldDeclared, reason: string): void =>
    refuseBoth(linking, declared, first, second, reason);
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
  if (declared.spaced === true) both('flat', 'spaced', 'a list that is one text has no elements for its entries');
  if (declared.required === true) both('required', 'default', 'a required field never uses its default');
  both('fixed', 'default', 'a fixed value is always used');
  both('fixed', 'enum', 'a fixed value is the only allowed one');
  if (isCollection(type) && Number(declared.minimum) > Number(declared.maximum))
    both('minimum', 'maximum', 'the minimum is greater than the maximum');
  return refused;
}

/** Fields with single values, as required by SQL and texts. Columns may be binary too. Others are reported and left out. */
export function linkSingleValues(
  source: DocumentSource,
  owner: string,
  what: 'prompt' | 'column' | 'parameter',
  declared: FieldsDeclared = {},
): Field[] {
  const { report, places } = source.linking;
  return Object.keys(declared).flatMap((name) => {
    const field = linkField(source, declared, name, { id: owner, name: owner });
    if (field === undefined) return [];
    const written = declared[name] as object;
    for (const key of ['content', 'inline', 'any'])
      refuseKey(source.linking, written, key, `The ${what} ${name}`, 'only fields of documents have it');
    const primitive = primitiveOf(field.type);
    if (field.nullable && what !== 'column') {
      const reason = `is a ${what}, which is null when it is not given`;
      report.raise('no-null', { name, reason }, places.key(declared[name] as object, 'nullable'));
    }
    if (primitive !== undefined && what === 'column') return { ...field, asFound: true as const };
    if (primitive !== undefined && primitive !== 'binary') return field;
    report.raise('not-a-value', { name, what }, places.key(declared, name));
    return [];
  });
}

/** Whether a field has a value when the caller leaves it out. */
export function hasOwnValue({ fixed, default: standard }: Field): boolean {
  return fixed !== undefined || standard !== undefined;
}

/** Whether the caller must give a field. */
export function isNeeded(field: Field): boolean {
  return field.required && !hasOwnValue(field);
}

/** A field that no definition declares, with the same name in every format and the given options only. */
export function madeField(
  name: string,
  type: FieldType,
  at: Position,
  options: Partial<
    Pick<Field, 'xmlName' | 'description' | 'required' | 'sensitive' | 'enum' | 'range' | 'example'>
  > = {},
): Field {
  return {
    name,
    jsonName: name,
    xmlName: name,
    type,
    required: false,
    anyCase: false,
    sensitive: false,
    attribute: false,
    absent: 'omit',
    url: 'segment',
    ...options,
    at,
  };
}
