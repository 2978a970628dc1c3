import type { LexicalName } from '../wire/lexical.ts';
import type { OrderName, Range } from '../wire/order.ts';
import type { RawKind } from './service.ts';

/** The databases that run stored queries. */
export type Engine = 'sqlite' | 'postgres' | 'mysql';

/** How values are held and calculated with. Several types share one; a type refines it by its form, length or markup. */
export type Primitive =
  | 'text'
  | 'integer'
  | 'decimal'
  | 'double'
  | 'boolean'
  | 'date'
  | 'time'
  | 'datetime'
  | 'binary'
  | 'json';

/** Types of columns in a database, as far as they say what is in a column. */
export type ColumnFamily =
  | 'integer'
  | 'decimal'
  | 'real'
  | 'boolean'
  | 'text'
  | 'date'
  | 'time'
  | 'datetime'
  | 'binary'
  | 'json'
  | 'uuid';

/** The facts about a type of a single value. */
export interface ScalarTraits {
  /** The values, in words for the definition reference. */
  readonly description: string;
  readonly primitive: Primitive;
  /** What `(n)` or `(p.s)` after the word counts. */
  readonly size: 'characters' | 'digits' | undefined;
  /** Every text is a value, the empty one too. */
  readonly anyText: boolean;
  /** Characters of the longest value, of a type whose values are short; a type of text or numbers has its length or its range. */
  readonly longest: number | undefined;
  /** The text form that values have, when they have one. */
  readonly lexical: LexicalName | undefined;
  /** How values are compared; `undefined` when only equal texts are equal values. */
  readonly order: OrderName | undefined;
  /** The only values, when there are few. */
  readonly values: readonly string[] | undefined;
  /** `INF`, `-INF` and `NaN` are values of a floating-point type. They are texts in JSON, which has no numbers for them. */
  readonly beyondNumbers: boolean;
  /** The least and the greatest value, of a type of fewer bits than what holds it. */
  readonly range: Required<Pick<Range, 'minimum' | 'maximum'>> | undefined;
  /** A value of a text type can fill a field of this type. */
  readonly takesText: boolean;

  /** Where a field of the type may be used. */
  readonly takes: {
    /** What `minimum` and `maximum` bound: the value, or the number of characters or of bytes. */
    readonly bounds: 'value' | 'length' | 'bytes' | undefined;
    readonly pattern: boolean;
    readonly enum: boolean;
    /** Components may have it as a key: there is one text for one value, so that a record is found by it. */
    readonly key: boolean;
  };

  /** The type in JSON, in the words of JSON Schema. */
  readonly json: {
    readonly type?: 'string' | 'integer' | 'number' | 'boolean';
    readonly format?: string;
    readonly contentEncoding?: string;
    readonly contentMediaType?: string;
  };
  readonly xml: {
    /** The built-in type of XML Schema that it is or restricts. */
    readonly type: `xs:${string}`;
    /** Other built-in types, by the bounds that they are: those of `0 255`. */
    readonly bounded: Readonly<Record<string, `xs:${string}`>>;
    /** The pattern of that restriction, in the dialect of XML Schema. */
    readonly pattern: string | undefined;
    /** An empty element is a value. */
    readonly empty: boolean;
    /** White space around a value belongs to it (`whiteSpace` of XML Schema 1.1 Part 2, section 4.3.6). */
    readonly preserved: boolean;
    /** A value may be elements instead of text. */
    readonly markup: boolean;
    /** What the schema can't say. */
    readonly note: string | undefined;
  };
  /** The message without a document that a body is which is one value. */
  readonly body: RawKind;
  readonly typescript: {
    readonly type: string;
    /** What the TypeScript type does not say, to follow the type's word; `undefined` when it says it all. */
    readonly note: string | undefined;
  };
  /** A value for contracts, when the definition has none. */
  readonly example: string | number | boolean;

