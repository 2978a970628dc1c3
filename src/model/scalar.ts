/**
 * The types of a single value. What the loader, codecs, queries, contracts and documents know about a type is in its entry
 * here, and nothing else asks for a type by its word: a new type is one entry, and a text form in `wire/lexical.ts` when its
 * values have one.
 */

import type { Range } from '../wire/order.ts';
import { type Field, type FieldType, isCollection, type ScalarType, singleType } from './field.ts';
import {
  FLOATING,
  FREE,
  FREE_XML,
  PLAIN,
  PLAIN_XML,
  type Primitive,
  type ScalarTraits,
  SPELLED,
  TEXT_SQL,
  WHOLE,
} from './scalar-traits.ts';

const ENTRIES = {
  string: {
    ...FREE,
    description: 'text, of at most so many characters',
    size: 'characters',
    jdbc: [12, 'VARCHAR'],
    workbook: { width: 20, format: 'text' },
    peoplesoft: { type: 'Character', length: 0 },
  },
  text: {
    ...FREE,
    description: 'text of any length',
    jdbc: [-1, 'LONGVARCHAR'],
    workbook: { width: 40, format: 'text' },
    peoplesoft: { type: 'Long Character', length: 0 },
  },
  integer: {
    ...WHOLE,
    description: 'whole number of 64 bits, -2^63 to 2^63 - 1; all digits are kept',
    range: { minimum: '-9223372036854775808', maximum: '9223372036854775807' },
    json: { type: 'integer', format: 'int64' },
    xml: {
      ...PLAIN_XML,
      type: 'xs:integer',
      bounded: {
        '-128 127': 'xs:byte',
        '-32768 32767': 'xs:short',
        '0 255': 'xs:unsignedByte',
        '0 65535': 'xs:unsignedShort',
        '0 4294967295': 'xs:unsignedInt',
      },
    },
    jdbc: [-5, 'BIGINT'],
  },
  long: {
    ...WHOLE,
    description: 'the same, as `xs:long` in XML Schema',
    range: { minimum: '-9223372036854775808', maximum: '9223372036854775807' },
    json: { type: 'integer', format: 'int64' },
    xml: { ...PLAIN_XML, type: 'xs:long' },
    jdbc: [-5, 'BIGINT'],
  },
  int: {
    ...WHOLE,
    description: 'whole number of 32 bits, -2^31 to 2^31 - 1',
    range: { minimum: '-2147483648', maximum: '2147483647' },
    json: { type: 'integer', format: 'int32' },
    xml: { ...PLAIN_XML, type: 'xs:int' },
    typescript: { type: 'number', note: undefined },
    jdbc: [4, 'INTEGER'],
  },
  'big-integer': {
    ...WHOLE,
    description: 'whole number of any size, up to 1,000 digits; all digits are kept',
    json: { type: 'integer' },
    xml: { ...PLAIN_XML, type: 'xs:integer' },
    sql: {
      cast: { sqlite: 'numeric', postgres: 'numeric', mysql: 'decimal' },
      columns: ['integer', 'decimal'],
      comparedAs: 'decimal',
    },
    jdbc: [3, 'DECIMAL'],
    workbook: { width: 20, format: 'whole' },
  },
  decimal: {
    ...PLAIN,
    description: 'decimal number; digits in all, and after the point. Keeps its digits; a string in handlers',
    primitive: 'decimal',
    order: 'decimal',
    size: 'digits',
    takes: { bounds: 'value', pattern: false, enum: true, key: false },
    json: { type: 'number', format: 'decimal' },
    xml: { ...PLAIN_XML, type: 'xs:decimal' },
    typescript: { type: 'string', note: ' (every digit is kept)' },
    example: 1.5,
    sql: {
      cast: { sqlite: 'numeric', postgres: 'numeric', mysql: 'decimal' },
      columns: ['integer', 'decimal', 'real'],
      comparedAs: 'decimal',
    },
    jdbc: [3, 'DECIMAL'],
    workbook: { width: 14, format: 'general' },
    peoplesoft: { type: 'Number', length: 0 },
  },
  number: {
    ...FLOATING,
    description: 'number as JSON has it: of 64 bits, and never infinite',
    json: { type: 'number' },
    xml: { ...PLAIN_XML, type: 'xs:double' },
    jdbc: [8, 'DOUBLE'],
  },
  double: {
    ...FLOATING,
    description: 'the same, of 64 bits in contracts (`format: double`)',
    json: { type: 'number', format: 'double' },
    xml: { ...PLAIN_XML, type: 'xs:double' },
    jdbc: [8, 'DOUBLE'],
  },
  float: {
    ...FLOATING,
    description:
      'the same, of 32 bits in contracts (`format: float`): from -3.4028235e38 to 3.4028235e38, and not rounded here',
    json: { type: 'number', format: 'float' },
    xml: { ...PLAIN_XML, type: 'xs:float' },
    jdbc: [7, 'REAL'],
  },
  'xs-double': {
    ...FLOATING,
    description: '`xs:double` of XML Schema: as `double`, and `INF`, `-INF` and `NaN`, which are texts in JSON',
    beyondNumbers: true,
    json: { type: 'number', format: 'double' },
    xml: { ...PLAIN_XML, type: 'xs:double' },
    jdbc: [8, 'DOUBLE'],
  },
  'xs-float': {
    ...FLOATING,
    description: '`xs:float` of XML Schema: as `xs-double`, of 32 bits in contracts',
    beyondNumbers: true,
    json: { type: 'number', format: 'float' },
    xml: { ...PLAIN_XML, type: 'xs:float' },
    jdbc: [7, 'REAL'],
  },
  boolean: {
    ...PLAIN,
    description: 'true or false',
    longest: 5,
    primitive: 'boolean',
    takes: { bounds: undefined, pattern: false, enum: true, key: false },
    json: { type: 'boolean' },
    xml: { ...PLAIN_XML, type: 'xs:boolean' },
    typescript: { type: 'boolean', note: undefined },
    example: true,
    sql: {
      cast: { sqlite: 'integer', postgres: 'boolean', mysql: 'signed' },
      columns: ['boolean', 'integer'],
      comparedAs: 'boolean',
    },
    jdbc: [16, 'BOOLEAN'],
    workbook: { width: 7, format: 'general' },
    peoplesoft: { type: 'Character', length: 5 },
  },
  flag: {
    ...PLAIN,
    description: '`Y` or `N`',
    longest: 1,
    primitive: 'text',
    values: ['Y', 'N'],
    takesText: true,
    takes: { bounds: undefined, pattern: false, enum: false, key: true },
    json: { type: 'string' },
    xml: { ...PLAIN_XML, type: 'xs:string' },
    typescript: { type: "'Y' | 'N'", note: undefined },
    example: 'Y',
    sql: TEXT_SQL,
    jdbc: [1, 'CHAR'],
    workbook: { width: 5, format: 'text' },
    peoplesoft: { type: 'Character', length: 1 },
  },
  date: {
    ...PLAIN,
    description: '`yyyy-MM-dd`',
    longest: 10,
    primitive: 'date',
    lexical: 'date',
    order: 'date',
    takesText: true,
    takes: { bounds: 'value', pattern: false, enum: true, key: true },
    json: { type: 'string', format: 'date' },
    xml: { ...PLAIN_XML, type: 'xs:date' },
    typescript: { type: 'string', note: ' (yyyy-MM-dd)' },
    example: '2026-01-31',
    sql: {
      cast: { sqlite: 'text', postgres: 'date', mysql: 'date' },
      // A text may hold a date.
      columns: ['date', 'datetime', 'text'],
      comparedAs: 'date',
    },
    jdbc: [91, 'DATE'],
    workbook: { width: 11, format: 'yyyy\\-mm\\-dd' },
    peoplesoft: { type: 'Date', length: 10 },
  },
  time: {
    ...PLAIN,
    description: '`HH:mm:ss`',
    primitive: 'time',
    lexical: 'time',
    order: 'time',
    takesText: true,
    takes: { bounds: 'value', pattern: false, enum: true, key: false },
    json: { type: 'string', format: 'time-local' },
    xml: { ...PLAIN_XML, type: 'xs:time' },
    typescript: { type: 'string', note: ' (HH:mm:ss)' },
    example: '08:30:00',
    sql: {
      cast: { sqlite: 'text', postgres: 'time', mysql: 'time(6)' },
      columns: ['time', 'text'],
      comparedAs: 'time',
    },
    jdbc: [92, 'TIME'],
    workbook: { width: 9, format: 'hh:mm:ss' },
    peoplesoft: { type: 'Time', length: 15 },
  },
  datetime: {
    ...PLAIN,
    description: '`yyyy-MM-ddTHH:mm:ss`, with `Z` or an offset',
    primitive: 'datetime',
    lexical: 'datetime',
    order: 'datetime',
    takes: { bounds: 'value', pattern: false, enum: true, key: false },
    json: { type: 'string', format: 'date-time' },
    xml: { ...PLAIN_XML, type: 'xs:dateTime' },
    typescript: { type: 'string', note: ' (yyyy-MM-ddTHH:mm:ss and an offset)' },
    example: '2026-01-31T08:30:00Z',
    sql: {
      // A timestamptz is compared with the indexes of dates and of timestamps.
      cast: { sqlite: 'text', postgres: 'timestamptz', mysql: 'datetime(6)' },
      columns: ['datetime', 'date', 'text', 'integer'],
      comparedAs: 'datetime',
    },
    jdbc: [93, 'TIMESTAMP'],
    workbook: { width: 20, format: 'yyyy\\-mm\\-dd\\ hh:mm:ss' },
    peoplesoft: { type: 'DateTime', length: 26 },
  },
  duration: {
    ...SPELLED,
    description: 'length of time (`P1Y2M3DT4H5M6.7S`, `-PT30M`; ISO 8601 as in XML Schema), kept as it is given',
    lexical: 'duration',
    order: 'duration',
    takes: { bounds: undefined, pattern: true, enum: true, key: false },
    json: { type: 'string' },
    xml: { ...PLAIN_XML, type: 'xs:duration' },
    typescript: { type: 'string', note: ' (P1DT2H3M)' },
    example: 'PT8H30M',
    workbook: { width: 14, format: 'text' },
  },
  uuid: {
    ...SPELLED,
    description: 'UUID ([RFC 9562](https://www.rfc-editor.org/rfc/rfc9562)): 36 characters, in lower case',
    longest: 36,
    lexical: 'uuid',
    takes: { bounds: undefined, pattern: false, enum: true, key: true },
    json: { type: 'string', format: 'uuid' },
    xml: { ...PLAIN_XML, type: 'xs:string', pattern: '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}' },
    typescript: { type: 'string', note: ' (36 characters, in lower case)' },
    example: '0f8fad5b-d9cb-469f-a165-70867728950e',
    sql: { cast: { sqlite: 'text', postgres: 'uuid', mysql: 'char' }, columns: ['uuid', 'text'], comparedAs: 'uuid' },
    jdbc: [1, 'CHAR'],
    workbook: { width: 36, format: 'text' },
    peoplesoft: { type: 'Character', length: 36 },
  },
  uri: {
    ...SPELLED,
    description: 'URI with a scheme ([RFC 3986](https://www.rfc-editor.org/rfc/rfc3986)), kept as it is given',
    lexical: 'uri',
    takes: { bounds: 'length', pattern: true, enum: true, key: true },
    json: { type: 'string', format: 'uri' },
    xml: { ...PLAIN_XML, type: 'xs:anyURI' },
    typescript: { type: 'string', note: ' (with a scheme)' },
    example: 'https://example.com/orders/17',
    workbook: { width: 40, format: 'text' },
  },
  hex: {
    ...SPELLED,
    description: 'bytes as hexadecimal digits, two for each; kept as they are given',
    lexical: 'hex',
    order: 'hex',
    takes: { bounds: 'bytes', pattern: true, enum: true, key: false },
    json: { type: 'string', contentEncoding: 'base16' },
    xml: { ...PLAIN_XML, type: 'xs:hexBinary', empty: true },
    typescript: { type: 'string', note: ' (hexadecimal digits)' },
    example: '5369676E616C',
    workbook: { width: 20, format: 'text' },
  },
  binary: {
    ...PLAIN,
    description: 'bytes with a media type, streamed',
    primitive: 'binary',
    takes: { bounds: undefined, pattern: false, enum: false, key: false },
    json: { type: 'string', contentEncoding: 'base64' },
    xml: { ...PLAIN_XML, type: 'xs:base64Binary', empty: true },
    body: 'binary',
    typescript: { type: 'Attachment', note: undefined },
    example: 'U2lnbmFsYm94',
    sql: {
      cast: { sqlite: undefined, postgres: undefined, mysql: undefined },
      columns: ['binary', 'text'],
      comparedAs: undefined,
    },
    jdbc: [-3, 'VARBINARY'],
    workbook: { width: 20, format: 'text' },
    peoplesoft: { type: 'Image', length: 0 },
  },
  json: {
    ...PLAIN,
    description: 'any JSON value',
    primitive: 'json',
    takes: { bounds: undefined, pattern: false, enum: false, key: false },
    json: {},
    xml: { ...FREE_XML, note: 'JSON text.' },
    body: 'json',
    typescript: { type: 'JsonValue', note: undefined },
    example: '{}',
    sql: {
      cast: { sqlite: 'text', postgres: 'jsonb', mysql: 'char' },
      columns: ['json', 'text'],
      comparedAs: undefined,
    },
    jdbc: [-1, 'LONGVARCHAR'],
    workbook: { width: 40, format: 'text' },
    peoplesoft: { type: 'Long Character', length: 0 },
  },
  xml: {
    ...PLAIN,
    description: 'XML',
    primitive: 'text',
    takes: { bounds: undefined, pattern: false, enum: false, key: false },
    json: { type: 'string', contentMediaType: 'application/xml' },
    // XML as escaped text or as elements: anything fits.
    xml: { ...FREE_XML, type: 'xs:anyType', markup: true, note: 'XML: elements, or escaped text.' },
    body: 'xml',
    typescript: { type: 'string', note: '' },
    example: '<value/>',
    sql: { ...TEXT_SQL, comparedAs: undefined },
    jdbc: [2009, 'SQLXML'],
    workbook: { width: 40, format: 'text' },
    peoplesoft: { type: 'Long Character', length: 0 },
  },
} as const satisfies Readonly<Record<string, ScalarTraits>>;

