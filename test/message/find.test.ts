import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import type { MessageFilter } from '../../src/messaging/run/condition.ts';
import { messageStatus } from '../../src/messaging/run/kept.ts';
import { readMessages } from '../../src/messaging/run/show.ts';
import type { Store } from '../../src/store/index.ts';
import { describeEngines } from '../store/engines.ts';
import { NOON, registry, write } from './rows.ts';

const readerOf = (store: Store) =>
  readMessages({ registry, tables: () => store.tables(), blobs: undefined, redactor: createRedactor() });

const MINUTE = 60_000;

describeEngines('messages of a queue', ({ place }) => {
  it('are listed from the newest on, in parts', async () => {
    const store = await (await place()).migrated();
    const messages = readerOf(store);
    const written = await write(
      store,
      Array.from({ length: 7 }, () => ({})),
    );
    const ids = written.map(({ id }) => id).toReversed();
    const first = await messages.list({}, { limit: 3 });
    expect(first.messages.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    const second = await messages.list({}, { limit: 3, after: first.next ?? '' });
    const third = await messages.list({}, { limit: 3, after: second.next ?? '' });
    expect([...second.messages, ...third.messages].map(({ id }) => id)).toEqual(ids.slice(3));
    expect(third.next).toBeUndefined();
    await expect(messages.list({}, { limit: 3, after: 'here' })).rejects.toThrow(
      'After is not the end of a part of this list; repeat the text that came with that part.',
    );
  });

  it('are found by a delivery in some status: of the subscription, or to the node, if one is given', async () => {
    const store = await (await place()).migrated();
    const messages = readerOf(store);
    const [first, second, third] = await write(store, [
      { deliveries: { TO_ERP: 'Error', TO_CACHE: 'Done' } },
      { deliveries: { TO_ERP: 'Done', TO_CACHE: 'Error' } },
      { deliveries: { TO_ERP: 'New', TO_CACHE: 'Done' } },
      { operation: 'ERP_PUT', queue: null, status: 'Error', more: { node: 'ERP', code: 503 } },
    ]);
    const found = async (filter: MessageFilter) =>
      (await messages.list(filter, { limit: 10 })).messages.map(({ id }) => id);
    expect(await found({ deliveryIn: ['Error'] })).toEqual([second?.id, first?.id]);
    expect(await found({ deliveryIn: ['Error'], node: 'ERP' })).toEqual([first?.id]);
    expect(await found({ deliveryIn: ['New', 'Error'], node: 'ERP' })).toEqual([third?.id, first?.id]);
    expect(await found({ deliveryIn: ['Error'], subscription: 'TO_CACHE' })).toEqual([second?.id]);
    expect(await found({ deliveryIn: ['Error'], subscription: 'TO_CACHE', node: 'ERP' })).toEqual([]);
  });

  it('that are records of calls are found by how they ended, and by operation and node', async () => {
    const store = await (await place()).migrated();
    const messages = readerOf(store);
    const call = { operation: 'ERP_PUT', queue: null, more: { node: 'ERP' } } as const;
    const [failed, done, served] = await write(store, [
      { ...call, status: 'Error' },
      { ...call, status: 'Done' },
      { operation: 'PLAIN', queue: null, status: 'Error' },
      { operation: 'PLAIN', queue: 'PLAIN_EVENTS', status: 'Error', deliveries: { PLAIN_CACHE: 'Error' } },
    ]);
    const found = async (filter: MessageFilter) =>
      (await messages.list({ kind: 'call', ...filter }, { limit: 10 })).messages.map(({ id }) => id);
    expect(await found({ status: 'Error' })).toEqual([served?.id, failed?.id]);
    expect(await found({ status: 'Error', node: 'ERP' })).toEqual([failed?.id]);
    expect(await found({ status: 'Timeout', node: 'ERP' })).toEqual([]);
    expect(await found({ operation: 'ERP_PUT' })).toEqual([done?.id, failed?.id]);
    expect(await found({ operation: 'PLAIN' })).toEqual([served?.id]);
    expect(await found({ operation: 'PLAIN', status: 'Error' })).toEqual([served?.id]);
  });

  it('are found by operation, queue, subscription, node, user, trace, time, status and fields, and by all of these', async () => {
    const store = await (await place()).migrated();
    const messages = readerOf(store);
    const trace = 'a'.repeat(32);
    const [first, second, third, fourth, fifth] = await write(store, [
      { fields: { LOCATION: 'NYC01', WEIGHT: '1.5' }, deliveries: { TO_ERP: 'Done', TO_CACHE: 'Done' } },
      { fields: { LOCATION: 'NYC01' }, deliveries: { TO_ERP: 'Hold', TO_CACHE: 'Done' }, more: { trace } },
      { operation: 'LOCATION_GONE', status: 'Done', at: NOON + MINUTE, more: { actor: 'guest' } },
      { operation: 'PLAIN', queue: 'PLAIN_EVENTS', at: NOON + 2 * MINUTE, deliveries: { PLAIN_CACHE: 'Error' } },
      { operation: 'ERP_PUT', queue: null, status: 'Error', at: NOON + 3 * MINUTE, more: { node: 'ERP', code: 503 } },
    ]);
    const found = async (filter: MessageFilter) =>
      (await messages.list(filter, { limit: 10 })).messages.map(({ id }) => id);
    const fields = (entries: Record<string, string>) => ({ fields: new Map(Object.entries(entries)) });
    expect(await found({ operation: 'LOCATION_GONE' })).toEqual([third?.id]);
    expect(await found({ operation: 'ERP_PUT' })).toEqual([fifth?.id]);
    expect(await found({ queue: 'LOCATION_EVENTS' })).toEqual([third?.id, second?.id, first?.id]);
    expect(await found({ subscription: 'PLAIN_CACHE' })).toEqual([fourth?.id]);
    expect(await found({ node: 'ERP' })).toEqual([fifth?.id, second?.id, first?.id]);
    expect(await found({ user: 'guest' })).toEqual([third?.id]);
    expect(await found({ trace })).toEqual([second?.id]);
    expect(await found({ since: new Date(NOON + 2 * MINUTE) })).toEqual([fifth?.id, fourth?.id]);
    expect(await found({ since: new Date(NOON + 1), until: new Date(NOON + 2 * MINUTE) })).toEqual([third?.id]);
    expect(await found({ status: 'Error' })).toEqual([fifth?.id, fourth?.id]);
    expect(await found({ status: 'Hold' })).toEqual([second?.id]);
    expect(await found({ status: 'Done' })).toEqual([third?.id, second?.id, first?.id]);
    expect(await found({ status: 'Started' })).toEqual([]);
    expect(await found(fields({ LOCATION: 'NYC01' }))).toEqual([second?.id, first?.id]);
    expect(await found(fields({ WEIGHT: '1.5' }))).toEqual([first?.id]);
    expect(await found({ ...fields({ LOCATION: 'NYC01', WEIGHT: '1.5' }), queue: 'LOCATION_EVENTS' })).toEqual([
      first?.id,
    ]);
    expect(await found({ ...fields({ LOCATION: 'NYC01' }), status: 'Hold', node: 'ERP', user: 'demo' })).toEqual([
      second?.id,
    ]);
    expect(await found({ ...fields({ LOCATION: 'NYC01' }), operation: 'LOCATION_GONE' })).toEqual([]);
  });

  it('have the status of their deliveries', async () => {
    const store = await (await place()).migrated();
    await write(store, [{ deliveries: { TO_ERP: 'Retry', TO_CACHE: 'Done' }, partition: '["NYC01"]' }]);
    const { messages } = await readerOf(store).list({}, { limit: 1 });
    expect(messages).toEqual([
      {
        id: expect.any(String),
        ...{ operation: 'LOCATION_CHANGED', queue: 'LOCATION_EVENTS', partition: '["NYC01"]', status: 'Retry' },
        ...{
          entered: '2026-03-01T12:00:00.000Z',
          user: 'demo',
          connector: 'rest',
          requestId: expect.any(String),
          size: 2,
        },
        deliveries: { Done: 1, Retry: 1 },
      },
    ]);
  });

  it('that are few among very many are found in parts of a bounded number of entries', async () => {
    const store = await (await place()).migrated();
    const messages = readerOf(store);
    const [rare] = await write(store, [{ more: { actor: 'rare' } }]);
    await write(
      store,
      Array.from({ length: 22_000 }, () => ({})),
    );
    const first = await messages.list({ user: 'rare' }, { limit: 5 });
    expect(first).toEqual({ messages: [], next: expect.any(String) });
    const second = await messages.list({ user: 'rare' }, { limit: 5, after: first.next ?? '' });
    expect(second.messages.map(({ id }) => id)).toEqual([rare?.id]);
    expect(second.next).toBeUndefined();
  });

  it('are not looked for by what does not exist', async () => {
    const store = await (await place()).migrated();
    const messages = readerOf(store);
    const refused = async (filter: MessageFilter): Promise<string> =>
      messages.list(filter, { limit: 1 }).then(
        () => 'found',
        (error: Error) => error.message,
      );
    const field = (name: string, text: string) => ({ fields: new Map([[name, text]]) });
    expect([
      await refused({ operation: 'LOCATION_CHANGE' }),
      await refused({ queue: 'EVENTS' }),
      await refused({ subscription: 'ERP' }),
      await refused({ node: 'SAP' }),
      await refused(field('PIN', '1')),
      await refused({ queue: 'PLAIN_EVENTS', ...field('LOCATION', 'NYC01') }),
      await refused(field('CODE', 'many')),
      await refused(field('WEIGHT', '1,5')),
    ]).toEqual([
      'There is no operation LOCATION_CHANGE.',
      'There is no queue EVENTS.',
      'There is no subscription ERP.',
      'There is no node SAP.',
      'Field PIN is not a field by which these messages are found; search fields: CODE, LOCATION, REGION, WEIGHT.',
      'Field LOCATION is not a field by which these messages are found; search fields: CODE.',
      'Field CODE is not an integer.',
      'Field WEIGHT is not a decimal.',
    ]);
  });

  it('are found by what is remembered of them: ids, parts of names, values of search fields, and errors', async () => {
    const store = await (await place()).migrated();
    const messages = readerOf(store);
    const trace = 'b'.repeat(32);
    const [first, second, third, fourth] = await write(store, [
      {
        ...{ fields: { LOCATION: 'NYC01' }, deliveries: { TO_ERP: 'Error', TO_CACHE: 'Done' } },
        payload: '{"LOCATION":"NYC01","PIN":"s3cr3t"}',
      },
      { fields: { LOCATION: 'NYC02' }, deliveries: { TO_CACHE: 'Done' }, more: { trace, request_id: 'order-17' } },
      { operation: 'PLAIN', queue: 'PLAIN_EVENTS', fields: { CODE: '7' }, deliveries: { PLAIN_CACHE: 'Done' } },
      { operation: 'ERP_PUT', queue: null, status: 'Error', more: { node: 'ERP', reason: 'connect 100%_refused' } },
    ]);
    await store.transaction((tx) =>
      tx
        .updateTable('signalbox_delivery')
        .set({ reason: 'ERP says: s3cr3t is No Such PIN' })
        .where('status', '=', 'Error')
        .execute(),
    );
    const found = async (text: string) =>
      (await messages.list({ text }, { limit: 10 })).messages.map(({ id }) => id).toReversed();
    expect(await found(first?.id ?? '')).toEqual([first?.id]);
    expect(await found(first?.deliveries.TO_ERP?.toUpperCase() ?? '')).toEqual([first?.id]);
    expect(await found('order-17')).toEqual([second?.id]);
    expect(await found(trace)).toEqual([second?.id]);
    expect(await found('plain_ev')).toEqual([third?.id]);
    expect(await found('NYC02')).toEqual([second?.id]);
    expect(await found('7')).toEqual([third?.id]);
    expect(await found('no such pin')).toEqual([first?.id]);
    expect(await found('100%_REF')).toEqual([fourth?.id]);
    expect(await found('100_')).toEqual([]);
    expect(await found('ERP')).toEqual([first?.id, fourth?.id]);
    // What an error repeats of the payload's secrets is not found, as it is not shown.
    expect(await found('s3cr')).toEqual([]);
    expect([...(await messages.errors([first?.id ?? '', second?.id ?? '']))]).toEqual([
      [first?.id, 'ERP says: *** is No Such PIN'],
    ]);
    expect((await messages.list({ request: 'order-17' }, { limit: 10 })).messages).toHaveLength(1);
    expect((await messages.list({ request: 'order' }, { limit: 10 })).messages).toEqual([]);
  });

  it('are counted as far as it is cheap', async () => {
    const store = await (await place()).migrated();
    const messages = readerOf(store);
    expect(await messages.matches({ kind: 'message' }, 10)).toEqual({ count: 0, isLeast: false });
    expect((await messages.list({ kind: 'message' }, { limit: 3 })).messages).toEqual([]);
    await write(
      store,
      Array.from({ length: 12 }, (_, n) => ({
        deliveries: { TO_ERP: n % 2 === 0 ? 'Error' : 'Done', TO_CACHE: 'Error' },
      })),
    );
    expect(await messages.matches({}, 12)).toEqual({ count: 12, isLeast: false });
    expect(await messages.matches({}, 11)).toEqual({ count: 11, isLeast: true });
    expect(await messages.matches({ status: 'Error' }, 50)).toEqual({ count: 12, isLeast: false });
    expect(await messages.matches({ status: 'Error', user: 'nobody' }, 50)).toEqual({ count: 0, isLeast: false });
  });

  it('have news when one enters, and when a delivery goes on', async () => {
    const store = await (await place()).migrated();
    const messages = readerOf(store);
    const before = await messages.news();
    expect(await messages.news()).toBe(before);
    await write(store, [{ deliveries: { TO_ERP: 'New' } }]);
    const entered = await messages.news();
    expect(entered).not.toBe(before);
    await store.transaction((tx) => tx.updateTable('signalbox_delivery').set({ status: 'Retry' }).execute());
    expect(await messages.news()).not.toBe(entered);
  });
});

describe('the status of a message', () => {
  it.each([
    ['New', []],
    ['New', ['New', 'New']],
    ['Working', ['New', 'Started']],
    ['Working', ['Done', 'New']],
    ['Working', ['Cancelled', 'Working']],
    ['Retry', ['Retry', 'New']],
    ['Hold', ['Retry', 'Hold', 'Done']],
    ['Timeout', ['Timeout', 'Hold']],
    ['Error', ['Error', 'Timeout', 'New']],
    ['Cancelled', ['Cancelled', 'Done', 'Edited']],
    ['Edited', ['Edited', 'Done']],
    ['Done', ['Done', 'Done']],
  ] as const)('is %s when those of its deliveries are %j', (status, deliveries) => {
    expect(messageStatus('New', deliveries)).toBe(status);
  });
});
