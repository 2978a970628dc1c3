import type { BlobStore } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import { type Field, isCollection } from '../../model/field.ts';
import type { MessageStatus } from '../../model/message.ts';
import { MASK, type Redactor } from '../../model/redactor.ts';
import type { Registry } from '../../model/registry.ts';
import { primitiveOf } from '../../model/scalar.ts';
import type { Primitive } from '../../model/scalar-traits.ts';
import type { Operation } from '../../model/service.ts';
import type { DocumentValue, JsonValue } from '../../model/value.ts';
import { type Db, type JobQueue, noteAction, type Store } from '../../store/index.ts';
import { causeFrom, continueTrace, inTrace } from '../../trace/trace.ts';
import { discard } from './content.ts';
import { isRecord, showPayload } from './mask.ts';
import { messageDocument } from './payload.ts';
import { BLOBS } from './port.ts';
import { type EnterFacts, enter, type Plan, type Prepared, plansOf, prepare } from './publish.ts';
import { passReplyTo } from './reply-to.ts';
import { restoreEdited, stillMasked } from './restore.ts';
import { findMessage } from './show.ts';
import { endDelivery, type MessageRow, readMessage, reopenDelivery, type StoredMessage } from './store.ts';
import { UUID } from './text.ts';

/** The edited copy of a message. */
export interface Edited {
  /** The id of the copy. */
  readonly message: string;
  readonly editedFrom: string;
  /** The deliveries of the original that ended as `Edited`. */
  readonly replaced: readonly {
    readonly delivery: string;
    readonly subscription: string;
    readonly was: MessageStatus;
  }[];
  /** The subscriptions that the copy is delivered to. */
  readonly subscriptions: readonly string[];
}

/** Edits messages. */
export interface MessageEditor {
  /**
   * Publishes an edited copy of a message in place of those deliveries that failed or are held, or of a single one, and of those
   * to subscriptions that the original was not for. In the same partition a delivery of the copy has the place of the one that it
   * replaces. The original is not changed, but for the end of these deliveries.
   * @param id of a message or a delivery
   * @param edited the whole payload, as it is shown: what is masked in it keeps its value, and attachments theirs; or the texts of
   * the fields that change, by their names: those of lists and documents are JSON
   * @throws Fault NOT_FOUND; CONFLICT for what can't be replaced; those of a request that does not fit the operation
   */
  edit(id: string, edited: JsonValue | ReadonlyMap<string, string>, actor: string): Promise<Edited>;
}

