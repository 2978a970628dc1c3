import {
  description,
  integer,
  type JsonSchema,
  keys,
  matching,
  name,
  refersTo,
  texts,
  time,
  yesNo,
} from '../../load/schema/json-schema.ts';
import { type RetryDeclared, retry } from '../../load/value/retry.ts';

type Single = string | number | boolean;

/** `when:` */
export type WhenDeclared = Readonly<Record<string, Single | readonly Single[]>>;
/** `map:` */
export type MapDeclared = Readonly<Record<string, Single>>;

export interface MessageQueueDeclared {
  readonly description?: string;
  readonly order?: 'all' | readonly string[];
  readonly search?: readonly string[];
  readonly size?: string | number;
  readonly retention?: RetentionDeclared;
}

interface RetentionDeclared {
  readonly done?: string;
  readonly failed?: string;
}

export interface SubscriptionDeclared {
  readonly description?: string;
  readonly operation: string;
  readonly when?: WhenDeclared;
  readonly call?: string;
  readonly map?: MapDeclared;
  readonly handler?: string;
  readonly 'awaits-reply'?: AwaitedReplyDeclared;
  readonly retry?: RetryDeclared;
  readonly as?: string;
  readonly concurrency?: number;
  readonly active?: boolean;
  readonly 'gives-reply'?: boolean;
  readonly within?: string;
}

interface AwaitedReplyDeclared {
  readonly within: string;
  readonly to?: string;
}

const size: JsonSchema = {
  title: 'a size with its unit',
  type: ['string', 'integer'],
  pattern: '^[0-9]+ ?(B|KiB|MiB|GiB)$',
  minimum: 1,
  description:
    'Maximum size of a message: of its request in JSON, without attachments. A larger one is refused. By default it is `limits.body` of the gateway.',
  examples: ['256 KiB'],
};

/** `when:` */
export const conditions = (description: string, ...examples: readonly WhenDeclared[]): JsonSchema => ({
  type: 'object',
  minProperties: 1,
  additionalProperties: {
    title: 'a value or a list of values',
    type: ['string', 'number', 'boolean', 'array'],
    items: { title: 'a value', type: ['string', 'number', 'boolean'] },
    minItems: 1,
    uniqueItems: true,
  },
  description,
  examples,
});

/** `map:` */
export const inputMap = (description: string, ...examples: readonly MapDeclared[]): JsonSchema => ({
  type: 'object',
  minProperties: 1,
  additionalProperties: { title: 'a value, a field or a text with fields', type: ['string', 'number', 'boolean'] },
  description,
  examples,
});

export const retention = keys(
  {
    description: 'How long a message is kept after its last delivery ended.',
    minProperties: 1,
    examples: [{ done: '7 d', failed: '90 d' }],
  },
  {
    done: time('Messages that all subscriptions got.', '30 d', '7 d'),
    failed: time('Messages with a delivery that failed, or was cancelled.', '90 d', '365 d'),
  } satisfies Record<keyof RetentionDeclared, JsonSchema>,
);

export const queue = keys<'queue' | keyof MessageQueueDeclared>(
  {
    title: 'queue',
    description:
      'A queue of messages. Operations with `queue:` publish to it, and subscriptions deliver what they publish, in the order that it keeps.',
    required: ['queue'],
    examples: [
      {
        queue: 'LOCATION_EVENTS',
        order: ['LOCATION'],
        search: ['LOCATION', 'REGION'],
        retention: { done: '7 d', failed: '90 d' },
      },
    ],
  },
  {
    queue: name('Its id, at most 30 characters.', 'LOCATION_EVENTS'),
    description,
    order: {
      title: 'all, or a list of fields',
      type: ['string', 'array'],
      pattern: '^all$',
      items: { type: 'string', minLength: 1 },
      minItems: 1,
      uniqueItems: true,
      description:
        'Fields of the request: each subscription gets messages with the same values one after the other, in the order of their commits, and others at the same time. `all` keeps the order of all messages. By default there is no order.',
      examples: [['LOCATION'], 'all'],
    },
    search: texts('Fields of the request by which messages are found later.', 'LOCATION', 'REGION'),
    size,
    retention,
  },
);

