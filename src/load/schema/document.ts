import { type InPlaceDeclared, inPlaceKeys } from './field.ts';
import { description, type JsonSchema, keys, text, yesNo } from './json-schema.ts';

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
