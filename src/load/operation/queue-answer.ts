import { isComparable, type MessageQueue } from '../../model/message.ts';
import type { Answer, MediaMessage, Message, Method, Operation } from '../../model/service.ts';
import { positionOf } from '../diagnostic/diagnostic.ts';
import { contentOf, type Documents, documentOf, hasOwnValue, madeField } from '../document/documents.ts';
import { derivedName, typeWords } from '../document/field-type.ts';
import { type Linking, refuseBoth, refuseKey, resolveKey } from '../linking.ts';
import { everyUriRequires, forms, noMessage } from './message.ts';
import type { OperationSpot } from './spot.ts';

/** A queue that answers, with the request and replies of its operation. */
interface QueueAnswer {
  readonly answer: Answer;
  readonly request: Message;
  /** The id of the message. */
  readonly responses: readonly MediaMessage[];
  /** One-way. */
  readonly soapResponses: readonly MediaMessage[];
}

/** `queue: NAME`; `undefined` when the queue does not exist. */
export function linkQueueAnswer(
  documents: Documents,
  spot: OperationSpot,
  queues: ReadonlyMap<string, MessageQueue>,
  request: Message,
): QueueAnswer | undefined {
  const { linking } = documents;
  const { declared } = spot;
  refuseBoth(linking, declared, 'queue', 'template', 'a message consists of the fields of the request');
  refuseKey(linking, declared, 'as', spot.id, 'it applies to what answers the operation; give it to the subscriptions');
  const queue = resolveKey(linking, 'queue', queues, declared, 'queue');
  if (queue === undefined) return undefined;
  if (declared.response !== undefined && declared.response !== 'none')
    linking.report.raise(
      'bad-queue-answer',
      { reason: `${spot.id} has \`response\`, but its callers get the id of the message, and no reply comes later` },
      linking.places.key(declared, 'response'),
    );
  const id = madeField('message', { kind: 'uuid' }, positionOf(spot.at), {
    required: true,
    description: 'The id of the message.',
  });
  const receipt = documents.synthesize(derivedName(spot, 'RECEIPT'), [id], spot.at);
  return {
    answer: { kind: 'queue', queue },
    request,
    responses: forms({ kind: 'document', document: receipt }),
    soapResponses: forms(noMessage()),
  };
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
  if (typeof queue.order !== 'object' || doubt.about(document) || spot.lacks('request')) return;
  const fields = document?.fields ?? contentOf(request, spot);
  for (const name of queue.order) {
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
