import type { Spacing } from '../../wire/white-space.ts';
import {
  description,
  type JsonSchema,
  keys,
  reference,
  refersTo,
  type TextsDeclared,
  text,
  word,
  yesNo,
} from './json-schema.ts';

export type Scalar = string | number | boolean;

export type FieldsDeclared = Readonly<Record<string, string | FieldDeclared>>;

/** What a document may be in place of its fields: one of several branches, which are declared as fields. */
export interface ChoiceDeclared {
  readonly 'one-of'?: FieldsDeclared;
  readonly by?: string;
  readonly named?: boolean;
}

/** A document with `fields`, or a choice with `one-of`. */
export interface InPlaceDeclared extends ChoiceDeclared {
  readonly description?: string;
  readonly fields?: FieldsDeclared;
  readonly open?: boolean;
  readonly xml?: string;
  readonly 'xml-type'?: string;
  readonly namespace?: string;
  readonly unqualified?: boolean;
  readonly root?: boolean;
}

export interface DocumentDeclared extends InPlaceDeclared {
  readonly extends?: string;
  readonly restricts?: string;
  readonly abstract?: boolean;
  readonly 'by-value'?: string;
}

/** What restricts a single value, beyond its type. */
export interface FacetsDeclared {
  readonly enum?: readonly (string | number | boolean)[];
  readonly labels?: TextsDeclared;
  readonly pattern?: string | readonly string[];
  readonly space?: Spacing;
  readonly minimum?: number | string;
  readonly above?: number | string;
  readonly maximum?: number | string;
  readonly below?: number | string;
  readonly digits?: number;
  readonly fraction?: number;
}

/** What each entry of a list or a map may be. */
export interface EntryDeclared extends FacetsDeclared {
  readonly nullable?: boolean;
  readonly xml?: string;
}

export interface FieldDeclared extends FacetsDeclared, ChoiceDeclared {
  readonly type?: string;
  readonly fields?: FieldsDeclared;
  readonly open?: boolean;
  readonly list?: InPlaceDeclared;
  readonly description?: string;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly default?: Scalar;
  readonly assumed?: Scalar;
  readonly fixed?: Scalar;
  readonly sensitive?: boolean;
  readonly 'any-case'?: boolean;
  readonly example?: Scalar;
  readonly json?: string;
  readonly xml?: string;
  readonly header?: boolean;
  readonly attachment?: boolean | string | readonly string[];
  readonly attribute?: boolean;
  readonly content?: boolean;
  readonly inline?: boolean;
  readonly any?: boolean | string;
  readonly namespace?: string;
  readonly flat?: boolean;
  readonly spaced?: boolean;
  readonly entry?: EntryDeclared;
  readonly absent?: 'omit' | 'blank';
  readonly url?: 'segment' | 'path' | 'odata' | 'odata-path';
}

/** A media type, or a range of them. */
const MEDIA_RANGE = '[A-Za-z0-9!#$&^_.+*-]+/[A-Za-z0-9!#$&^_.+*-]+';

/** What a list of namespaces has. */
const NAMESPACE_WORD = '(##local|##targetNamespace|[A-Za-z][A-Za-z0-9+.-]*:[^\\s<>"{}|\\\\^`]+)';

const scalar: JsonSchema['type'] = ['string', 'number', 'boolean'];

/** A bound: a number, or a text for a date, a time, and for a number with more digits than YAML keeps. */
const bound = (description: string, ...examples: readonly Scalar[]): JsonSchema => ({
  title: 'a number, or a date or time',
  type: ['number', 'string'],
  description,
  examples,
});

