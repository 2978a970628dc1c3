import { placeOf, positionOf } from '../../load/diagnostic/diagnostic.ts';
import { contentOf, type Documents, documentOf } from '../../load/document/documents.ts';
import { hasOwnValue, madeField } from '../../load/document/field.ts';
import { derivedName, typeWords } from '../../load/document/field-type.ts';
import type { Calls } from '../../load/flow/calls.ts';
import { type Linking, refuseBoth, refuseKey, resolveKey, resolveOperation } from '../../load/linking.ts';
import { given } from '../../load/object.ts';
import { everyUriRequires, forms, linkResponses, noMessage } from '../../load/operation/payload.ts';
import type { OperationSpot } from '../../load/operation/spot.ts';
import { bareField } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { isComparable, type MessageQueue } from '../../model/message.ts';
import type { Node } from '../../model/node.ts';
import type { Registry } from '../../model/registry.ts';
import type { Answer, MediaMessage, Message, Method, Operation } from '../../model/service.ts';
import { linkReplyTo } from './reply-to.ts';

/** A queue that answers, with the request and replies of its operation. */
interface QueueAnswer {
  readonly answer: Answer;
  readonly request: Message;
  /** The id of the message. */
  readonly responses: readonly MediaMessage[];
  /** One-way, unless its callers may have the reply sent. */
  readonly soapResponses: readonly MediaMessage[];
}

/** The definitions that queues as answers refer to. */
interface QueueSources {
  readonly messageQueues: ReadonlyMap<string, MessageQueue>;
  readonly nodes: ReadonlyMap<string, Node>;
}

/** `queue: NAME`; `undefined` when the queue does not exist. */
export function linkQueueAnswer(
  documents: Documents,
  spot: OperationSpot,
  { messageQueues, nodes }: QueueSources,
  request: Message,
): QueueAnswer | undefined {
  const { linking } = documents;
  const { declared } = spot;
  refuseBoth(linking, declared, 'queue', 'variables', 'a message consists of the fields of the request');
  refuseKey(linking, declared, 'as', spot.id, 'it applies to what answers the operation; give it to the subscriptions');
  const form = declared.response === undefined ? undefined : linkReply(documents, spot);
  const replyTo = linkReplyTo(documents, spot, nodes, request, form);
  const queue = resolveKey(linking, 'queue', messageQueues, declared, 'queue');
  if (queue === undefined) return undefined;
  return {
    answer: { kind: 'queue', queue, ...given({ reply: form?.message, replyTo }) },
    request,
    responses: receiptOf(documents, spot),
    soapResponses: replyTo === undefined || form === undefined ? forms(noMessage()) : [form],
  };
}

/** The replies of an operation whose request becomes a message of another operation. */
export function linkReceipt(
  documents: Documents,
  spot: OperationSpot,
): Pick<QueueAnswer, 'responses' | 'soapResponses'> {
  const { id, declared } = spot;
  const why =
    'the reply is the id of a message; an operation with `call` of the one that reads replies has a `response`';
  if (declared.response !== 'none') refuseKey(documents.linking, declared, 'response', id, why);
  return { responses: receiptOf(documents, spot), soapResponses: forms(noMessage()) };
}

function receiptOf(documents: Documents, spot: OperationSpot): MediaMessage[] {
  const document = documents.synthesize(derivedName(spot, 'RECEIPT'), [idField(spot)], spot.at);
  return forms({ kind: 'document', document });
}

function idField({ at }: OperationSpot): Field {
  return madeField('message', { kind: 'uuid' }, positionOf(at), {
    required: true,
    description: 'The id of the message.',
  });
}

/** The first form of a reply that comes later, a document; `undefined` for `response: none`. */
function linkReply(documents: Documents, spot: OperationSpot): MediaMessage | undefined {
  const { report, places, doubt } = documents.linking;
  const [first, ...others] = linkResponses(documents, spot);
  if (first === undefined || first.message.kind === 'none') return undefined;
  const document = documentOf(first.message);
  const isOne = others.every(({ message }) => documentOf(message) === document);
  if (!isOne || document === undefined || bareField(document) !== undefined) {
    const reason = `${spot.id} has \`queue\` and a \`response\` that is not one document with fields; the reply that comes later must be one`;
    if (!doubt.about(document)) report.raise('bad-queue-answer', { reason }, places.key(spot.declared, 'response'));
    return undefined;
  }
  return first;
}

