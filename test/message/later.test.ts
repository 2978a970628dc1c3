import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres.ts';
import { eventually, gatewayText, writeProject } from '../support/project.ts';
import { ENGINES, type MessageGateway, startMessages } from './project.ts';

const DEFINITIONS = `queue: ORDERS
order: [NUMBER]
---
queue: LOOSE
---
document: ORDER
fields:
  NUMBER: { type: string(20), required: true }
  ITEM: string(20)
---
document: CONFIRMATION
fields:
  NUMBER: { type: string(20), required: true }
  AMOUNT: { type: integer, required: true }
  IBAN: { type: string, sensitive: true }
---
service: Orders.v1
permission: EVERYTHING
operations:
  ORDER_PLACED: { post: placed, request: ORDER, queue: ORDERS }
  ORDER_LOOSE: { post: loose, request: ORDER, queue: LOOSE }
  ORDER_SILENT: { post: silent, request: ORDER, queue: ORDERS }
---
node: ERP
base: \${env:ERP_URL}
timeouts: { call: 5 s }
---
service: Erp.v1
target: ERP
permission: EVERYTHING
operations:
  ERP_ORDER:
    soap: true
    request: ORDER
    response: CONFIRMATION
  ERP_REST:
    post: orders
    request: { fields: { NUMBER: { type: string(20), required: true }, Callback: string } }
    response: CONFIRMATION
---
subscription: BY_SOAP
operation: ORDER_PLACED
call: ERP_ORDER
handler: confirmed
awaits-reply: { within: 1 h }
retry: { first: 20 ms, longest: 40 ms, for: 1 m }
---
subscription: BY_REST
operation: ORDER_LOOSE
call: ERP_REST
handler: confirmed-too
awaits-reply: { within: 1 h, to: Callback }
retry: { first: 20 ms, longest: 40 ms, for: 1 m }
---
subscription: SILENT_SOAP
operation: ORDER_SILENT
call: ERP_ORDER
awaits-reply: { within: 300 ms }
---
subscription: SILENT_REST
operation: ORDER_LOOSE
when: { ITEM: never }
call: ERP_REST
awaits-reply: { within: 300 ms, to: Callback }
`;

const FILES = {
  'definitions/orders.yaml': DEFINITIONS,
  'definitions/data/tables.sql':
    'create table confirmed (number varchar(20), amount integer, item varchar(20), message varchar(36));\n',
  'src/handlers/confirmed.ts': `const failed = new Set();
export default {
  async onReply({ NUMBER, AMOUNT }, { execute, messageId, request, log }) {
    log('info', 'confirmed', { reply: 'of ' + NUMBER });
    await execute('insert into confirmed values (:n, :a, :i, :m)', { n: NUMBER, a: AMOUNT, i: request.ITEM, m: messageId });
    if (NUMBER === 'again' && !failed.has(messageId)) { failed.add(messageId); throw new Error('not yet'); }
  },
  async onFault({ code, reason }, { execute, messageId, request }) {
    if (request.NUMBER === 'refused') throw new Error('no');
    await execute('insert into confirmed values (:n, -1, :i, :m)', { n: request.NUMBER, i: (code + ' ' + reason).slice(0, 20), m: messageId });
  },
};
`,
  'src/handlers/confirmed-too.ts': `export default {
  async onReply({ NUMBER, AMOUNT }, { execute, messageId, request }) {
    await execute('insert into confirmed values (:n, :a, :i, :m)', { n: NUMBER, a: AMOUNT, i: request.ITEM, m: messageId });
  },
};
`,
};

interface Got {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The address for the reply. */
  readonly replyTo: string;
  readonly messageId: string;
  readonly number: string;
}

interface Sent {
  readonly status: number;
  readonly text: string;
}

