import { type FacetsDeclared, facetKeys, type Scalar } from './document.ts';
import { description, keys, name, namespaceUri, text, yesNo } from './json-schema.ts';

export interface TypeDeclared extends FacetsDeclared {
  readonly type: string;
  readonly description?: string;
  readonly base: string;
  readonly 'xml-type'?: string;
  readonly namespace?: string;
  readonly 'any-case'?: boolean;
  readonly example?: Scalar;
}

export const type = keys<keyof TypeDeclared>(
  {
    title: 'type',
    description:
      'A named simple type: the type of a single value with its restrictions. Fields, columns, prompts, parameters and whole messages use it by its id, as they use `string(10)`.',
    required: ['type', 'base'],
    examples: [
      {
        type: 'SHIPMENT_STATUS',
        description: 'How far a shipment is.',
        base: 'string(1)',
        enum: ['N', 'S', 'D'],
        labels: { N: 'New', S: 'Sent', D: 'Delivered' },
      },
    ],
  },
  {
    type: { ...name('Its id.', 'SHIPMENT_STATUS'), maxLength: 128 },
    description,
    base: text('The type that it restricts: that of a single value.', 'string(10)', 'decimal(10.2)'),
    ...facetKeys,
    'xml-type': text('Name of its type in XML Schema. The default is the id.', 'ShipmentStatusType'),
    namespace: {
      ...namespaceUri,
      description: 'XML namespace of its type in XML Schema. The default is that of the service.',
      examples: ['urn:example:orders'],
    },
    'any-case': yesNo(
      "Ignores letter case in the caller's value and replaces the value by its spelling in `enum`.",
      false,
    ),
    example: {
      title: 'a single value',
      type: ['string', 'number', 'boolean'],
      description: 'A value for contracts and executable examples.',
      examples: ['N'],
    },
  },
);