  readonly sql: {
    /** The type that a prompt is cast to, so that an absent one is a NULL of that type; `undefined` for what can't be bound. */
    readonly cast: Readonly<Record<Engine, string | undefined>>;
    /** Families of columns that hold such values; any column when `undefined`. */
    readonly columns: readonly ColumnFamily[] | undefined;
    /** Values are equal when they are equal as this; `undefined` for types that SQL can't compare. */
    readonly comparedAs: Comparison | undefined;
  };
  /** Code and name in `java.sql.Types`. */
  readonly jdbc: readonly [code: number, name: string];
  readonly workbook: {
    /** Characters that a value usually takes. */
    readonly width: number;
    /** A format by its purpose, or a format code. */
    readonly format: 'text' | 'general' | 'whole' | (string & {});
  };
  /** The type of field in PeopleSoft, and its length when it has one of its own. */
  readonly peoplesoft: { readonly type: string; readonly length: number };
}

/** What values are compared as: numbers by value, all else by its text. */
export type Comparison = 'text' | 'uuid' | 'integer' | 'decimal' | 'boolean' | 'date' | 'time' | 'datetime';

const TEXT_COLUMNS: readonly ColumnFamily[] = [
  'integer',
  'decimal',
  'real',
  'boolean',
  'text',
  'date',
  'time',
  'datetime',
  'json',
  'uuid',
];

export const PLAIN_XML = {
  bounded: {},
  pattern: undefined,
  empty: false,
  preserved: false,
  markup: false,
  note: undefined,
} as const;
export const FREE_XML = { ...PLAIN_XML, type: 'xs:string', empty: true, preserved: true } as const;

export const TEXT_SQL = {
  cast: { sqlite: 'text', postgres: 'text', mysql: 'char' },
  columns: TEXT_COLUMNS,
  comparedAs: 'text',
} as const satisfies ScalarTraits['sql'];

/** What a type is that has no size, restricts no text, and is a text in URLs, headers and bodies. */
export const PLAIN = {
  size: undefined,
  anyText: false,
  longest: undefined,
  lexical: undefined,
  order: undefined,
  values: undefined,
  beyondNumbers: false,
  range: undefined,
  takesText: false,
  body: 'text',
} as const;

/** Any text. */
export const FREE = {
  ...PLAIN,
  primitive: 'text',
  anyText: true,
  takes: { bounds: 'length', pattern: true, enum: true, key: true },
  json: { type: 'string' },
  xml: FREE_XML,
  typescript: { type: 'string', note: undefined },
  example: 'text',
  sql: TEXT_SQL,
} as const;

/** A text in a form of its own. */
export const SPELLED = {
  ...PLAIN,
  primitive: 'text',
  takesText: true,
  sql: { ...TEXT_SQL, columns: ['text'] },
  jdbc: [12, 'VARCHAR'],
  peoplesoft: { type: 'Long Character', length: 0 },
} as const;

/** A floating-point number. */
export const FLOATING = {
  ...PLAIN,
  primitive: 'double',
  order: 'double',
  takes: { bounds: 'value', pattern: false, enum: true, key: false },
  typescript: { type: 'number', note: undefined },
  example: 0.5,
  sql: {
    cast: { sqlite: 'real', postgres: 'double precision', mysql: 'double' },
    columns: ['integer', 'decimal', 'real'],
    comparedAs: 'decimal',
  },
  workbook: { width: 14, format: 'general' },
  peoplesoft: { type: 'Number', length: 0 },
} as const;

/** A whole number. */
export const WHOLE = {
  ...PLAIN,
  primitive: 'integer',
  order: 'decimal',
  takes: { bounds: 'value', pattern: false, enum: true, key: true },
  typescript: { type: 'number | bigint', note: undefined },
  example: 1,
  sql: {
    // A bigint is compared with the indexes of all integers.
    cast: { sqlite: 'integer', postgres: 'bigint', mysql: 'signed' },
    columns: ['integer', 'decimal'],
    comparedAs: 'integer',
  },
  workbook: { width: 11, format: 'whole' },
  peoplesoft: { type: 'Number', length: 0 },
} as const;
