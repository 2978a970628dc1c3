import type { Document } from '../../model/document.ts';
import { type CompoundType, type FieldType, isCollection, type ScalarType } from '../../model/field.ts';
import { BIG_INTEGER, isScalarKind, SCALAR_KINDS, SCALARS } from '../../model/scalar.ts';
import { MAX_DIGITS } from '../../wire/decimal.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import { nearest } from '../diagnostic/suggest.ts';
import { type Linking, refuseBoth } from '../linking.ts';
import type { FieldDeclared, InPlaceDeclared } from '../schema/document.ts';

/** A source of documents for fields, which also takes those in place. */
export interface DocumentSource {
  readonly linking: Linking;
  /** A declared document; `undefined` when it does not exist or was rejected. */
  find(id: string): Document | undefined;
  /** Adds a document in place. `declared` is the map with `fields`. */
  inPlace(derived: DerivedName, declared: InPlaceDeclared, at: Place): Document;
}

/** A field in its definition: its name, its declaration and the map that contains it. */
export interface FieldSpot {
  readonly name: string;
  readonly declared: FieldDeclared;
  /** The map of fields. */
  readonly container: object;
  /** The document, query or process that it belongs to. */
  readonly owner: DerivedName;
}

/** The type of a field; `undefined` when it is not valid, which has been reported. */
export function linkType(source: DocumentSource, spot: FieldSpot): FieldType | undefined {
  const { report, places, doubt } = source.linking;
  const { declared, name, container, owner } = spot;
  const said = (['type', 'fields', 'one-of', 'list'] as const).filter((key) => declared[key] !== undefined);
  if (said.length > 1) {
    const [first, second] = said as [string, string];
    refuseBoth(source.linking, declared, first, second, 'each of them sets the type', typeRemedy(first, second));
    return undefined;
  }
  const inner = derivedName(owner, name);
  const at = places.key(container, name);
  if (declared.fields !== undefined || declared['one-of'] !== undefined) {
    return { kind: 'document', document: source.inPlace(inner, declared as InPlaceDeclared, at) };
  }
  if (declared.list !== undefined) {
    const item: CompoundType = { kind: 'document', document: source.inPlace(inner, declared.list, at) };
    return { kind: 'list', item, flat: declared.flat ?? false };
  }
  if (declared.type === undefined) {
    if (!doubt.about(declared)) report.raise('missing-key', { key: 'type', owner: `The field ${name}` }, at);
    return undefined;
  }
  const type = linkTypeWord(source, declared.type, typePlace(source, spot), declared.flat ?? false);
  return type?.kind === 'list' && declared.spaced === true ? { ...type, spaced: true } : type;
}

