import type { LogLevel } from '../../model/routing.ts';
import { type PropertiesDeclared, properties } from './consumer.ts';
import { description, keys, matching, refersTo, type TextsDeclared, word, yesNo } from './json-schema.ts';
import { sharedKeys } from './operation.ts';

export interface RoutingDeclared {
  readonly description?: string;
  readonly operation: string;
  /** `target`, as an operation says it: `node` is the kind word of another definition. */
  readonly target?: string;
  readonly headers?: TextsDeclared;
  readonly properties?: PropertiesDeclared;
  readonly active?: boolean;
  readonly log?: LogLevel;
}

export const routing = keys<'routing' | keyof RoutingDeclared>(
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
    routing: matching('a routing name', '^[A-Za-z][A-Za-z0-9_-]*$', 'Its id.', 'LOCATIONS_QUIET'),
    description,
    operation: refersTo('operation-id', 'The operation whose routing it is.', 'LOCATIONS_GET'),
    active: yesNo('Where false, the operation is not served, and not called.', true),
    target: refersTo(
      'node-id',
      'Of an operation with a `target`: the node that is called in place of it.',
      'TEST_PARTY',
    ),
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
    log: word(
      ['none', 'header', 'full'],
      'Of an operation that is answered here: how much of an exchange the log keeps: its line, the request headers too, or headers and payload. Credentials and fields that are `sensitive` are masked.',
      { default: 'none', examples: ['header'] },
    ),
  },
);