interface EditOptions {
  readonly registry: Registry;
  readonly store: Store;
  readonly queue: JobQueue;
  readonly blobs: BlobStore;
  readonly redactor: Redactor;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Deliveries that an edited message replaces, and those that it replaces only by their id. */
const REPLACED: readonly MessageStatus[] = ['Error', 'Timeout', 'Hold'];
const BY_ID: readonly MessageStatus[] = [...REPLACED, 'New', 'Retry', 'Cancelled'];

/** A delivery on which an operator acts, as its row has it. */
export interface DeliveryOf {
  readonly id: string;
  readonly message: string;
  readonly subscription: string;
  readonly partition: string | null;
  readonly status: MessageStatus;
}

/** The delivery with an id; `undefined` when there is none. */
export async function findDelivery(db: Db, id: string): Promise<DeliveryOf | undefined> {
  const wanted = id.toLowerCase();
  if (!UUID.test(wanted)) return undefined;
  const [row] = await deliveriesWhere(db, 'id', wanted);
  return row;
}

async function deliveriesWhere(db: Db, column: 'id' | 'message', value: string): Promise<readonly DeliveryOf[]> {
  const rows = await db
    .selectFrom('signalbox_delivery')
    .select(['id', 'message', 'subscription', 'partition', 'status'])
    .where(column, '=', value)
    .orderBy('id')
    .execute();
  return rows as readonly DeliveryOf[];
}

/** Opens the editing of messages. */
export function openEditor(options: EditOptions): MessageEditor {
  const { registry, store, redactor, now = Date.now } = options;
  const blobs = options.blobs.scope(BLOBS);
  const { attachment } = registry.gateway.limits;
  let plans: ReadonlyMap<string, Plan> | undefined;
  return {
    async edit(id, edited, actor) {
      const db = await store.tables();
      const only = await findDelivery(db, id);
      const row = await findMessage(db, only?.message ?? id);
      if (row.queue === null) throw refusal(row, 'is the record of a call, which only its caller can repeat');
      plans ??= plansOf(registry);
      const plan = plans.get(row.operation);
      if (plan === undefined) throw refusal(row, `can't be published: operation ${row.operation} has no queue here`);
      const original = await readMessage(db, blobs, row.id);
      if (original === undefined) throw refusal(row, "can't be edited: its payload was not kept, or its time is past");
      const value = editedValue(plan, original, edited, redactor);
      const prepared = await prepare(plan, value, { now: now(), check: false, attachment, blobs });
      try {
        return await store.transaction((tx) =>
          replace(tx, { ...options, now }, { row, prepared, only: only?.id, actor }),
        );
      } catch (error) {
        if (error instanceof Fault) await discard(prepared.contents, blobs);
        throw error;
      }
    },
  };
}

/** @throws Fault BAD_BODY, BAD_PARAMETER */
function editedValue(
  { operation, payload }: Plan,
  { text, open }: StoredMessage,
  edited: JsonValue | ReadonlyMap<string, string>,
  redactor: Redactor,
): DocumentValue {
  const original = readExact(text);
  const meant = writeExact(
    edited instanceof Map
      ? withFields(operation, original, edited)
      : restoreEdited(edited as JsonValue, showPayload(operation.request, text, redactor).value, original),
  );
  try {
    return payload.read(meant, open);
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    const reason = "attachments can't be edited; leave their descriptions as they are shown";
    throw Fault.of('BAD_BODY', { reason }, { cause });
  }
}

/** A payload with other values of some fields. @throws Fault BAD_PARAMETER, BAD_BODY */
function withFields(operation: Operation, payload: JsonValue, texts: ReadonlyMap<string, string>): JsonValue {
  const { id, root, fields } = messageDocument(operation);
  const label = root && isRecord(payload) && Object.hasOwn(payload, id) ? id : undefined;
  const members = label === undefined ? payload : (payload as Record<string, JsonValue>)[label];
  const changed = [...texts].map(([name, text]): [string, JsonValue] => {
    const field = fields.find((each) => each.name === name || each.jsonName === name);
    if (field !== undefined && text.includes(MASK)) throw stillMasked(`/${field.jsonName}`);
    if (field !== undefined) return [field.jsonName, valueGiven(field, text)];
    const reason = `is not a field of ${operation.id}; its fields are ${fields.map((each) => each.name).join(', ')}`;
    throw Fault.of('BAD_PARAMETER', { name, reason });
  });
  const whole = { ...(isRecord(members) ? members : {}), ...Object.fromEntries(changed) };
  return label === undefined ? whole : { [label]: whole };
}

/** What is not JSON, where it has to be, is refused when it is read as the field. */
function valueGiven({ type }: Field, text: string): JsonValue {
  if (isCollection(type) || !TEXTS.has(primitiveOf(type) ?? 'json'))
    try {
      return readExact(text);
    } catch {
      return text;
    }
  return text;
}

/** Single values that are strings in JSON. */
const TEXTS: ReadonlySet<Primitive> = new Set(['text', 'date', 'time', 'datetime', 'binary']);

/** Reads JSON whose numbers keep their digits: a decimal may have more than a number holds. */
function readExact(text: string): JsonValue {
  return JSON.parse(text, (_: string, value: unknown, { source }: { readonly source?: string }) =>
    typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value,
  ) as JsonValue;
}

function writeExact(value: JsonValue): string {
  return JSON.stringify(value, (_, each: JsonValue) => (typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each));
}

interface Replacement {
  readonly row: MessageRow;
  readonly prepared: Prepared;
  /** The delivery to replace; all that failed or are held when absent. */
  readonly only: string | undefined;
  readonly actor: string;
}

/** Ends what is replaced and enters the copy, in one transaction. @throws Fault CONFLICT */
async function replace(
  tx: Db,
  { queue, store, now }: EditOptions & { readonly now: () => number },
  { row, prepared, only, actor }: Replacement,
): Promise<Edited> {
  const { plan, id: message, partition } = prepared;
  const rows = await deliveriesWhere(tx, 'message', row.id);
  const replaced = replacedOf(row, rows, { plan, only });
  const taken = new Set(replaced.map(({ subscription }) => subscription));
  const had = new Set(rows.flatMap(({ subscription }) => (taken.has(subscription) ? [] : [subscription])));
  const deliveries = prepared.deliveries.filter(({ subscription: { id } }) =>
    only === undefined ? !had.has(id) : taken.has(id),
  );
  if (deliveries.length === 0)
    throw refusal(row, 'can\'t be edited so: its edited payload meets "when" of no subscription that it was for');
  // Their jobs are gone, or give up their places.
  const places = new Map<string, string>();
  for (const { id, subscription, partition: before } of replaced) {
    const job = await tx
      .selectFrom('signalbox_job')
      .select('mark')
      .where('queue', '=', subscription)
      .where('id', '=', id)
      .executeTakeFirst();
    if (job !== undefined && job.mark !== null)
      throw refusal(row, `can't be edited: delivery ${id} runs at this moment`);
    const isDelivered = deliveries.some((each) => each.subscription.id === subscription);
    if (job !== undefined && isDelivered && before === partition) places.set(subscription, id);
    else await queue.cancel(tx, subscription, id);
  }
  const facts: EnterFacts = {
    user:
      row.actor === null
        ? undefined
        : { id: row.actor, origin: Number(row.declared) === 1 ? 'definitions' : 'database' },
    ...{ requestId: row.request_id, connector: 'operator', editedFrom: row.id, places },
  };
  await inTraceOf(row, () => enter(tx, { queue, store }, { ...prepared, deliveries }, facts, now()));
  await passReplyTo(tx, plan.operation, row.id, message);
  const reason = `replaced by message ${message}`;
  const line = { action: 'edit', actor, at: new Date(now()).toISOString() };
  for (const { id, subscription, status } of replaced) {
    if (status === 'Error' || status === 'Timeout' || status === 'Cancelled')
      await reopenDelivery(tx, id, row.id, actor);
    const end = { delivery: id, message: row.id, status: 'Edited', reason, actor } as const;
    if (!(await endDelivery(tx, end, plan.queue, now())))
      throw refusal(row, `can't be edited: delivery ${id} has ended meanwhile`);
    await noteAction(tx, { ...line, queue: subscription, job: id });
  }
  await noteAction(tx, { ...line, queue: plan.queue.id, job: message });
  return {
    message,
    editedFrom: row.id,
    replaced: replaced.map(({ id, subscription, status }) => ({ delivery: id, subscription, was: status })),
    subscriptions: deliveries.map(({ subscription }) => subscription.id),
  };
}

/** The deliveries that the copy replaces. @throws Fault CONFLICT */
function replacedOf(
  message: MessageRow,
  rows: readonly DeliveryOf[],
  { plan, only }: { readonly plan: Plan; readonly only: string | undefined },
): readonly DeliveryOf[] {
  const known = new Set(plan.subscriptions.map(({ subscription: { id } }) => id));
  if (only === undefined) {
    const found = rows.filter(({ status, subscription }) => REPLACED.includes(status) && known.has(subscription));
    // What no subscription was for is published to those that the copy is for.
    if (found.length === 0 && rows.length > 0)
      throw refusal(message, `has no delivery that is ${REPLACED.join(' or ')}`);
    return found;
  }
  return rows
    .filter(({ id }) => id === only)
    .map((row) => {
      const { id, status, subscription } = row;
      if (!known.has(subscription))
        throw refusal(message, `can't be edited: subscription ${subscription} is not defined`);
      if (BY_ID.includes(status)) return row;
      throw refusal(message, `can't be edited: delivery ${id} is ${status}`);
    });
}

/** Runs work in the trace of a message, as part of what caused that. */
function inTraceOf({ request_id, trace, caused_by, hops }: MessageRow, work: () => Promise<void>): Promise<void> {
  const cause = causeFrom({
    ...{ requestId: request_id, traceId: trace },
    ...(caused_by === null ? {} : { message: { id: caused_by, hops: Number(hops) - 1 } }),
  });
  return inTrace(continueTrace(cause), work);
}

function refusal({ id }: MessageRow, reason: string): Fault {
  return Fault.of('CONFLICT', { what: `Message ${id}`, reason });
}
