import { type JsonSchema, keys, mapOr, reference, text, texts, yesNo } from './json-schema.ts';

type Single = string | number | boolean;

/** How the fields of one document are filled from those of another, by their names or paths. */
export type MembersDeclared = Readonly<Record<string, Single | SourceDeclared>>;

export interface SourceDeclared {
  readonly from?: string;
  readonly values?: Readonly<Record<string, Single>>;
  readonly default?: Single;
  readonly fixed?: Single;
  readonly map?: MembersDeclared;
  readonly cut?: boolean;
  readonly fault?: boolean;
}

export interface VersionMapDeclared {
  readonly request?: MembersDeclared;
  readonly response?: MembersDeclared;
  readonly unused?: readonly string[];
}

const single: JsonSchema = { title: 'a single value', type: ['string', 'number', 'boolean'] };

/** What fills one field. */
const source: JsonSchema = {
  title: 'a field in braces, a single value or a map',
  type: ['string', 'number', 'boolean', 'object'],
  ...mapOr(
    keys<keyof SourceDeclared>(
      { description: 'What fills a field.', minProperties: 1, examples: [{ from: 'STATUS', values: { A: 'active' } }] },
      {
        from: text('A field, or a path to one in inner documents: `address.city`.', 'STATUS', 'address.city'),
        values: {
          type: 'object',
          minProperties: 1,
          additionalProperties: single,
          description: 'Other values for some of its values; the others stay as they are.',
          examples: [{ A: 'active', I: 'inactive' }],
        },
        default: { ...single, description: 'The value if the field has none.', examples: ['active'] },
        fixed: {
          ...single,
          description: 'A value that is always the same. A text without braces may be written without `fixed`.',
          examples: ['none'],
        },
        cut: yesNo(
          'Cuts values that are too long for the field: texts and lists at their end, decimals to the digits that it has after the point.',
          false,
        ),
        fault: yesNo(
          'Values that do not fit the field are expected: a request with one gets a fault of the caller, and a reply with one a fault of the gateway.',
          false,
        ),
        map: {
          ...reference('members'),
          description: 'For a document, and for each entry of a list or a map of documents: what fills its fields.',
          examples: [{ LOCATION: '{code}' }],
        },
      },
    ),
    single,
  ),
};

/** What fills the fields of a document. */
export const members: JsonSchema = {
  type: 'object',
  minProperties: 1,
  propertyNames: { title: 'a field or a path', minLength: 1 },
  additionalProperties: source,
};

/** `map:` of an operation that another one answers. */
export const map = keys<keyof VersionMapDeclared>(
  {
    description:
      'With a `call` of an operation of this gateway: how its request is filled, and the reply from its reply. Fields of the same name and a type that fits need no entry.',
    minProperties: 1,
    examples: [
      {
        request: { region: '{REGION}', 'filter.status': { from: 'STATUS', values: { A: 'active', I: 'inactive' } } },
        response: { LOC_DATA: { from: 'locations', map: { LOCATION: '{code}', CITY: '{address.city}' } } },
        unused: ['TRACE'],
      },
    ],
  },
  {
    request: {
      ...reference('members'),
      description:
        'Fields of the called operation, or paths to them, with what fills each: a field of the request in braces, a value, `none`, or a map.',
      examples: [{ region: '{REGION}', limit: 100 }],
    },
    response: {
      ...reference('members'),
      description: 'Fields of the response, or paths to them, with what of the reply fills each.',
      examples: [{ COUNT: '{total}' }],
    },
    unused: texts('Fields of the request that the called operation does not use.', 'TRACE'),
  },
);
