import { sql } from 'kysely';
import { fieldsOf } from '../../codec/redact/declared.ts';
import { Fault } from '../../model/fault.ts';
import { type MessageStatus, nodesOf } from '../../model/message.ts';
import { MASK, type Redactor } from '../../model/redactor.ts';
import type { Registry } from '../../model/registry.ts';
import type { Message } from '../../model/service.ts';
import type { JsonValue } from '../../model/value.ts';
import type { Db, ReadableBlobs } from '../../store/index.ts';
import type { MessageFilter } from './condition.ts';
import { type DownNode, readDown } from './down.ts';
import { readOutcome } from './failure.ts';
import { countRows, findRows, type MessageCount, type MessageRange } from './find.ts';
import { type Held, readHeld } from './hold.ts';
import { given, type KeptMessage, keptMessages, type MessagePage, runningStatus } from './kept.ts';
import { showParts } from './parts.ts';
import { errorsOf, hidingOf, readNews, UUID } from './text.ts';

/** An attempt at a delivery. Times are UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
export interface KeptTry {
  /** From 1; goes on when the delivery is sent again. */
  readonly attempt: number;
  readonly gateway?: string;
  readonly began?: string;
  /** Absent while it runs. */
  readonly ended?: string;
  /** The status code of the target's reply. */
  readonly code?: number;
  /** Why it failed; absent for one that succeeded. */
  readonly reason?: string;
  /** Its request was sent to its end, and no status came: the target may have taken the message. */
  readonly uncertain?: true;
  /** What could not be read of the reply to one that succeeded. */
  readonly note?: string;
}

/** A message for one subscription. Times as of attempts. */
export interface KeptDelivery {
  readonly id: string;
  readonly subscription: string;
  /** What it is delivered to: `handler location-cache`, `ERP_PUT at ERP`; absent when its subscription is not defined any more. */
  readonly target?: string;
  readonly status: MessageStatus;
  readonly entered: string;
  /** When the next attempt may begin, after one that failed. */
  readonly next?: string;
  /** Until when the reply is awaited. */
  readonly until?: string;
  /** When the reply came later, or a fault. */
  readonly replied?: string;
  readonly ended?: string;
  /** Why the last attempt failed, or why it is held, was cancelled or edited. */
  readonly reason?: string;
  /** The operator of the last action. */
  readonly actor?: string;
  /** The attempts, the oldest first, and the one that runs. */
  readonly tried: readonly KeptTry[];
  /** What its partition waits for: an earlier delivery of the subscription that is held or tried again later. */
  readonly waitsFor?: { readonly message: string; readonly delivery: string; readonly status: MessageStatus };
  /** The number of deliveries of its partition that wait for it; {@link MOST_BEHIND} stands for more. */
  readonly behind?: number;
  /** The first of them. */
  readonly firstBehind?: readonly { readonly message: string; readonly delivery: string }[];
}

/** What an operator did with a message or one of its deliveries. */
export interface MessageAction {
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  /** The delivery; absent for an action at the message. */
  readonly delivery?: string;
}

/** A message with everything that is known of it but its payload. */
export interface MessageDetails extends KeptMessage {
  /** The values by which it is found, by field. */
  readonly fields: Readonly<Record<string, string>>;
  /** Its deliveries, by subscription. */
  readonly subscribers: readonly KeptDelivery[];
  /** The messages that were published while it was delivered, the first {@link MOST_RELATED} of them. */
  readonly caused: readonly string[];
  /** Its edited copies, likewise. */
  readonly editedBy: readonly string[];
  /** The oldest first. */
  readonly actions: readonly MessageAction[];
}

/** The payload of a message. */
export interface MessagePayload {
  readonly id: string;
  /**
   * By the name of the part. Secret values are masked. Of a message `request` is what was published, `reply` what it was answered
   * with, `sent.ERP` the input of the call of the subscription ERP, by its definitions as they are now, `reply.ERP` and
   * `fault.ERP` what its target has replied later. Of a call `call` has the facts of the exchange with its headers, `request` and
   * `reply` its payloads.
   */
  readonly parts: Readonly<Record<string, JsonValue>>;
}

/** The most related messages that are named. */
const MOST_RELATED = 100;
/** The most deliveries that are counted behind one. */
const MOST_BEHIND = 10_000;
/** Those of them that are named. */
const MOST_FIRST = 10;

