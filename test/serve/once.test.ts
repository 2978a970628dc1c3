import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Call, DEMO, GUEST, type Reply } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { ENGINES, type PayGateway, startPay } from './once-project.ts';

const BASE = '/gateway/RESTListeningConnector/Pay.v1';

describe.each(ENGINES)('calls that are answered once, over REST, on %s', (kind) => {
  let box: PayGateway;
  let last = 0;

  beforeAll(async () => {
    box = await startPay(kind);
  });
  afterAll(() => box.stop());

  /** A kind of payment, and a key, that no other test has. */
  const fresh = (): string => `k${++last}`;
  const send = (path: string, key?: string, { headers = {}, ...more }: Call = {}): Promise<Reply> =>
    box.call(`${BASE}/${path}`, {
      method: 'POST',
      body: '{"AMOUNT":1}',
      ...more,
      headers: { ...headers, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    });
  const runs = async (of: string): Promise<number> => JSON.parse((await box.call(`${BASE}/runs/${of}`)).text).RUN;
  const code = ({ status, text }: Reply): unknown[] => [status, JSON.parse(text).code];
  const waiting = (of: string): Promise<true> =>
    eventually(`${of} to run`, async () => ((await runs(of)) > 0 ? true : undefined));

  it('gives a repeated call the first answer: status, headers and body, and says so', async () => {
    const id = fresh();
    const first = await send(`pay/${id}`, id);
    const again = await send(`pay/${id}`, id);
    expect([first.status, JSON.parse(first.text)]).toEqual([201, { KIND: id, RUN: 1 }]);
    expect([again.status, again.text, again.headers['x-run']]).toEqual([201, first.text, '1']);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect([first.headers['idempotency-replayed'], again.headers['idempotency-replayed']]).toEqual([undefined, 'true']);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(await runs(id)).toBe(1);
  });

  it('records in the audit log that an answer was sent again, and counts it', async () => {
    const id = fresh();
    for (const _ of [1, 2]) await send(`pay/${id}`, id);
    const lines = box.log().filter(({ path }) => path === `${BASE}/pay/${id}`);
    expect(lines.map(({ status, repeated, user }) => [status, repeated, user])).toEqual([
      [201, undefined, 'demo'],
      [201, true, 'demo'],
    ]);
    expect((await box.call('/metrics')).text).toMatch(/^signalbox_repeated_requests_total\{operation="PAY"\} [1-9]/m);
  });

  it('runs each call that has no key, another key, or an operation with once: false', async () => {
    const id = fresh();
    for (const key of [undefined, undefined, `${id}a`, `${id}b`]) await send(`pay/${id}`, key);
    expect(await runs(id)).toBe(4);
    for (const _ of [1, 2]) await send(`always/${id}`, id);
    expect(await runs(id)).toBe(6);
  });

  it.each([
    ['webhook-id', 'msg_1'],
    ['idempotency-key', '"in \\"quotes\\"-1"'],
    ['idempotency-key', 'x'.repeat(255)],
  ])('takes the key from %s: %s', async (header, key) => {
    const id = fresh();
    const sent = { headers: { [header]: key.replace(' ', '-') } };
    const [first, again] = [await send(`pay/${id}`, undefined, sent), await send(`pay/${id}`, undefined, sent)];
    expect([first.status, again.text]).toEqual([201, first.text]);
  });

  it('takes a key in quotes and without for the same one', async () => {
    const id = fresh();
    const [first, again] = [await send(`pay/${id}`, id), await send(`pay/${id}`, `"${id}"`)];
    expect(again.text).toBe(first.text);
  });

  it.each(['x'.repeat(256), 'two words', '""', 'one, two', 'é'])('refuses %j as a key', async (key) => {
    expect(code(await send('pay/odd', key))).toEqual([400, 'BAD_PARAMETER']);
    expect(await runs('odd')).toBe(0);
  });

  it('refuses a call without a key where one is required, and none elsewhere', async () => {
    const reply = await send('named/required');
    expect(code(reply)).toEqual([400, 'MISSING_PARAMETER']);
    expect(JSON.parse(reply.text).detail).toContain('Idempotency-Key');
    expect((await send('named/required', fresh())).status).toBe(200);
  });

  it.each([
    ['another body', (id: string) => send(`pay/${id}`, id, { body: '{"AMOUNT":2}' })],
    ['another path', (id: string) => send(`pay/${id}2`, id)],
    [
      'another media type',
      (id: string) =>
        send(`pay/${id}`, id, {
          headers: { 'content-type': 'application/xml' },
          body: '<data><AMOUNT>1</AMOUNT></data>',
        }),
    ],
  ])('refuses the same key with %s: 422', async (_, other) => {
    const id = fresh();
    await send(`pay/${id}`, id, { headers: { 'content-type': 'application/json' } });
    expect((await other(id)).status).toBeGreaterThanOrEqual(400);
    expect(await runs(id)).toBe(1);
  });

  it('says of the same key with another content what is wrong', async () => {
    const id = fresh();
    await send(`pay/${id}`, id);
    expect(code(await send(`pay/${id}`, id, { body: '{"AMOUNT":2}' }))).toEqual([422, 'KEY_REUSED']);
  });

  it('refuses a repeated call while the first one runs: 409 with Retry-After, on each gateway', async () => {
    const id = `waits-${fresh()}`;
    const other = await box.another();
    const first = send(`pay/${id}`, id);
    await waiting(id);
    const sent = { method: 'POST', body: '{"AMOUNT":1}', headers: { 'idempotency-key': id } };
    for (const gateway of [box, other]) {
      const reply = await gateway.call(`${BASE}/pay/${id}`, sent);
      expect([...code(reply), reply.headers['retry-after']]).toEqual([409, 'CALL_RUNNING', '1']);
    }
    await send(`go-on/${id}`);
    const { text } = await first;
    for (const gateway of [box, other]) expect((await gateway.call(`${BASE}/pay/${id}`, sent)).text).toBe(text);
    expect(await runs(id)).toBe(1);
  });

  it('runs one of many calls that come at once', async () => {
    const id = fresh();
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(`pay/${id}`, id)));
    expect(replies.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect(replies.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    expect(await runs(id)).toBe(1);
  });

  it('keeps the answer of a caller that went away before it', async () => {
    const id = `waits-${fresh()}`;
    const away = new AbortController();
    const url = `http://127.0.0.1:${box.port}${BASE}/pay/${id}`;
    const headers = { authorization: DEMO, 'content-type': 'application/json', 'idempotency-key': id };
    const sent = { method: 'POST', body: '{"AMOUNT":1}', headers };
    const first = fetch(url, { ...sent, signal: away.signal }).catch(() => undefined);
    await waiting(id);
    away.abort();
    await first;
    await send(`go-on/${id}`);
    const reply = await eventually('the answer', async () => {
      const again = await fetch(url, sent);
      return again.status === 409 ? undefined : again;
    });
    expect([reply.status, reply.headers.get('idempotency-replayed'), await runs(id)]).toEqual([201, 'true', 1]);
  });

  it('distinguishes callers and operations: no one gets the answer to another', async () => {
    const id = fresh();
    await send(`open/${id}`, id);
    const anonymous = await send(`open/${id}`, id, { anonymous: true });
    const ofOperation = await send(`pay/${id}`, id);
    expect([anonymous, ofOperation].map(({ headers }) => headers['idempotency-replayed'])).toEqual(['true', undefined]);
    const guest = await send(`pay/${id}`, id, { headers: { authorization: GUEST } });
    expect(guest.status).toBe(403);
  });

  it('repeats a final refusal of the answer itself, but runs again after a failure or a limit', async () => {
    const [first, again] = [await send('pay/refuses', fresh()), await send('pay/refuses', `k${last}`)];
    expect([first.status, JSON.parse(again.text).title]).toEqual([422, JSON.parse(first.text).title]);
    expect([again.headers['idempotency-replayed'], await runs('refuses')]).toEqual(['true', 1]);
    expect([(await send('pay/fails', fresh())).status, (await send('pay/fails', `k${last}`)).status]).toEqual([
      500, 201,
    ]);
    const key = fresh();
    for (const _ of [1, 2]) await send('pay/limits', key);
    expect(await runs('limits')).toBe(2);
  });

  it('keeps nothing of a call whose request is wrong', async () => {
    const id = fresh();
    expect((await send(`pay/${id}`, id, { body: '{"AMOUNT":"much"}' })).status).toBe(400);
    expect((await send(`pay/${id}`, id)).status).toBe(201);
  });

  it('does not run again what was committed, even if it failed after that', async () => {
    const key = fresh();
    const replies = [await send('pay/commits-fails', key), await send('pay/commits-fails', key)];
    expect(replies.map(({ status }) => status)).toEqual([500, 500]);
    expect(await box.rows("select count(*) as n from paid where kind = 'commits-fails'")).toEqual([
      { n: expect.toSatisfy((n) => Number(n) === 1) },
    ]);
  });

  it('forgets an answer when its time is up', async () => {
    const id = fresh();
    await send(`pay/${id}`, id);
    await box.rows('update signalbox_once set until = 0');
    expect(JSON.parse((await send(`pay/${id}`, id)).text).RUN).toBe(2);
    await box.rows('update signalbox_once set until = 0, lease = 0');
    await box.gateway.background.hurry();
    expect(await box.rows('select id from signalbox_once')).toEqual([]);
  });

  it('runs again what a dead gateway had begun, unless it had taken effect', async () => {
    const id = `waits-${fresh()}`;
    const first = send(`pay/${id}`, id);
    await waiting(id);
    const dead = "update signalbox_once set lease = 0, holder = 'dead'";
    await box.rows(`${dead} where state = 'running'`);
    const second = send(`pay/${id}`, id);
    await eventually('the second run', async () => ((await runs(id)) === 2 ? true : undefined));
    await send(`go-on/${id}`);
    expect([JSON.parse((await first).text).RUN, JSON.parse((await second).text).RUN]).toEqual([1, 2]);
    expect(JSON.parse((await send(`pay/${id}`, id)).text).RUN).toBe(2);
    await box.rows(`${dead}, state = 'effect', status = null where state = 'done'`);
    expect(code(await send(`pay/${id}`, id))).toEqual([409, 'ANSWER_NOT_KEPT']);
  });

  it('says of an answer beyond its bound that it is gone, and does not run again', async () => {
    const id = fresh();
    expect((await send(`small/${id}`, id)).status).toBe(200);
    const again = await send(`small/${id}`, id);
    expect(code(again)).toEqual([409, 'ANSWER_NOT_KEPT']);
    expect(JSON.parse(again.text).detail).toContain('too large');
    expect(await runs(id)).toBe(1);
  });

  it('keeps answers in bytes too, up to the bound', async () => {
    const id = fresh();
    const sent = { body: '{"AMOUNT":100}' };
    const [first, again] = [await send(`file/${id}`, id, sent), await send(`file/${id}`, id, sent)];
    expect([first.text.length, again.text === first.text]).toEqual([10_000, true]);
    const large = { body: '{"AMOUNT":20000}' };
    expect((await send(`file/${id}`, `${id}-large`, large)).text.length).toBe(2_000_000);
    expect(code(await send(`file/${id}`, `${id}-large`, large))).toEqual([409, 'ANSWER_NOT_KEPT']);
  });

  it('compresses an answer for the caller that repeats the call, as it accepts it', async () => {
    const id = fresh();
    const sent = { body: '{"AMOUNT":100}' };
    await send(`file/${id}`, id, sent);
    const again = await send(`file/${id}`, id, { ...sent, headers: { 'accept-encoding': 'gzip' } });
    expect(again.headers['content-encoding']).toBe('gzip');
  });

  it('compares content that is streamed', async () => {
    const id = fresh();
    const sent = { body: Buffer.alloc(300_000, 'a'), headers: { 'content-type': 'application/octet-stream' } };
    const [first, again] = [await send(`upload/${id}`, id, sent), await send(`upload/${id}`, id, sent)];
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    const other = await send(`upload/${id}`, id, { ...sent, body: Buffer.alloc(300_000, 'b') });
    expect(code(other)).toEqual([422, 'KEY_REUSED']);
    expect(await runs(id)).toBe(1);
  });

  it('keeps saves of components, by POST and by PUT', async () => {
    const [id, other] = [fresh(), fresh()];
    const saved = { body: JSON.stringify({ ID: id, TEXT: 'one' }) };
    const replies = [await send('entries', id, saved), await send('entries', id, saved)];
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    expect(replies[1]?.headers.location).toBe(replies[0]?.headers.location);
    const put = { method: 'PUT', body: '{"TEXT":"two"}' };
    for (const _ of [1, 2]) expect((await send(`entries/${other}`, other, put)).status).toBe(201);
    expect((await send(`entries/${other}`, undefined, put)).status).toBe(200);
  });

  it('publishes one message of a call that is repeated', async () => {
    const id = fresh();
    const [first, again] = [await send(`later/${id}`, id), await send(`later/${id}`, id)];
    expect([first.status, again.status, again.text]).toEqual([202, 202, first.text]);
    const { message } = JSON.parse(first.text);
    const rows = await box.rows("select id from signalbox_message where operation = 'PAY_LATER'");
    expect(rows).toEqual([{ id: message }]);
  });

  it('keeps no answers of calls that only read', async () => {
    const id = fresh();
    for (const _ of [1, 2]) await send('look/reads', id);
    expect(await runs('reads')).toBe(2);
    for (const _ of [1, 2]) await send('look/pays', id);
    expect(await runs('pays')).toBe(1);
  });

  it('asks nothing of the database for a call without a key, or of an operation without once', async () => {
    const id = fresh();
    await box.rows('alter table signalbox_once rename to elsewhere');
    try {
      expect((await send(`always/${id}`, id)).status).toBe(200);
      expect((await send(`pay/${id}`)).status).toBe(201);
      expect((await send(`pay/${id}`, id)).status).toBeGreaterThanOrEqual(500);
    } finally {
      await box.rows('alter table elsewhere rename to signalbox_once');
    }
    expect(await runs(id)).toBe(2);
  });

  it('keeps neither key nor caller in the clear', async () => {
    const id = fresh();
    await send(`pay/${id}`, `secret-${id}`);
    const rows = await box.rows('select id, operation, holder, content, headers from signalbox_once');
    expect(JSON.stringify(rows)).not.toContain('secret-');
    expect(JSON.stringify(rows)).not.toContain('demo');
  });
});
