import { properties } from './consumer.ts';
import { description, keys, reference } from './json-schema.ts';
import { sharedKeys } from './operation.ts';

export const routing = keys(
  {
    title: 'routing',
    description:
      'Overrides the routing of one operation. Each that is answered here and active has one that is generated, `~GENERATED~<OPERATION>`, from any node to the local one. Where an operation has a `target`, that is its routing, and a definition says what is different on this system.',
    required: ['routing', 'operation'],
    examples: [
      { routing: 'LOCATIONS_QUIET', operation: 'LOCATIONS_GET', log: 'none' },
      { routing: 'IMPORTS_TO_TEST', operation: 'THIRD_PARTY_IMPORT_POST', target: 'TEST_PARTY' },
    ],
  },
  {
    routing: {
      title: 'a routing name',
      type: 'string',
      pattern: '^[A-Za-z][A-Za-z0-9_-]*$',
      description: 'Its id.',
      examples: ['LOCATIONS_QUIET'],
    },
    description,
    operation: {
      ...reference('operation-id'),
      description: 'The operation whose routing it is.',
      examples: ['LOCATIONS_GET'],
    },
    active: {
      type: 'boolean',
      description: 'Where false, the operation is not served, and not called.',
      default: true,
      examples: [false],
    },
    target: {
      ...reference('node-id'),
      description: 'Of an operation with a `target`: the node that is called in place of it.',
      examples: ['TEST_PARTY'],
    },
    headers: {
      ...sharedKeys.headers,
      description:
        "Of an operation with a `target`: headers that its calls carry. They stand above the operation's own of the same name.",
      examples: [{ 'X-Sender': 'TEST' }],
    },
    properties: {
      ...properties,
      description:
        "Connector properties of an operation with a `target`. They stand above the operation's own, and those above its service's.",
    },
    log: {
      type: 'string',
      enum: ['none', 'header', 'full'],
      description:
        'Of an operation that is answered here: how much of an exchange the log keeps: its line, the request headers too, or headers and payload. Credentials and fields that are `sensitive` are masked.',
      default: 'none',
      examples: ['header'],
    },
  },
);
