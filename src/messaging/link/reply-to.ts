import { type Documents, documentOf } from '../../load/document/documents.ts';
import { typeWords } from '../../load/document/field-type.ts';
import { refuseKey, resolveIds } from '../../load/linking.ts';
import { given } from '../../load/object.ts';
import { methodOf, type OperationSpot } from '../../load/operation/spot.ts';
import type { ReplyToDeclared } from '../../load/schema/operation.ts';
import { SCHEME_ONLY } from '../../load/value/address.ts';
import { literalOf } from '../../load/value/config-text.ts';
import { linkRetry } from '../../load/value/retry.ts';
import type { Field } from '../../model/field.ts';
import { type ReplyTo, replySubscriptionId, type Subscription } from '../../model/message.ts';
import type { Node } from '../../model/node.ts';
import { DELIVERY_RETRY } from '../../model/retry.ts';
import { isAnyText } from '../../model/scalar.ts';
import type { MediaMessage, Message, Operation } from '../../model/service.ts';

/**
 * `reply-to:` of an operation with `queue:`; `undefined` without it, and where it has no effect.
 * @param form of the reply over REST; `undefined` when no reply comes later
 */
export function linkReplyTo(
  { linking }: Documents,
  spot: OperationSpot,
  nodes: ReadonlyMap<string, Node>,
  request: Message,
  form: MediaMessage | undefined,
): ReplyTo | undefined {
  const { report, places } = linking;
  const { declared, id, lacks } = spot;
  const said = declared['reply-to'];
  if (said === undefined) return undefined;
  if (form === undefined) {
    if (declared.response === undefined && !lacks('response'))
      refuseKey(linking, declared, 'reply-to', id, 'without `response` no reply comes later');
    return undefined;
  }
  const refuse = (reason: string, container: object = declared, key = 'reply-to'): void =>
    report.raise('bad-reply-to', { reason: `${id} ${reason}` }, places.value(container, key));
  const long: ReplyToDeclared = typeof said === 'string' || Array.isArray(said) ? { nodes: said } : (said as never);
  const isShort = long !== said;
  const own = resolveIds(linking, 'node', nodes, isShort ? declared : long, isShort ? 'reply-to' : 'nodes');
  for (const node of own)
    if (node.base.some((base) => SCHEME_ONLY.test(literalOf(base) ?? '')))
      refuse(`permits replies to ${node.id}, whose base is a scheme alone, so that callers could name any address`);
  const isSoapAlone = methodOf(spot) === undefined;
  const isOverSoap = isSoapAlone || (declared.soap !== undefined && declared.soap !== false);
  if (long.field === undefined && !isOverSoap && !lacks('soap') && !linking.doubt.about(long))
    refuse('has `reply-to` without `field` and is not offered over SOAP, so that no caller can name an address');
  const field = long.field === undefined ? undefined : linkField(linking, spot, long, request, refuse);
  return {
    nodes: own,
    form,
    retry: linkRetry(linking, long, DELIVERY_RETRY) ?? { ...DELIVERY_RETRY },
    ...given({ field }),
  };
}

/** The field of the request that carries the address. */
function linkField(
  { doubt }: Documents['linking'],
  { lacks }: OperationSpot,
  declared: ReplyToDeclared,
  request: Message,
  refuse: (reason: string, container: object, key: string) => void,
): Field | undefined {
  const document = documentOf(request);
  const field = document?.fields.find(({ name }) => name === declared.field);
  if (field === undefined) {
    if (!doubt.about(document) && !lacks('request'))
      refuse(
        `takes the address for the reply from ${declared.field}, which is not a field of its request`,
        declared,
        'field',
      );
    return undefined;
  }
  if (isAnyText(field.type)) return field;
  refuse(
    `takes the address for the reply from ${field.name}, which is ${typeWords(field.type)}, not a text`,
    declared,
    'field',
  );
  return undefined;
}

/** The subscriptions that deliver replies to callers, one for each node of an operation's `reply-to:`. */
export function replySubscriptions(operations: Iterable<Operation>): Subscription[] {
  return [...operations].flatMap((operation) => {
    const { answer, at } = operation;
    if (answer.kind !== 'queue' || answer.replyTo === undefined) return [];
    const { nodes, retry } = answer.replyTo;
    return nodes.map(
      (node): Subscription => ({
        id: replySubscriptionId(operation, node),
        operation,
        when: [],
        target: { kind: 'caller', node },
        retry,
        concurrency: 4,
        active: true,
        givesReply: false,
        at,
      }),
    );
  });
}
