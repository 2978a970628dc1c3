import { describe, expect, it } from 'vitest';
import { startOperated } from '../message/operated.ts';
import { eventually, gatewayText } from '../support/project.ts';

/** A password hash of `demo`. */
const PASSWORD = '$scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ';

const user = (id: string, role: string): string =>
  `---\n{ user: ${id}, password: "${PASSWORD}", roles: [${role}], sample: true }\n`;

const FILES = {
  'definitions/gateway.yaml': gatewayText('delivered: [MESSAGES.v1]'),
  'definitions/users.yaml': `permission-list: EVERYTHING
operations: [MESSAGES.*]
---
{ permission-list: PUBLISHING, operations: [PLACE_CHANGED, MSG_GETMESSAGE] }
---
{ permission-list: READING, operations: [MSG_FINDMESSAGES, MSG_GETMESSAGE, MSG_FINDHELD, MSG_COUNT] }
---
{ permission-list: ACTING, operations: [MSG_RESUBMIT, MSG_HOLDWHOLE] }
---
{ role: ALL, permission-lists: [EVERYTHING, PUBLISHING] }
---
{ role: PUBLISHERS, permission-lists: [PUBLISHING] }
---
{ role: READERS, permission-lists: [READING] }
---
{ role: KEEPERS, permission-lists: [ACTING] }
${user('demo', 'ALL')}${user('publisher', 'PUBLISHERS')}${user('reader', 'READERS')}${user('keeper', 'KEEPERS')}`,
  'definitions/places.yaml': `{ queue: PLACE_EVENTS, order: [PLACE], search: [PLACE, N] }
---
service: Places.v1
permission: EVERYTHING
operations:
  PLACE_CHANGED:
    post: changed
    request: { fields: { PLACE: { type: string(10), required: true }, N: integer, PIN: { type: string, sensitive: true } } }
    queue: PLACE_EVENTS
  PLACE_WEIGHED:
    post: weighed
    request:
      fields: { PLACE: { type: string, default: W }, WEIGHT: decimal(8.2), DAY: date, ACTIVE: boolean }
    queue: PLACE_WEIGHTS
---
{ queue: PLACE_WEIGHTS, order: [WEIGHT, DAY, ACTIVE] }
---
{ queue: PLACE_ALL, order: all }
---
{ node: ERP, base: "\${env:ERP_URL}", circuit: { failures: 0 } }
---
service: Erp.v1
target: ERP
permission: EVERYTHING
operations:
  ERP_PUT: { post: "erp/{PLACE}", request: { fields: { PLACE: { type: string, required: true }, PIN: string } } }
---
{ subscription: TO_ERP, operation: PLACE_CHANGED, call: ERP_PUT, retry: { attempts: 1 } }
---
{ subscription: WEIGHED_TO_ERP, operation: PLACE_WEIGHED, call: ERP_PUT, retry: { attempts: 1 } }
`,
};

type Json = Record<string, unknown>;

interface How {
  readonly method?: string;
  readonly as?: string;
  readonly body?: object;
  readonly requestId?: string;
}

const SERVICE = '/gateway/RESTListeningConnector/MESSAGES.v1';

