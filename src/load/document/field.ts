import type { Field, FieldType, ScalarKind, ScalarType } from '../../model/field.ts';
import type { Position } from '../../model/position.ts';
import { compilePattern, type Pattern } from '../../wire/pattern/pattern.ts';
import { PatternError } from '../../wire/pattern/read.ts';
import { isXmlName } from '../../wire/xml/text.ts';
import { isMade } from '../consumer/call-text.ts';
import type { FieldDeclared, Scalar } from '../declared.ts';
import { given } from '../given.ts';
import { positionOf } from '../linking.ts';
import { type DocumentSource, type FieldSpot, linkType, typeWords } from './field-type.ts';
import { fitValue, type Restriction, restrictionBroken, spelled } from './value-fit.ts';

/** Links one field of a document, a prompt or a column. Undefined where its type can't be told. */
export function linkField(source: DocumentSource, container: object, name: string, owner: string): Field | undefined {
  const { report, places } = source.linking;
  const at = places.key(container, name);
  if (name === '__proto__') {
    report.raise('reserved-name', { name, why: 'JavaScript gives it another meaning' }, at);
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
      pattern: declared.pattern,
      minimum: declared.minimum,
      maximum: declared.maximum,
      namespace: declared.namespace,
    }),
    ...values,
    at: position,
  };
}

type Values = Pick<Field, 'default' | 'enum' | 'fixed' | 'example'>;

/** Checks the options against the type and each other, and brings the values that they hold into the type's form. */
function linkValues(source: DocumentSource, spot: FieldSpot, type: FieldType, position: Position): Values {
  const refused = checkOptions(source, spot, type);
  checkConflicts(source, spot);
  const item = type.kind === 'list' ? type.item : type;
  const pattern = refused.has('pattern') ? undefined : linkPattern(source, spot);
  if (item.kind === 'document') return {};
  const scalar: ScalarType = item;
  const { declared } = spot;
  const restriction: Restriction = {
    anyCase: declared['any-case'] ?? false,
    ...given({ pattern }),
    // The bounds of a list count its entries.
    ...(type.kind === 'list' ? {} : given({ minimum: declared.minimum, maximum: declared.maximum })),
  };
  const listed =
    declared.enum === undefined || refused.has('enum') ? undefined : linkEnum(source, spot, scalar, restriction);
  const one = (key: 'default' | 'fixed' | 'example'): Scalar | undefined =>
    refused.has(key)
      ? undefined
      : linkValue(source, spot, key, scalar, { ...restriction, ...given({ enum: listed }) }, position);
  return given({ enum: listed, default: one('default'), fixed: one('fixed'), example: one('example') });
}

