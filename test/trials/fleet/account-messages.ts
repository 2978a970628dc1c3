import type { Account } from './account.ts';
import type { MessageLedger } from './ledger.ts';
import type { Taken } from './receiver.ts';

/** A message, from the gateway's own tables. */
export interface MessageRow {
  readonly id: string;
  readonly item: string;
  readonly status: string;
}

/** A delivery of a message. */
export interface DeliveryRow {
  readonly id: string;
  readonly item: string;
  readonly subscription: string;
  readonly status: string;
}

/** The messages in the database at the end. */
export interface HeldMessages {
  readonly messages: readonly MessageRow[];
  readonly deliveries: readonly DeliveryRow[];
  /** Those that code published with a number, by partition and number. */
  readonly published: readonly { readonly item: string; readonly part: string }[];
  /** Rows that code of subscriptions wrote, in the order of the writing. */
  readonly delivered: readonly { readonly subscription: string; readonly item: string }[];
}

/** The subscriptions of each kind of message. */
const SUBSCRIPTIONS = {
  ordered: { code: 'FLEET_ORDERED_CODE', remote: 'FLEET_ORDERED_CALL' },
  loose: { code: 'FLEET_LOOSE_CODE', remote: 'FLEET_LOOSE_HOOK' },
} as const;

export type MessageKind = keyof typeof SUBSCRIPTIONS;

/**
 * Each message that was accepted or committed exists once, and each of its deliveries is done: code has left one row, and the
 * receiver has taken it, with the id of the delivery however often. Messages with numbers got to both in the order of these.
 */
export function accountMessages(
  kind: MessageKind,
  { accepted, unknown }: MessageLedger,
  held: HeldMessages,
  taken: readonly Taken[],
): Account {
  const wrong: string[] = [];
  const { code, remote } = SUBSCRIPTIONS[kind];
  const deliveries = held.deliveries.filter(({ subscription }) => subscription === code || subscription === remote);
  const items = new Set(deliveries.map(({ item }) => item));
  const messages = Map.groupBy(
    held.messages.filter(({ item }) => items.has(item) || accepted.has(item) || unknown.has(item)),
    ({ item }) => item,
  );
  const committed = new Set(kind === 'ordered' ? held.published.map(({ item }) => item) : messages.keys());
  for (const [item, id] of accepted) {
    if (!committed.has(item)) wrong.push(`${kind} message ${item}: it was accepted, and does not exist`);
    else if (id !== undefined && !messages.get(item)?.some((message) => message.id === id))
      wrong.push(`${kind} message ${item}: its message ${id} is missing`);
  }
  for (const item of committed) if (!messages.has(item)) wrong.push(`${kind} message ${item}: it was not published`);
  for (const [item, its] of messages) {
    if (!committed.has(item)) wrong.push(`${kind} message ${item}: it was published without its commit`);
    if (its.length > 1) wrong.push(`${kind} message ${item}: it exists ${its.length} times`);
    const [{ status } = { status: 'missing' }] = its;
    if (status !== 'Done') wrong.push(`${kind} message ${item}: it is ${status}`);
  }
  const rows = held.delivered.filter(({ subscription }) => subscription === code).map(({ item }) => item);
  const requests = taken.filter(({ subscription }) => subscription === remote);
  const firsts = [...new Set(requests.map(({ item }) => item))];
  wrong.push(...differences(code, [...messages.keys()], rows));
  wrong.push(...differences(remote, [...messages.keys()], firsts));
  const ids = new Map(
    deliveries.filter(({ subscription }) => subscription === remote).map((each) => [each.item, each.id]),
  );
  for (const { item, id } of requests)
    if (ids.get(item) !== id) wrong.push(`${remote} ${item}: it came with the id ${id}, not with ${ids.get(item)}`);
  for (const { item, subscription, status } of deliveries)
    if (status !== 'Done') wrong.push(`${subscription} ${item}: the delivery is ${status}`);
  if (kind === 'ordered') {
    wrong.push(...disorders(code, held.published, [...new Set(rows)]));
    wrong.push(...disorders(remote, held.published, firsts));
  }
  return {
    kind: `${kind} messages`,
    accepted: accepted.size,
    unknown: unknown.size,
    happened: [...unknown].filter((item) => messages.has(item)).length,
    done: [...messages.values()].filter(([message]) => message?.status === 'Done').length,
    cancelled: 0,
    died: 0,
    wrong,
  };
}

/** The items that did not arrive exactly once. */
function differences(subscription: string, expected: readonly string[], found: readonly string[]): string[] {
  const counts = new Map(expected.map((item) => [item, 0]));
  const strange = new Set<string>();
  for (const item of found) {
    const count = counts.get(item);
    if (count === undefined) strange.add(item);
    else counts.set(item, count + 1);
  }
  const odd = [...counts].filter(([, count]) => count !== 1);
  return [
    ...odd.map(([item, count]) => `${subscription} ${item}: it arrived ${count} times`),
    ...[...strange].map((item) => `${subscription} ${item}: no message has it`),
  ];
}

/** The partitions whose messages did not arrive in the order of their numbers, each with the first that is out of place. */
function disorders(subscription: string, published: HeldMessages['published'], arrived: readonly string[]): string[] {
  const partOf = new Map(published.map(({ item, part }) => [item, part]));
  const byPart = Map.groupBy(arrived, (item) => partOf.get(item));
  return [...Map.groupBy(published, ({ part }) => part)].flatMap(([part, its]) => {
    const found = byPart.get(part) ?? [];
    const known = new Set(found);
    // What did not arrive at all is reported already.
    const expected = its.filter(({ item }) => known.has(item)).map(({ item }) => item);
    const at = expected.findIndex((item, index) => found[index] !== item);
    if (at < 0) return [];
    return [`${subscription} partition ${part}: ${found[at]} arrived where ${expected[at]} was next`];
  });
}
