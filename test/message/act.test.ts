import { describe, expect, it } from 'vitest';
import type { MessageControl } from '../../src/messaging/run/index.ts';
import { eventually } from '../support/project.ts';
import { type OperatedGateway, openBeside, operatedFiles, startOperated } from './operated.ts';
import { ENGINES, type EngineKind } from './project.ts';

const FILES = operatedFiles(
  `queue: PLACE_EVENTS
order: [PLACE]
search: [PLACE]
---
queue: LOOSE_EVENTS
---
document: PLACE_CHANGE
fields: { PLACE: { type: string(10), required: true }, N: integer, SECRET: { type: string, sensitive: true } }
---
service: Places.v1
permission: EVERYTHING
operations:
  PLACE_CHANGED: { post: changed, request: PLACE_CHANGE, queue: PLACE_EVENTS }
  LOOSE: { post: loose, request: { fields: { N: integer } }, queue: LOOSE_EVENTS }
---
{ subscription: TO_ERP, operation: PLACE_CHANGED, call: ERP_PUT, retry: { attempts: 1 } }
---
{ service: ErpLoose.v1, target: ERP, permission: EVERYTHING, operations: { ERP_LOOSE: { post: loose, request: { fields: { N: integer } } } } }
---
{ subscription: LOOSE_TO_ERP, operation: LOOSE, call: ERP_LOOSE, retry: { attempts: 1 } }
`,
  '{ fields: { PLACE: { type: string, required: true }, N: integer } }',
);

interface Box extends OperatedGateway {
  readonly messages: MessageControl;
}

/** A gateway, and beside it what a command of an operator opens. */
async function start(kind: EngineKind): Promise<Box> {
  const box = await startOperated(kind, FILES);
  return { ...box, ...(await openBeside(box)) };
}

const publish = (box: Box, PLACE: string, N: number): Promise<string> => box.publish('Places.v1/changed', { PLACE, N });

/** What arrived: the numbers at each place. */
const arrived = ({ erp }: Box): readonly (readonly unknown[])[] =>
  erp.taken.map(({ path, body }) => [path.slice(5), body.N]);

/** A message that failed and is held, with another of its partition that waits, and one of another partition that was delivered. */
async function heldUp(box: Box): Promise<readonly [first: string, second: string]> {
  box.erp.status = ({ body }) => (body.N === 1 ? 500 : 200);
  const first = await publish(box, 'A', 1);
  const second = await publish(box, 'A', 2);
  await publish(box, 'B', 3);
  await box.deliveries('TO_ERP', 'Hold');
  await box.deliveries('TO_ERP', 'Done');
  return [first, second];
}

/** A message that is not delivered although it has waited: gateways notice within a second what is held. */
async function waiting(box: Box): Promise<string> {
  let last = await publish(box, 'A', 1);
  return eventually('a message that waits', async () => {
    const { status, entered } = await box.messages.get(last);
    if (status === 'Done') last = await publish(box, 'A', 1);
    return status === 'New' && Date.now() - Date.parse(entered) > 300 ? last : undefined;
  });
}

