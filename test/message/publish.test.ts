import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelope, HTTP, SERVICES } from '../serve/soap-client.ts';
import { GUEST, type Reply } from '../support/gateway.ts';
import { type OperatedGateway, openOperated } from './operated.ts';
import { PLACES } from './places.ts';
import { ENGINES } from './project.ts';

const BASE = '/gateway/RESTListeningConnector/Places.v1';

describe.each(ENGINES)('messages are published on %s', (kind) => {
  let box: OperatedGateway;

  beforeAll(async () => {
    box = await openOperated(kind, PLACES);
  });
  afterAll(() => box?.stop());

  const code = (PLACE: string, HOW?: string): Promise<Reply> =>
    box.call(`${BASE}/code`, { method: 'POST', body: JSON.stringify({ PLACE, HOW }) });
  /** Messages about a place, as they are found by it. */
  const about = (place: string) =>
    box.rows(
      `select m.* from signalbox_message m join signalbox_message_field f on f.message = m.id
      where f.name = 'PLACE' and f.value = '${place}' order by m.id`,
    );
  const problem = ({ status, text }: Reply): unknown[] => [status, JSON.parse(text).code];

  it('by a caller over REST, who gets 202 with the id', async () => {
    const body = JSON.stringify({ PLACE: 'R1', N: 1, SECRET: 'hidden' });
    const headers = { 'x-request-id': 'R-1' };
    const { status, text, headers: replied } = await box.call(`${BASE}/changed`, { method: 'POST', body, headers });
    const { message } = JSON.parse(text);
    expect([status, replied['content-type']]).toEqual([202, 'application/json']);
    expect(message).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await about('R1')).toMatchObject([
      { id: message, connector: 'rest', actor: 'demo', request_id: 'R-1', queue: 'PLACE_EVENTS', partition: '["R1"]' },
    ]);
    await box.delivered(message, 'PLACE_CACHE');
    expect(JSON.stringify(box.log())).not.toContain('hidden');
  });

  it('by a caller over SOAP, one-way', async () => {
    const body = envelope('<PLACE_CHANGED xmlns="urn:test:Places.v1"><PLACE>S1</PLACE></PLACE_CHANGED>');
    const headers = { 'content-type': 'text/xml', soapaction: 'PLACE_CHANGED.v1' };
    const { status, text } = await box.call(SERVICES, { method: 'POST', body, headers });
    expect([status, text]).toEqual([202, '']);
    expect(await about('S1')).toMatchObject([{ connector: 'soap' }]);
  });

  it('by a caller over SOAP, who is told to send no message of a circle again', async () => {
    const body = envelope('<PLACE_CHANGED xmlns="urn:test:Places.v1"><PLACE>S2</PLACE></PLACE_CHANGED>');
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const headers = { 'content-type': 'text/xml', soapaction: 'PLACE_CHANGED.v1', traceparent };
    const call = (tracestate: string) =>
      box.call(SERVICES, { method: 'POST', body, headers: { ...headers, tracestate } });
    const refused = await call('signalbox=h:16');
    expect(refused.status).toBe(500);
    expect(refused.text).toMatch(/<faultcode>\w+:Client<\/faultcode>/);
    expect(refused.text).toContain('More than 16 messages led to this one');
    expect(await about('S2')).toEqual([]);
    expect((await call('signalbox=h:15')).status).toBe(202);
  });

  it('by a caller at the HTTP connector, where the transaction of the acknowledgement is the message', async () => {
    const { status, text } = await box.call(`${HTTP}?Operation=PLACE_CHANGED.v1&OperationType=Async`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ PLACE: 'H1' }),
    });
    expect(status).toBe(200);
    const [{ id } = {}] = await about('H1');
    expect(text).toContain(String(id));
  });

  it('by no caller without the grant, and with nothing that the document refuses', async () => {
    const post = (body: object, headers = {}) =>
      box.call(`${BASE}/changed`, { method: 'POST', body: JSON.stringify(body), headers });
    expect(problem(await post({ PLACE: 'X1' }, { authorization: GUEST }))).toEqual([403, 'FORBIDDEN']);
    expect(problem(await post({ PLACE: 'X1', N: 'one' }))).toEqual([400, 'BAD_PARAMETER']);
    expect(problem(await post({ N: 1 }))).toEqual([400, 'BAD_PARAMETER']);
    expect(await about('X1')).toEqual([]);
  });

  it('by code, in a transaction with its other writes or in one of its own', async () => {
    const inTransaction = JSON.parse((await code('K1')).text).message;
    const own = JSON.parse((await code('K2', 'own')).text).message;
    expect(await about('K1')).toMatchObject([{ id: inTransaction, connector: 'handler', actor: 'demo' }]);
    expect(await about('K2')).toMatchObject([{ id: own }]);
    await box.delivered(own, 'PLACE_CACHE');
    await box.delivered(inTransaction, 'TO_ERP');
  });

  it('never when the transaction is rolled back', async () => {
    const counted = async () =>
      /signalbox_messages_published_total\{operation="PLACE_CHANGED"\} (\d+)/.exec(
        (await box.call('/metrics')).text,
      )?.[1];
    const before = await counted();
    expect(before).toBeDefined();
    expect((await code('K3', 'throws')).status).toBe(500);
    expect(await about('K3')).toEqual([]);
    expect(await counted()).toBe(before);
    expect(await box.rows('select * from signalbox_delivery where partition = \'["K3"]\'')).toEqual([]);
  });

  it('by code only as the definitions declare', async () => {
    expect(problem(await code('K4', 'unknown'))).toEqual([400, 'BAD_PARAMETER']);
    const large = await code('K4', 'large');
    expect(problem(large)).toEqual([413, 'BODY_TOO_LARGE']);
    expect(large.text).toMatch(/larger than \d+ bytes \(`size` of its queue\)/);
    expect(problem(await code('K4', 'none'))).toEqual([500, 'INTERNAL']);
    expect(problem(await code('K4', 'inside'))).toEqual([500, 'INTERNAL']);
    const told = box.log().map(({ err }) => String((err as { message?: string } | undefined)?.message));
    expect(told).toContainEqual(expect.stringContaining('PLACE_SAVE", but it has no `queue`, so it publishes nothing'));
    expect(told).toContainEqual(
      expect.stringContaining('context.publish was called inside a transaction: use publish of the transaction'),
    );
    expect(await about('K4')).toEqual([]);
  });

  it('by the save of a component: with it, and after it', async () => {
    const save = (place: string, NAME: string) =>
      box.call(`${BASE}/save/${place}`, { method: 'PUT', body: JSON.stringify({ NAME }) });
    expect((await save('C1', 'name')).status).toBe(201);
    expect(await about('bC1')).toMatchObject([{ connector: 'component', actor: 'demo' }]);
    const sql = "select * from signalbox_delivery where partition = '[\"aC1\"]' and status = 'Done'";
    await box.found('the message after the save', sql);
    expect((await save('C2', 'refused')).status).toBe(500);
    expect(await about('bC2')).toEqual([]);
  });

  it('by a process, with its end', async () => {
    expect((await code('P1', 'process')).status).toBe(200);
    const sql = 'select * from signalbox_message where partition = \'["process"]\'';
    const [found] = await box.found('the message of the process', sql);
    expect(found).toMatchObject({ connector: 'process', actor: 'demo' });
  });

  it('with content of any size that the queue takes, which is kept apart when it is large', async () => {
    const text = randomBytes(100_000).toString('base64');
    const file = randomBytes(20_000);
    const id = await box.publish('Places.v1/text', { PLACE: 'T1', TEXT: text, FILE: file.toString('base64') });
    const [row] = await box.found('the text', `select * from texts where message = '${id}'`);
    const digest = createHash('sha256').update(text).update(file).digest('hex');
    expect(row).toMatchObject({ length: text.length + file.length, digest, facts: 'application/octet-stream 20000' });
    const parts = await box.rows(
      `select part, blob, size from signalbox_message_content where message = '${id}' order by part`,
    );
    expect(parts).toMatchObject([
      { part: 'request', blob: `${id}/request` },
      { part: 'request.1', blob: `${id}/request.1` },
    ]);
    await box.found('its end', `select id from signalbox_message where id = '${id}' and expires is not null`);
    await box.rows(`update signalbox_message set expires = 1 where id = '${id}'`);
    await box.gateway.background.hurry();
    expect(await box.rows(`select key from signalbox_blob where scope = 'messages' and key like '${id}%'`)).toEqual([]);
  });

  it('with a body that is an attachment, streamed within the size of the queue', async () => {
    const post = (body: Buffer) =>
      box.call(`${BASE}/file`, { method: 'POST', body, headers: { 'content-type': 'application/pdf' } });
    const file = randomBytes(250_000);
    const { message } = JSON.parse((await post(file)).text);
    const [row] = await box.found('the file', `select * from texts where message = '${message}'`);
    expect(row).toMatchObject({
      length: 250_000,
      digest: createHash('sha256').update(file).digest('hex'),
      facts: 'application/pdf 250000',
    });
    expect((await post(randomBytes(400_000))).status).toBe(413);
    const left = await box.rows("select key from signalbox_blob where scope = 'messages'");
    expect(left).toEqual([{ key: `${message}/request.1` }]);
  });
});
