import type { Position } from '../../model/definition.ts';
import {
  type CompoundType,
  type Field,
  type FieldType,
  isCollection,
  type ScalarType,
  singleType,
} from '../../model/field.ts';
import { isAnyText, isNumeric, primitiveOf, traitsOf } from '../../model/scalar.ts';
import { ORDERS, type Order } from '../../wire/order.ts';
import { isXmlName } from '../../wire/xml/text.ts';
import { positionOf } from '../diagnostic/diagnostic.ts';
import { type Linking, refuseKey } from '../linking.ts';
import { given } from '../object.ts';
import {
  type EntryDeclared,
  type FieldDeclared,
  type FieldsDeclared,
  fieldMap,
  type Scalar,
} from '../schema/document.ts';
import { defaultsOf } from '../schema/json-schema.ts';
import { isMade } from '../value/config-text.ts';
import { type Facets, lengths, linkFacets } from './facets.ts';
import { type DerivedName, type DocumentSource, type FieldSpot, linkType } from './field-type.ts';
import { fitValue } from './fit.ts';
import { withNamedType } from './named-type.ts';
import { anyOf, attachmentOf, checkOptions, isInlineable, refusedOptions } from './options.ts';
import { type Restriction, restrictionBroken, spelled } from './restriction.ts';

const DEFAULTS = defaultsOf(fieldMap);

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
  const said: FieldDeclared = typeof value === 'string' ? { type: value } : value;
  const { declared, named } = withNamedType(source.linking, said, typeof value === 'string' ? container : value);
  const position = positionOf(at);
  const spot: FieldSpot = { name, declared, container, owner };
  const xmlName = declared.xml ?? name;
  if (!isXmlName(xmlName)) {
    const place = declared.xml === undefined ? at : places.value(declared, 'xml');
    report.raise('xml-name', { name: xmlName }, place);
  }
  const linked = linkType(source, spot);
  if (linked === undefined) return undefined;
  const type = withEntryName(source.linking, declared, linked);
  const values = typeof value === 'string' && declared === said ? {} : linkValues(source, spot, type, position);
  return {
    name,
    jsonName: declared.json ?? name,
    xmlName,
    type,
    required: declared.required ?? DEFAULTS.required,
    anyCase: declared['any-case'] ?? DEFAULTS['any-case'],
    sensitive: declared.sensitive ?? DEFAULTS.sensitive,
    attribute: declared.attribute ?? DEFAULTS.attribute,
    absent: declared.absent ?? DEFAULTS.absent,
    url: declared.url ?? DEFAULTS.url,
    ...given({
      named,
      optional: declared.required === false ? (true as const) : undefined,
      description: declared.description,
      nullable: declared.nullable === true ? true : undefined,
      any: anyOf(declared, type),
      content: declared.content === true ? true : undefined,
      inline: declared.inline === true && isInlineable(type) ? true : undefined,
      header: declared.header === true ? true : undefined,
      attachment: attachmentOf(declared),
      namespace: declared.namespace ?? (owner.unqualified && declared.attribute !== true ? '' : undefined),
    }),
    ...values,
    at: position,
  };
}

type Values = Pick<
  Field,
  'default' | 'assumed' | 'enum' | 'labels' | 'fixed' | 'example' | Exclude<keyof Facets, 'patterns'>
> &
  Pick<Field, 'patterns'>;

/** Checks the options against the type and each other, and converts their values to the form of the type. */
function linkValues(source: DocumentSource, spot: FieldSpot, type: FieldType, position: Position): Values {
  const refused = checkOptions(source, spot, type);
  const item = singleType(type);
  const { linking } = source;
  const { declared } = spot;
  const count = isCollection(type) ? lengths(linking, declared) : {};
  if (item.kind === 'document') return given({ ...count, entry: entryOf(linkEntry(linking, declared, item, refused)) });
  const scalar: ScalarType = item;
  const facets: Entry = isCollection(type)
    ? linkEntry(linking, declared, scalar, refused)
    : linkFacets(linking, declared, scalar, refused);
  const restriction: Restriction = { anyCase: declared['any-case'] ?? false, ...facets };
  const values = declared.enum ?? declared.entry?.enum;
  const listed =
    values === undefined || refused.has('enum') ? undefined : linkEnum(source, values, scalar, restriction);
  const one = (key: 'default' | 'assumed' | 'fixed' | 'example'): Scalar | undefined =>
    refused.has(key)
      ? undefined
      : linkValue(source, spot, key, scalar, { ...restriction, ...given({ enum: listed }) }, position);
  const { patterns, nullable: _, ...plain } = facets;
  return given({
    ...plain,
    ...(isCollection(type) ? { minimum: undefined, maximum: undefined, ...count, entry: entryOf(facets) } : {}),
    patterns: patterns?.map((pattern) => pattern.source),
    enum: listed,
    labels: listed === undefined ? undefined : linkLabels(linking, declared, listed, scalar),
    default: one('default'),
    assumed: one('assumed'),
    fixed: one('fixed'),
    example: one('example'),
  });
}

/** Keys of a list or a map that concern its entries, or else may be below `entry:`. */
const EITHER = ['enum', 'labels', 'pattern', 'space'] as const;

/** Keys of a list or a map that concern the number of its entries, or are for single values only. */
const OF_COUNT: readonly string[] = ['minimum', 'maximum', 'above', 'below', 'digits', 'fraction'];

/** The facets of the entries of a list or a map, and whether they may be null. */
type Entry = Facets & { readonly nullable?: true };

