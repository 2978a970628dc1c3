import { type FieldType, type ScalarKind, singleType } from '../../model/field.ts';
import { refuseBoth } from '../linking.ts';
import type { FieldDeclared } from '../schema/field.ts';
import { type DocumentSource, type FieldSpot, typeWords } from './field-type.ts';

const TEXTS: ReadonlySet<string> = new Set<ScalarKind>(['string', 'text']);
const COUNTABLE: ReadonlySet<string> = new Set<ScalarKind>(['string', 'text', 'integer', 'decimal']);
const LISTABLE: ReadonlySet<string> = new Set<ScalarKind>([
  ...(COUNTABLE as Set<ScalarKind>),
  'date',
  'time',
  'datetime',
]);

/** What options go with: a field's type, that of an entry where it is a list, and what else is said of it. */
interface Optional {
  readonly type: FieldType;
  readonly item: string;
  readonly declared: FieldDeclared;
}

const isList = ({ type }: Optional): boolean => type.kind === 'list';
const isDocument = ({ item }: Optional): boolean => item === 'document';
const isWritten = (field: Optional): boolean => !isDocument(field) && field.item !== 'binary';
const isCounted = (field: Optional): boolean => isList(field) || COUNTABLE.has(field.item);
const isText = ({ item }: Optional): boolean => TEXTS.has(item);

/** For each option, the fields that it goes with. */
const APPLIES: readonly (readonly [keyof FieldDeclared, string, (field: Optional) => boolean])[] = [
  ['flat', 'lists', isList],
  ['pattern', 'texts and lists of them', isText],
  ['enum', 'texts, numbers, dates and times', ({ item }) => LISTABLE.has(item)],
  [
    'any-case',
    'texts with enum',
    (field) => isText(field) && (field.declared.enum !== undefined || field.declared['any-case'] === false),
  ],
  ['minimum', 'numbers, texts and lists', isCounted],
  ['maximum', 'numbers, texts and lists', isCounted],
  ['attribute', 'single values', (field) => !isList(field) && !isDocument(field)],
  ['default', 'single values', (field) => !isList(field) && isWritten(field)],
  ['fixed', 'single values', (field) => !isList(field) && isWritten(field)],
  ['example', 'single values and lists of them', isWritten],
  ['url', 'single values and lists of them', isWritten],
  ['open', 'compounds in place, beside `fields:`', ({ declared }) => declared.fields !== undefined],
];

/**
 * Holds the options of a field against its type and each other.
 * @returns those that do not go with the type
 */
export function checkOptions({ linking }: DocumentSource, { declared }: FieldSpot, type: FieldType): Set<string> {
  const { report, places } = linking;
  const refused = new Set<string>();
  const field = { type, item: singleType(type).kind, declared };
  for (const [option, only, applies] of APPLIES) {
    if (declared[option] === undefined || applies(field)) continue;
    refused.add(option);
    report.raise('option-not-for-type', { option, type: typeWords(type), only }, places.key(declared, option));
  }
  const both = (first: keyof FieldDeclared, second: keyof FieldDeclared, reason: string): void =>
    refuseBoth(linking, declared, first, second, reason);
  if (declared.required === true) both('required', 'default', 'a default is for what the caller leaves out');
  both('fixed', 'default', 'a fixed value is taken in any case');
  both('fixed', 'enum', 'a fixed value is the only one');
  if (declared.minimum !== undefined && declared.maximum !== undefined && declared.minimum > declared.maximum) {
    both('minimum', 'maximum', 'the smallest is larger than the largest');
  }
  return refused;
}