/** The keys of a document in place, in a field or an operation. */
const inPlaceKeys: Readonly<Record<'fields' | 'open' | keyof ChoiceDeclared, JsonSchema>> = {
  fields: reference('fields'),
  open: yesNo('Whether it accepts undeclared fields, which are kept unchanged.', false),
  'one-of': {
    ...reference('fields'),
    description:
      'In place of fields: the branches by names, of which it is exactly one. Each is a type or a map of options, as a field. In XML and in handlers it has one member, with the name of the branch; in JSON it is the object of the branch itself, or with `named: true` the same as in handlers.',
    examples: [
      { card: 'CARD', transfer: 'TRANSFER' },
      { code: 'string(3)', number: { type: 'integer', minimum: 1 } },
    ],
  },
  by: text(
    'With `one-of`: the member of the JSON object that says which branch it is, by its name there. Without `by:` and `named:` the branches must differ in their members.',
    'kind',
  ),
  named: yesNo(
    'With `one-of`: whether JSON too has one member with the name of the branch, `{"card": {...}}`. Needed if a branch is not a document with fields, or if nothing else tells the branches apart.',
    false,
  ),
};

/** The restrictions of a single value. */
export const facetKeys: Readonly<Record<keyof FacetsDeclared, JsonSchema>> = {
  enum: {
    type: 'array',
    items: { type: ['string', 'number', 'boolean'] },
    minItems: 1,
    uniqueItems: true,
    description: 'The allowed values. One value means: this one, or none. Nothing is filled in, as `fixed` does.',
    examples: [['PUBLIC', 'PRIVATE']],
  },
  labels: {
    type: 'object',
    additionalProperties: { type: 'string', minLength: 1 },
    minProperties: 1,
    description:
      'What values of `enum` mean, each by the value. Contracts, generated types and forms of the console show it; only the value is sent.',
    examples: [{ N: 'New', S: 'Sent' }],
  },
  pattern: {
    title: 'a regular expression, or a list of them',
    type: ['string', 'array'],
    items: { type: 'string', minLength: 1 },
    minLength: 1,
    minItems: 1,
    description: 'Regular expression (ECMA-262, flag `u`) that the whole value must match; of several, each.',
    examples: ['[A-Z]{3}[0-9]{2}', ['[A-Z0-9]+', '.{3}[0-9]*']],
  },
  space: word(
    ['replace', 'collapse'],
    'What is done with white space of a text before it is checked: `replace` makes each tab and line end a space; `collapse` then drops the spaces around the text, and all but one between its words. Without it, white space is kept.',
    { examples: ['collapse'] },
  ),
  minimum: bound(
    'Smallest number, earliest date or time, minimum length of a text, or minimum number of entries of a list or a map.',
    0,
  ),
  above: bound('Number, date or time that every value is greater than.', 0, '2025-12-31'),
  maximum: bound(
    'Largest number, latest date or time, maximum length of a text, or maximum number of entries of a list or a map.',
    100,
  ),
  below: bound('Number, date or time that every value is less than.', 100, '12:00:00'),
  digits: {
    type: 'integer',
    minimum: 1,
    description: 'Most digits of an integer, or of a decimal without a size, not counting zeros at its ends.',
    examples: [5],
  },
  fraction: {
    type: 'integer',
    minimum: 0,
    description: 'Most digits after the point of a decimal without a size.',
    examples: [2],
  },
};