/** A system that takes calls, and answers when a test says so. */
class Partner {
  readonly got: Got[] = [];
  url = '';
  /** The status and body with which a call is taken. */
  take: (got: Got) => Promise<{ status: number; text?: string; type?: string }> = async () => ({ status: 202 });
  readonly #server = createServer(async (incoming, outgoing) => {
    let text = '';
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
    const find = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';
    const isXml = text.startsWith('<');
    const got: Got = {
      ...{ path: incoming.url ?? '', headers: incoming.headers, text },
      replyTo: find(isXml ? /<wsa:Address>([^<]+)</ : /"Callback":"([^"]+)"/),
      messageId: find(/MessageID[^>]*>([^<]+)</),
      number: find(isXml ? /<NUMBER>([^<]+)</ : /"NUMBER":"([^"]+)"/),
    };
    this.got.push(got);
    const { status, text: body = '', type = 'text/xml' } = await this.take(got);
    outgoing.writeHead(status, { 'Content-Type': type }).end(body);
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  of(number: string): Promise<Got> {
    return eventually(`the call for ${number}`, async () => this.got.find((each) => each.number === number));
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

function send(url: string, type: string, text: string, method = 'POST'): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, headers: { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) } },
      async (reply) => {
        let body = '';
        for await (const chunk of reply.setEncoding('utf8')) body += chunk;
        resolve({ status: reply.statusCode ?? 0, text: body });
      },
    );
    outgoing.on('error', reject).end(text);
  });
}

const WSA = 'xmlns:wsa="http://www.w3.org/2005/08/addressing"';

/** An envelope with a reply. */
function envelope(messageId: string, body: string): string {
  const header = messageId === '' ? '' : `<wsa:RelatesTo ${WSA} s:mustUnderstand="1">${messageId}</wsa:RelatesTo>`;
  return `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Header>${header}</s:Header><s:Body>${body}</s:Body></s:Envelope>`;
}

const confirmation = (number: string, amount: number | string): string =>
  `<ERP_ORDERResponse xmlns="urn:test:Erp.v1"><NUMBER>${number}</NUMBER><AMOUNT>${amount}</AMOUNT><IBAN>DE123</IBAN></ERP_ORDERResponse>`;

const FAULT = '<s:Fault><faultcode>s:Server</faultcode><faultstring>sold out</faultstring></s:Fault>';

