import { BIG_INTEGER, type ScalarKind, XS_DOUBLE, XS_FLOAT } from '../../model/scalar.ts';
import type { DraftSimpleType, Facets } from '../draft.ts';
import { NAME, NAME_START } from './characters.ts';
import { insideOf } from './pattern.ts';

/** A simple type: a scalar with its facets, or a list of these (`xs:list`) with the bounds of their number. */
export interface SimpleType {
  /** A type word without a size; the length of a text is in its facets. */
  readonly word: string;
  /** The word that definitions have for it, which says how many bits values have: `int` for an `integer`. */
  readonly width?: ScalarKind;
  /** Facets of a value, or of each entry of a list. */
  readonly facets: Facets;
  /** The element has the address of an attachment, whose content is the value. */
  readonly refers?: true;
  readonly list?: { readonly minimum?: number; readonly maximum?: number };
  /** The global type that it is, or that its facets began with. */
  readonly named?: DraftSimpleType;
  /** What no definition states about values of the type, wherever it is used. */
  readonly note?: Note;
}

/** What a scalar does not carry: a loss once in each file, not at each use. */
export interface Note {
  readonly what: string;
  readonly instead: string;
}

const START = insideOf(NAME_START).replace(':', '');
const REST = insideOf(NAME).replace(':', '');

const NCNAME = `[${START}][${REST}]*`;

const YEAR = '-?([1-9][0-9]{3,}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])';
const MONTH = '(0[1-9]|1[0-2])';
const DAY = '(0[1-9]|[12][0-9]|3[01])';
const OFFSET = '(Z|[+\\-](0[0-9]|1[0-3]):[0-5][0-9]|[+\\-]14:00)?';
const MONTH_DAY = `((0[13578]|1[02])-${DAY}|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))`;
const FOURTH = '(0[48]|[2468][048]|[13579][26])';
const LEAP = `(-?([1-9][0-9]*)?([0-9]{2}${FOURTH}|${FOURTH}00))`;
const DATE = `(${YEAR}-${MONTH_DAY}|${LEAP}-02-29)`;
const TIME = '(([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?|24:00:00(\\.0+)?)';
const BASE64 = '[A-Za-z0-9+/]';

/** The lexical forms of types that are not texts, after spaces around them were removed. */
export const LEXICAL_FORMS: Readonly<Record<string, string>> = {
  integer: '[+\\-]?[0-9]+',
  [BIG_INTEGER]: '[+\\-]?[0-9]+',
  decimal: '[+\\-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)',
  number: '[+\\-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([Ee][+\\-]?[0-9]+)?|-?INF|NaN',
  boolean: 'true|false|1|0',
  date: `${DATE}${OFFSET}`,
  time: `${TIME}${OFFSET}`,
  datetime: `${DATE}T${TIME}${OFFSET}`,
  duration: '-?P([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9]+(\\.[0-9]+)?S)?)?',
  hex: '([0-9A-Fa-f]{2})*',
  // Part 2, section 3.2.16.
  binary: `((${BASE64} ?){4})*((${BASE64} ?){3}${BASE64}|(${BASE64} ?){2}[AEIMQUYcgkosw048] ?=|${BASE64} ?[AQgw] ?= ?=)?`,
};

const FREE = { word: 'string', facets: {} } as const satisfies SimpleType;
const TOKEN = { word: 'string', facets: { space: 'collapse' } } as const satisfies SimpleType;
const NAMES = { minimum: 1 } as const;

function token(pattern: string): SimpleType {
  return { word: 'string', facets: { space: 'collapse', pattern } };
}

function integer(facets: Facets = {}): SimpleType {
  return { word: 'integer', facets };
}

/** Integers without a bound on one or both sides, or with one beyond 64 bits. */
function unbounded(facets: Facets = {}): SimpleType {
  return { word: BIG_INTEGER, facets };
}

const NOT_UNIQUE: Note = {
  what: 'xs:ID, xs:IDREF and xs:IDREFS identify elements within a document',
  instead: 'checked as names only',
};
const PREFIXED: Note = { what: 'the namespaces of prefixes in xs:QName', instead: 'kept as text, prefix and name' };
const NO_OFFSET: Note = { what: 'the offset of a date or time', instead: 'dropped: 2026-01-31+01:00 is 2026-01-31' };

