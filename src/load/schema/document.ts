import type { Spacing } from '../../wire/white-space.ts';
import { description, type JsonSchema, keys, reference, text, word, yesNo } from './json-schema.ts';

export type Scalar = string | number | boolean;

export type FieldsDeclared = Readonly<Record<string, string | FieldDeclared>>;

export interface InPlaceDeclared {
  readonly description?: string;
  readonly fields: FieldsDeclared;
  readonly open?: boolean;
  readonly xml?: string;
  readonly namespace?: string;
  readonly root?: boolean;
}

/** A declared document: one with `fields`, or a choice with `one-of`. */
export interface DocumentDeclared extends Omit<InPlaceDeclared, 'fields'> {
  readonly fields?: FieldsDeclared;
  readonly 'one-of'?: Readonly<Record<string, string>>;
  readonly by?: string;
}

/** What restricts a single value, beyond its type. */
export interface FacetsDeclared {
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string | readonly string[];
  readonly space?: Spacing;
  readonly minimum?: number | string;
  readonly above?: number | string;
  readonly maximum?: number | string;
  readonly below?: number | string;
  readonly digits?: number;
  readonly fraction?: number;
}

export interface FieldDeclared extends FacetsDeclared {
  readonly type?: string;
  readonly fields?: FieldsDeclared;
  readonly open?: boolean;
  readonly list?: InPlaceDeclared;
  readonly description?: string;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly default?: Scalar;
  readonly fixed?: Scalar;
  readonly sensitive?: boolean;
  readonly 'any-case'?: boolean;
  readonly example?: Scalar;
  readonly json?: string;
  readonly xml?: string;
  readonly attribute?: boolean;
  readonly namespace?: string;
  readonly flat?: boolean;
  readonly spaced?: boolean;
  readonly entry?: FacetsDeclared;
  readonly absent?: 'omit' | 'blank';
  readonly url?: 'segment' | 'path' | 'odata' | 'odata-path';
}

const scalar: JsonSchema['type'] = ['string', 'number', 'boolean'];

/** A bound: a number, or a text for a date, a time, and for a number with more digits than YAML keeps. */
const bound = (description: string, ...examples: readonly Scalar[]): JsonSchema => ({
  title: 'a number, or a date or time',
  type: ['number', 'string'],
  description,
  examples,
});

/** The keys of a document in place, in a field or an operation. */
const inPlaceKeys: Readonly<Record<'fields' | 'open', JsonSchema>> = {
  fields: reference('fields'),
  open: yesNo('Whether it accepts undeclared fields, which are kept unchanged.', false),
};

/** The restrictions of a single value. */
const facetKeys: Readonly<Record<keyof FacetsDeclared, JsonSchema>> = {
  enum: {
    type: 'array',
    items: { type: ['string', 'number'] },
    minItems: 1,
    uniqueItems: true,
    description: 'The allowed values.',
    examples: [['PUBLIC', 'PRIVATE']],
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

/** A field: a type word, or a map. Also a column or a prompt of a query. */
export const field: JsonSchema = {
  ...keys<keyof FieldDeclared>(
    {
      title: 'a type or a map of options',
      description:
        'The type in words (`string(10)`, `ORDER_LINE`, `list of ORDER_LINE`, `map of integer`), or a map with `type:` and further options. Instead of `type:`, `fields:` declares a compound and `list:` a list of compounds.',
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
          'Type of the value: a word (`string(10)`, `decimal(10.2)`, `date`), the id of a document, or `list of` one of these.',
      },
      ...inPlaceKeys,
      list: {
        ...keys(
          {},
          {
            ...inPlaceKeys,
            xml: text(
              'XML element of one entry. The default is `item`, or the name of the field in a flat list.',
              'row',
            ),
          },
        ),
        required: ['fields'],
        description: 'Makes the field a list of compounds that are declared in place.',
        examples: [{ fields: { status: 'string', error_message: 'string' } }],
      },
      description,
      required: yesNo('Whether the caller must supply it.', false),
      nullable: yesNo('Whether null is a value: null in JSON, an element with `xsi:nil` in XML.', false),
      default: {
        title: 'a single value',
        type: scalar,
        description:
          'Value when the caller supplies none. In a fault document it may contain `{fault.message}`, `{fault.detail}`, `{fault.code}` and `{fault.status}`.',
        examples: ['N', '{fault.message}'],
      },
      ...facetKeys,
      fixed: { title: 'a single value', type: scalar, description: 'The only allowed value.', examples: ['failure'] },
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
      attribute: yesNo('Whether it is an XML attribute instead of an element.', false),
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
        ...keys<keyof FacetsDeclared>({}, facetKeys),
        description:
          'Restrictions of each entry of a list or a map of single values, with the keys that a single value has.',
        examples: [{ minimum: 2, pattern: '[A-Z]+' }],
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
    },
  ),
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
  namespace: {
    type: 'string',
    description: 'XML namespace of its elements. The default is that of the service; an empty text means none.',
    examples: ['urn:example:orders', ''],
  },
  root: yesNo('Whether its name is the label at the root of JSON: `{"ORDER": {...}}`.', false),
};

export const document = keys<'document' | keyof DocumentDeclared>(
  {
    title: 'document',
    description:
      'The structure of data: fields with types, or one of several documents, in JSON and XML. Its root is never a list.',
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
    'one-of': {
      type: 'object',
      additionalProperties: reference('document-id'),
      description:
        'In place of fields: the documents of which it is one, by names. In XML and in handlers it has one member, with such a name and the value of that document; in JSON it is the object of that document itself.',
      examples: [{ card: 'CARD', transfer: 'TRANSFER' }],
    },
    by: text(
      'With `one-of`: the member of the JSON object that says which document it is, by its name there. Without `by:` the documents must differ in their members.',
      'kind',
    ),
  },
);

export const inPlaceDocument = keys<keyof InPlaceDeclared>(
  {
    title: 'a document in place',
    description: 'A document that is written where it is used. Its id is derived from its position.',
    required: ['fields'],
    examples: [{ fields: { name: 'string(255)' } }],
  },
  documentKeys,
);