/** The place of the type word: the value of `type:`, or the field itself. */
function typePlace({ linking: { places } }: DocumentSource, { container, name }: FieldSpot): Place {
  const value = (container as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? places.value(container, name) : places.value(value as object, 'type');
}

function linkTypeWord(source: DocumentSource, text: string, at: Place, flat: boolean): FieldType | undefined {
  const { report, declared } = source.linking;
  const word = parseTypeWord(text);
  if (word.kind === 'bad') {
    report.raise('bad-type', { type: text, reason: word.reason }, at);
    return undefined;
  }
  let item: ScalarType | CompoundType;
  if (word.kind === 'scalar') item = word.type;
  else {
    const document = source.find(word.id);
    if (document === undefined) {
      if (!declared.rejected('document').has(word.id) && !declared.rejected('type').has(word.id)) {
        const known = [...SCALAR_KINDS, ...declared.of('type').keys(), ...declared.of('document').keys()];
        report.raise(
          'unknown-type',
          {
            type: word.id,
            known,
            meant: foreignHint(word.id, known),
          },
          at,
        );
      }
      return undefined;
    }
    item = { kind: 'document', document };
  }
  if (word.map) return { kind: 'map', item };
  return word.list ? { kind: 'list', item, flat } : item;
}

/** A type in words, for messages. */
export function typeWords(type: FieldType): string {
  if (type.kind === 'document') return `the document ${type.document.id}`;
  if (isCollection(type))
    return `a ${type.kind} of ${type.item.kind === 'document' ? type.item.document.id : typeText(type.item)}`;
  return typeText(type);
}

/** A parsed type word. A name that is not a scalar type is that of a document. */
type TypeWord =
  | ({ readonly kind: 'scalar'; readonly type: ScalarType } & Collected)
  | ({ readonly kind: 'document'; readonly id: string } & Collected)
  | { readonly kind: 'bad'; readonly reason: string };

/** Whether a type word is that of a collection of such values. */
interface Collected {
  readonly list: boolean;
  readonly map?: true;
}

const MOST_CHARACTERS = 1_000_000_000;

/** Types that no map has as values: an element with a key has no room for markup, and none for a file. */
const NOT_IN_MAPS: ReadonlySet<string> = new Set(
  SCALAR_KINDS.filter((kind) => SCALARS[kind].xml.markup || SCALARS[kind].primitive === 'binary'),
);

/** Parses `string(10)`, `decimal(10.2)`, `list of LOC_DTL_VW`, `map of integer` (rule 7 of the definition reference). */
export function parseTypeWord(text: string): TypeWord {
  const inMap = /^map\s+of\s+(.*)$/.exec(text.trim())?.[1]?.trim();
  if (text.trim() === 'map') return bad('add the type of its values: `map of decimal(10.2)`, or `map of` a document');
  if (inMap !== undefined) {
    if (/^(?:list|map)\s/.test(inMap))
      return bad("a map can't contain lists or maps; put the inner one into a document");
    if (NOT_IN_MAPS.has(inMap)) return bad(`a map can't contain ${inMap}; put it into a document`);
    const word = parseTypeWord(inMap);
    return word.kind === 'bad' ? word : { ...word, map: true };
  }
  const list = /^list\s+of\s+(.*)$/.exec(text.trim());
  const word = (list?.[1] ?? text).trim();
  const isList = list !== null;
  const inner = isList ? /^(list|map)\s/.exec(word)?.[1] : undefined;
  if (inner !== undefined) return bad(`a list can't contain ${inner}s; put the inner one into a document`);
  if (text.trim() === 'list') return bad('add the type of its entries: `list of string`, or `list of` a document');
  const found = /^([A-Za-z]+)\s*\(([^()]*)\)$/.exec(word);
  if (found !== null) return sized(found[1] as string, (found[2] as string).trim(), isList);
  if (isScalarKind(word)) return { kind: 'scalar', list: isList, type: { kind: word } };
  return { kind: 'document', list: isList, id: word };
}

function bad(reason: string): TypeWord {
  return { kind: 'bad', reason };
}

function sized(word: string, size: string, list: boolean): TypeWord {
  // No document has such an id.
  if (!isScalarKind(word)) return { kind: 'document', list, id: `${word}(${size})` };
  const counted = SCALARS[word].size;
  if (counted === undefined) return bad(`only ${SIZED.join(' and ')} have a size in parentheses`);
  if (counted === 'characters') {
    const length = /^\d+$/.test(size) ? Number(size) : 0;
    if (length < 1 || length > MOST_CHARACTERS)
      return bad(`the length must be a whole number of at least 1, as in ${word}(10)`);
    return { kind: 'scalar', list, type: { kind: word, length } };
  }
  const [, digits, scale] = /^(\d+)(?:[.,](\d+))?$/.exec(size) ?? [];
  if (digits === undefined)
    return bad(`write the total number of digits and the digits after the point, as in ${word}(10.2)`);
  const type = { kind: word, length: Number(digits), scale: Number(scale ?? 0) };
  if (type.length < 1 || type.length > MAX_DIGITS) return bad(`a ${word} has 1 to ${MAX_DIGITS} digits`);
  if (type.scale > type.length) return bad("the digits after the point can't exceed the total");
  return { kind: 'scalar', list, type };
}

/** Words that may have a size. */
const SIZED = SCALAR_KINDS.filter((word) => SCALARS[word].size !== undefined);

/** Types of other languages by ours: SQL, JSON Schema and OpenAPI, XSD, TypeScript, Java, PeopleSoft. In lower case, without blanks. */
const FOREIGN = {
  string:
    'varchar varchar2 nvarchar nvarchar2 char nchar character charactervarying bpchar str normalizedstring enum email hostname password interval',
  text: 'clob nclob longtext mediumtext tinytext citext ntext',
  integer: 'int8 int64 bigint bigserial unsignedint',
  [BIG_INTEGER]: 'biginteger nonnegativeinteger positiveinteger nonpositiveinteger negativeinteger unsignedlong uint64',
  int: 'int2 int4 int16 int32 smallint tinyint mediumint serial short',
  decimal: 'numeric dec money bigdecimal nbr',
  number: 'float4 float8 doubleprecision real',
  boolean: 'bool bit logical',
  date: 'localdate',
  datetime:
    'timestamp timestamptz timestampwithtimezone timestampwithouttimezone datetime2 smalldatetime date-time instant localdatetime',
  time: 'timetz localtime',
  uuid: 'guid uniqueidentifier',
  uri: 'url anyuri',
  binary: 'blob bytea varbinary raw bytes byte longblob base64 base64binary image',
  duration: 'timespan yearmonthduration daytimeduration',
  hex: 'hexbinary hexadecimal',
  json: 'jsonb object any unknown map dict record struct anytype',
  xml: 'xmltype',
} as const satisfies Partial<Record<ScalarType['kind'], string>>;

const OURS = new Map(
  Object.entries(FOREIGN).flatMap(([kind, words]) =>
    words.split(' ').map((word) => [word, kind as ScalarType['kind']]),
  ),
);

/** What to write in place of `type:` and a second key that sets the type. */
function typeRemedy(first: string, second: string): string | undefined {
  if (first !== 'type') return undefined;
  return second === 'list'
    ? 'Remove `type:`.'
    : `Remove \`type:\`. A list of them is written \`list: { ${second}: … }\`.`;
}

/** What to write for a type of another language, as a sentence; `undefined` for a word that none has. */
function foreignHint(text: string, known: readonly string[]): string | undefined {
  const word = text.toLowerCase();
  if (known.some((each) => each.toLowerCase() === word)) return undefined;
  if (/^(?:object|struct|record|compound)$/.test(word))
    return 'Write `fields:` with its members in place of `type:`, or the id of a document. Any JSON is of the type json.';
  if (/^(?:map|dict|dictionary|hashmap)$/.test(word))
    return 'Write `map of string`, or `map of` another type or a document.';
  if (/^(?:array|set|sequence|collection)$/.test(word))
    return 'Write `list of string`, or `list of` another type or a document.';
  const [, value, otherwise] = /^(.+?)(\?|\s*\|\s*(?:null|undefined|nil))$/i.exec(text) ?? [];
  if (value !== undefined) {
    const type = ourType(value, known) ?? nearest(value, known) ?? value;
    const isNull = /null|nil/i.test(otherwise ?? '');
    return `Write ${type}. A field is optional unless it has \`required: true\`${isNull ? '; with `nullable: true`, null is a value' : ''}.`;
  }
  const [, item, most] = /^(.+)\[(\d+)\]$/.exec(text) ?? [];
  const ours = ourType(item === undefined ? text : `${item}[]`, known);
  if (ours === undefined) return undefined;
  return most === undefined
    ? `Write ${ours}.`
    : `Write ${ours}, and \`maximum: ${most}\` for the number of its entries.`;
}

/** Our word for a type of another language: `string(12)` for `varchar(12)`, `list of string` for `string[]`. */
function ourType(text: string, known: readonly string[]): string | undefined {
  const [, before, behind] =
    /^(?:(.+)\[\]|(?:array|list|set|sequence)(?:\s+of\s+|\s*<\s*)([^>]+)>?)$/i.exec(text) ?? [];
  const item = (before ?? behind)?.trim();
  if (item !== undefined) return `list of ${ourType(item, known) ?? nearest(item, known) ?? item}`;
  const [, name = '', size] = /^(?:xsd?:)?([a-z][\w\s-]*?)\s*(?:\(([^()]*)\))?$/i.exec(text) ?? [];
  const word = name.toLowerCase().replace(/\s+/g, '');
  const meant = size === undefined ? undefined : nearest(word, SIZED);
  const sized = SIZED.find((each) => each === meant);
  const kind = isScalarKind(word) ? word : (OURS.get(word) ?? sized);
  if (kind === undefined) return undefined;
  if (size?.trim().toLowerCase() === 'max') return kind === sized ? undefined : 'text';
  const [digits, scale = '0'] = size?.match(/\d+/g) ?? [];
  const parsed = parseTypeWord(`${kind}(${SCALARS[kind].size === 'digits' ? `${digits}.${scale}` : digits})`);
  return parsed.kind === 'scalar' ? typeText(parsed.type) : kind;
}

/** A type in words. */
export function typeText({ kind, length, scale = 0 }: ScalarType): string {
  if (length === undefined) return kind;
  return SCALARS[kind].size === 'digits' ? `${kind}(${length}.${scale})` : `${kind}(${length})`;
}

/** The name of a document in place, derived from its position. */
export interface DerivedName {
  /** Unique over all documents. */
  readonly id: string;
  /** In contracts. */
  readonly name: string;
  /** Whether the elements of its fields have no namespace, and those of documents that it declares in place. */
  readonly unqualified?: boolean | undefined;
}

/** The name of a document that belongs to something: `LOCATIONS_GET_REQUEST`. */
export function derivedName({ id, name, unqualified }: DerivedName, suffix: string): DerivedName {
  return { id: `${id}_${suffix}`, name: `${name}_${suffix}`, unqualified };
}
