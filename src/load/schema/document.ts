import { description, type JsonSchema, keys, reference, refersTo, text, word, yesNo } from './json-schema.ts';

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
  readonly namespace?: string;
  readonly root?: boolean;
}

export interface DocumentDeclared extends InPlaceDeclared {
  readonly extends?: string;
  readonly restricts?: string;
  readonly abstract?: boolean;
}

export interface FieldDeclared extends ChoiceDeclared {
  readonly type?: string;
  readonly fields?: FieldsDeclared;
  readonly open?: boolean;
  readonly list?: InPlaceDeclared;
  readonly description?: string;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly default?: Scalar;
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly fixed?: Scalar;
  readonly sensitive?: boolean;
  readonly 'any-case'?: boolean;
  readonly example?: Scalar;
  readonly json?: string;
  readonly xml?: string;
  readonly attribute?: boolean;
  readonly namespace?: string;
  readonly flat?: boolean;
  readonly absent?: 'omit' | 'blank';
  readonly url?: 'segment' | 'path' | 'odata' | 'odata-path';
}

const scalar: JsonSchema['type'] = ['string', 'number', 'boolean'];

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

/** A field: a type word, or a map. Also a column or a prompt of a query. */
export const field: JsonSchema = {
  ...keys<keyof FieldDeclared>(
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
        description: 'Makes the field a list of compounds that are declared in place, by `fields:` or `one-of:`.',
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
      enum: {
        type: 'array',
        items: { type: ['string', 'number'] },
        minItems: 1,
        uniqueItems: true,
        description: 'The allowed values.',
        examples: [['PUBLIC', 'PRIVATE']],
      },
      pattern: {
        type: 'string',
        minLength: 1,
        description: 'Regular expression (ECMA-262, flag `u`) that the whole value must match.',
        examples: ['[A-Z]{3}[0-9]{2}'],
      },
      minimum: {
        type: 'number',
        description: 'Smallest number, minimum length of a text, or minimum number of entries of a list or a map.',
        examples: [0],
      },
      maximum: {
        type: 'number',
        description: 'Largest number, maximum length of a text, or maximum number of entries of a list or a map.',
        examples: [100],
      },
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
