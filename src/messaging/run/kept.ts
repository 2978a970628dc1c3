import { sql } from 'kysely';
import { fieldsOf } from '../../codec/redact/declared.ts';
import { MESSAGE_STATUSES, type MessageStatus } from '../../model/message.ts';
import { MASK } from '../../model/redactor.ts';
import type { Registry } from '../../model/registry.ts';
import type { Db } from '../../store/index.ts';
import type { MessageRow } from './store.ts';

/** A message as an operator sees it. Times are UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`; members without a value are absent. */
export interface KeptMessage {
  readonly id: string;
  readonly operation: string;
  /** Absent for the record of a call. */
  readonly queue?: string;
  /** The values that its order is kept by, as a JSON array. */
  readonly partition?: string;
  /** The node that was called. */
  readonly node?: string;
  readonly status: MessageStatus;
  readonly entered: string;
  readonly ended?: string;
  readonly user?: string;
  readonly connector: string;
  readonly requestId: string;
  readonly trace?: string;
  readonly causedBy?: string;
  readonly editedFrom?: string;
  /** Bytes of its payload. */
  readonly size: number;
  /** The status code of a recorded call. */
  readonly code?: number;
  readonly reason?: string;
  /** The number of its deliveries, by status. */
  readonly deliveries: Readonly<Partial<Record<MessageStatus, number>>>;
}

export interface MessagePage {
  /** The newest first. May be fewer than the limit although more follow. */
  readonly messages: readonly KeptMessage[];
  /** For the part after it; absent at the end. */
  readonly next?: string;
}

/** The rows as operators see them. */
export async function keptMessages(
  db: Db,
  registry: Registry,
  rows: readonly MessageRow[],
  hide: (text: string) => string,
): Promise<readonly KeptMessage[]> {
  const statuses = await deliveryStatuses(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => keptMessage(registry, row, statuses.get(row.id) ?? [], hide));
}

/** Maximum number of ids in a statement. */
const MOST_IDS = 500;

/** The statuses of the deliveries of messages: `Started` for those of which an attempt runs. */
async function deliveryStatuses(
  db: Db,
  messages: readonly string[],
): Promise<ReadonlyMap<string, readonly MessageStatus[]>> {
  const found = new Map<string, MessageStatus[]>();
  for (let from = 0; from < messages.length; from += MOST_IDS) {
    const { rows } = await sql<{ readonly message: string; readonly status: MessageStatus; readonly mark: unknown }>`
      select d.message, d.status, (select j.mark from signalbox_job j where j.queue = d.subscription and j.id = d.id) as mark
      from signalbox_delivery d where d.message in (${sql.join(messages.slice(from, from + MOST_IDS))})`.execute(db);
    for (const { message, status, mark } of rows)
      found.set(message, [...(found.get(message) ?? []), runningStatus(status, mark !== null)]);
  }
  return found;
}

/** `Started` for a delivery that waits by its row while an attempt at it runs. */
export function runningStatus(status: MessageStatus, isRunning: boolean): MessageStatus {
  return isRunning && (status === 'New' || status === 'Retry') ? 'Started' : status;
}

function keptMessage(
  registry: Registry,
  row: MessageRow,
  statuses: readonly MessageStatus[],
  hide: (text: string) => string,
): KeptMessage {
  const deliveries: Partial<Record<MessageStatus, number>> = {};
  for (const status of MESSAGE_STATUSES) {
    const count = statuses.filter((each) => each === status).length;
    if (count > 0) deliveries[status] = count;
  }
  const { id, operation, queue, partition, node, actor, connector, trace, code, reason } = row;
  return {
    ...{ id, operation },
    ...given('queue', queue),
    ...given('partition', partition === null ? null : shownPartition(registry, operation, partition)),
    ...given('node', node),
    status: messageStatus(row.status as MessageStatus, statuses),
    entered: new Date(Number(row.entered)).toISOString(),
    ...given('ended', row.ended === null ? null : new Date(Number(row.ended)).toISOString()),
    ...given('user', actor),
    ...{ connector, requestId: row.request_id },
    ...given('trace', trace),
    ...given('causedBy', row.caused_by),
    ...given('editedFrom', row.edited_from),
    size: Number(row.size),
    ...given('code', code),
    ...given('reason', reason === null ? null : hide(reason)),
    deliveries,
  };
}

/** The member of an object; none for null. */
export function given<K extends string, T>(name: K, value: T | null | undefined): { readonly [key in K]?: T } {
  return (value === null || value === undefined ? {} : { [name]: value }) as { readonly [key in K]?: T };
}

/** Statuses of deliveries that decide that of their message, the worst first. */
const WORST = ['Error', 'Timeout', 'Hold', 'Retry'] as const;
const OPEN: readonly MessageStatus[] = ['New', 'Started', 'Working'];

/** The status of a message: of what went wrong the worst, else `Working` while one is open, else how they ended. */
export function messageStatus(own: MessageStatus, deliveries: readonly MessageStatus[]): MessageStatus {
  if (deliveries.length === 0) return own;
  const worst = WORST.find((each) => deliveries.includes(each));
  if (worst !== undefined) return worst;
  if (deliveries.some((each) => OPEN.includes(each)))
    return deliveries.every((each) => each === 'New') ? 'New' : 'Working';
  return (['Cancelled', 'Edited'] as const).find((each) => deliveries.includes(each)) ?? 'Done';
}

/** A partition without the values of sensitive fields; all of it is one where its operation or queue is not defined any more. */
export function shownPartition(registry: Registry, id: string, partition: string): string {
  if (partition === '*') return partition;
  const operation = registry.operations.get(id);
  const order = operation?.answer.kind === 'queue' ? operation.answer.queue.order : undefined;
  if (operation === undefined || order === undefined || order === 'all') return MASK;
  const fields = fieldsOf(operation.request);
  const open = order.every((name) => fields.some((field) => field.name === name && !field.sensitive));
  return open ? partition : MASK;
}