/** The built-in simple types of XML Schema 1.0 (Part 2, section 3). */
export const BUILT_IN: ReadonlyMap<string, SimpleType> = new Map<string, SimpleType>(
  Object.entries({
    anySimpleType: FREE,
    string: FREE,
    normalizedString: { word: 'string', facets: { space: 'replace' } },
    token: TOKEN,
    language: token('[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*'),
    Name: token(`[:${START}][:${REST}]*`),
    NCName: token(NCNAME),
    NMTOKEN: token(`[:${REST}]+`),
    NMTOKENS: { word: 'string', facets: { pattern: `[:${REST}]+` }, list: NAMES },
    ID: { ...token(NCNAME), note: NOT_UNIQUE },
    IDREF: { ...token(NCNAME), note: NOT_UNIQUE },
    IDREFS: { word: 'string', facets: { pattern: NCNAME }, list: NAMES, note: NOT_UNIQUE },
    ENTITY: token(NCNAME),
    ENTITIES: { word: 'string', facets: { pattern: NCNAME }, list: NAMES },
    QName: { ...token(`(${NCNAME}:)?${NCNAME}`), note: PREFIXED },
    NOTATION: { ...token(`(${NCNAME}:)?${NCNAME}`), note: PREFIXED },
    // Nearly every text is an xs:anyURI, relative ones too; `uri` asks for a scheme.
    anyURI: TOKEN,
    boolean: { word: 'boolean', facets: {} },
    decimal: { word: 'decimal', facets: {} },
    float: { word: 'number', facets: {}, width: XS_FLOAT },
    double: { word: 'number', facets: {}, width: XS_DOUBLE },
    integer: unbounded(),
    long: { ...integer(), width: 'long' },
    int: { ...integer({ minimum: -2147483648, maximum: 2147483647 }), width: 'int' },
    short: integer({ minimum: -32768, maximum: 32767 }),
    byte: integer({ minimum: -128, maximum: 127 }),
    unsignedLong: unbounded({ minimum: 0, maximum: '18446744073709551615' }),
    unsignedInt: integer({ minimum: 0, maximum: 4294967295 }),
    unsignedShort: integer({ minimum: 0, maximum: 65535 }),
    unsignedByte: integer({ minimum: 0, maximum: 255 }),
    nonNegativeInteger: unbounded({ minimum: 0 }),
    positiveInteger: unbounded({ minimum: 1 }),
    nonPositiveInteger: unbounded({ maximum: 0 }),
    negativeInteger: unbounded({ maximum: -1 }),
    date: { word: 'date', facets: {}, note: NO_OFFSET },
    time: { word: 'time', facets: {}, note: NO_OFFSET },
    dateTime: { word: 'datetime', facets: {} },
    duration: { word: 'duration', facets: {} },
    gYear: token(`${YEAR}${OFFSET}`),
    gYearMonth: token(`${YEAR}-${MONTH}${OFFSET}`),
    gMonth: token(`--${MONTH}(--)?${OFFSET}`),
    gMonthDay: token(`--(${MONTH_DAY}|02-29)${OFFSET}`),
    gDay: token(`---${DAY}${OFFSET}`),
    hexBinary: { word: 'hex', facets: {} },
    base64Binary: { word: 'binary', facets: {} },
  } satisfies Record<string, SimpleType>),
);

const GUID = token('[\\da-fA-F]{8}-[\\da-fA-F]{4}-[\\da-fA-F]{4}-[\\da-fA-F]{4}-[\\da-fA-F]{12}');

/** The address of an attachment (WS-I Attachments Profile 1.0, section 4.4), by whatever schema a contract declares it. */
export const SWA_REF: SimpleType = {
  word: 'binary',
  facets: {},
  refers: true,
  note: { what: 'addresses in swaRef that are not those of attachments (cid:)', instead: 'refused' },
};
export const SWA_REF_NAME = '{http://ws-i.org/profiles/basic/1.1/xsd}swaRef';

/** Simple types of namespaces that contracts use without bringing their schemas. */
export const WELL_KNOWN: ReadonlyMap<string, SimpleType> = new Map<string, SimpleType>([
  ['{http://schemas.microsoft.com/2003/10/Serialization/}guid', GUID],
  ['{http://schemas.microsoft.com/2003/10/Serialization/}char', integer({ minimum: -2147483648, maximum: 2147483647 })],
  ['{http://schemas.microsoft.com/2003/10/Serialization/}duration', { word: 'duration', facets: {} }],
  ['{http://microsoft.com/wsdl/types/}guid', GUID],
  ['{http://microsoft.com/wsdl/types/}char', integer({ minimum: 0, maximum: 65535 })],
  ['{http://www.w3.org/2005/05/xmlmime}base64Binary', { word: 'binary', facets: {} }],
  ['{http://www.w3.org/2004/11/xmlmime}base64Binary', { word: 'binary', facets: {} }],
  ['{http://www.w3.org/2005/05/xmlmime}hexBinary', { word: 'hex', facets: {} }],
]);