describe.each(ENGINES)('a call that is answered later, on %s', (kind) => {
  let box: MessageGateway;
  const erp = new Partner();

  beforeAll(async () => {
    await erp.start();
    box = await startMessages(kind, FILES, { ERP_URL: erp.url });
  });
  afterAll(async () => {
    await box?.stop();
    await erp.stop();
  });

  const place = (NUMBER: string, ITEM = 'book') => box.publish('Orders.v1/placed', { NUMBER, ITEM });
  const confirmed = (message: string) =>
    box.rows(`select number, amount, item from confirmed where message = '${message}'`);
  const answer = (got: Got, amount: number | string = 7): Promise<Sent> =>
    send(got.replyTo, 'text/xml', envelope(got.messageId, confirmation(got.number, amount)));
  const waiting = async (message: string, subscription = 'BY_SOAP') => box.delivered(message, subscription, 'Working');

  it('waits without a worker, and its reply reaches code once, with the request', async () => {
    const message = await place('A1');
    const got = await erp.of('A1');
    const delivery = await waiting(message);
    expect(got).toMatchObject({
      messageId: `urn:uuid:${delivery.id}`,
      replyTo: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/gateway\/ReplyListeningConnector\/[\w-]{43}$/),
    });
    expect(got.text).toMatch(/<wsa:Action [^>]*>[^<]*ERP_ORDER/);
    expect(await box.gateway.background.depths()).toContainEqual(
      expect.objectContaining({ queue: 'BY_SOAP', delayed: 1, running: 0 }),
    );
    expect(await answer(got)).toEqual({ status: 202, text: '' });
    await box.delivered(message, 'BY_SOAP');
    expect(await confirmed(message)).toEqual([{ number: 'A1', amount: 7, item: 'book' }]);
    const attempts = await box.rows(
      `select code, reason from signalbox_delivery_attempt where delivery = '${delivery.id}' order by number`,
    );
    expect(attempts).toEqual([
      { code: 202, reason: null },
      { code: null, reason: null },
    ]);
    // Again: acknowledged, and without effect.
    expect(await answer(got, 8)).toEqual({ status: 202, text: '' });
    expect(await confirmed(message)).toHaveLength(1);
    const secret = got.replyTo.slice(got.replyTo.lastIndexOf('/') + 1);
    expect(JSON.stringify(box.log())).not.toContain(secret);
    expect(JSON.stringify(await box.rows('select * from signalbox_reply_address'))).not.toContain(secret);
  });

  it('holds back the partition of an order, and no other', async () => {
    const first = await place('B1');
    const second = await place('B1', 'second');
    const other = await place('B2');
    const got = await erp.of('B1');
    await answer(await erp.of('B2'));
    await box.delivered(other, 'BY_SOAP');
    expect(erp.got.filter(({ number }) => number === 'B1')).toHaveLength(1);
    await box.delivered(second, 'BY_SOAP', 'New');
    await waiting(first);
    await answer(got);
    await box.delivered(first, 'BY_SOAP');
    const next = await eventually('the second', async () => erp.got.filter(({ number }) => number === 'B1')[1]);
    await answer(next);
    await box.delivered(second, 'BY_SOAP');
  });

  it('takes a reply that comes before the call has returned', async () => {
    let early: Sent | undefined;
    erp.take = async (got) => {
      if (got.number === 'C1') early = await answer(got);
      return { status: 202 };
    };
    const message = await place('C1');
    await box.delivered(message, 'BY_SOAP');
    expect(await confirmed(message)).toHaveLength(1);
    expect(early).toEqual({ status: 202, text: '' });
    expect(erp.got.filter(({ number }) => number === 'C1')).toHaveLength(1);
  });

  it('takes a reply that comes at once, as that of the call', async () => {
    erp.take = async ({ number, messageId }) =>
      number === 'D1' ? { status: 200, text: envelope(messageId, confirmation('D1', 3)) } : { status: 202 };
    const message = await place('D1');
    await box.delivered(message, 'BY_SOAP');
    expect(await confirmed(message)).toEqual([{ number: 'D1', amount: 3, item: 'book' }]);
  });

  it('calls again with the same id when the call failed, and takes the reply to the first one', async () => {
    let calls = 0;
    erp.take = async ({ number }) => ({ status: number === 'E1' && ++calls === 1 ? 503 : 202 });
    const message = await place('E1');
    await waiting(message);
    const [first, second] = erp.got.filter(({ number }) => number === 'E1') as [Got, Got];
    expect(second.messageId).toBe(first.messageId);
    expect(second.replyTo).not.toBe(first.replyTo);
    expect((await answer(first)).status).toBe(202);
    await box.delivered(message, 'BY_SOAP');
  });

  it('runs the code again that failed, and sends nothing again', async () => {
    const message = await place('again');
    await waiting(message);
    await answer(await erp.of('again'));
    await box.delivered(message, 'BY_SOAP');
    expect(await confirmed(message)).toHaveLength(1);
    expect(erp.got.filter(({ number }) => number === 'again')).toHaveLength(1);
  });

  it('gives a fault to onFault', async () => {
    const message = await place('F1');
    const got = await erp.of('F1');
    await waiting(message);
    expect((await send(got.replyTo, 'text/xml', envelope(got.messageId, FAULT))).status).toBe(202);
    await box.delivered(message, 'BY_SOAP');
    expect(await confirmed(message)).toEqual([{ number: 'F1', amount: -1, item: 'Server sold out' }]);
  });

  it('fails for good by a fault that no code takes, and is sent again by an operator', async () => {
    const message = await box.publish('Orders.v1/loose', { NUMBER: 'G1' });
    const got = await erp.of('G1');
    await waiting(message, 'BY_REST');
    const problem = JSON.stringify({ title: 'Conflict', detail: 'sold out', status: 409 });
    expect((await send(got.replyTo, 'application/problem+json', problem)).status).toBe(202);
    const dead = await box.delivered(message, 'BY_REST', 'Error');
    expect(dead.reason).toBe('the target replied with a fault: Conflict');
    await box.gateway.background.queues.resubmit(String(dead.id), 'operator');
    const next = await eventually('the next call', async () => erp.got.filter(({ number }) => number === 'G1')[1]);
    await waiting(message, 'BY_REST');
    await send(next.replyTo, 'application/json', JSON.stringify({ NUMBER: 'G1', AMOUNT: 2 }));
    await box.delivered(message, 'BY_REST');
    expect(await confirmed(message)).toEqual([{ number: 'G1', amount: 2, item: null }]);
  });

  it('takes a reply over REST at the address that a field of the input carries', async () => {
    const message = await box.publish('Orders.v1/loose', { NUMBER: 'H1', ITEM: 'pen' });
    const got = await erp.of('H1');
    expect(got.text).toContain('"Callback":"http://127.0.0.1:');
    expect(got.headers['idempotency-key']).toBeDefined();
    await waiting(message, 'BY_REST');
    const post = (text: string) => send(got.replyTo, 'application/json', text);
    const bad = await post('{"NUMBER":"H1","AMOUNT":"many"}');
    expect(bad.status).toBe(400);
    expect(JSON.parse(bad.text)).toMatchObject({ code: 'BAD_BODY', detail: expect.stringContaining('AMOUNT') });
    expect((await send(got.replyTo, 'application/json', '', 'POST')).status).toBe(400);
    expect((await send(got.replyTo, 'application/json', '', 'GET')).status).toBe(405);
    expect((await post('{"NUMBER":"H1","AMOUNT":5}')).status).toBe(202);
    await box.delivered(message, 'BY_REST');
    expect(await confirmed(message)).toEqual([{ number: 'H1', amount: 5, item: 'pen' }]);
  });

  it('refuses replies that belong to no call, or to another one, and documents that do not fit', async () => {
    const message = await place('I1');
    const got = await erp.of('I1');
    await waiting(message);
    const unknown = got.replyTo.replace(/[^/]+$/, 'x'.repeat(43));
    const fault = await send(unknown, 'text/xml', envelope(got.messageId, confirmation('I1', 1)));
    expect(fault).toMatchObject({
      status: 500,
      text: expect.stringContaining('There is no message that awaits a reply'),
    });
    expect((await send(unknown, 'application/json', '{}')).status).toBe(404);
    expect((await send(`${got.replyTo}x`, 'application/json', '{}')).status).toBe(404);
    const other = await send(got.replyTo, 'text/xml', envelope(`urn:uuid:${randomUUID()}`, confirmation('I1', 1)));
    expect(other).toMatchObject({ status: 500, text: expect.stringContaining('relates to the message urn:uuid:') });
    const unfit = await send(got.replyTo, 'text/xml', envelope(got.messageId, confirmation('I1', 'many')));
    expect(unfit.text).toContain('AMOUNT');
    expect((await send(got.replyTo, 'text/xml', '<not-closed')).text).toContain('faultstring');
    await waiting(message);
    // Without a relation, the address alone tells.
    expect((await send(got.replyTo, 'text/xml', envelope('', confirmation('I1', 1)))).status).toBe(202);
    await box.delivered(message, 'BY_SOAP');
  });

  it('ends as Timeout without order, and is held in an order, when no reply comes in time', async () => {
    const loose = await box.publish('Orders.v1/loose', { NUMBER: 'J1', ITEM: 'never' });
    const dead = await box.delivered(loose, 'SILENT_REST', 'Timeout');
    expect(dead).toMatchObject({ reason: 'no reply came within 300 ms' });
    const late = erp.got.filter(({ number }) => number === 'J1');
    const replies = await Promise.all(
      late.map(({ replyTo }) => send(replyTo, 'application/json', '{"NUMBER":"J1","AMOUNT":1}')),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([202, 410]);
    const first = await box.publish('Orders.v1/silent', { NUMBER: 'J2' });
    const held = await box.delivered(first, 'SILENT_SOAP', 'Hold');
    expect(held).toMatchObject({ reason: 'no reply came within 300 ms', ended: null });
    // A reply that comes now is kept, and taken when the delivery is released; nothing is sent again.
    expect((await answer(await erp.of('J2'))).status).toBe(202);
    await box.gateway.background.queues.resubmit(String(held.id), 'operator');
    await box.delivered(first, 'SILENT_SOAP');
    expect(erp.got.filter(({ number }) => number === 'J2')).toHaveLength(1);
  });

  it('can be cancelled while the reply is awaited, but not run again', async () => {
    const message = await place('K1');
    const { id } = await waiting(message);
    const { queues } = box.gateway.background;
    await expect(queues.resubmit(String(id), 'operator')).rejects.toThrow('awaits its reply');
    await queues.cancel(String(id), 'operator');
    await box.delivered(message, 'BY_SOAP', 'Cancelled');
    const late = await answer(await erp.of('K1'));
    expect(late.text).toContain('The reply is not awaited any more: the delivery is Cancelled.');
  });

  it('is removed with its message', async () => {
    const message = await place('M1');
    const got = await erp.of('M1');
    await waiting(message);
    await answer(got);
    await box.delivered(message, 'BY_SOAP');
    await box.rows(`update signalbox_message set expires = 1 where id = '${message}'`);
    await box.gateway.background.hurry();
    expect(await box.rows(`select * from signalbox_reply_address where message = '${message}'`)).toEqual([]);
    expect(await box.rows(`select * from signalbox_message_content where message = '${message}'`)).toEqual([]);
    expect((await send(got.replyTo, 'application/json', '{}')).status).toBe(404);
  });

  it('outlives the gateway that asked: another one takes the reply', async () => {
    const project = writeProject({
      'definitions/gateway.yaml': gatewayText('sample-data: data/*.sql'),
      ...FILES,
    });
    const database = kind === 'sqlite' ? undefined : await createDatabase({ migrated: true });
    const env = { DATABASE_URL: database?.url ?? `sqlite:${project.root}/box.db`, ERP_URL: erp.url };
    const gateways: TestGateway[] = [];
    onTestFinished(async () => {
      for (const each of gateways) await each.stop();
      await database?.drop();
      project.remove();
    });
    const open = async (): Promise<TestGateway> => {
      const gateway = await startTestGateway({ root: project.root, env });
      gateways.push(gateway);
      return gateway;
    };
    const delayed = (gateway: TestGateway, count: number) =>
      eventually('the wait', async () => {
        const depths = await gateway.gateway.background.depths();
        return depths.find(({ queue }) => queue === 'BY_SOAP')?.delayed === count ? true : undefined;
      });
    const first = await open();
    const publish = (gateway: TestGateway, NUMBER: string) =>
      gateway.call('/gateway/RESTListeningConnector/Orders.v1/placed', {
        method: 'POST',
        body: JSON.stringify({ NUMBER }),
      });
    await publish(first, 'N1');
    const asked = await erp.of('N1');
    await delayed(first, 1);
    await first.gateway.close({ timeoutMs: 1000 });
    const second = await open();
    const path = new URL(asked.replyTo).pathname;
    const through = (gateway: TestGateway, got: Got, at: string) =>
      gateway.call(at, {
        method: 'POST',
        headers: { 'Content-Type': 'text/xml' },
        body: envelope(got.messageId, confirmation(got.number, 7)),
      });
    expect((await through(second, asked, path)).status).toBe(202);
    await delayed(second, 0);
    if (kind === 'sqlite') return;
    // The one that asked goes on here.
    const third = await open();
    await publish(second, 'N2');
    const next = await erp.of('N2');
    expect((await through(third, next, new URL(next.replyTo).pathname)).status).toBe(202);
    await delayed(second, 0);
  });
});