export const subscription = keys(
  {
    title: 'subscription',
    description:
      'What the messages of an operation with `queue:` are delivered to: code of the project, or a call to another system. Each subscription gets every message, and has its own progress.',
    required: ['subscription', 'operation'],
    examples: [
      {
        subscription: 'LOCATION_TO_ERP',
        operation: 'LOCATION_CHANGED',
        when: { REGION: 'N' },
        call: 'ERP_LOCATION_PUT',
        map: { Id: '{LOCATION}' },
        retry: { for: '3 d', longest: '1 h' },
      },
      { subscription: 'LOCATION_CACHE', operation: 'LOCATION_CHANGED', handler: 'location-cache' },
    ],
  },
  {
    subscription: name('Its id, at most 30 characters.', 'LOCATION_TO_ERP'),
    description,
    operation: refersTo(
      'operation-id',
      'The operation whose messages are delivered. It has `queue:`.',
      'LOCATION_CHANGED',
    ),
    when: conditions(
      'Delivers only messages with these values: fields of the request, each with a value or a list of values. By default all messages are delivered.',
      { REGION: 'N' },
      { REGION: ['N', 'S'], ACTIVE: true },
    ),
    call: refersTo(
      'call-id',
      'An operation with a `target`, or a flow (`Bank.pay`), which is called with the message. Its input is filled from the fields of the message, by their names or as `map` says.',
      'ERP_LOCATION_PUT',
    ),
    map: inputMap(
      'What fills fields of the input of `call` that have no field of their name in the message: `"{FIELD}"` for a field, which keeps its type; a text with several; or a fixed value.',
      { Id: '{LOCATION}', Label: '{REGION}/{LOCATION}', Source: 'signalbox' },
    ),
    handler: matching(
      'the name of a handler file without its ending',
      '^[A-Za-z0-9][A-Za-z0-9._-]*$',
      'The file of its code in the handlers folder, with `onMessage`. Without it and without `call`, it is the id in lower case with hyphens. Beside `call` with `awaits-reply`, it has `onReply`.',
      'location-cache',
    ),
    'awaits-reply': keys<keyof AwaitedReplyDeclared>(
      {
        description:
          'The target of `call` takes the call at once, with the status 202 or an empty reply, and sends its reply later, to an address that it is given. The delivery is `Working` until then. Code takes the reply where `handler` names it.',
        required: ['within'],
        examples: [{ within: '1 d' }, { within: '1 h', to: 'CallbackUrl' }],
      },
      {
        within: time(
          'How long the reply is awaited. Then the delivery is `Timeout`, or `Hold` in an order.',
          undefined,
          '1 d',
          '1 h',
        ),
        to: {
          type: 'string',
          minLength: 1,
          description:
            'The field of the input of `call` that carries the address for the reply. Over REST it is needed; over SOAP, `ReplyTo` of WS-Addressing carries it.',
          examples: ['CallbackUrl'],
        },
      },
    ),
    retry,
    as: refersTo(
      'role-id',
      'A role that replaces the grants of the user who published: what the code calls, reads and saves is permitted by the permission lists of this role.',
      'PARTNER_CALLS',
    ),
    concurrency: integer(
      'Messages that one gateway delivers at the same time.',
      { minimum: 1, maximum: 100, default: 4 },
      4,
    ),
    active: yesNo(
      'Whether messages are delivered to it. Those published while it is not active are not delivered later.',
      true,
    ),
    'gives-reply': yesNo(
      'Whether what its `onMessage` returns is the reply to the message. The operation has `response`, and one such subscription.',
      false,
    ),
    within: time(
      'With `gives-reply: true`, how long callers are asked to wait for the reply, from when the message was published. Then the operation with `reply-of:` answers 504 until the reply is there. By default it answers 202 until then.',
      undefined,
      '1 h',
      '2 d',
    ),
  } satisfies Record<'subscription' | keyof SubscriptionDeclared, JsonSchema>,
);