function linkEnum({ linking }: DocumentSource, { declared }: FieldSpot, type: ScalarType, by: Restriction) {
  const { report, places } = linking;
  const list = declared.enum as readonly (string | number)[];
  const found: (string | number)[] = [];
  for (const [index, value] of list.entries()) {
    const written = places.written(list, index) ?? String(value);
    const fitted = fitValue({ value, written }, type);
    const reason = fitted.fits ? restrictionBroken(fitted.value, type, by) : fitted.reason;
    if (reason !== undefined) {
      report.raise('value-does-not-fit', { option: 'enum value', value: written, reason }, places.value(list, index));
    } else if (fitted.fits && typeof fitted.value !== 'boolean') {
      found.push(fitted.value);
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
    // What it becomes is known when there is a fault, and is cut to its length then.
    if (names.length > 0) return value;
  }
  const written = places.written(declared, key) ?? String(value);
  const fitted = fitValue({ value, written }, type);
  const found = fitted.fits ? spelled(fitted.value, by) : undefined;
  const reason = fitted.fits ? restrictionBroken(found ?? fitted.value, type, by) : fitted.reason;
  if (reason === undefined) return found;
  const refuse = (): void => report.raise('value-does-not-fit', { option: key, value: written, reason }, at);
  if (key === 'default' && TEXTS.has(type.kind) && isMade(written)) {
    // What it becomes in a call is known when that is made, and held against the field then.
    misfits.set(position, refuse);
    return written;
  }
  refuse();
  return undefined;
}

function linkPattern({ linking: { report, places } }: DocumentSource, { declared }: FieldSpot): Pattern | undefined {
  const { pattern } = declared;
  if (pattern === undefined) return undefined;
  try {
    return compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    report.raise('bad-pattern', { pattern, reason: error.message }, places.value(declared, 'pattern'));
    return undefined;
  }
}

const COUNTABLE: ReadonlySet<ScalarKind> = new Set(['string', 'text', 'integer', 'decimal']);
const LISTABLE: ReadonlySet<ScalarKind> = new Set(['string', 'text', 'integer', 'decimal', 'date', 'time', 'datetime']);
const TEXTS: ReadonlySet<ScalarKind> = new Set(['string', 'text']);

/** For each option, the types that it goes with. */
const APPLIES: readonly (readonly [
  keyof FieldDeclared,
  string,
  (type: FieldType, item: ScalarKind | 'document') => boolean,
])[] = [
  ['flat', 'lists', (type) => type.kind === 'list'],
  ['pattern', 'texts and lists of them', (_, item) => item !== 'document' && TEXTS.has(item)],
  ['enum', 'texts, numbers, dates and times', (_, item) => item !== 'document' && LISTABLE.has(item)],
  ['any-case', 'texts with enum', (_, item) => item !== 'document' && TEXTS.has(item)],
  [
    'minimum',
    'numbers, texts and lists',
    (type, item) => type.kind === 'list' || (item !== 'document' && COUNTABLE.has(item)),
  ],
  [
    'maximum',
    'numbers, texts and lists',
    (type, item) => type.kind === 'list' || (item !== 'document' && COUNTABLE.has(item)),
  ],
  ['attribute', 'single values', (type) => type.kind !== 'list' && type.kind !== 'document'],
  ['default', 'single values', (type) => type.kind !== 'list' && type.kind !== 'document' && type.kind !== 'binary'],
  ['fixed', 'single values', (type) => type.kind !== 'list' && type.kind !== 'document' && type.kind !== 'binary'],
  ['example', 'single values and lists of them', (_, item) => item !== 'document' && item !== 'binary'],
  ['url', 'single values and lists of them', (_, item) => item !== 'document' && item !== 'binary'],
];

/** @returns the options that do not go with the type */
function checkOptions(
  { linking: { report, places } }: DocumentSource,
  { declared }: FieldSpot,
  type: FieldType,
): Set<string> {
  const refused = new Set<string>();
  const item = type.kind === 'list' ? type.item.kind : type.kind;
  for (const [option, only, applies] of APPLIES) {
    if (declared[option] === undefined || applies(type, item)) continue;
    refused.add(option);
    report.raise('option-not-for-type', { option, type: typeWords(type), only }, places.key(declared, option));
  }
  if (declared.open !== undefined && declared.fields === undefined) {
    const only = 'compounds in place, beside `fields:`';
    report.raise('option-not-for-type', { option: 'open', type: typeWords(type), only }, places.key(declared, 'open'));
  }
  if (declared['any-case'] === true && declared.enum === undefined && item !== 'document' && TEXTS.has(item)) {
    const only = 'texts with enum';
    report.raise(
      'option-not-for-type',
      { option: 'any-case', type: typeWords(type), only },
      places.key(declared, 'any-case'),
    );
  }
  return refused;
}

function checkConflicts({ linking: { report, places } }: DocumentSource, { declared }: FieldSpot): void {
  const both = (first: keyof FieldDeclared, second: keyof FieldDeclared, reason: string): void => {
    if (declared[first] === undefined || declared[second] === undefined) return;
    report.raise('conflicting-options', { first, second, reason }, places.key(declared, second));
  };
  if (declared.required === true) both('required', 'default', 'a default is for what the caller leaves out');
  both('fixed', 'default', 'a fixed value is taken in any case');
  both('fixed', 'enum', 'a fixed value is the only one');
  if (declared.minimum !== undefined && declared.maximum !== undefined && declared.minimum > declared.maximum) {
    both('minimum', 'maximum', 'the smallest is larger than the largest');
  }
}
