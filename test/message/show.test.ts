import { expect, it } from 'vitest';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { readMessages } from '../../src/messaging/run/show.ts';
import { openQueue, type Store } from '../../src/store/index.ts';
import { describeEngines } from '../store/engines.ts';
import { NOON, registry, write } from './rows.ts';

const readerOf = (store: Store, definitions = registry) =>
  readMessages({ registry: definitions, tables: () => store.tables(), blobs: undefined, redactor: createRedactor() });

const PAYLOAD = JSON.stringify({
  ...{ LOCATION: 'NYC01', REGION: 'N', PIN: 'c4n4ry', OLD: { SECRET: 'c4n4ry 2' } },
  PHOTO: Buffer.from('{"number":1,"contentType":"image/png","length":3}').toString('base64'),
});

describeEngines('a message', ({ place }) => {
  it('is shown with its deliveries, the attempts at each, and what it caused', async () => {
    const store = await (await place()).migrated();
    const [one] = await write(store, [
      {
        ...{ partition: '["NYC01"]', fields: { LOCATION: 'NYC01' }, payload: PAYLOAD },
        deliveries: { TO_ERP: 'Retry', TO_CACHE: 'Error' },
      },
    ]);
    const { id, deliveries } = one ?? expect.fail();
    const [effect, copy] = await write(store, [{ more: { caused_by: id } }, { more: { edited_from: id } }]);
    const attempts = [
      {
        delivery: deliveries.TO_ERP,
        number: 1,
        began: NOON,
        ended: NOON + 40,
        gateway: 'one',
        code: 503,
        reason: 'ERP replied 503',
      },
      {
        delivery: deliveries.TO_CACHE,
        number: 1,
        began: NOON,
        ended: NOON + 2,
        gateway: 'two',
        code: null,
        reason: 'no c4n4ry',
      },
    ];
    await store.transaction(async (tx) => {
      await tx
        .insertInto('signalbox_delivery_attempt')
        .values(attempts as never)
        .execute();
      for (const [each, reason, next] of [
        [deliveries.TO_ERP, 'ERP replied 503', NOON + 1000],
        [deliveries.TO_CACHE, 'no c4n4ry', null],
      ] as const)
        await tx
          .updateTable('signalbox_delivery')
          .set({ reason, next, attempts: 1 })
          .where('id', '=', each as string)
          .execute();
    });
    const shown = await readerOf(store).get(id.toUpperCase());
    expect(shown).toMatchObject({
      id,
      status: 'Error',
      deliveries: { Retry: 1, Error: 1 },
      fields: { LOCATION: 'NYC01' },
    });
    expect(shown.caused).toEqual([effect?.id]);
    expect(shown.editedBy).toEqual([copy?.id]);
    expect(shown.actions).toEqual([]);
    expect(shown.subscribers).toEqual([
      {
        ...{
          id: deliveries.TO_CACHE,
          subscription: 'TO_CACHE',
          target: 'handler cache',
          status: 'Error',
          reason: 'no ***',
        },
        ...{ entered: '2026-03-01T12:00:00.000Z', ended: '2026-03-01T12:00:00.000Z' },
        tried: [
          {
            ...{ attempt: 1, gateway: 'two', began: '2026-03-01T12:00:00.000Z', ended: '2026-03-01T12:00:00.002Z' },
            reason: 'no ***',
          },
        ],
      },
      {
        ...{
          id: deliveries.TO_ERP,
          subscription: 'TO_ERP',
          target: 'ERP_PUT at ERP',
          status: 'Retry',
          reason: 'ERP replied 503',
        },
        ...{ entered: '2026-03-01T12:00:00.000Z', next: '2026-03-01T12:00:01.000Z', behind: 0 },
        tried: [
          {
            ...{ attempt: 1, gateway: 'one', began: '2026-03-01T12:00:00.000Z', ended: '2026-03-01T12:00:00.040Z' },
            ...{ code: 503, reason: 'ERP replied 503' },
          },
        ],
      },
    ]);
    expect(JSON.stringify(shown)).not.toContain('c4n4ry');
  });

  it('that waits in its partition names what it waits for, which counts those behind it', async () => {
    const store = await (await place()).migrated();
    const partition = '["NYC01"]';
    const [first, second, other] = await write(store, [
      { partition, deliveries: { TO_ERP: 'Hold' } },
      { partition, deliveries: { TO_ERP: 'New', TO_CACHE: 'New' } },
      { partition: '["BER01"]', deliveries: { TO_ERP: 'New' } },
    ]);
    const queue = await openQueue(store);
    const enter = (id: string | undefined) =>
      store.transaction((tx) => queue.send(tx, { queue: 'TO_ERP', id: id ?? '', key: partition, data: {} }));
    await enter(first?.deliveries.TO_ERP);
    await enter(second?.deliveries.TO_ERP);
    await queue.close();
    const messages = readerOf(store);
    const placeOf = async (id = '') =>
      (await messages.get(id)).subscribers.map(({ waitsFor, behind }) => ({ waitsFor, behind }));
    expect(await placeOf(first?.id)).toEqual([{ waitsFor: undefined, behind: 1 }]);
    expect(await placeOf(second?.id)).toEqual([
      { waitsFor: undefined, behind: undefined },
      { waitsFor: { message: first?.id, delivery: first?.deliveries.TO_ERP, status: 'Hold' }, behind: undefined },
    ]);
    expect(await placeOf(other?.id)).toEqual([{ waitsFor: undefined, behind: undefined }]);
  });

  it('has a payload without what is secret, and all of it is where its operation is not defined', async () => {
    const store = await (await place()).migrated();
    const [one, none] = await write(store, [{ payload: PAYLOAD }, {}]);
    expect(await readerOf(store).payload(one?.id ?? '')).toEqual({
      id: one?.id,
      parts: {
        request: {
          ...{ LOCATION: 'NYC01', REGION: 'N', PIN: '***', OLD: { SECRET: '***' } },
          PHOTO: { number: 1, contentType: 'image/png', length: 3 },
        },
      },
    });
    const other = readerOf(store, { ...registry, operations: new Map() });
    expect(await other.payload(one?.id ?? '')).toMatchObject({
      parts: { request: { LOCATION: '***', REGION: '***', PIN: '***', OLD: { SECRET: '***' } } },
    });
    await store.transaction((tx) =>
      tx
        .deleteFrom('signalbox_message_content')
        .where('message', '=', none?.id ?? '')
        .execute(),
    );
    await expect(readerOf(store).payload(none?.id ?? '')).rejects.toThrow(
      `There is no payload of message ${none?.id}: it was not kept, or its time is past.`,
    );
    await expect(readerOf(store).get('a0a0a0a0-0000-4000-8000-000000000000')).rejects.toThrow(
      'There is no message a0a0a0a0-0000-4000-8000-000000000000.',
    );
    await expect(readerOf(store).get("'")).rejects.toThrow("There is no message '.");
  });
});
