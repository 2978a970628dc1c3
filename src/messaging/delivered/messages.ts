import { answeringUser, type DeliveredHandler, type DeliveredPorts, reply } from '../../delivered/delivered-port.ts';
import { Fault } from '../../model/fault.ts';
import type { MessageKind, MessageStatus } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { User } from '../../model/security.ts';
import type { DocumentValue, JsonValue } from '../../model/value.ts';
import { compileZone, instantOf } from '../../wire/timezone.ts';
import type { Acted, DeliveryAction, KeptMessage, MessageFilter } from '../run/index.ts';

/** MSG_ID_REQ. Ids are UUIDs, in which case does not matter. */
interface IdRequest {
  readonly MessageId: string;
}

/** MSG_ALL_REQ, and what MSG_FINDMESSAGES and MSG_COUNT have beyond it. */
interface FilterRequest {
  readonly Kind?: MessageKind;
  readonly Operation?: string;
  readonly Queue?: string;
  readonly Node?: string;
  readonly Subscription?: string;
  readonly Status?: MessageStatus;
  readonly Since?: string;
  readonly Until?: string;
  readonly Field?: readonly string[];
  readonly Trace?: string;
  readonly RequestId?: string;
  readonly Text?: string;
  readonly User?: string;
  readonly After?: string;
}

/** @throws Fault BAD_PARAMETER */
function filterOf(registry: Registry, request: FilterRequest): MessageFilter {
  const { Kind, Operation, Queue, Node, Subscription, Status, Since, Until, Field = [], Trace, User } = request;
  const { RequestId, Text } = request;
  // A datetime without an offset is in the gateway's zone.
  const zone = compileZone(registry.gateway.timezone);
  const timeOf = (text: string | undefined) => (text === undefined ? undefined : new Date(instantOf(text, zone)));
  const fields = Field.map((text): [string, string] => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined && value !== undefined) return [name, value];
    throw Fault.of('BAD_PARAMETER', { name: 'Field', reason: 'is not a name and a value, as in LOCATION=NYC01' });
  });
  const twice = fields.find(([name], n) => fields.findIndex(([other]) => other === name) < n);
  if (twice !== undefined)
    throw Fault.of('BAD_PARAMETER', { name: 'Field', reason: `has two values of ${twice[0]}; messages have one each` });
  const given = {
    ...{ kind: Kind, operation: Operation, queue: Queue, node: Node, subscription: Subscription, status: Status },
    ...{ since: timeOf(Since), until: timeOf(Until), trace: Trace, user: User },
    ...{ request: RequestId, text: Text },
    fields: fields.length === 0 ? undefined : new Map(fields),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ''));
}

const after = ({ After = '' }: FilterRequest) => (After === '' ? {} : { after: After });

/** MSG_FINDMESSAGES: messages, the newest first. */
export function messageFind({ messageControl, registry }: DeliveredPorts): DeliveredHandler {
  return answeringUser<FilterRequest & { readonly MessageCount: number | bigint }>(async (request) => {
    const range = { limit: Number(request.MessageCount), ...after(request) };
    const { messages, next } = await messageControl.list(filterOf(registry, request), range);
    return reply({ messages: messages.map(messageDocument), Next: next });
  });
}

/** MSG_GETMESSAGE: one message; of those of others only for users that may find messages. */
export function messageGet({ messageControl, registry }: DeliveredPorts): DeliveredHandler {
  return answeringUser<IdRequest>(async ({ MessageId }, user) => {
    const { caused, editedBy, subscribers, actions, ...message } = await messageControl.get(MessageId);
    if (!mayFind(registry, user)) {
      if (message.user !== user.id) throw Fault.of('NOT_FOUND', { what: `message ${MessageId}` });
      const { id, operation, queue, status, entered, ended } = message;
      return reply({
        MessageId: id,
        Operation: operation,
        Queue: queue,
        Status: status,
        EnteredDateTime: entered,
        EndedDateTime: ended,
      });
    }
    return reply({
      ...messageDocument(message),
      ...{ caused, editedBy },
      deliveries: subscribers.map(
        ({ id, subscription, target, status, entered, next, ended, reason, actor, waitsFor, behind, tried }) => ({
          ...{ DeliveryId: id, Subscription: subscription, Target: target, Status: status, EnteredDateTime: entered },
          ...{
            NextDateTime: next,
            EndedDateTime: ended,
            Reason: reason,
            Actor: actor,
            WaitsFor: waitsFor?.message,
            Behind: behind,
          },
          attempts: tried.map(({ attempt, gateway, began, ended: end, code, reason: why }) => ({
            ...{
              Attempt: attempt,
              Gateway: gateway,
              BeginDateTime: began,
              EndDateTime: end,
              StatusCode: code,
              Reason: why,
            },
          })),
        }),
      ),
      actions: actions.map(({ at, actor, action, delivery }) => ({
        DateTime: at,
        Actor: actor,
        Action: action,
        DeliveryId: delivery,
      })),
    });
  });
}

/** Whether a user may see the messages of others. */
function mayFind({ operations }: Registry, { permissionLists }: User): boolean {
  return operations.get('MSG_FINDMESSAGES')?.permissions.some((list) => permissionLists.has(list)) === true;
}

/** MSG_GETPAYLOAD: what a message carries. */
export function messagePayload({ messageControl }: DeliveredPorts): DeliveredHandler {
  return answeringUser<IdRequest>(async ({ MessageId }) => {
    const { id, parts } = await messageControl.payload(MessageId);
    return reply({ MessageId: id, Payload: parts as DocumentValue });
  });
}