/** `reply-of: NAME`; `undefined` when the operation does not exist. */
export function linkReplyAnswer(
  documents: Documents,
  spot: OperationSpot,
  { names }: Calls,
  method: Method | undefined,
): QueueAnswer | undefined {
  const { linking } = documents;
  const { declared } = spot;
  const raise = (reason: string, key: 'reply-of' | 'soap' = 'reply-of'): void =>
    linking.report.raise('bad-reply', { reason: `${spot.id} ${reason}` }, linking.places.key(declared, key));
  for (const key of ['request', 'variables', 'body'] as const)
    refuseBoth(linking, declared, 'reply-of', key, 'its request is the id of the message');
  refuseKey(linking, declared, 'as', spot.id, 'it only reads a reply that is kept');
  if (method !== undefined && method !== 'GET') raise(`has the method ${method}; a reply is read with GET`);
  if (declared.soap !== undefined && declared.soap !== false)
    raise('has `soap`, but a reply that is not there yet has no form over SOAP', 'soap');
  const responses = linkResponses(documents, spot);
  const to = resolveOperation(linking, names, declared['reply-of']!, linking.places.value(declared, 'reply-of'));
  if (to === undefined) return undefined;
  const request = documents.synthesize(derivedName(spot, 'REQUEST'), [idField(spot)], spot.at);
  return {
    answer: { kind: 'reply', to: to.id },
    request: { kind: 'document', document: request },
    responses,
    soapResponses: responses,
  };
}

/** Checks operations that answer later: what reads their replies, and which subscription replies. */
export function checkReplies(
  linking: Linking,
  { operations, subscriptions }: Pick<Registry, 'operations' | 'subscriptions'>,
): void {
  const { report, doubt, declared } = linking;
  if (declared.rejected('operation').size > 0 || declared.rejected('service').size > 0) return;
  for (const each of operations.values()) {
    const { answer } = each;
    const at = placeOf(each.at);
    if (doubt.about(answer) || doubt.about(each)) continue;
    if (answer.kind === 'reply') {
      const reason = whyNoReply(linking, each, operations.get(answer.to), answer.to);
      if (reason !== undefined) report.raise('bad-reply', { reason: `${each.id} ${reason}` }, at);
    } else if (answer.kind === 'queue' && answer.reply !== undefined && declared.rejected('subscription').size === 0) {
      const own = [...subscriptions.values()].filter((one) => one.operation === each && one.active && one.givesReply);
      if (own.length === 1) continue;
      const ids = own.map(({ id }) => id);
      if (ids.length === 0) report.raise('no-reply', { operation: each.id }, at);
      else
        report.raise(
          'bad-reply',
          { reason: `${each.id} is answered by ${ids.join(' and ')}, but a message has one reply` },
          at,
        );
    }
  }
}
/** Why an operation can't read the replies of another one. */
function whyNoReply(
  { doubt }: Linking,
  { responses, uris }: Operation,
  to: Operation | undefined,
  id: string,
): string | undefined {
  if (to === undefined) return `refers to ${id}, which is a call to another system`;
  if (doubt.about(to.answer)) return undefined;
  if (to.answer.kind !== 'queue' || to.answer.reply === undefined)
    return `refers to ${id}, which has no \`queue\` with \`response\`, so no reply comes later`;
  const document = documentOf(to.answer.reply);
  if (responses.some(({ message }) => !doubt.about(documentOf(message)) && documentOf(message)?.id !== document?.id))
    return `has another \`response\` than ${id}, whose replies are ${document?.id}`;
  return uris.length === 0 ? 'has no `get` with {message} in its path' : undefined;
}

/** Checks an operation against the queue that takes its messages: its method, and the fields that keep their order. */
export function checkQueueAnswer(
  linking: Linking,
  spot: OperationSpot,
  queue: MessageQueue,
  { method, request, uris }: Pick<Operation, 'request' | 'uris'> & { readonly method: Method | undefined },
): void {
  const { report, places, doubt } = linking;
  const at = places.value(spot.declared, 'queue');
  const raise = (reason: string): void => report.raise('bad-queue-answer', { reason }, at);
  if (method === 'GET' || method === 'HEAD')
    raise(`${spot.id} has the method ${method}, which must not change anything; use POST to publish`);
  const document = documentOf(request);
  if (doubt.about(document) || spot.lacks('request')) return;
  const fields = document?.fields ?? contentOf(request, spot);
  const order = typeof queue.order === 'object' ? queue.order : [];
  for (const [option, names] of Object.entries({ order, search: queue.search }))
    for (const field of names)
      if (fields.some(({ name, sensitive }) => name === field && sensitive))
        report.raise('sensitive-key', { operation: spot.id, queue: queue.id, field, option }, at);
  for (const name of order) {
    const field = fields.find((each) => each.name === name);
    if (field === undefined) {
      const what =
        document === undefined ? 'which has no document' : `which has ${fields.map((each) => each.name).join(', ')}`;
      raise(`${queue.id} keeps order by ${name}, which is not a field of the request of ${spot.id}, ${what}`);
    } else if (!isComparable(field)) {
      raise(
        `${queue.id} keeps order by ${name}, which is ${typeWords(field.type)} in the request of ${spot.id}, not a single value`,
      );
    } else if (!(field.required || hasOwnValue(field) || everyUriRequires(uris, name)) || field.nullable === true) {
      report.raise('optional-order', { operation: spot.id, queue: queue.id, field: name }, at);
    }
  }
}