async function start() {
  const box = await startOperated('sqlite', FILES);
  const call = async (path: string, { method = 'GET', as = 'demo', body, requestId }: How = {}) => {
    const { status, text, headers } = await box.call(path, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${as}:demo`).toString('base64')}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(requestId === undefined ? {} : { 'x-request-id': requestId }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status, headers, body: (text === '' ? {} : JSON.parse(text)) as Json };
  };
  const publish = (message: object) =>
    call('/gateway/RESTListeningConnector/Places.v1/changed', { method: 'POST', as: 'publisher', body: message });
  return { ...box, call, publish, messages: (path: string, how = {}) => call(`${SERVICE}/${path}`, how) };
}

const messageOf = ({ body }: { body: Json }): unknown => (body.error as Json | undefined)?.message;

describe('messages over REST', () => {
  it('are found, shown with their deliveries, and sent again, each with its own grant', async () => {
    const { erp, publish, messages, call, deliveries } = await start();
    erp.status = () => 422;
    const published = await publish({ PLACE: 'NYC01', N: 7, PIN: 'c4n4ry' });
    const id = String(published.body.message);
    await deliveries('TO_ERP', 'Hold');
    const found = await messages('messages?Field=PLACE=NYC01&Field=N=7&Status=hold', { as: 'reader' });
    expect(found.body).toEqual({
      messages: [
        expect.objectContaining({ MessageId: id, Operation: 'PLACE_CHANGED', Status: 'Hold', User: 'publisher' }),
      ],
    });
    const twice = await messages('messages?Field=PLACE=NYC01&Field=PLACE=NYC02', { as: 'reader' });
    expect([twice.status, messageOf(twice)]).toEqual([400, 'Field has two values of PLACE; messages have one each.']);
    const { body } = await messages(`messages/${id}`, { as: 'reader' });
    expect(body).toMatchObject({
      ...{ MessageId: id, Status: 'Hold', Partition: '["NYC01"]', Queue: 'PLACE_EVENTS' },
      deliveries: [
        {
          Subscription: 'TO_ERP',
          Target: 'ERP_PUT at ERP',
          Status: 'Hold',
          Behind: 0,
          attempts: [{ Attempt: 1, StatusCode: 422 }],
        },
      ],
    });
    const payload = await messages(`messages/${id}/payload`);
    expect(payload.body).toEqual({
      MessageId: id,
      Payload: {
        request: { PLACE: 'NYC01', N: 7, PIN: '***' },
        'sent.TO_ERP': { PLACE: 'NYC01', PIN: '***' },
      },
    });
    for (const each of [found.body, body, payload.body]) expect(JSON.stringify(each)).not.toContain('c4n4ry');
    const refused = [
      await messages(`messages/${id}/payload`, { as: 'reader' }),
      await messages(`messages/${id}/resubmit`, { method: 'POST', as: 'reader' }),
      await messages(`messages/${id}/cancel`, { method: 'POST', as: 'keeper' }),
      await messages('messages', { as: 'keeper' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    // The address that the publisher was given shows the publisher the status, and nobody else who may not find messages.
    const address = new URL(String(published.headers.location)).pathname;
    expect((await call(address, { as: 'publisher' })).body).toEqual({
      ...{ MessageId: id, Operation: 'PLACE_CHANGED', Queue: 'PLACE_EVENTS', Status: 'Hold' },
      EnteredDateTime: expect.any(String),
    });
    erp.status = () => 200;
    const again = await messages(`messages/${id}/resubmit`, { method: 'POST', as: 'keeper' });
    expect(again.body).toEqual({
      done: [{ MessageId: id, DeliveryId: expect.any(String), Subscription: 'TO_ERP', Was: 'Hold' }],
      refused: [],
    });
    await deliveries('TO_ERP', 'Done');
    const conflict = await messages(`messages/${id}/resubmit`, { method: 'POST' });
    expect([conflict.status, messageOf(conflict)]).toEqual([
      409,
      `Message ${id} has no delivery that is Error or Timeout or Hold.`,
    ]);
    expect((await messages(`messages/${id}`)).body.actions).toMatchObject([{ Actor: 'keeper', Action: 'resubmit' }]);
  });

  it('are found by a text, a request, a trace and times, as the command finds them', async () => {
    const { erp, call, messages, deliveries } = await start();
    erp.status = ({ path }) => (path === '/erp/A' ? 422 : 200);
    const ids = [];
    for (const PLACE of ['A', 'B']) {
      const how = { method: 'POST', as: 'publisher', body: { PLACE }, requestId: `R-${PLACE}` };
      ids.push((await call('/gateway/RESTListeningConnector/Places.v1/changed', how)).body.message);
    }
    const [a, b] = ids as [string, string];
    await deliveries('TO_ERP', 'Hold');
    await deliveries('TO_ERP', 'Done');
    const found = async (query: string) => {
      const { status, body } = await messages(`messages?Kind=message&${query}`, { as: 'reader' });
      expect(status, JSON.stringify(body)).toBe(200);
      return (body.messages as Json[]).map(({ MessageId }) => MessageId);
    };
    const [first, second] = (await messages('messages?Kind=message')).body.messages as [Json, Json];
    expect([first.MessageId, second.MessageId]).toEqual([b, a]);
    const delivery = ((await messages(`messages/${a}`)).body.deliveries as Json[])[0]?.DeliveryId;
    expect(first.Trace).not.toBe(second.Trace);
    expect(await found(`Text=${a}`)).toEqual([a]);
    expect(await found(`Text=${delivery}`)).toEqual([a]);
    expect(await found('Text=422')).toEqual([a]);
    expect(await found('Text=place_ev')).toEqual([b, a]);
    expect(await found('Text=R-B')).toEqual([b]);
    expect(await found('Text=nowhere')).toEqual([]);
    expect(await found('RequestId=R-A')).toEqual([a]);
    expect(await found('RequestId=R-A&Text=R-B')).toEqual([]);
    expect(await found(`Trace=${String(second.Trace).toUpperCase()}`)).toEqual([a]);
    expect(await found('Since=2020-01-01T00:00:00Z&Until=2020-01-02T00:00:00Z')).toEqual([]);
    expect(await found('Text=')).toEqual([b, a]);
    const count = await messages('count?Action=cancel&Text=R-A', { as: 'reader' });
    expect(count.body).toEqual({ Action: 'cancel', Count: 1, More: false });
    expect((await messages('cancel?RequestId=R-B', { method: 'POST' })).body).toMatchObject({ done: [] });
    const cancelled = await messages('cancel?RequestId=R-A', { method: 'POST' });
    expect(cancelled.body).toMatchObject({ done: [{ MessageId: a }], refused: [] });
  });

  it('are edited with a grant of its own: checked as a request is, and recorded', async () => {
    const { erp, publish, messages, deliveries } = await start();
    erp.status = ({ path }) => (path === '/erp/NYC01' ? 422 : 200);
    const { body: published } = await publish({ PLACE: 'NYC01', N: 7, PIN: 'c4n4ry' });
    const id = String(published.message);
    await deliveries('TO_ERP', 'Hold');
    const { Payload } = (await messages(`messages/${id}/payload`)).body as { Payload: { request: Json } };
    const edit = (request: Json, as = 'demo') =>
      messages(`messages/${id}/edit`, { method: 'POST', as, body: { Payload: request } });
    const refused = [await edit(Payload.request, 'keeper'), await edit({ ...Payload.request, PLACE: 'much too long' })];
    expect(refused.map((each) => [each.status, messageOf(each)])).toEqual([
      [403, 'User keeper may not use operation MSG_EDIT.'],
      [400, 'PLACE is longer than 10 characters.'],
    ]);
    const edited = await edit({ ...Payload.request, PLACE: 'NYC02' });
    expect(edited.body).toEqual({
      ...{ MessageId: expect.any(String), EditedFrom: id, subscriptions: ['TO_ERP'] },
      replaced: [{ DeliveryId: expect.any(String), Subscription: 'TO_ERP', Was: 'Hold' }],
    });
    await deliveries('TO_ERP', 'Done');
    expect(erp.at('/erp/NYC02').map(({ body }) => body.PIN)).toEqual(['c4n4ry']);
    expect((await messages(`messages/${id}`)).body).toMatchObject({
      ...{ Status: 'Edited', editedBy: [edited.body.MessageId] },
      actions: [{ Actor: 'demo', Action: 'edit' }],
    });
    const again = await edit({ PLACE: 'NYC03' });
    expect([again.status, messageOf(again)]).toEqual([
      409,
      `Message ${id} has no delivery that is Error or Timeout or Hold.`,
    ]);
  });

  it('of others do not exist for who may not find messages', async () => {
    const { call, messages } = await start();
    const { body } = await call('/gateway/RESTListeningConnector/Places.v1/changed', {
      method: 'POST',
      body: { PLACE: 'A' },
    });
    const hidden = await messages(`messages/${body.message}`, { as: 'publisher' });
    const gone = await messages('messages/a0a0a0a0-0000-4000-8000-000000000000', { as: 'publisher' });
    expect([hidden.status, gone.status]).toEqual([404, 404]);
    expect(messageOf(hidden)).toBe(`There is no message ${body.message}.`);
  });

  it('are acted on in parts, and held as a whole', async () => {
    const { erp, publish, messages, deliveries } = await start();
    erp.status = () => 500;
    for (const PLACE of ['A', 'B', 'C']) await publish({ PLACE });
    await deliveries('TO_ERP', 'Hold', 3);
    const first = await messages('cancel?Node=ERP&DeliveryCount=2', { method: 'POST' });
    expect(first.body).toMatchObject({
      done: [{ Was: 'Hold' }, { Was: 'Hold' }],
      refused: [],
      Next: expect.any(String),
    });
    const rest = await messages(`cancel?Node=ERP&After=${first.body.Next}`, { method: 'POST' });
    expect(rest.body).toEqual({ done: [expect.objectContaining({ Was: 'Hold' })], refused: [] });
    expect((await messages('held/node/ERP', { method: 'POST', as: 'keeper' })).body).toEqual({
      Kind: 'node',
      Id: 'ERP',
      Changed: true,
    });
    expect((await messages('held', { as: 'reader' })).body).toMatchObject({
      held: [{ What: 'node ERP', Actor: 'keeper' }],
    });
    expect((await messages('held/node/ERP', { method: 'DELETE' })).body).toEqual({
      Kind: 'node',
      Id: 'ERP',
      Changed: true,
    });
    const wrong = [
      await messages('held/node/SAP', { method: 'POST' }),
      await messages('messages?Field=PIN=1'),
      await messages('messages?Field=PLACE'),
      await messages('messages?Queue=NONE'),
    ];
    expect(wrong.map((each) => [each.status, messageOf(each)])).toEqual([
      [404, 'There is no node SAP.'],
      [400, 'Field PIN is not a field by which these messages are found; search fields: N, PLACE.'],
      [400, 'Field is not a name and a value, as in LOCATION=NYC01.'],
      [404, 'There is no queue NONE.'],
    ]);
  });

  it('are counted before they are acted on, and cancelled, released and held by filter, each with its own grant', async () => {
    const { erp, publish, messages, call, deliveries } = await start();
    erp.status = () => 422;
    for (const PLACE of ['A', 'B', 'C']) await publish({ PLACE });
    await deliveries('TO_ERP', 'Hold', 3);
    const count = async (query: string) => (await messages(`count?${query}`, { as: 'reader' })).body;
    const held = { Action: 'cancel', Count: 3, More: false };
    expect([
      await count('Action=cancel&Node=ERP&Status=hold'),
      await count('Action=Resubmit&Field=PLACE=A&User=publisher'),
      await count('Action=hold'),
      await count('Action=cancel&User=demo'),
    ]).toEqual([
      held,
      { Action: 'resubmit', Count: 1, More: false },
      { ...held, Action: 'hold', Count: 0 },
      { ...held, Count: 0 },
    ]);
    const refused = ['hold', 'release', 'resubmit', 'cancel'].map((action) =>
      messages(action, { method: 'POST', as: 'keeper' }),
    );
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    const cancelled = await messages('cancel?Field=PLACE=A', { method: 'POST' });
    expect(cancelled.body).toEqual({ done: [expect.objectContaining({ Was: 'Hold' })], refused: [] });
    erp.status = () => 200;
    const released = await messages('release?Queue=PLACE_EVENTS', { method: 'POST' });
    expect(released.body).toMatchObject({ done: [{ Was: 'Hold' }, { Was: 'Hold' }], refused: [] });
    await deliveries('TO_ERP', 'Done', 2);
    const { promise, resolve } = Promise.withResolvers<void>();
    erp.status = () => promise.then(() => 200);
    for (let n = 0; n < 2; n++)
      await call('/gateway/RESTListeningConnector/Places.v1/changed', { method: 'POST', body: { PLACE: 'D', N: n } });
    await eventually('the first to run', () => erp.at('/erp/D').length === 1 || undefined);
    const hold = await messages('hold?User=demo&Field=N=1', { method: 'POST' });
    expect(hold.body).toMatchObject({ done: [{ Subscription: 'TO_ERP', Was: 'New' }] });
    resolve();
    await deliveries('TO_ERP', 'Hold');
    const wrong = await messages('cancel?Status=Done', { method: 'POST' });
    expect(wrong.status).toBe(400);
  });

  it('are held by partition, whose values may have any form of their types', async () => {
    const { erp, call, messages, deliveries } = await start();
    const { promise, resolve } = Promise.withResolvers<void>();
    erp.status = () => promise.then(() => 200);
    const body = { WEIGHT: 1.5, DAY: '2026-03-01', ACTIVE: true };
    for (let n = 0; n < 2; n++)
      await call('/gateway/RESTListeningConnector/Places.v1/weighed', { method: 'POST', body });
    await eventually('the first to run', () => erp.taken.length === 1 || undefined);
    const hold = (values: readonly string[], what = 'PLACE_WEIGHTS/hold', as = 'demo') => {
      const query = values.map((value) => `Partition=${encodeURIComponent(value)}`).join('&');
      return messages(`partitions/${what}?${query}`, { method: 'POST', as });
    };
    const held = { Queue: 'PLACE_WEIGHTS', Partition: '["1.5","2026-03-01","true"]', DeliveryCount: 1 };
    expect((await hold(['1.50', '2026-03-01', 'true'])).body).toEqual(held);
    await deliveries('WEIGHED_TO_ERP', 'Hold');
    expect((await hold([held.Partition], 'PLACE_WEIGHTS/release')).body).toEqual(held);
    resolve();
    await deliveries('WEIGHED_TO_ERP', 'Done', 2);
    const wrong = [
      await hold(['much', '2026-03-01', 'true']),
      await hold(['1.5', 'March', 'true']),
      await hold(['1.5', '2026-03-01', 'perhaps']),
      await hold(['1.5']),
      await hold(['A', 'B'], 'PLACE_EVENTS/hold'),
      await hold(['A'], 'PLACE_ALL/hold'),
      await hold(['A'], 'NONE/hold'),
      await hold(['1.5', '2026-03-01', 'true'], 'PLACE_WEIGHTS/hold', 'keeper'),
      await hold(['["1.50",null,"1"]']),
    ];
    expect(wrong.map((each) => [each.status, messageOf(each)])).toEqual([
      [400, 'Partition WEIGHT is not a decimal.'],
      [400, 'Partition DAY is not a date (yyyy-MM-dd).'],
      [400, 'Partition ACTIVE is not true or false.'],
      [400, 'Partition takes 3 values, of WEIGHT, DAY and ACTIVE, in this order.'],
      [400, 'Partition takes one value, of PLACE.'],
      [400, 'Partition takes no value here: PLACE_ALL has "order: all".'],
      [404, 'There is no queue NONE.'],
      [403, 'User keeper may not use operation MSG_HOLDPARTITION.'],
      [
        409,
        'Partition ["1.5",null,"true"] of PLACE_WEIGHTS has no delivery that waits; hold the queue or a subscription instead.',
      ],
    ]);
  });
});
