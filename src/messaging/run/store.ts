import { randomBytes } from 'node:crypto';
import { type Selectable, sql, type Updateable } from 'kysely';
import type { Blobs } from '../../model/blob.ts';
import type { MessageQueue, MessageStatus } from '../../model/message.ts';
import type { Db, Store, Tables } from '../../store/index.ts';
import type { DeliveryTable } from '../../store/tables/message.ts';
import { type Cause, causeFrom } from '../../trace/trace.ts';
import { type KeptContent, readContent } from './content.ts';

/** A message as its row has it. */
export type MessageRow = Selectable<Tables['signalbox_message']>;

let lastTime = 0;
let count = 0;

/**
 * A new UUID of version 7 (RFC 9562, section 5.7): its order is that of time, and within a process that of calls (section 6.2,
 * method 1: a counter of 12 bits).
 */
export function newId(now: number): string {
  const random = randomBytes(10);
  if (now > lastTime) {
    lastTime = now;
    count = random.readUInt16BE(8) & 0x7ff;
  } else if (++count > 0xfff) {
    lastTime += 1;
    count = 0;
  }
  return idOf(lastTime, count, random);
}

/** The same for a time that is past, to a 4,096th of a millisecond (method 3). @param at milliseconds since 1970 */
export function idAt(at: number): string {
  const time = Math.floor(at);
  return idOf(time, Math.floor((at - time) * 4096), randomBytes(8));
}

