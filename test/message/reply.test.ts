import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { openMessageControl } from '../../src/messaging/run/index.ts';
import { readMessages } from '../../src/messaging/run/show.ts';
import { openBlobs, openQueue, openStore } from '../../src/store/index.ts';
import type { Reply } from '../support/gateway.ts';
import { ENGINES, type MessageGateway, startMessages } from './project.ts';

const BASE = '/gateway/RESTListeningConnector/Orders.v1';

const FILES = {
  'definitions/orders.yaml': `queue: ORDERS
size: 4 KiB
---
document: ORDER
fields: { NUMBER: { type: integer, required: true }, HOW: string }
---
document: ORDER_RESULT
fields: { NUMBER: { type: integer, required: true }, PRICE: decimal(8.2), SHEET: binary, SECRET: { type: string, sensitive: true } }
---
service: Orders.v1
permission: EVERYTHING
operations:
  ORDER_PLACE: { post: orders, soap: true, request: ORDER, response: ORDER_RESULT, queue: ORDERS }
  ORDER_REPLY: { get: "orders/{message}/reply", reply-of: ORDER_PLACE, response: ORDER_RESULT }
  OPEN_PLACE: { post: open, public: true, request: ORDER, response: ORDER_RESULT, queue: ORDERS }
  SLOW_PLACE: { post: slow, request: ORDER, response: ORDER_RESULT, queue: ORDERS }
  SLOW_REPLY: { get: "slow/{message}", reply-of: SLOW_PLACE, response: ORDER_RESULT }
  OPEN_REPLY: { get: "open/{message}", public: true, reply-of: OPEN_PLACE, response: ORDER_RESULT }
---
{ subscription: ANSWERS, operation: ORDER_PLACE, handler: answers, gives-reply: true, retry: { first: 20 ms, longest: 20 ms, attempts: 2 } }
---
{ subscription: OPEN_ANSWERS, operation: OPEN_PLACE, handler: answers, gives-reply: true, retry: { first: 20 ms, longest: 20 ms, for: 1 m } }
---
{ subscription: SLOW_ANSWERS, operation: SLOW_PLACE, handler: answers, gives-reply: true, within: 1 ms, retry: { first: 20 ms, longest: 20 ms, for: 1 m } }
`,
  'definitions/data/tables.sql': `create table answered (number integer);
create table gate (open varchar(5));
insert into gate values ('no');
`,
  'src/handlers/answers.ts': `import { Fault } from 'signalbox';
export default {
  async onMessage({ NUMBER, HOW }, { execute, attempt }) {
    await execute('insert into answered values (:n)', { n: NUMBER });
    if (HOW === 'refused') throw Fault.custom('SOLD_OUT', 409, 'Number ' + NUMBER + ' is sold out.', { detail: 'Try 8.' });
    if (HOW === 'broken') throw new Error('secret inner reason');
    if (HOW === 'wrong') return { NUMBER, PRICE: 'much' };
    if (HOW === 'nothing') return;
    if (HOW === 'large') return { NUMBER, SECRET: 'x'.repeat(5000) };
    if (HOW === 'second' && attempt === 1) throw new Error('not yet');
    if (HOW === 'gate') {
      const { rows } = await execute('select open from gate');
      if (rows[0].open !== 'yes') throw new Error('not open');
    }
    const bytes = new TextEncoder().encode('sheet ' + NUMBER);
    const SHEET = { contentType: 'text/plain', length: bytes.length, async *stream() { yield bytes; } };
    return { NUMBER, PRICE: '12.50', SECRET: 'hidden', ...(HOW === 'sheet' ? { SHEET } : {}) };
  },
};
`,
};