function linkEntry(
  linking: Linking,
  declared: FieldDeclared,
  type: ScalarType | CompoundType,
  refused: ReadonlySet<string>,
): Entry {
  const { entry } = declared;
  const own = type.kind === 'document' ? {} : linkFacets(linking, declared, type, new Set([...refused, ...OF_COUNT]));
  if (entry === undefined || refused.has('entry')) return own;
  const { report, places } = linking;
  for (const key of EITHER) {
    const reason = 'each of them is for the entries';
    if (declared[key] !== undefined && entry[key] !== undefined)
      report.raise('conflicting-options', { first: key, second: `entry.${key}`, reason }, places.key(entry, key));
  }
  const refusedInside = refusedOptions(linking, entry, type);
  const isNullable = entry.nullable === true && !refusedInside.has('nullable') && hasElements(linking, declared, entry);
  const nullable = isNullable ? ({ nullable: true } as const) : {};
  if (type.kind === 'document') return nullable;
  return { ...own, ...linkFacets(linking, entry, type, refusedInside), ...nullable };
}

/** Whether each entry has an element of its own, which can be nil. */
function hasElements({ report, places }: Linking, declared: FieldDeclared, entry: EntryDeclared): boolean {
  const first = (['spaced', 'inline', 'any'] as const).find((key) => (declared[key] ?? false) !== false);
  if (first === undefined) return true;
  const reason = 'without an element of its own an entry has no null in XML';
  report.raise('conflicting-options', { first, second: 'entry.nullable', reason }, places.key(entry, 'nullable'));
  return false;
}

/** The type with the name that the element of each entry has. */
function withEntryName({ report, places }: Linking, declared: FieldDeclared, type: FieldType): FieldType {
  const { entry } = declared;
  if (entry?.xml === undefined) return type;
  const first = (['spaced', 'inline', 'any', 'flat'] as const).find((key) => (declared[key] ?? false) !== false);
  if (type.kind !== 'list' || first !== undefined) {
    const reason = 'only entries inside the element of a list have a name of their own';
    const place = places.key(entry, 'xml');
    report.raise('conflicting-options', { first: first ?? type.kind, second: 'entry.xml', reason }, place);
    return type;
  }
  if (isXmlName(entry.xml)) return { ...type, entryName: entry.xml };
  report.raise('xml-name', { name: entry.xml }, places.value(entry, 'xml'));
  return type;
}

/** What entries have that other values of the field have not; `undefined` if there is nothing. */
function entryOf({ minimum, maximum, nullable }: Entry): Field['entry'] {
  const entry = given({ minimum, maximum, nullable });
  return Object.keys(entry).length === 0 ? undefined : entry;
}

function linkEnum({ linking }: DocumentSource, list: readonly Scalar[], type: ScalarType, by: Restriction) {
  const { report, places } = linking;
  const found: Scalar[] = [];
  for (const [index, value] of list.entries()) {
    const written = places.written(list, index) ?? String(value);
    const fitted = fitValue({ value, written }, type);
    const held = fitted.fits ? spelled(fitted.value, by) : undefined;
    const reason = fitted.fits ? restrictionBroken(held ?? fitted.value, type, by) : fitted.reason;
    if (reason !== undefined) {
      report.raise('value-does-not-fit', { option: 'enum value', value: written, reason }, places.value(list, index));
    } else if (held !== undefined) {
      found.push(held);
    }
  }
  return found.length === list.length ? found : undefined;
}

/** The labels of listed values, by the texts of these. A key may be another text of a value: `1.0` of 1. */
function linkLabels(
  { report, places }: Linking,
  declared: FieldDeclared,
  listed: readonly Scalar[],
  type: ScalarType,
): Field['labels'] {
  const labels = declared.labels ?? declared.entry?.labels;
  if (labels === undefined) return undefined;
  const { order } = traitsOf(type);
  const same = (value: Scalar): string =>
    order === undefined ? String(value) : (ORDERS[order] as Order).same(String(value));
  const known = new Map(listed.map((value) => [same(value), String(value)]));
  const found = new Map<string, string>();
  for (const [key, label] of Object.entries(labels)) {
    const fitted = fitValue({ value: isNumeric(type) ? Number(key) : key, written: key }, type);
    const value = known.get(fitted.fits ? same(fitted.value) : key);
    if (value !== undefined && !found.has(value)) found.set(value, label);
    else {
      const reason = value === undefined ? 'enum does not list it' : `${value} has a label already`;
      report.raise('value-does-not-fit', { option: 'label of', value: key, reason }, places.key(labels, key));
    }
  }
  return Object.fromEntries(found);
}

const PLACEHOLDER = /\{fault\.([^{}]*)\}/g;
const PLACEHOLDERS = new Set(['message', 'detail', 'code', 'status']);

function linkValue(
  { linking: { report, places, misfits } }: DocumentSource,
  { declared }: FieldSpot,
  key: 'default' | 'assumed' | 'fixed' | 'example',
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
  const option = key === 'assumed' ? 'assumed value' : key;
  const refuse = (): void => report.raise('value-does-not-fit', { option, value: written, reason }, at);
  if (key === 'default' && isAnyText(type) && isMade(written)) {
    // The value is only known in a call, and is checked then.
    misfits.set(position, refuse);
    return written;
  }
  refuse();
  return undefined;
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
    for (const key of ['content', 'inline', 'any', 'attachment'])
      refuseKey(source.linking, written, key, `The ${what} ${name}`, 'only fields of documents have it');
    refuseKey(
      source.linking,
      written,
      'assumed',
      `The ${what} ${name}`,
      'no other side takes a value for it; `default` fills it',
    );
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
  options: Partial<Omit<Field, 'name' | 'type' | 'at'>> = {},
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
