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

export interface FieldDeclared {
  readonly type?: string;
  readonly fields?: FieldsDeclared;
  readonly open?: boolean;
  readonly list?: InPlaceDeclared;
  readonly description?: string;
  readonly required?: boolean;
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

/** The keys of a document that is written in place, at a field or an operation. */
const inPlaceKeys: Readonly<Record<'fields' | 'open', JsonSchema>> = {
  fields: reference('fields'),
  open: yesNo('May hold fields that are not declared; they are kept as they come.', false),
};

/** A field: one word for its type, or the long form. Also a column or a prompt of a query. */
export const field: JsonSchema = {
  ...keys<keyof FieldDeclared>(
    {
      title: 'a type or a map of options',
      description:
        'One word for the type (`string(10)`, `list of LOC_DTL_VW`), or a map with `type:` and what else is to be said. `fields:` in place of `type:` makes a compound, `list:` a collection of compounds.',
      examples: [
        'string(10)',
        { type: 'string(1)', enum: ['A', 'I'], default: 'A' },
        { list: { fields: { status: 'string' } } },
      ],
    },
    {
      type: reference('type'),
      ...inPlaceKeys,
      list: {
        ...keys(
          {},
          {
            ...inPlaceKeys,
            xml: text("Element of one entry. `item` by default; the field's own in a flat list.", 'row'),
          },
        ),
        required: ['fields'],
        description: 'Makes the field a collection whose compound is written in place.',
        examples: [{ fields: { status: 'string', error_message: 'string' } }],
      },
      description,
      required: yesNo('The caller must give it.', false),
      default: {
        title: 'a single value',
        type: scalar,
        description:
          'Taken where the caller gives nothing. In a fault document it may hold `{fault.message}`, `{fault.detail}`, `{fault.code}` and `{fault.status}`.',
        examples: ['N', '{fault.message}'],
      },
      enum: {
        type: 'array',
        items: { type: ['string', 'number'] },
        minItems: 1,
        uniqueItems: true,
        description: 'The values that there are.',
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
        description: 'Smallest number; fewest characters of a text; fewest entries of a list.',
        examples: [0],
      },
      maximum: {
        type: 'number',
        description: 'Largest number; most characters of a text; most entries of a list.',
        examples: [100],
      },
      fixed: { title: 'a single value', type: scalar, description: 'The only value there is.', examples: ['failure'] },
      sensitive: yesNo('Masked in logs, errors and snapshots.', false),
      'any-case': yesNo(
        "Letter case of the caller's value does not matter; it is taken over as `enum` spells it.",
        false,
      ),
      example: {
        title: 'a single value',
        type: scalar,
        description: 'A value for contracts and runnable examples.',
        examples: ['NYC01'],
      },
      json: text('Its key in JSON; the name unless said otherwise.', 'attr:rownumber'),
      xml: text('Its element or attribute in XML; the name unless said otherwise.', 'SearchString'),
      attribute: yesNo('An attribute in XML rather than an element.', false),
      namespace: {
        type: 'string',
        description: "XML namespace of the element; the document's unless said otherwise.",
        examples: ['urn:example:types'],
      },
      flat: yesNo('A list without an element around it in XML.', false),
      absent: word(
        ['omit', 'blank'],
        'What is written where a reply does not give the field: nothing, or the type\'s blank (`""`; one object of blanks for a list of documents).',
        { default: 'omit', examples: ['blank'] },
      ),
      url: word(
        ['segment', 'path', 'odata', 'odata-path'],
        'How it is written into a URL: `path` keeps slashes, `odata` doubles quotes, `odata-path` does both.',
        { default: 'segment', examples: ['path'] },
      ),
    },
  ),
  type: ['string', 'object'],
  minLength: 1,
};

/** Fields by name, in the order in which they are written. */
export const fields: JsonSchema = {
  type: 'object',
  additionalProperties: reference('field'),
  description: 'Fields by name, in the order in which they are written.',
  examples: [{ REGION: { type: 'string(1)', example: 'N' }, LOCATION: 'string(10)' }],
};

const documentKeys: Readonly<Record<keyof InPlaceDeclared, JsonSchema>> = {
  description,
  ...inPlaceKeys,
  xml: text('Its root element in XML, and its element as an entry of a list; the id unless said otherwise.', 'root'),
  namespace: {
    type: 'string',
    description: 'XML namespace of its elements: of the service unless said otherwise, none where empty.',
    examples: ['urn:example:orders', ''],
  },
  root: yesNo('Its name is the label at the root of JSON: `{"LOC_RESPONSE": {...}}`.', false),
};

export const document = keys<'document' | keyof InPlaceDeclared>(
  {
    title: 'document',
    description: 'The shape of data: fields with types, with a JSON and an XML form. Its root is never a list.',
    required: ['document', 'fields'],
    examples: [
      {
        document: 'LOC_RESPONSE',
        root: true,
        fields: { LOC_DATA: 'list of LOC_DTL_VW', EMP_DATA: { type: 'list of EE_LIST_VW', absent: 'blank' } },
      },
    ],
  },
  {
    document: text('Its id, and its name in XML unless `xml:` says otherwise.', 'LOC_REQUEST'),
    ...documentKeys,
  },
);

/** A document written in place of its id. */
export const inPlaceDocument = keys<keyof InPlaceDeclared>(
  {
    title: 'a document in place',
    description: 'A document that is written where it is used, in place of its id. Its id is made of where it stands.',
    required: ['fields'],
    examples: [{ fields: { name: 'string(255)' } }],
  },
  documentKeys,
);