/** MSG_RESUBMIT, MSG_CANCEL, MSG_HOLD, MSG_RELEASE: an action on a delivery, or on those of a message. */
export function messageAct(action: DeliveryAction): (ports: DeliveredPorts) => DeliveredHandler {
  return ({ messageControl }) =>
    answeringUser<IdRequest>(async ({ MessageId }, user) => {
      const acted = await messageControl.act(action, MessageId, user.id);
      const [refusal] = acted.refused;
      if (acted.done.length > 0 || refusal === undefined) return reply(actedDocument(acted));
      const { message, delivery, reason } = refusal;
      const what = delivery === undefined ? `Message ${message}` : `Delivery ${delivery} of message ${message}`;
      throw Fault.of('CONFLICT', { what, reason });
    });
}

/** MSG_EDIT: publishes an edited copy of a message in place of deliveries that failed or are held. */
export function messageEdit({ messageControl }: DeliveredPorts): DeliveredHandler {
  return answeringUser<IdRequest & { readonly Payload: JsonValue }>(async ({ MessageId, Payload }, user) => {
    const { message, editedFrom, replaced, subscriptions } = await messageControl.edit(MessageId, Payload, user.id);
    return reply({
      ...{ MessageId: message, EditedFrom: editedFrom, subscriptions },
      replaced: replaced.map(({ delivery, subscription, was }) => ({
        DeliveryId: delivery,
        Subscription: subscription,
        Was: was,
      })),
    });
  });
}

/** MSG_RESUBMITALL, MSG_CANCELALL, MSG_HOLDALL, MSG_RELEASEALL: an action on the deliveries of all messages that are found. */
export function messageActAll(action: DeliveryAction): (ports: DeliveredPorts) => DeliveredHandler {
  return ({ messageControl, registry }) =>
    answeringUser<FilterRequest & { readonly DeliveryCount: number | bigint }>(async (request, user) => {
      const range = { most: Number(request.DeliveryCount), ...after(request) };
      return reply(actedDocument(await messageControl.actAll(action, filterOf(registry, request), range, user.id)));
    });
}

/** Deliveries that are counted. */
const MOST_COUNTED = 10_000;

/** MSG_COUNT: the number of deliveries that an action on all messages that are found would try. */
export function messageCount({ messageControl, registry }: DeliveredPorts): DeliveredHandler {
  return answeringUser<FilterRequest & { readonly Action: DeliveryAction }>(async (request) => {
    const count = await messageControl.count(request.Action, filterOf(registry, request), MOST_COUNTED + 1);
    return reply({ Action: request.Action, Count: Math.min(count, MOST_COUNTED), More: count > MOST_COUNTED });
  });
}

/** MSG_FINDHELD: what is held as a whole. */
export function messageHeld({ messageControl }: DeliveredPorts): DeliveredHandler {
  return answeringUser<object>(async () => {
    const held = await messageControl.held();
    return reply({ held: held.map(({ what, since, actor }) => ({ What: what, Since: since, Actor: actor })) });
  });
}

interface WholeRequest {
  readonly Kind: 'queue' | 'subscription' | 'node';
  readonly Id: string;
}

/** MSG_HOLDWHOLE, MSG_RELEASEWHOLE: holds or releases a queue, a subscription or a node. */
export function messageWhole(action: 'hold' | 'release'): (ports: DeliveredPorts) => DeliveredHandler {
  return ({ messageControl }) =>
    answeringUser<WholeRequest>(async ({ Kind, Id }, user) => {
      const changed = await messageControl[action]({ kind: Kind, id: Id }, user.id);
      return reply({ Kind, Id, Changed: changed === true });
    });
}

interface PartitionRequest {
  readonly Queue: string;
  readonly Partition?: readonly string[];
}

/** MSG_HOLDPARTITION, MSG_RELEASEPARTITION: holds or releases a partition of a queue. */
export function messagePartition(action: 'hold' | 'release'): (ports: DeliveredPorts) => DeliveredHandler {
  return ({ messageControl }) =>
    answeringUser<PartitionRequest>(async ({ Queue, Partition = [] }, user) => {
      const given = { queue: Queue, values: Partition };
      const work = action === 'hold' ? messageControl.holdPartition : messageControl.releasePartition;
      const { queue, partition, deliveries } = await work(given, user.id);
      return reply({ Queue: queue, Partition: partition, DeliveryCount: deliveries });
    });
}

/** MSG_ACTED. */
function actedDocument({ done, refused, next }: Acted): DocumentValue {
  return {
    done: done.map(({ message, delivery, subscription, was }) => ({
      ...{ MessageId: message, DeliveryId: delivery, Subscription: subscription, Was: was },
    })),
    refused: refused.map(({ message, delivery, reason }) => ({
      MessageId: message,
      DeliveryId: delivery,
      Reason: reason,
    })),
    Next: next,
  };
}

/** MSG_MESSAGE. */
function messageDocument(message: KeptMessage): Readonly<Record<string, string | number | undefined>> {
  return {
    MessageId: message.id,
    Operation: message.operation,
    Queue: message.queue,
    Partition: message.partition,
    Node: message.node,
    Status: message.status,
    EnteredDateTime: message.entered,
    EndedDateTime: message.ended,
    User: message.user,
    Connector: message.connector,
    RequestId: message.requestId,
    Trace: message.trace,
    CausedBy: message.causedBy,
    EditedFrom: message.editedFrom,
    Size: message.size,
    StatusCode: message.code,
    Reason: message.reason,
  };
}