describe.each(ENGINES)('an operator of messages on %s', (kind) => {
  it('sends a held delivery again, with its id and before those behind it', async () => {
    const box = await start(kind);
    const { messages } = box;
    const [first, second] = await heldUp(box);
    expect(await messages.get(first)).toMatchObject({
      status: 'Hold',
      subscribers: [{ behind: 1, tried: [{ code: 500 }] }],
    });
    expect((await messages.get(second)).subscribers).toMatchObject([{ waitsFor: { message: first, status: 'Hold' } }]);
    box.erp.status = () => 200;
    const { done, refused } = await messages.act('resubmit', first, 'night shift');
    expect([done, refused]).toEqual([
      [{ message: first, delivery: expect.any(String), subscription: 'TO_ERP', was: 'Hold' }],
      [],
    ]);
    await box.deliveries('TO_ERP', 'Done', 3);
    expect(arrived(box).filter(([place]) => place === 'A')).toEqual([
      ['A', 1],
      ['A', 1],
      ['A', 2],
    ]);
    const keys = box.erp.taken.filter(({ body }) => body.N === 1).map(({ headers }) => headers['idempotency-key']);
    expect(keys[1]).toBe(keys[0]);
    const shown = await messages.get(first);
    expect(shown).toMatchObject({ status: 'Done', actions: [{ actor: 'night shift', action: 'resubmit' }] });
    expect(shown.subscribers[0]?.tried.map(({ attempt, code }) => [attempt, code])).toEqual([
      [1, 500],
      [2, 200],
    ]);
    expect((await messages.act('resubmit', done[0]?.delivery ?? '', 'x')).refused).toMatchObject([
      { message: first, reason: 'is Done' },
    ]);
  });

  it('sends a dead letter again in the trace of its message, whose hops count on', async () => {
    const box = await start(kind);
    box.erp.status = () => 500;
    const id = await box.publish('Places.v1/loose', { N: 1 });
    await box.deliveries('LOOSE_TO_ERP', 'Error');
    box.erp.status = () => 200;
    await box.messages.act('resubmit', id, 'me');
    await box.deliveries('LOOSE_TO_ERP', 'Done');
    const sent = box.erp.taken.map(({ headers: { traceparent, tracestate } }) => [
      String(traceparent).split('-')[1],
      tracestate,
    ]);
    const { trace } = await box.messages.get(id);
    expect(sent).toEqual([
      [trace, 'signalbox=h:0'],
      [trace, 'signalbox=h:0'],
    ]);
  });

  it('cancels a held delivery, and its partition goes on', async () => {
    const box = await start(kind);
    const [first] = await heldUp(box);
    expect((await box.messages.act('cancel', first, 'me')).done).toHaveLength(1);
    await box.deliveries('TO_ERP', 'Done', 2);
    expect(await box.messages.get(first)).toMatchObject({
      status: 'Cancelled',
      subscribers: [{ status: 'Cancelled', reason: 'cancelled by an operator', actor: 'me' }],
    });
    expect(await box.messages.act('cancel', first, 'me')).toMatchObject({
      done: [],
      refused: [{ reason: 'has no delivery that is New or Working or Retry or Hold' }],
    });
  });

  it('cancels what waits and what has failed, and sends it again after all', async () => {
    const box = await start(kind);
    const [first, second] = await heldUp(box);
    await box.messages.act('cancel', second, 'me');
    await box.messages.act('cancel', first, 'me');
    expect(await box.messages.get(second)).toMatchObject({ status: 'Cancelled', ended: expect.any(String) });
    box.erp.status = () => 200;
    const [delivery] = (await box.messages.get(second)).subscribers;
    expect((await box.messages.act('resubmit', delivery?.id ?? '', 'me')).refused).toEqual([]);
    await box.deliveries('TO_ERP', 'Done', 2);
    expect(await box.messages.get(second)).toMatchObject({ status: 'Done' });
    expect(await box.messages.get(first)).toMatchObject({ status: 'Cancelled' });
  });

  it('sends many again until its operator goes away; the trail says how far it came', async () => {
    const box = await start(kind);
    box.erp.status = () => 500;
    await Promise.all(Array.from({ length: 60 }, (_, N) => box.publish('Places.v1/loose', { N })));
    await box.deliveries('LOOSE_TO_ERP', 'Error', 60);
    const filter = { subscription: 'LOOSE_TO_ERP', status: 'Error' } as const;
    box.erp.status = () => 200;
    const left = await box.messages.actOnMany(
      ...(['resubmit', filter, { most: 1000, seconds: 60, gone: AbortSignal.abort() }, 'me'] as const),
    );
    expect(left.done).toHaveLength(50);
    const range = { most: 1000, seconds: 60, gone: new AbortController().signal, after: left.next ?? '' };
    const rest = await box.messages.actOnMany('resubmit', filter, range, 'me');
    expect(rest.done).toHaveLength(10);
    expect(rest.next).toBeUndefined();
    const trail = await box.rows(
      'select action, queue, actor from signalbox_job_audit where job is null order by at, id',
    );
    expect(trail.map(({ action }) => action).toSorted()).toEqual([
      'resubmit many: begins',
      'resubmit many: begins',
      'resubmit many: complete, 10 done, 0 refused',
      'resubmit many: stopped, more are left, 50 done, 0 refused',
    ]);
    expect(trail[0]).toMatchObject({ queue: 'LOOSE_TO_ERP', actor: 'me' });
    await box.deliveries('LOOSE_TO_ERP', 'Done', 60);
  });

  it('sends all dead deliveries of a filter again, in steps, and refuses those without a payload', async () => {
    const box = await start(kind);
    box.erp.status = () => 500;
    const ids: string[] = [];
    for (const N of [1, 2, 3, 4, 5]) ids.push(await box.publish('Places.v1/loose', { N }));
    await box.deliveries('LOOSE_TO_ERP', 'Error', 5);
    await box.rows(`delete from signalbox_message_content where message = '${ids[2]}'`);
    box.erp.status = () => 200;
    const filter = { node: 'ERP', status: 'Error' } as const;
    expect(await box.messages.count('resubmit', filter, 100)).toBe(5);
    expect(await box.messages.count('resubmit', filter, 2)).toBe(2);
    const first = await box.messages.actAll('resubmit', filter, { most: 2 }, 'me');
    expect(first.done.map(({ message }) => message)).toEqual([ids[4], ids[3]]);
    const rest = await box.messages.actAll('resubmit', filter, { most: 100, after: first.next ?? '' }, 'me');
    expect(rest.done.map(({ message }) => message)).toEqual([ids[1], ids[0]]);
    expect(rest.refused).toMatchObject([{ message: ids[2], reason: 'its payload was not kept, or its time is past' }]);
    await box.deliveries('LOOSE_TO_ERP', 'Done', 4);
    expect(await box.messages.get(ids[0] ?? '')).toMatchObject({ status: 'Done' });
    expect(await box.messages.get(ids[2] ?? '')).toMatchObject({ status: 'Error' });
  });

  it.each([
    { kind: 'node', id: 'ERP' },
    { kind: 'queue', id: 'PLACE_EVENTS' },
    { kind: 'subscription', id: 'TO_ERP' },
  ] as const)('holds a $kind: its deliveries wait until it is released', async (what) => {
    const box = await start(kind);
    expect(await box.messages.hold(what, 'me')).toBe(true);
    expect(await box.messages.hold(what, 'me')).toBe(false);
    expect(await box.messages.held()).toEqual([
      { what: `${what.kind} ${what.id}`, since: expect.any(String), actor: 'me' },
    ]);
    await waiting(box);
    expect(await box.messages.release(what, 'me')).toBe(true);
    await eventually('all to be delivered', async () => {
      const open = await box.rows("select id from signalbox_delivery where status <> 'Done'");
      return open.length === 0 || undefined;
    });
    await expect(box.messages.hold({ ...what, id: 'NONE' }, 'me')).rejects.toThrow(`There is no ${what.kind} NONE.`);
  });

  it('holds a partition by what waits in it, and single deliveries', async () => {
    const box = await start(kind);
    const partition = { queue: 'PLACE_EVENTS', values: ['A'] };
    await expect(box.messages.holdPartition(partition, 'me')).rejects.toThrow(
      'Partition ["A"] of PLACE_EVENTS has no delivery that waits; hold the queue or a subscription instead.',
    );
    const node = { kind: 'node', id: 'ERP' } as const;
    await box.messages.hold(node, 'me');
    const last = await waiting(box);
    expect(await box.messages.holdPartition(partition, 'me')).toMatchObject({ partition: '["A"]', deliveries: 1 });
    expect(await box.messages.get(last)).toMatchObject({
      status: 'Hold',
      subscribers: [{ reason: 'held by an operator', actor: 'me' }],
    });
    const next = await publish(box, 'A', 2);
    await publish(box, 'B', 3);
    await box.messages.release(node, 'me');
    await eventually('the other partition', () => arrived(box).some((each) => String(each) === 'B,3') || undefined);
    expect((await box.messages.get(next)).subscribers).toMatchObject([{ status: 'New', waitsFor: { message: last } }]);
    expect((await box.messages.act('hold', next, 'me')).done).toHaveLength(1);
    expect((await box.messages.act('release', next, 'me')).refused).toEqual([]);
    expect((await box.messages.act('release', next, 'me')).refused).toMatchObject([
      { reason: 'has no delivery that is Hold' },
    ]);
    await box.messages.act('hold', next, 'me');
    expect(await box.messages.releasePartition(partition, 'me')).toMatchObject({ deliveries: 2 });
    await eventually('what was released', async () => (await box.messages.get(next)).status === 'Done' || undefined);
    expect(
      arrived(box)
        .filter(([place]) => place === 'A')
        .slice(-2),
    ).toEqual([
      ['A', 1],
      ['A', 2],
    ]);
    expect((await box.messages.get(next)).actions.map(({ action }) => action).sort()).toEqual([
      'hold',
      'hold',
      'release',
    ]);
  });
  it('holds a partition behind the delivery that runs', async () => {
    const box = await start(kind);
    const { promise, resolve } = Promise.withResolvers<void>();
    box.erp.status = () => promise.then(() => 200);
    const first = await publish(box, 'A', 1);
    const second = await publish(box, 'A', 2);
    await eventually('the first to run', () => box.erp.taken.length === 1 || undefined);
    const partition = { queue: 'PLACE_EVENTS', values: ['A'] };
    expect(await box.messages.holdPartition(partition, 'me')).toMatchObject({ partition: '["A"]', deliveries: 1 });
    expect([(await box.messages.get(first)).deliveries, (await box.messages.get(second)).deliveries]).toEqual([
      { Started: 1 },
      { Hold: 1 },
    ]);
    resolve();
    await box.deliveries('TO_ERP', 'Done');
    expect((await box.messages.act('release', second, 'me')).refused).toEqual([]);
    await box.deliveries('TO_ERP', 'Done', 2);
  });
});
