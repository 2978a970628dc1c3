import type { MessageStatus } from '../../src/model/message.ts';
import type { Store, Tables } from '../../src/store/index.ts';
import { load } from '../load/linked.ts';

/** Definitions of messages, delivered to code and to another system. */
export const DEFINITIONS = `
node: ERP
base: http://127.0.0.1:9
---
document: LOCATION_CHANGE
fields:
  LOCATION: { type: string(10), required: true }
  REGION: { type: string(5) }
  WEIGHT: { type: decimal(8.2) }
  PIN: { type: text, sensitive: true }
  PHOTO: binary
---
queue: LOCATION_EVENTS
order: [LOCATION]
search: [LOCATION, REGION, WEIGHT]
---
queue: PLAIN_EVENTS
search: [CODE]
---
service: LocationEvents.v1
public: true
operations:
  LOCATION_CHANGED: { post: changed, request: LOCATION_CHANGE, queue: LOCATION_EVENTS }
  LOCATION_GONE: { post: gone, request: { fields: { LOCATION: { type: string(10), required: true } } }, queue: LOCATION_EVENTS }
  PLAIN: { post: plain, request: { fields: { CODE: integer } }, queue: PLAIN_EVENTS }
---
service: Erp.v1
public: true
target: ERP
operations:
  ERP_PUT: { put: "locations/{LOCATION}", request: { fields: { LOCATION: { type: string(10), required: true } } } }
---
{ subscription: TO_ERP, operation: LOCATION_CHANGED, call: ERP_PUT }
---
{ subscription: TO_CACHE, operation: LOCATION_CHANGED, handler: cache }
---
{ subscription: PLAIN_CACHE, operation: PLAIN, handler: plain }
`;

export const registry = load(DEFINITIONS);

type Message = Tables['signalbox_message'];

/** A message to write into the tables. */
export interface Written {
  readonly operation?: string;
  readonly queue?: string | null;
  readonly at?: number;
  readonly status?: MessageStatus;
  readonly partition?: string | null;
  readonly fields?: Readonly<Record<string, string>>;
  readonly payload?: string;
  /** Statuses by subscription. */
  readonly deliveries?: Readonly<Record<string, MessageStatus>>;
  readonly more?: Partial<Record<keyof Message, unknown>>;
}

/** A time long past, from which messages are written. */
export const NOON = Date.parse('2026-03-01T12:00:00Z');

let written = 0;

/** An id of a time, after all others of it. */
function idAt(time: number): string {
  const digits = time.toString(16).padStart(12, '0');
  const count = (written++).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-${count}`;
}

const ENDED: readonly MessageStatus[] = ['Done', 'Timeout', 'Edited', 'Error', 'Cancelled'];

/** Writes messages in one transaction, in their order. @returns their ids, and those of their deliveries by subscription */
export async function write(
  store: Store,
  messages: readonly Written[],
): Promise<readonly { readonly id: string; readonly deliveries: Readonly<Record<string, string>> }[]> {
  const all = messages.map((message) => {
    const at = message.at ?? NOON;
    const id = idAt(at);
    const own = Object.keys(message.deliveries ?? {}).map((subscription) => [subscription, idAt(at)] as const);
    return { message, at, id, deliveries: Object.fromEntries(own) };
  });
  await store.transaction(async (tx) => {
    for (let from = 0; from < all.length; from += 500) {
      const part = all.slice(from, from + 500);
      await tx
        .insertInto('signalbox_message')
        .values(
          part.map(({ message, at, id }) => {
            const {
              operation = 'LOCATION_CHANGED',
              queue = 'LOCATION_EVENTS',
              partition = null,
              deliveries = {},
            } = message;
            const statuses = Object.values(deliveries);
            return {
              ...{ id, operation, queue, partition, node: null, status: message.status ?? 'New', entered: at },
              ...{ ended: null, expires: null, actor: 'demo', declared: 1, connector: 'rest', request_id: `r-${id}` },
              ...{ trace: null, caused_by: null, edited_from: null, hops: 0, code: null, reason: null },
              open: statuses.filter((each) => !ENDED.includes(each)).length,
              size: (message.payload ?? '{}').length,
              ...message.more,
            } as never;
          }),
        )
        .execute();
      await tx
        .insertInto('signalbox_message_content')
        .values(
          part.map(({ message: { payload = '{}' }, id }) => ({
            ...{ message: id, part: 'request', encoding: 'plain', blob: null, size: payload.length },
            content: Buffer.from(payload),
          })),
        )
        .execute();
      const fields = part.flatMap(({ message, id }) =>
        Object.entries(message.fields ?? {}).map(([name, value]) => ({ name, value, message: id })),
      );
      if (fields.length > 0) await tx.insertInto('signalbox_message_field').values(fields).execute();
      const deliveries = part.flatMap(({ message, at, id, deliveries: ids }) =>
        Object.entries(message.deliveries ?? {}).map(([subscription, status]) => ({
          ...{
            id: ids[subscription] as string,
            message: id,
            subscription,
            partition: message.partition ?? null,
            status,
          },
          ...{
            attempts: 0,
            entered: at,
            ended: ENDED.includes(status) ? at : null,
            next: null,
            reason: null,
            actor: null,
          },
        })),
      );
      if (deliveries.length > 0) await tx.insertInto('signalbox_delivery').values(deliveries).execute();
    }
  });
  return all.map(({ id, deliveries }) => ({ id, deliveries }));
}
