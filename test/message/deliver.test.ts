import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/project.ts';
import { type OperatedGateway, openOperated } from './operated.ts';
import { PLACES } from './places.ts';
import { ENGINES } from './project.ts';

const CHANGED = 'Places.v1/changed';

describe.each(ENGINES)('messages are delivered on %s', (kind) => {
  let box: OperatedGateway;

  beforeAll(async () => {
    box = await openOperated(kind, PLACES);
  });
  afterAll(() => box?.stop());

  const change = (message: object): Promise<string> => box.publish(CHANGED, message);
  const message = (id: string): Promise<Readonly<Record<string, unknown>>> =>
    box
      .found('the message to end', `select * from signalbox_message where id = '${id}' and ended is not null`)
      .then(([row]) => row as Readonly<Record<string, unknown>>);
  const attempts = (delivery: unknown) =>
    box.rows(
      `select number, code, reason from signalbox_delivery_attempt where delivery = '${delivery}' order by number`,
    );

  it('to each subscription whose condition they meet', async () => {
    const one = await change({ PLACE: 'A1', REGION: 'N', N: 1 });
    const two = await change({ PLACE: 'A2', N: 2 });
    await box.delivered(one, 'PLACE_CACHE');
    await box.delivered(two, 'PLACE_CACHE');
    const { id } = await box.delivered(one, 'TO_ERP');
    expect(
      await box.rows("select place, n, message, attempt from cached where place in ('A1', 'A2') order by n"),
    ).toEqual([
      { place: 'A1', n: 1, message: one, attempt: 1 },
      { place: 'A2', n: 2, message: two, attempt: 1 },
    ]);
    expect(box.erp.at('/erp/A2')).toEqual([]);
    expect(box.erp.at('/erp/A1')).toMatchObject([
      {
        body: { N: 1, Label: 'N/A1', Fixed: 7 },
        headers: { 'x-request-id': id, 'idempotency-key': `"${id}"` },
      },
    ]);
    expect(await message(one)).toMatchObject({ status: 'Done', open: 0, operation: 'PLACE_CHANGED', actor: 'demo' });
    const subscriptions = await box.rows(`select subscription from signalbox_delivery where message = '${two}'`);
    expect(subscriptions).toEqual([{ subscription: 'PLACE_CACHE' }]);
    expect(await attempts(id)).toEqual([{ number: 1, code: 200, reason: null }]);
    const searched = await box.rows(
      `select name, value from signalbox_message_field where message = '${one}' order by name`,
    );
    expect(searched).toEqual([
      { name: 'PLACE', value: 'A1' },
      { name: 'REGION', value: 'N' },
    ]);
  });

  it('again after an attempt that failed, without what that wrote', async () => {
    const id = await change({ PLACE: 'twice', N: 1 });
    const delivery = await box.delivered(id, 'PLACE_CACHE');
    expect(await box.rows("select attempt from cached where place = 'twice'")).toEqual([{ attempt: 2 }]);
    expect(delivery).toMatchObject({ attempts: 2, reason: null, next: null });
    expect(await attempts(delivery.id)).toEqual([
      { number: 1, code: null, reason: 'not yet' },
      { number: 2, code: null, reason: null },
    ]);
    const line = box.log().find(({ what, message: of }) => what === 'a delivery, which is tried again' && of === id);
    expect(line).toMatchObject({ subscription: 'PLACE_CACHE', delivery: delivery.id, attempt: 1, msg: 'not yet' });
  });

  it('with the same id to a system that was not available', async () => {
    let refused = 0;
    box.erp.status = ({ path }) => (path === '/erp/later' && ++refused < 3 ? 503 : 200);
    const delivery = await box.delivered(await box.publish('Places.v1/noted', { PLACE: 'later' }), 'NOTED_TO_ERP');
    const ids = box.erp.at('/erp/later').map(({ headers }) => headers['idempotency-key']);
    expect(ids).toEqual(Array(3).fill(`"${delivery.id}"`));
    expect((await attempts(delivery.id)).map(({ code }) => code)).toEqual([503, 503, 200]);
  });

  it('not again to a system that refuses them: without order they are given up', async () => {
    box.erp.status = ({ path }) => (path === '/erp/refused' ? 422 : 200);
    const id = await box.publish('Places.v1/noted', { PLACE: 'refused' });
    const delivery = await box.delivered(id, 'NOTED_TO_ERP', 'Error');
    expect(box.erp.at('/erp/refused')).toHaveLength(1);
    expect(await attempts(delivery.id)).toMatchObject([{ number: 1, code: 422 }]);
    expect(await message(id)).toMatchObject({ status: 'Error', open: 0 });
    const lines = box
      .log()
      .filter((line) => JSON.stringify(line).includes(String(delivery.id)) && line.level === 'error');
    expect(lines).toMatchObject([
      {
        ...{ subscription: 'NOTED_TO_ERP', message: id, delivery: delivery.id, attempt: 1 },
        what: 'a delivery, which is given up',
      },
    ]);
    const audited = box.log().find((line) => line.work === 'message' && line.id === id);
    expect(audited).toMatchObject({ name: 'NOTED_TO_ERP', attempt: 1, fault: 'UPSTREAM_FAILED', complete: false });
    // An operator runs it again.
    box.erp.status = () => 200;
    await box.gateway.background.queues.resubmit(String(delivery.id), 'operator');
    await box.delivered(id, 'NOTED_TO_ERP', 'Done');
    expect(await message(id)).toMatchObject({ status: 'Done', open: 0 });
    expect((await attempts(delivery.id)).map(({ number, code }) => [number, code])).toEqual([
      [1, 422],
      [2, 200],
    ]);
  });

  it('in the order of their partition, which one that fails for good holds up and no other', async () => {
    const first = await change({ PLACE: 'never', REGION: 'N', N: 1 });
    const second = await change({ PLACE: 'never', REGION: 'N', N: 2 });
    const other = await change({ PLACE: 'other', N: 1 });
    const held = await box.delivered(first, 'PLACE_CACHE', 'Hold');
    await box.delivered(other, 'PLACE_CACHE');
    await box.delivered(first, 'TO_ERP');
    await box.delivered(second, 'TO_ERP');
    expect(held).toMatchObject({ attempts: 3, reason: 'never', ended: null });
    await box.delivered(second, 'PLACE_CACHE', 'New');
    const { queues } = box.gateway.background;
    const shown = await queues.get(String(held.id));
    expect(shown).toMatchObject({ state: 'held', payload: { message: first, request: { PLACE: 'never' } } });
    await queues.cancel(String(held.id), 'operator');
    await box.delivered(second, 'PLACE_CACHE');
    expect(await box.delivered(first, 'PLACE_CACHE', 'Cancelled')).toMatchObject({ actor: 'operator' });
    expect(await message(first)).toMatchObject({ status: 'Cancelled', open: 0 });
    expect(await box.rows("select n from cached where place = 'never'")).toEqual([{ n: 2 }]);
  });

  it('in the order of commits, whoever publishes at the same time', async () => {
    const counts = 12;
    const publish = (PLACE: string) =>
      box.call('/gateway/RESTListeningConnector/Places.v1/code', { method: 'POST', body: JSON.stringify({ PLACE }) });
    const replies = await Promise.all(Array.from({ length: 2 * counts }, (_, i) => publish(i % 2 === 0 ? 'c1' : 'c2')));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    const numbers = (path: string) => box.erp.at(path).map(({ body }) => body.N);
    const expected = Array.from({ length: counts }, (_, i) => i + 1);
    await eventually('all deliveries', () =>
      box.erp.at('/erp/c1').length + box.erp.at('/erp/c2').length >= 2 * counts ? true : undefined,
    );
    expect(numbers('/erp/c1')).toEqual(expected);
    expect(numbers('/erp/c2')).toEqual(expected);
    const cached = await box.found('the handler', "select n from cached where place = 'c1'", counts);
    expect(cached.map(({ n }) => n).toSorted((a, b) => Number(a) - Number(b))).toEqual(expected);
  });

  it('to one subscription while the system of another does not answer', async () => {
    let answer = (_: number): void => {};
    const waiting = new Promise<number>((resolve) => {
      answer = resolve;
    });
    box.erp.status = () => waiting;
    const ids = await Promise.all(['d1', 'd2', 'd3', 'd4', 'd5', 'd6'].map((PLACE) => change({ PLACE, REGION: 'N' })));
    for (const id of ids) await box.delivered(id, 'PLACE_CACHE');
    const [{ n } = {}] = await box.rows(
      `select count(*) as n from signalbox_delivery where subscription = 'TO_ERP' and message in ('${ids.join("', '")}') and status = 'Done'`,
    );
    expect(Number(n)).toBe(0);
    answer(200);
    for (const id of ids) await box.delivered(id, 'TO_ERP');
  });

  it('with what caused them, through all that a delivery publishes', async () => {
    const id = await change({ PLACE: 'causes', N: 1 });
    const sql = `select * from signalbox_message where caused_by = '${id}'`;
    const [caused] = await box.found('the message that was caused', sql);
    expect(caused).toMatchObject({ hops: 1, connector: 'handler', actor: 'demo' });
    expect(caused?.trace).toBe((await message(id)).trace);
  });

  it('until more than 16 have led to one another', async () => {
    await box.publish('Places.v1/loop', { PLACE: 'loop' });
    const [dead] = await box.found(
      'the end of the loop',
      "select * from signalbox_delivery where subscription = 'LOOPS' and status = 'Error'",
    );
    expect(dead?.reason).toMatch(/^More than 16 messages led to this one, .*: PLACE_LOOP > PLACE_LOOP/);
    const loop = await box.rows("select hops from signalbox_message where operation = 'PLACE_LOOP' order by hops");
    expect(loop.map(({ hops }) => Number(hops))).toEqual(Array.from({ length: 17 }, (_, hops) => hops));
  });

  it('until more than 16 have led to one another by calls that come back over HTTP', async () => {
    const hops: unknown[] = [];
    // Another system that answers a change with a change, in the trace of the call.
    box.erp.status = async ({ path, headers: { traceparent, tracestate } }) => {
      if (path !== '/erp/echo') return 200;
      hops.push(tracestate);
      const reply = await box.call('/gateway/RESTListeningConnector/Places.v1/noted', {
        method: 'POST',
        body: JSON.stringify({ PLACE: 'echo' }),
        headers: { traceparent: String(traceparent), tracestate: String(tracestate) },
      });
      return reply.status;
    };
    await box.publish('Places.v1/noted', { PLACE: 'echo' });
    const sql = "select * from signalbox_delivery where subscription = 'NOTED_TO_ERP' and status = 'Error'";
    const [dead] = await box.found('the end of the circle', sql);
    box.erp.status = () => 200;
    expect(hops).toEqual(Array.from({ length: 17 }, (_, n) => `signalbox=h:${n}`));
    expect(await attempts(dead?.id)).toMatchObject([{ number: 1, code: 508 }]);
  });

  it('and are removed with all that belongs to them when their time is over', async () => {
    const id = await change({ PLACE: 'old', REGION: 'N' });
    const kept = await change({ PLACE: 'kept', REGION: 'N' });
    await message(id);
    await message(kept);
    await box.rows(`update signalbox_message set expires = 1 where id = '${id}'`);
    await box.gateway.background.hurry();
    const tables = ['signalbox_message_content', 'signalbox_message_field', 'signalbox_delivery'];
    const counts = (of: string) =>
      Promise.all(
        tables.map(async (table) => (await box.rows(`select * from ${table} where message = '${of}'`)).length),
      );
    expect(await box.rows(`select id from signalbox_message where id = '${id}'`)).toEqual([]);
    expect(await counts(id)).toEqual([0, 0, 0]);
    expect(await counts(kept)).toEqual([1, 2, 2]);
  });
});
