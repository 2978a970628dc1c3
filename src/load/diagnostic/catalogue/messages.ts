import { didYouMean } from '../suggest.ts';
import { error, warning } from './entry.ts';

/** Mistakes in queues of messages and in what publishes to them and is delivered from them. */
export const messageEntries = {
  'bad-queue': error<{ queue: string; reason: string }>({
    message: ({ queue, reason }) => `Queue ${queue} ${reason}.`,
    explanation:
      'Messages are kept in order, and found, by fields of the request that are single values with a text form: no documents, lists, maps or binary content.',
  }),
  'bad-queue-answer': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    explanation:
      "With `queue:` the request of an operation is a message. Publishing changes something, so GET and HEAD can't do it (RFC 9110, section 9.2.1). Each request must have the fields by which the queue keeps order. The reply is the id of the message; `response` is the document of the reply that comes later, a document with fields.",
  }),
  'sensitive-key': warning<{ operation: string; queue: string; field: string; option: string }>({
    message: ({ operation, queue, field, option }) =>
      `${field} is sensitive in the request of ${operation}, but in \`${option}\` of ${queue}: its values are in the database in clear.`,
    hint: ({ field, option }) => `Remove ${field} from \`${option}\`, or use a field there that is not secret.`,
    explanation:
      'The values by which messages are found and kept in order are stored as they are, as keys of an index, in each copy and backup of the database. They are masked when they are shown, but they are not protected like a secret.',
  }),
  'bad-reply': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    explanation:
      'An operation with `reply-of:` reads the reply to a message of another operation, which has `queue:` and `response:`. It has GET, `{message}` in its path and the same document as its `response`. One active subscription of that operation has `gives-reply: true`.',
  }),
  'bad-reply-to': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    explanation:
      'With `reply-to:` callers may name an address to which the reply is sent. It must lie below the `base` of one of the nodes there, so that no caller can make the gateway call anything else; a base that is a scheme alone would permit every address. Over REST a text field of the request carries the address, over SOAP `ReplyTo` of WS-Addressing.',
  }),
  'no-reply': warning<{ operation: string }>({
    message: ({ operation }) => `No subscription replies to the messages of ${operation}, which has \`response\`.`,
    hint: () => 'Add `gives-reply: true` to an active subscription whose code returns the reply, or remove `response`.',
    explanation:
      'With `queue:` and `response:` an operation answers later: what the code of one subscription with `gives-reply: true` returns is the reply.',
  }),
  'optional-order': warning<{ operation: string; queue: string; field: string }>({
    message: ({ operation, queue, field }) =>
      `${queue} keeps order by ${field}, which a request of ${operation} may leave out.`,
    hint: ({ field }) => `Make ${field} required, or give it a default.`,
    explanation:
      'Messages without a value of a field in `order` have one partition together: they are delivered one after the other, whatever they are about.',
  }),
  'unused-queue': warning<{ queue: string }>({
    message: ({ queue }) => `No operation publishes to the queue ${queue}.`,
    hint: ({ queue }) => `Add \`queue: ${queue}\` to an operation, or remove the queue.`,
    explanation: 'A queue gets its messages from operations with `queue:`.',
  }),
  'bad-subscription': error<{ subscription: string; reason: string }>({
    message: ({ subscription, reason }) => `Subscription ${subscription} ${reason}.`,
    explanation:
      "A subscription delivers the messages of one operation with `queue:` to code, or to a call, whose input is filled from the fields of the message. Each field that the call requires must always be there, and the types must fit. Conditions are about fields with single values. A reply that comes later (`awaits-reply`) is that of an operation with one form of reply, and over REST a text field of its input carries the address for it. The id can't be `events`, `processes` or `query-runs`: these are the queues of the gateway itself.",
  }),
  'delivery-may-not-fit': warning<{ subscription: string; input: string; reason: string }>({
    message: ({ subscription, input, reason }) => `Subscription ${subscription} fills ${input}: it ${reason}.`,
    hint: () => 'Bound the field of the message as the call bounds its input, or fill the input in code (`handler:`).',
    explanation:
      'A message may have a value that the input of the call does not take: one that is longer, or beyond its bounds. It is accepted from its publisher, and the delivery fails then, at each attempt. The types, lengths, digits, bounds, numbers of entries, patterns and listed values of both fields are compared.',
  }),
  'unknown-message-field': error<{ name: string; operation: string; known: readonly string[] }>({
    message: ({ name, operation }) => `${name} is not a field of the request of ${operation}.`,
    hint: ({ name, known }) => didYouMean(name, known, 'Fields there:') ?? 'Add a document with `request:`.',
    explanation:
      'The conditions of a subscription (`when:`) and the fields by which a queue finds messages (`search:`) are fields of the request of the operation that publishes them.',
  }),
  'unknown-input': error<{ name: string; call: string; known: readonly string[] }>({
    message: ({ name, call }) => `${name} is not a field of the input of ${call}.`,
    hint: ({ name, known }) => didYouMean(name, known, 'Fields there:'),
    explanation: 'Each key of `map:` is a field of the input of `call:`, and its value is what fills that field.',
  }),
  'publication-circle': error<{ path: string }>({
    message: ({ path }) => `Each message leads to another one for ever: ${path}.`,
    hint: () => 'Remove one of these subscriptions, or give it a condition (`when:`) that ends the circle.',
    explanation:
      'A subscription whose call goes to this gateway itself, to an operation with `queue:`, publishes a message for each that it gets; so does one to an operation that saves, if the component publishes. The check finds circles of such subscriptions when the node has the address in `publicUrl`, in the same words. Others are ended at run time: after 16 messages that were published one during the delivery of the other, the next one is refused.',
  }),
  'map-text': error<{ name: string; type: string }>({
    message: ({ name, type }) => `A text with fields can't fill ${name}, which is ${type}.`,
    hint: () => 'Refer to one field and nothing else: "{FIELD}".',
    explanation:
      'In `map:`, one whole field (`"{FIELD}"`) keeps its type. A text that contains fields together with other text fills fields of the types `string` and `text` only.',
  }),
};