describe.each(ENGINES)('replies that come later, on %s', (kind) => {
  let box: MessageGateway;

  beforeAll(async () => {
    box = await startMessages(kind, FILES);
  });
  afterAll(() => box?.stop());

  const place = async (NUMBER: number, HOW?: string): Promise<{ message: string; path: string }> => {
    const body = JSON.stringify({ NUMBER, HOW });
    const { status, text, headers } = await box.call(`${BASE}/orders`, { method: 'POST', body });
    expect(status).toBe(202);
    const { message } = JSON.parse(text);
    const path = new URL(String(headers.location)).pathname;
    expect(path).toBe(`${BASE}/orders/${message}/reply`);
    return { message, path };
  };
  const ended = async (NUMBER: number, HOW?: string, status = 'Done'): Promise<Reply> => {
    const { message, path } = await place(NUMBER, HOW);
    await box.delivered(message, 'ANSWERS', status);
    return box.call(path);
  };
  const fault = ({ status, text }: Reply): unknown[] => {
    const { code, detail } = JSON.parse(text);
    return [status, code, detail];
  };

  it('are 202 with Retry-After while they are awaited, then the document', async () => {
    const body = '{"NUMBER":1,"HOW":"gate"}';
    const { headers, text } = await box.call(`${BASE}/open`, { method: 'POST', body });
    const path = new URL(String(headers.location)).pathname;
    const early = await box.call(path);
    expect([early.status, early.headers['retry-after'], early.text]).toEqual([202, '5', '']);
    expect(early.headers['content-type']).toBeUndefined();
    await box.rows("update gate set open = 'yes'");
    await box.delivered(JSON.parse(text).message, 'OPEN_ANSWERS');
    const late = await box.call(path);
    expect([late.status, JSON.parse(late.text)]).toEqual([200, { NUMBER: 1, PRICE: 12.5, SECRET: 'hidden' }]);
  });

  it('are a timeout once `within` has passed, until they are there', async () => {
    await box.rows("update gate set open = 'no'");
    const body = '{"NUMBER":11,"HOW":"gate"}';
    const { headers, text } = await box.call(`${BASE}/slow`, { method: 'POST', body });
    const path = new URL(String(headers.location)).pathname;
    await expect.poll(async () => fault(await box.call(path)).slice(0, 2)).toEqual([504, 'REPLY_TIMEOUT']);
    await box.rows("update gate set open = 'yes'");
    await box.delivered(JSON.parse(text).message, 'SLOW_ANSWERS');
    expect((await box.call(path)).status).toBe(200);
  });

  it('have the form that the caller asks for', async () => {
    const { path, message } = await place(2);
    await box.delivered(message, 'ANSWERS');
    const { text, headers } = await box.call(path, { headers: { accept: 'application/xml' } });
    expect(headers['content-type']).toContain('application/xml');
    expect(text).toContain('<PRICE>12.50</PRICE>');
  });

  it('are those of the attempt that ended the delivery, once', async () => {
    expect((await ended(3, 'second')).status).toBe(200);
    expect(await box.rows('select * from answered where number = 3')).toHaveLength(1);
  });

  it('are the fault that ended the delivery', async () => {
    expect(fault(await ended(4, 'refused', 'Error'))).toEqual([409, 'SOLD_OUT', 'Number 4 is sold out. Try 8.']);
  });

  it.each(['broken', 'wrong', 'nothing', 'large'])('are a fault without a reason when code is %s', async (how) => {
    const reply = await ended(5, how, 'Error');
    expect(fault(reply).slice(0, 2)).toEqual([500, 'REPLY_FAILED']);
    expect(reply.text).not.toContain('secret');
    expect(await box.rows('select * from answered where number = 5')).toEqual([]);
  });

  it('are those of the edited copy, and of the copy of that, for the caller of the original', async () => {
    const store = await openStore({ url: box.database, root: box.folder });
    const [queue, blobs] = [await openQueue(store), await openBlobs(store)];
    onTestFinished(async () => {
      await blobs.close();
      await queue.close({ timeoutMs: 0 });
      await store.close();
    });
    const { registry } = box.gateway;
    const messages = openMessageControl({ registry, store, queue, blobs, redactor: createRedactor() });
    const { message, path } = await place(30, 'broken');
    await box.delivered(message, 'ANSWERS', 'Error');
    expect((await box.call(path)).status).toBe(500);
    const edited = async (id: string, HOW: string): Promise<string> =>
      (await messages.edit(id, new Map([['HOW', HOW]]), 'me')).message;
    const copy = await edited(message, 'nothing');
    await box.delivered(copy, 'ANSWERS', 'Error');
    expect(fault(await box.call(path)).slice(0, 2)).toEqual([500, 'REPLY_FAILED']);
    const last = await edited(copy, 'second');
    await box.delivered(last, 'ANSWERS');
    for (const id of [message, copy, last])
      expect((await box.call(path.replace(message, id))).text).toContain('"NUMBER":30');
    expect((await box.call(`${BASE}/open/${message}`, { anonymous: true })).status).toBe(404);
  });

  it('are shown to operators, without what is secret', async () => {
    const store = await openStore({ url: box.database, root: box.folder });
    onTestFinished(() => store.close());
    const { registry } = box.gateway;
    const shown = readMessages({
      registry,
      tables: () => store.tables(),
      blobs: undefined,
      redactor: createRedactor(),
    });
    const { message } = await place(9);
    const refused = await place(10, 'refused');
    await box.delivered(message, 'ANSWERS');
    await box.delivered(refused.message, 'ANSWERS', 'Error');
    const [reply, fault] = [await shown.payload(message), await shown.payload(refused.message)];
    expect(JSON.stringify(reply)).toContain('12.5');
    expect(JSON.stringify(reply)).not.toContain('hidden');
    expect(JSON.stringify(fault)).toContain('SOLD_OUT');
  });

  it('have attachments', async () => {
    const { text } = await ended(6, 'sheet');
    expect(JSON.parse(text).SHEET).toBe(Buffer.from('sheet 6').toString('base64'));
  });

  it('are read by the user who published only', async () => {
    const { path, message } = await place(7);
    await box.delivered(message, 'ANSWERS');
    const unknown = path.replace(
      message,
      message.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    );
    const other = await box.call(`${BASE}/open/${message}`, { anonymous: true });
    expect([fault(await box.call(unknown)).slice(0, 2), other.status]).toEqual([[404, 'NOT_FOUND'], 404]);
    expect((await box.call(path.replace(message, 'x'))).status).toBe(400);
  });

  it('of public operations are read by the id', async () => {
    const { text } = await box.call(`${BASE}/open`, { anonymous: true, method: 'POST', body: '{"NUMBER":8}' });
    const { message } = JSON.parse(text);
    await box.delivered(message, 'OPEN_ANSWERS');
    expect((await box.call(`${BASE}/open/${message}`, { anonymous: true })).status).toBe(200);
  });
});