/** The word that stands for a type in YAML. */
export type ScalarKind = keyof typeof ENTRIES;

/** Types of numbers that imports choose: of integers without bounds, and of floating-point numbers of XML Schema. */
export const BIG_INTEGER = 'big-integer' satisfies ScalarKind;
export const XS_DOUBLE = 'xs-double' satisfies ScalarKind;
export const XS_FLOAT = 'xs-float' satisfies ScalarKind;

/** The facts about each type. */
export const SCALARS: Readonly<Record<ScalarKind, ScalarTraits>> = ENTRIES;

/** The words, in the order in which they are listed for readers. */
export const SCALAR_KINDS = Object.keys(SCALARS) as readonly ScalarKind[];

/** The type of a value of code that no definition describes. */
export function kindOfValue(value: unknown): ScalarKind {
  if (typeof value === 'bigint') return 'big-integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'big-integer' : 'number';
  if (value instanceof Date) return 'datetime';
  return typeof value === 'boolean' ? 'boolean' : 'text';
}

export function isScalarKind(word: string): word is ScalarKind {
  return Object.hasOwn(SCALARS, word);
}

/** The facts about the type of a single value; `undefined` for a document or a list. */
export function traitsOf(type: ScalarType): ScalarTraits;
export function traitsOf(type: FieldType): ScalarTraits | undefined;
export function traitsOf({ kind }: FieldType): ScalarTraits | undefined {
  return kind === 'list' || kind === 'map' || kind === 'document' ? undefined : SCALARS[kind];
}