/** The map of a field. */
export const fieldMap = keys(
  {
    title: 'a type or a map of options',
    description:
      'The type in words (`string(10)`, `ORDER_LINE`, `list of ORDER_LINE`, `map of integer`), or a map with `type:` and further options. Instead of `type:`, `fields:` declares a compound, `one-of:` a choice and `list:` a list of either.',
    examples: [
      'string(10)',
      { type: 'string(1)', enum: ['A', 'I'], default: 'A' },
      { list: { fields: { status: 'string' } } },
    ],
  },
  {
    type: {
      ...reference('type'),
      description:
        'Type of the value: a word (`string(10)`, `decimal(10.2)`, `date`), the id of a named type or of a document, or `list of` one of these.',
    },
    ...inPlaceKeys,
    list: {
      ...keys(
        {},
        {
          ...inPlaceKeys,
          xml: text('XML element of one entry. The default is `item`, or the name of the field in a flat list.', 'row'),
        },
      ),
      description: 'Makes the field a list of compounds that are declared in place, by `fields:` or `one-of:`.',
      examples: [{ fields: { status: 'string', error_message: 'string' } }],
    },
    description,
    required: yesNo(
      'Whether the caller must supply it. A call over REST needs each field that a header or a field of `form` names, unless it says `required: false` here: then what consists of it alone is left out with it.',
      false,
    ),
    nullable: yesNo('Whether null is a value: null in JSON, an element with `xsi:nil` in XML.', false),
    default: {
      title: 'a single value',
      type: scalar,
      description:
        'Value that fills the field when nothing is given: a call sends it, a handler receives it, a reply has it. What only the other side takes for an absent field is `assumed`. In a fault document it may contain `{fault.message}`, `{fault.detail}`, `{fault.code}` and `{fault.status}`.',
      examples: ['N', '{fault.message}'],
    },
    assumed: {
      title: 'a single value',
      type: scalar,
      description:
        'What the other side takes for the field when it is not given: the `default` of a contract. It is stated in descriptions and offered as a hint, and is never filled in: an absent field stays absent in calls, requests and replies. An empty XML element is read as this value.',
      examples: ['PUBLIC'],
    },
    ...facetKeys,
    fixed: {
      title: 'a single value',
      type: scalar,
      description:
        'The only allowed value. It fills the field when nothing is given, as `default` does. An optional field that only has this value if it has one is an `enum` with one value.',
      examples: ['failure'],
    },
    sensitive: yesNo('Masked in logs, errors and snapshots.', false),
    'any-case': yesNo(
      "Ignores letter case in the caller's value and replaces the value by its spelling in `enum`.",
      false,
    ),
    example: {
      title: 'a single value',
      type: scalar,
      description: 'A value for contracts and executable examples.',
      examples: ['NYC01'],
    },
    json: text('Name in JSON. The default is the name of the field.', 'attr:rownumber'),
    xml: text('Name of the element or attribute in XML. The default is the name of the field.', 'SearchString'),
    header: yesNo(
      'Over SOAP, whether it is a header block instead of an element in the body, in a request or a response. Over REST it is a field like any other.',
      false,
    ),
    attachment: {
      title: 'true, reference, or media types',
      type: ['boolean', 'string', 'array'],
      pattern: `^(reference|${MEDIA_RANGE})$`,
      items: { type: 'string', pattern: `^${MEDIA_RANGE}$` },
      minItems: 1,
      uniqueItems: true,
      description:
        'Over SOAP, whether binary content of a request or a response is an attachment beside the envelope (SOAP with Attachments), and the media types that the contract names for it. With `reference` it stays an element, whose text is the address of the attachment (swaRef). Over REST it is a field like any other.',
      default: false,
      examples: [true, 'image/jpeg', 'reference'],
    },
    attribute: yesNo(
      'Whether it is an XML attribute instead of an element. A `map of text` takes the attributes that no other field takes, by their names.',
      false,
    ),
    content: yesNo(
      "Whether it is the text of the document's own XML element, beside attributes; with the type `xml` the markup inside that element.",
      false,
    ),
    inline: yesNo(
      'Whether a document, or each of a flat list of documents, has no XML element around it: its elements stand directly among the others.',
      false,
    ),
    any: {
      title: 'true or a list of namespaces',
      type: ['boolean', 'string'],
      pattern: `^(##any|##other|${NAMESPACE_WORD}( ${NAMESPACE_WORD})*)$`,
      description:
        'Whether the field takes XML elements of any name that no other field takes: all of them, or those of the namespaces given. `##other` is any namespace but that of the document, `##local` none. The value is the markup of an element; a `list of xml` that is `flat` takes several. A `map of text` with `attribute` takes attributes.',
      default: false,
      examples: [true, '##other', 'urn:a urn:b'],
    },
    namespace: {
      type: 'string',
      description: 'XML namespace of the element. The default is that of the document.',
      examples: ['urn:example:types'],
    },
    flat: yesNo('Whether the entries of a list have no enclosing element in XML.', false),
    spaced: yesNo(
      'Whether a list of single values is one text in XML, of an element or an attribute, with spaces between its entries.',
      false,
    ),
    entry: {
      ...keys<keyof EntryDeclared>(
        {},
        {
          nullable: yesNo('Whether null is an entry: null in JSON, an element with `xsi:nil` in XML.', false),
          xml: text(
            'Name of the XML element of each entry of a list with an element around it. The default is `item`, and for documents the name of their root element.',
            'photo',
          ),
          ...facetKeys,
        },
      ),
      description:
        'What each entry of a list or a map may be: whether it may be null, the XML element that it has, and of single values the restrictions, with the keys that a single value has.',
      examples: [{ minimum: 2, pattern: '[A-Z]+' }, { nullable: true }, { xml: 'photo' }],
    },
    absent: word(
      ['omit', 'blank'],
      'What a reply contains when it has no value for the field: nothing, or the blank of the type (`""`; for a list of documents, one object of blanks).',
      { default: 'omit', examples: ['blank'] },
    ),
    url: word(
      ['segment', 'path', 'odata', 'odata-path'],
      'How it is written in a URL: `path` keeps slashes, `odata` doubles quotes, `odata-path` does both.',
      { default: 'segment', examples: ['path'] },
    ),
  } satisfies Record<keyof FieldDeclared, JsonSchema>,
);

