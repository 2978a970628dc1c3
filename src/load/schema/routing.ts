import { description, keys, reference } from './json-schema.ts';

export const routing = keys(
  {
    title: 'routing',
    description:
      'Overrides the routing of one operation that is answered here. Each of these that is active has one that is generated, `~GENERATED~<OPERATION>`, from any node to the local one. Where an operation has a `target`, that is its routing.',
    required: ['routing', 'operation'],
    examples: [{ routing: 'LOCATIONS_QUIET', operation: 'LOCATIONS_GET', log: 'none' }],
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
      description: 'Where false, the operation is not served.',
      default: true,
      examples: [false],
    },
    log: {
      type: 'string',
      enum: ['none', 'header'],
      description: 'How much of an exchange the log keeps: one line, or the request headers too, credentials masked.',
      default: 'none',
      examples: ['header'],
    },
  },
);
