import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { retainedMessages } from '../../src/messaging/run/open.ts';
import type { Db } from '../../src/store/index.ts';
import { hasPostgres } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';
import { openBeside, operatedFiles, startOperated } from './operated.ts';

const FILES = operatedFiles(`queue: PLACE_EVENTS
---
service: Places.v1
permission: EVERYTHING
operations:
  PLACE_CHANGED: { post: changed, request: { fields: { PLACE: { type: string(10), required: true } } }, queue: PLACE_EVENTS }
---
{ subscription: TO_ERP, operation: PLACE_CHANGED, call: ERP_PUT, retry: { attempts: 1 } }
`);

async function start() {
  const box = await startOperated('postgres', FILES);
  const beside = await openBeside(box);
  const waits = async (): Promise<boolean> => {
    const [{ n }] = (await box.rows(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )) as [{ n: number }];
    return n > 0;
  };
  /** Changes something, and commits only once other work that meets it waits for that, or has ended. */
  const meanwhile = async <T>(change: (tx: Db) => Promise<unknown>, other: () => Promise<T>): Promise<T> => {
    let met: Promise<T> | undefined;
    await beside.store.transaction(async (tx) => {
      await change(tx);
      let ended = false;
      const end = (): void => {
        ended = true;
      };
      met = other();
      met.then(end, end);
      await eventually('other work that meets it', async () => ended || (await waits()) || undefined);
    });
    return met as Promise<T>;
  };
  return { ...box, ...beside, meanwhile };
}

// SQLite has one transaction at a time.
describe.skipIf(!hasPostgres)('what an operator does while something else happens', () => {
  it('is no cancellation when the delivery ends first', async () => {
    const { publish, messages, meanwhile } = await start();
    await messages.hold({ kind: 'subscription', id: 'TO_ERP' }, 'me');
    await pause(1200);
    const id = await publish('Places.v1/changed', { PLACE: 'A' });
    const ended = async (tx: Db) => {
      await tx.deleteFrom('signalbox_job').where('queue', '=', 'TO_ERP').execute();
      await tx.updateTable('signalbox_delivery').set({ status: 'Done', ended: 1 }).where('message', '=', id).execute();
    };
    const { done, refused } = await meanwhile(ended, () => messages.act('cancel', id, 'me'));
    expect(done).toEqual([]);
    expect(refused).toMatchObject([{ message: id, reason: 'is Done already' }]);
    expect((await messages.get(id)).actions).toEqual([]);
  });

  it('keeps a message from its removal that is sent again', async () => {
    const { publish, messages, meanwhile, rows, erp, deliveries, store, blobs } = await start();
    erp.status = () => 400;
    const id = await publish('Places.v1/changed', { PLACE: 'A' });
    await deliveries('TO_ERP', 'Error');
    await rows('update signalbox_message set expires = 1');
    const { remove } = retainedMessages(blobs.scope('messages'), 'postgres');
    const batch = { before: new Date().toISOString(), most: 10, cursor: null };
    const reopened = (tx: Db) =>
      tx.updateTable('signalbox_message').set({ expires: null }).where('id', '=', id).execute();
    const { count } = await meanwhile(reopened, () => store.transaction((tx) => remove(tx, batch)));
    expect(count).toBe(0);
    expect((await messages.payload(id)).parts.request).toEqual({ PLACE: 'A' });
  });

  it('sends nothing again that is removed first', async () => {
    const { publish, messages, meanwhile, rows, erp, deliveries, blobs } = await start();
    erp.status = () => 400;
    const id = await publish('Places.v1/changed', { PLACE: 'A' });
    await deliveries('TO_ERP', 'Error');
    await rows('update signalbox_message set expires = 1');
    const { remove } = retainedMessages(blobs.scope('messages'), 'postgres');
    const batch = { before: new Date().toISOString(), most: 10, cursor: null };
    const { done, refused } = await meanwhile(
      (tx) => remove(tx, batch),
      () => messages.act('resubmit', id, 'me'),
    );
    expect(done).toEqual([]);
    expect(refused).toMatchObject([{ message: id, reason: 'its payload was not kept, or its time is past' }]);
    expect(await rows('select id from signalbox_job')).toEqual([]);
  });
});