/** Reads messages for an operator. */
export interface MessageReader {
  /** @throws Fault NOT_FOUND for an unknown name, BAD_PARAMETER for a value that does not fit */
  list(filter: MessageFilter, range: MessageRange): Promise<MessagePage>;
  /** The number of messages that a filter finds, counted among the newest `most` that may be some. @throws as `list` */
  matches(filter: MessageFilter, most: number): Promise<MessageCount>;
  /** The errors of some messages: of each that of the last delivery that failed, but for those with a large payload. */
  errors(messages: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** A text that changes when messages enter, go on, fail or are acted on; cheap, and only as exact as a page that is refreshed. */
  news(): Promise<string>;
  /** @throws Fault NOT_FOUND */
  get(id: string): Promise<MessageDetails>;
  /** @throws Fault NOT_FOUND for an unknown message, and for one whose payload is not kept */
  payload(id: string): Promise<MessagePayload>;
  /** Queues, subscriptions and nodes that are held as a whole. */
  held(): Promise<readonly Held[]>;
  /** Nodes that were down when a gateway last tried a delivery to them, by the subscriptions that wait. */
  down(): Promise<readonly DownNode[]>;
}

export interface MessageReaderOptions {
  readonly registry: Registry;
  readonly tables: () => Promise<Db>;
  /** Of the scope of messages. */
  readonly blobs: ReadableBlobs | undefined;
  readonly redactor: Redactor;
}

/** Opens the messages of a database for reading. */
export function readMessages({ registry, tables, blobs, redactor }: MessageReaderOptions): MessageReader {
  const ports = { registry, blobs, redactor };
  return {
    matches: async (filter, most) => countRows(await tables(), ports, filter, most),
    errors: async (messages) => errorsOf(await tables(), ports, messages),
    news: async () => readNews(await tables()),
    async list(filter, range) {
      const db = await tables();
      const { rows, next } = await findRows(db, ports, filter, range);
      return {
        messages: await keptMessages(db, registry, rows, (text) => redactor.text(text)),
        ...given('next', next),
      };
    },
    async get(id) {
      const db = await tables();
      const row = await findMessage(db, id);
      const request = requestOf(registry, row.operation);
      const hide = await hidingOf(db, ports, row);
      const [kept] = await keptMessages(db, registry, [row], hide);
      const subscribers = await deliveriesOf(db, registry, row.id, hide);
      return {
        ...(kept as KeptMessage),
        fields: await searchedBy(db, request, row.id),
        subscribers,
        caused: await related(db, 'caused_by', row.id),
        editedBy: await related(db, 'edited_from', row.id),
        actions: await actionsAt(db, row.id, subscribers),
      };
    },
    held: async () => readHeld(await tables(), registry),
    down: async () => readDown(await tables()),
    async payload(id) {
      const db = await tables();
      const { id: message, operation, queue } = await findMessage(db, id);
      const parts = await showParts(db, ports, { id: message, operation, queue });
      if (Object.keys(parts).length === 0)
        throw Fault.of('NOT_FOUND', { what: `payload of message ${message}: it was not kept, or its time is past` });
      return { id: message, parts };
    },
  };
}

/** The row of a message. @throws Fault NOT_FOUND */
export async function findMessage(db: Db, id: string) {
  const wanted = id.toLowerCase();
  const row = UUID.test(wanted)
    ? await db.selectFrom('signalbox_message').selectAll().where('id', '=', wanted).executeTakeFirst()
    : undefined;
  if (row === undefined) throw Fault.of('NOT_FOUND', { what: `message ${id}` });
  return row;
}

/** What the payload of an operation's messages is; `undefined` when it is not defined any more. */
function requestOf({ operations }: Registry, operation: string): Message | undefined {
  return operations.get(operation)?.request;
}

/** The values by which a message is found. */
async function searchedBy(
  db: Db,
  request: Message | undefined,
  message: string,
): Promise<Readonly<Record<string, string>>> {
  const rows = await db
    .selectFrom('signalbox_message_field')
    .select(['name', 'value'])
    .where('message', '=', message)
    .orderBy('name')
    .execute();
  const open = new Set(fieldsOf(request).flatMap(({ name, sensitive }) => (sensitive ? [] : [name])));
  return Object.fromEntries(rows.map(({ name, value }) => [name, open.has(name) ? value : MASK]));
}

async function related(db: Db, column: 'caused_by' | 'edited_from', message: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('signalbox_message')
    .select('id')
    .where(column, '=', message)
    .orderBy('id')
    .limit(MOST_RELATED)
    .execute();
  return rows.map(({ id }) => id);
}

/** The lines of the trail about a message. */
async function actionsAt(
  db: Db,
  message: string,
  deliveries: readonly KeptDelivery[],
): Promise<readonly MessageAction[]> {
  const rows = await db
    .selectFrom('signalbox_job_audit')
    .select(['at', 'actor', 'action', 'job'])
    .where('job', 'in', [message, ...deliveries.map(({ id }) => id)])
    .orderBy('at')
    .orderBy('id')
    .execute();
  return rows.map(({ at, actor, action, job }) => ({
    at,
    actor,
    action,
    ...(job === message ? {} : given('delivery', job)),
  }));
}

/** A delivery with what is known of its job. */
interface DeliveryRow {
  readonly id: string;
  readonly subscription: string;
  readonly partition: string | null;
  readonly status: MessageStatus;
  readonly entered: number | string;
  readonly ended: number | string | null;
  readonly next: number | string | null;
  readonly reason: string | null;
  readonly actor: string | null;
  readonly attempts: number;
  readonly mark: unknown;
  readonly started: number | string | null;
  readonly gateway: string | null;
  readonly replied: number | string | null;
}

async function deliveriesOf(
  db: Db,
  registry: Registry,
  message: string,
  hide: (text: string) => string,
): Promise<readonly KeptDelivery[]> {
  const { rows } = await sql<DeliveryRow>`
    select d.id, d.subscription, d.partition, d.status, d.entered, d.ended, d.next, d.reason, d.actor, d.attempts,
      j.mark, j.started, j.gateway,
      (select max(a.replied) from signalbox_reply_address a where a.delivery = d.id) as replied
    from signalbox_delivery d left join signalbox_job j on j.queue = d.subscription and j.id = d.id
    where d.message = ${message} order by d.subscription, d.id`.execute(db);
  const tried = await triesOf(
    db,
    rows.map(({ id }) => id),
    hide,
  );
  const found: KeptDelivery[] = [];
  for (const row of rows) {
    const isRunning = row.mark !== null;
    const status = runningStatus(row.status, isRunning);
    const running = {
      attempt: Number(row.attempts) + 1,
      ...given('gateway', row.gateway),
      ...timed('began', row.started),
    };
    found.push({
      ...{ id: row.id, subscription: row.subscription },
      ...given('target', targetOf(registry, row.subscription)),
      ...{ status, entered: timeOf(row.entered) },
      ...(status === 'Retry' ? timed('next', row.next) : {}),
      ...(status === 'Working' ? timed('until', row.next) : {}),
      ...timed('replied', row.replied),
      ...timed('ended', row.ended),
      ...given('reason', row.reason === null ? null : hide(row.reason)),
      ...given('actor', row.actor),
      tried: [...(tried.get(row.id) ?? []), ...(isRunning ? [running] : [])],
      ...(row.partition === null || row.ended !== null ? {} : await placeOf(db, row, status)),
    });
  }
  return found;
}

/** What a delivery says about its place in the order. */
async function placeOf(
  db: Db,
  { id, subscription, partition }: DeliveryRow,
  status: MessageStatus,
): Promise<Pick<KeptDelivery, 'waitsFor' | 'behind' | 'firstBehind'>> {
  if (status === 'New') {
    const { rows } = await sql<{ readonly id: string; readonly message: string; readonly status: MessageStatus }>`
      select id, message, status from signalbox_delivery
      where status in ('Hold', 'Retry', 'Working') and subscription = ${subscription} and partition = ${partition} and id <> ${id}
      order by message limit 1`.execute(db);
    const [first] = rows;
    return first === undefined
      ? {}
      : { waitsFor: { message: first.message, delivery: first.id, status: first.status } };
  }
  if (status !== 'Hold' && status !== 'Retry' && status !== 'Working') return {};
  const { rows } = await sql<{ readonly behind: number | string }>`
    select count(*) as behind from (
      select 1 from signalbox_job where queue = ${subscription} and key = ${partition} and place = 1 limit ${MOST_BEHIND}
    ) waiting`.execute(db);
  const behind = Number(rows[0]?.behind ?? 0);
  if (behind === 0) return { behind };
  const { rows: firstBehind } = await sql<{ readonly message: string; readonly delivery: string }>`
    select d.message, d.id as delivery from signalbox_job j join signalbox_delivery d on d.id = j.id
    where j.queue = ${subscription} and j.key = ${partition} and j.place = 1
    order by j.sequence limit ${MOST_FIRST}`.execute(db);
  return { behind, firstBehind };
}

async function triesOf(
  db: Db,
  deliveries: readonly string[],
  hide: (text: string) => string,
): Promise<ReadonlyMap<string, readonly KeptTry[]>> {
  const found = new Map<string, KeptTry[]>();
  if (deliveries.length === 0) return found;
  const rows = await db
    .selectFrom('signalbox_delivery_attempt')
    .selectAll()
    .where('delivery', 'in', deliveries)
    .orderBy('delivery')
    .orderBy('number')
    .execute();
  for (const { delivery, number, gateway, began, ended, code, reason } of rows) {
    const one: KeptTry = {
      ...{ attempt: Number(number), gateway, began: timeOf(began), ended: timeOf(ended) },
      ...given('code', code),
      ...(reason === null ? {} : readOutcome(hide(reason))),
    };
    found.set(delivery, [...(found.get(delivery) ?? []), one]);
  }
  return found;
}

/** What a subscription delivers to, in words. */
function targetOf({ subscriptions }: Registry, id: string): string | undefined {
  const target = subscriptions.get(id)?.target;
  if (target === undefined) return undefined;
  if (target.kind === 'handler') return `handler ${target.file}`;
  const nodes = nodesOf({ target }).map((node) => node.id);
  return `${target.kind === 'caller' ? 'the caller' : target.call.id} at ${nodes.join(', ')}`;
}

function timeOf(time: number | string): string {
  return new Date(Number(time)).toISOString();
}

function timed<K extends string>(name: K, time: number | string | null): { readonly [key in K]?: string } {
  return given(name, time === null ? null : timeOf(time));
}