/** A field: a type word, or a map. Also a column or a prompt of a query. */
export const field: JsonSchema = {
  ...fieldMap,
  type: ['string', 'object'],
  minLength: 1,
};

export const fields: JsonSchema = {
  type: 'object',
  additionalProperties: reference('field'),
  description: 'Fields by name, in the order in which they are written.',
  examples: [{ REGION: { type: 'string(1)', example: 'N' }, LOCATION: 'string(10)' }],
};

const documentKeys: Readonly<Record<keyof InPlaceDeclared, JsonSchema>> = {
  description,
  ...inPlaceKeys,
  xml: text('Name of its XML root element, and of its element as an entry of a list. The default is the id.', 'root'),
  'xml-type': text(
    'Name of its type in XML Schema. The default is the id, or a name like it if that is taken.',
    'OrderType',
  ),
  namespace: {
    type: 'string',
    description: 'XML namespace of its elements. The default is that of the service; an empty text means none.',
    examples: ['urn:example:orders', ''],
  },
  unqualified: yesNo(
    'Whether the elements of its fields have no namespace, although its own element has one (`elementFormDefault="unqualified"` of XML Schema).',
    false,
  ),
  root: yesNo('Whether its name is the label at the root of JSON: `{"ORDER": {...}}`.', false),
};

export const document = keys<'document' | keyof DocumentDeclared>(
  {
    title: 'document',
    description:
      'The structure of data: fields with types, or one of several things, in JSON and XML. Its root is never a list.',
    required: ['document'],
    examples: [
      {
        document: 'LOC_RESPONSE',
        root: true,
        fields: { LOC_DATA: 'list of LOC_DTL_VW', EMP_DATA: { type: 'list of EE_LIST_VW', absent: 'blank' } },
      },
      { document: 'PAYMENT', 'one-of': { card: 'CARD', transfer: 'TRANSFER' }, by: 'kind' },
    ],
  },
  {
    document: text('Its id, and its name in XML unless `xml:` sets another.', 'LOC_REQUEST'),
    ...documentKeys,
    extends: refersTo(
      'document-id',
      'A document in place of which it may stand. It has the fields of that one, and then its own.',
      'PARTY',
    ),
    restricts: refersTo(
      'document-id',
      'A document in place of which it may stand. It has all of its fields itself: some of that one, with narrower types.',
      'PARTY',
    ),
    abstract: yesNo('Whether only documents that extend or restrict it may stand where it is expected.', false),
    'by-value': text(
      'How the member `by` of JSON names it, for a document that extends or restricts another, or that others derive from. The default is the id.',
      'person',
    ),
    by: text(
      'With `one-of`: the member of the JSON object that says which branch it is, by its name there. Without `by:` and `named:` the branches must differ in their members. For a document that others extend or restrict: the member that names the document; `type` by default.',
      'kind',
    ),
  },
);

export const inPlaceDocument = keys<keyof InPlaceDeclared>(
  {
    title: 'a document in place',
    description: 'A document that is written where it is used. Its id is derived from its position.',
    examples: [{ fields: { name: 'string(255)' } }],
  },
  documentKeys,
);