function idOf(at: number, ordinal: number, random: Buffer): string {
  const time = at.toString(16).padStart(12, '0');
  random[0] = (random[0]! & 0x3f) | 0x80;
  const rest = random.toString('hex', 0, 8);
  const counter = ordinal.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${rest.slice(0, 4)}-${rest.slice(4)}`;
}

/** A message to deliver. */
export interface StoredMessage extends KeptContent {
  readonly id: string;
  readonly operation: string;
  /** Milliseconds since 1970. */
  readonly entered: number;
  /** The user that published it; null for an anonymous caller. */
  readonly actor: string | null;
  readonly isDeclared: boolean;
  readonly requestId: string;
  readonly hops: number;
}

/**
 * Reads a message with its payload, as {@link readContent} does; `undefined` when it is not kept any more.
 * @throws errors of the database and of blobs
 */
export async function readMessage(db: Db, blobs: Blobs | undefined, id: string): Promise<StoredMessage | undefined> {
  const rows = await db
    .selectFrom('signalbox_message as m')
    .innerJoin('signalbox_message_content as c', 'c.message', 'm.id')
    .select(['m.operation', 'm.entered', 'm.actor', 'm.declared', 'm.request_id', 'm.hops'])
    .select(['c.message', 'c.part', 'c.encoding', 'c.content', 'c.blob', 'c.size'])
    .where('m.id', '=', id)
    .where(({ eb, or }) => or([eb('c.part', '=', REQUEST), eb('c.part', 'like', `${REQUEST}.%`)]))
    .execute();
  const kept = await readContent(rows, REQUEST, blobs);
  const [row] = rows;
  if (row === undefined || kept === undefined) return undefined;
  return {
    ...kept,
    id,
    operation: row.operation,
    entered: Number(row.entered),
    actor: row.actor,
    isDeclared: Number(row.declared) === 1,
    requestId: row.request_id,
    hops: Number(row.hops),
  };
}

/** What causes another delivery of a message: the message, in the trace in which it was entered. */
export async function causeOfMessage(db: Db, id: string): Promise<Cause> {
  const { request_id, trace, hops } = await db
    .selectFrom('signalbox_message')
    .select(['request_id', 'trace', 'hops'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return causeFrom({ requestId: request_id, traceId: trace, message: { id, hops: Number(hops) } });
}

/** The part of the content with the request. */
export const REQUEST = 'request';

/** The part with where the reply is sent. */
export const REPLY_TO = 'reply-to';

/** For how long messages are kept of which the subscription is not defined any more. */
export const UNDEFINED = { retention: { done: 30 * 86_400_000, failed: 90 * 86_400_000 } } as const;

/** The statuses that end a delivery. */
export type EndStatus = Extract<MessageStatus, 'Done' | 'Timeout' | 'Edited' | 'Error' | 'Cancelled'>;

/** The ends of deliveries from the best to the worst: a message has the worst of its deliveries. */
const RANKS: readonly EndStatus[] = ['Done', 'Edited', 'Cancelled', 'Timeout', 'Error'];

/** How a delivery ends. */
export interface DeliveryEnd {
  readonly delivery: string;
  readonly message: string;
  readonly status: EndStatus;
  readonly reason?: string | null;
  /** The operator that ended it. */
  readonly actor?: string;
  /** The attempt that ended it. */
  readonly attempt?: DeliveryAttempt | undefined;
}

/**
 * Ends a delivery, and with the last one its message, as part of a transaction. Call it last: it locks the row of the message.
 * @param now milliseconds since 1970
 * @param kind of the database; PostgreSQL does all of it in one statement
 * @returns false when it had ended before, or does not exist: then nothing has changed
 */
export async function endDelivery(
  tx: Db,
  end: DeliveryEnd,
  queue: Pick<MessageQueue, 'retention'>,
  now: number,
  kind: Store['kind'] = 'sqlite',
): Promise<boolean> {
  const { delivery, message, status, reason = null, actor, attempt } = end;
  const values = { status, ended: now, next: null, reason, ...(actor === undefined ? {} : { actor }) };
  const ofMessage = endOfMessage(status, queue, now);
  if (kind === 'postgres' && attempt !== undefined) {
    const { code = null, began, ended, gateway, reason: why } = attempt;
    const { numUpdatedRows } = await tx
      .with('d', (db) =>
        db
          .updateTable('signalbox_delivery')
          .set({ ...values, attempts: sql<number>`attempts + 1` })
          .where('id', '=', delivery)
          .where('ended', 'is', null)
          .returning(['id', 'attempts']),
      )
      .with('a', (db) =>
        db
          .insertInto('signalbox_delivery_attempt')
          .columns(['delivery', 'number', 'began', 'ended', 'gateway', 'code', 'reason'])
          .expression(
            db
              .selectFrom('d')
              .select(['id', 'attempts'])
              .select([
                sql<number>`${began}::bigint`.as('began'),
                sql<number>`${ended}::bigint`.as('ended'),
                sql<string>`${gateway}::text`.as('gateway'),
                sql<number | null>`${code}::integer`.as('code'),
                sql<string | null>`${why}::text`.as('reason'),
              ]),
          ),
      )
      .updateTable('signalbox_message')
      .set(ofMessage)
      .where('id', '=', message)
      .where(({ exists, selectFrom }) => exists(selectFrom('d').select('d.id')))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }
  if (!(await changeDelivery(tx, delivery, values, attempt))) return false;
  await tx.updateTable('signalbox_message').set(ofMessage).where('id', '=', message).execute();
  return true;
}

/** What the end of a delivery changes about its message: one statement, so that of two that end at once the second sees the first. */
function endOfMessage(status: EndStatus, { retention }: Pick<MessageQueue, 'retention'>, now: number) {
  const isLast = sql<boolean>`open <= 1`;
  const better = ['New', ...RANKS.slice(0, RANKS.indexOf(status))];
  const isDone = status === 'Done' ? sql`status in ('New', 'Done')` : sql`1 = 0`;
  const done = sql<string>`case when ${isLast} and status = 'New' then 'Done' else status end`;
  const worse = sql<string>`case when status in (${sql.join(better)}) then ${status} else status end`;
  return {
    open: sql<number>`open - 1`,
    status: status === 'Done' ? done : worse,
    ended: sql<number | null>`case when ${isLast} then ${sql.lit(now)} else ended end`,
    expires: sql<number | null>`case when not (${isLast}) then expires
      when ${isDone} then ${sql.lit(now + retention.done)} else ${sql.lit(now + retention.failed)} end`,
  };
}

/** An attempt at a delivery that has ended. Times in milliseconds since 1970. */
export interface DeliveryAttempt {
  readonly began: number;
  readonly ended: number;
  readonly gateway: string;
  /** The status code of the target's reply. */
  readonly code?: number | undefined;
  /** Why it failed; null for success. */
  readonly reason: string | null;
}

/** Attempts at a delivery that are kept when another has failed: the latest. */
export const MOST_ATTEMPTS = 200;

/**
 * Changes the state of a delivery that has not ended, and records the attempt that led to it.
 * @returns false when it has ended, or does not exist: then nothing has changed
 */
export async function changeDelivery(
  tx: Db,
  delivery: string,
  values: Updateable<DeliveryTable>,
  attempt: DeliveryAttempt | undefined,
): Promise<boolean> {
  const changed = await tx
    .updateTable('signalbox_delivery')
    .set({ ...values, ...(attempt === undefined ? {} : { attempts: sql<number>`attempts + 1` }) })
    .where('id', '=', delivery)
    .where('ended', 'is', null)
    .returning('attempts')
    .executeTakeFirst();
  if (changed === undefined) return false;
  if (attempt === undefined) return true;
  const { code = null, ...facts } = attempt;
  await tx
    .insertInto('signalbox_delivery_attempt')
    .values({ delivery, number: Number(changed.attempts), code, ...facts })
    .execute();
  const before = Number(changed.attempts) - MOST_ATTEMPTS;
  if (before > 0)
    await tx
      .deleteFrom('signalbox_delivery_attempt')
      .where('delivery', '=', delivery)
      .where('number', '<=', before)
      .execute();
  return true;
}

/** Opens a delivery again that had ended, and its message, as part of a transaction. @returns false when it had not ended */
export async function reopenDelivery(tx: Db, delivery: string, message: string, actor?: string): Promise<boolean> {
  // The row of the message is locked first, so that no other delivery ends meanwhile.
  await tx
    .updateTable('signalbox_message')
    .set({ open: sql`open + 1`, ended: null, expires: null })
    .where('id', '=', message)
    .execute();
  const { numUpdatedRows } = await tx
    .updateTable('signalbox_delivery')
    .set({ status: 'New', ended: null, next: null, reason: null, ...(actor === undefined ? {} : { actor }) })
    .where('id', '=', delivery)
    .where('ended', 'is not', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    await tx.updateTable('signalbox_message').set({ open: sql`open - 1` }).where('id', '=', message).execute();
    return false;
  }
  const rows = await tx
    .selectFrom('signalbox_delivery')
    .select('status')
    .where('message', '=', message)
    .where('ended', 'is not', null)
    .execute();
  const worst = Math.max(-1, ...rows.map(({ status }) => RANKS.indexOf(status as EndStatus)));
  // Those done count once the last has ended.
  await tx
    .updateTable('signalbox_message')
    .set({ status: worst > 0 ? RANKS[worst]! : 'New' })
    .where('id', '=', message)
    .execute();
  return true;
}