/** The bounds of a value: those of its field, and where it has none those of its type. */
export function rangeOf({ type, range }: Pick<Field, 'type' | 'range'>): Range | undefined {
  const own = traitsOf(singleType(type))?.range;
  if (own === undefined) return range;
  const { minimum, maximum } = own;
  return {
    ...(range?.above === undefined ? { minimum } : {}),
    ...(range?.below === undefined ? { maximum } : {}),
    ...range,
  };
}

/** How values of a type are held; `undefined` for a document or a list. */
export function primitiveOf(type: FieldType): Primitive | undefined {
  return traitsOf(type)?.primitive;
}

/** Whether a type is that of numbers. A decimal is one, although it is a string in memory. */
export function isNumeric(type: FieldType): boolean {
  const primitive = primitiveOf(type);
  return primitive === 'integer' || primitive === 'decimal' || primitive === 'double';
}

/** Whether null is a value of a field; for any other field it means that there is no value. */
export function holdsNull({ type, nullable }: Pick<Field, 'type' | 'nullable'>): boolean {
  return nullable === true || primitiveOf(type) === 'json';
}

/** Whether values of a type are strings in memory. */
export function isString(type: FieldType): boolean {
  const primitive = primitiveOf(type);
  return primitive !== undefined && ['text', 'decimal', 'date', 'time', 'datetime'].includes(primitive);
}

/** Whether every text is a value of a type. */
export function isAnyText(type: FieldType): boolean {
  return traitsOf(type)?.anyText === true;
}

/** Whether the value of a field may be any text: mixed content without elements, which XML Schema does not restrict. */
export function isUnrestrictedText(field: Field): boolean {
  const { type, fixed, enum: listed, patterns, minimum, maximum } = field;
  if (isCollection(type) || type.kind === 'document' || !isAnyText(type) || type.length !== undefined) return false;
  return [fixed, listed, patterns, maximum].every((each) => each === undefined) && (minimum ?? 0) === 0;
}

/** What is written in JSON for a value that is not given and has to be there. */
export function blankOf({ json }: ScalarTraits): '' | null {
  return json.type === 'string' ? '' : null;
}

/** Whether values of a type are texts that are kept as they come. */
export function isFreeText(type: ScalarType): boolean {
  const { primitive, lexical, values } = SCALARS[type.kind];
  return primitive === 'text' && lexical === undefined && values === undefined;
}
