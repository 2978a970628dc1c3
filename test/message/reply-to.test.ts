import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { type MessageControl, openMessageControl } from '../../src/messaging/run/index.ts';
import { openBlobs, openQueue, openStore } from '../../src/store/index.ts';
import type { Reply } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { ENGINES, type MessageGateway, startMessages } from './project.ts';

const REST = '/gateway/RESTListeningConnector/Orders.v1';
const SOAP = '/gateway/PeopleSoftServiceListeningConnector';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const FILES = {
  'definitions/orders.yaml': `queue: ORDERS
---
document: ORDER
fields:
  NUMBER: { type: integer, required: true }
  HOW: string
  CALLBACK: string
---
document: ORDER_RESULT
fields: { NUMBER: { type: integer, required: true }, PRICE: decimal(8.2), SHEET: binary }
---
node: SHOP
base: "\${env:SHOP_URL}/hooks"
circuit: { failures: 0 }
redirects: 3
---
node: SIGNED
base: "\${env:SHOP_URL}/signed/"
credential: { webhook: "\${secret:HOOK_SECRET}" }
---
node: SECURED
base: "\${env:SHOP_URL}/secured/"
credential: { username-token: { user: gateway, password: "\${secret:SHOP_PASSWORD}", digest: true }, timestamp: 5 m }
---
{ node: TESTED, base: "https://tested.example.org" }
---
service: Orders.v1
permission: EVERYTHING
operations:
  ORDER_PLACE:
    post: orders
    soap: true
    request: ORDER
    response: ORDER_RESULT
    queue: ORDERS
    reply-to: { nodes: [SHOP, SIGNED, SECURED, TESTED], field: CALLBACK, retry: { first: 20 ms, longest: 20 ms, attempts: 2 } }
  XML_PLACE:
    post: orders/xml
    headers: { X-Callback: "{CALLBACK}" }
    request: ORDER
    response: { application/xml: ORDER_RESULT }
    queue: ORDERS
    reply-to: { nodes: SHOP, field: CALLBACK }
  ORDER_REPLY: { get: "orders/{message}/reply", reply-of: ORDER_PLACE, response: ORDER_RESULT }
---
{ subscription: ANSWERS, operation: ORDER_PLACE, handler: answers, gives-reply: true, retry: { attempts: 1 } }
---
{ subscription: XML_ANSWERS, operation: XML_PLACE, handler: answers, gives-reply: true, retry: { attempts: 1 } }
`,
  'definitions/data/tables.sql': 'create table gate (open varchar(5));\n',
  'src/handlers/answers.ts': `import { Fault } from 'signalbox';
const refused = new Set();
export default {
  async onMessage({ NUMBER, HOW }, { messageId }) {
    if (HOW?.endsWith(' once') && !refused.has(messageId)) {
      refused.add(messageId);
      throw HOW === 'broken once' ? new Error('not yet') : Fault.custom('SOLD_OUT', 409, 'Not yet.');
    }
    if (HOW === 'refused') throw Fault.custom('SOLD_OUT', 409, 'Number ' + NUMBER + ' is sold out.');
    if (HOW === 'broken') throw new Error('inner reason');
    const bytes = new TextEncoder().encode('sheet');
    const SHEET = { contentType: 'text/plain', length: bytes.length, async *stream() { yield bytes; } };
    return { NUMBER, PRICE: '12.50', ...(HOW === 'sheet' ? { SHEET } : {}) };
  },
};
`,
};

interface Got {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The endpoint of callers. */
class Receiver {
  readonly got: Got[] = [];
  url = '';
  answer: (got: Got) => { status: number; headers?: Record<string, string>; body?: string } = () => ({ status: 202 });
  readonly #server = createServer(async (incoming, outgoing) => {
    let text = '';
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
    const got = { at: Date.now(), path: incoming.url ?? '', headers: incoming.headers, text };
    this.got.push(got);
    const { status, headers = {}, body } = this.answer(got);
    outgoing.writeHead(status, headers).end(body);
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  at(path: string): Promise<Got> {
    return eventually(`a reply at ${path}`, async () => this.got.find((each) => each.path === path));
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

const WSA = 'http://www.w3.org/2005/08/addressing';
const WSA_2004 = 'http://schemas.xmlsoap.org/ws/2004/08/addressing';
const ENVELOPES = {
  '1.1': { namespace: 'http://schemas.xmlsoap.org/soap/envelope/', type: 'text/xml' },
  '1.2': { namespace: 'http://www.w3.org/2003/05/soap-envelope', type: 'application/soap+xml' },
} as const;

describe.each(ENGINES)('a reply that is sent to its caller, on %s', (kind) => {
  let box: MessageGateway;
  let operator: MessageControl & { close(): Promise<void> };
  const shop = new Receiver();

  beforeAll(async () => {
    await shop.start();
    box = await startMessages(kind, FILES, {
      ...{ SHOP_URL: shop.url, HOOK_SECRET: SECRET, SHOP_PASSWORD: 'shop secret' },
      SIGNALBOX_NODE_TESTED: `${shop.url}/tested`,
    });
    const store = await openStore({ url: box.database, root: box.folder });
    const [queue, blobs] = [await openQueue(store), await openBlobs(store)];
    const { registry } = box.gateway;
    operator = {
      ...openMessageControl({ registry, store, queue, blobs, redactor: createRedactor() }),
      async close() {
        for (const each of [queue, blobs, store]) await each.close();
      },
    };
  });
  afterAll(async () => {
    await operator?.close();
    await box?.stop();
    await shop.stop();
  });

  const post = (body: object, path = 'orders', headers: Record<string, string> = {}): Promise<Reply> =>
    box.call(`${REST}/${path}`, { method: 'POST', body: JSON.stringify(body), headers });
  const soap = (header: string, order: object, version: keyof typeof ENVELOPES = '1.1'): Promise<Reply> => {
    const { namespace, type } = ENVELOPES[version];
    const fields = Object.entries(order).map(([name, value]) => `<${name}>${value}</${name}>`);
    const body = `<ORDER_PLACE xmlns="urn:test:Orders.v1">${fields.join('')}</ORDER_PLACE>`;
    return box.call(SOAP, {
      method: 'POST',
      headers: { 'content-type': type },
      body: `<s:Envelope xmlns:s="${namespace}" xmlns:wsa="${WSA}"><s:Header>${header}</s:Header><s:Body>${body}</s:Body></s:Envelope>`,
    });
  };
  const replyTo = (address: string, more = ''): string =>
    `<wsa:ReplyTo><wsa:Address>${address}</wsa:Address>${more}</wsa:ReplyTo>`;
  const ID = '<wsa:MessageID>urn:uuid:8e03978e-40d5-43e8-bc93-6894a57f9324</wsa:MessageID>';
  const messages = async (): Promise<number> =>
    (await box.rows('select id from signalbox_message where queue is not null')).length;

  it('over REST is a POST of the document to the address in the field', async () => {
    const { status, text } = await post({ NUMBER: 1, CALLBACK: `${shop.url}/hooks/one?x=1` });
    expect(status).toBe(202);
    const { message } = JSON.parse(text);
    const got = await shop.at('/hooks/one?x=1');
    expect(JSON.parse(got.text)).toEqual({ NUMBER: 1, PRICE: 12.5 });
    const delivery = await box.delivered(message, '~REPLY~ORDER_PLACE~SHOP');
    expect(got.headers).toMatchObject({
      'content-type': 'application/json',
      'x-correlation-id': message,
      'idempotency-key': `"${delivery.id}"`,
    });
    expect((await box.call(`${REST}/orders/${message}/reply`)).status).toBe(200);
    // A client that still reads the 202 would take the reply for it.
    const [row] = await box.rows(`select entered from signalbox_message where id = '${message}'`);
    expect(got.at - Number(row?.entered)).toBeGreaterThanOrEqual(249);
  });

  it('has the form of `response`, and the address in a header where the operation takes it there', async () => {
    await post({ NUMBER: 2 }, 'orders/xml', { 'X-Callback': `${shop.url}/hooks` });
    const { text, headers } = await shop.at('/hooks');
    expect(headers['content-type']).toBe('application/xml');
    expect(text).toContain('<PRICE>12.50</PRICE>');
    await post({ NUMBER: 3, HOW: 'refused' }, 'orders/xml', { 'X-Callback': `${shop.url}/hooks/fault` });
    expect((await shop.at('/hooks/fault')).headers['content-type']).toBe('application/problem+json');
  });

  it('is signed where its node has a webhook secret', async () => {
    const { text } = await post({ NUMBER: 4, CALLBACK: `${shop.url}/signed/four` });
    const got = await shop.at('/signed/four');
    const { id } = await box.delivered(JSON.parse(text).message, '~REPLY~ORDER_PLACE~SIGNED');
    expect(got.headers['webhook-id']).toBe(id);
    expect(new Webhook(SECRET).verify(got.text, got.headers as Record<string, string>)).toEqual({
      NUMBER: 4,
      PRICE: 12.5,
    });
  });

  it('has attachments in their place, as base64', async () => {
    await post({ NUMBER: 17, HOW: 'sheet', CALLBACK: `${shop.url}/hooks/sheet` });
    const SHEET = Buffer.from('sheet').toString('base64');
    expect(JSON.parse((await shop.at('/hooks/sheet')).text)).toMatchObject({ SHEET });
    await soap(ID + replyTo(`${shop.url}/hooks/soap-sheet`), { NUMBER: 17, HOW: 'sheet' });
    expect((await shop.at('/hooks/soap-sheet')).text).toContain(`<SHEET>${SHEET}</SHEET>`);
  });

  it('is the fault as a problem, once the delivery has failed for good', async () => {
    const { text } = await post({ NUMBER: 5, HOW: 'refused', CALLBACK: `${shop.url}/hooks/five` });
    const got = await shop.at('/hooks/five');
    expect(got.headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(got.text)).toMatchObject({ status: 409, code: 'SOLD_OUT', detail: 'Number 5 is sold out.' });
    await box.delivered(JSON.parse(text).message, '~REPLY~ORDER_PLACE~SHOP');
  });

  it('is that of the copy when the message is edited, and names the message that the caller knows', async () => {
    const { text } = await post({ NUMBER: 18, HOW: 'broken', CALLBACK: `${shop.url}/hooks/edited` });
    const { message } = JSON.parse(text);
    await box.delivered(message, 'ANSWERS', 'Error');
    const { message: copy } = await operator.edit(message, new Map([['HOW', 'well']]), 'ada');
    const got = await shop.at('/hooks/edited');
    expect(JSON.parse(got.text)).toEqual({ NUMBER: 18, PRICE: 12.5 });
    expect(got.headers['x-correlation-id']).toBe(message);
    await box.delivered(copy, '~REPLY~ORDER_PLACE~SHOP');
    expect(shop.got.filter(({ path }) => path === '/hooks/edited')).toHaveLength(1);
  });

  it('is not sent for another error, nor without an address', async () => {
    for (const order of [{ NUMBER: 6, HOW: 'broken', CALLBACK: `${shop.url}/hooks/six` }, { NUMBER: 6 }]) {
      const { message } = JSON.parse((await post(order)).text);
      await box.delivered(message, 'ANSWERS', order.HOW === undefined ? 'Done' : 'Error');
      expect(await box.rows(`select id from signalbox_delivery where message = '${message}'`)).toHaveLength(1);
    }
  });

  it.each([
    ['another host', 'http://evil.example.org/hooks/x'],
    ['a private address', 'http://169.254.169.254/hooks/x'],
    ['user information', 'SHOP@evil.example.org/hooks'],
    ['user information before the same host', 'http://shop@HOST/hooks/x'],
    ['dot segments', 'SHOP/hooks/../admin'],
    ['encoded dot segments', 'SHOP/hooks/%2e%2E/admin'],
    ['a dot segment with a parameter', 'SHOP/hooks/..;/admin'],
    ['dot segments behind an encoded slash', 'SHOP/hooks/a%2f..%2f..%2fadmin'],
    ['a backslash', 'SHOP/hooks/..\\admin'],
    ['a path beside the base', 'SHOP/hooksies'],
    ['another path', 'SHOP/'],
    ['another port', 'http://127.0.0.1:1/hooks/x'],
    ['https for http', 'https://HOST/hooks/x'],
    ['another scheme', 'ftp://HOST/hooks/x'],
    ['a line end', 'SHOP/hooks/x\r\nX-Evil: 1'],
    ['a tab in the host', 'http://127.0.0\t.1/hooks'],
    ['a fragment', 'SHOP/hooks/x#y'],
    ['a relative address', '/hooks/x'],
    ['a network-path reference', '//HOST/hooks/x'],
    ['no address', 'shop'],
    ['a very long address', `SHOP/hooks/${'x'.repeat(2000)}`],
    ['characters beyond ASCII', 'SHOP/hooks/é'],
    ['a half escape', 'SHOP/hooks/%4'],
  ])('is refused before anything is stored for %s', async (_, address) => {
    const before = await messages();
    const named = address.replace('SHOP', shop.url).replace('HOST', new URL(shop.url).host);
    const { status, text } = await post({ NUMBER: 7, CALLBACK: named });
    expect([status, JSON.parse(text)]).toMatchObject([
      400,
      { code: 'BAD_PARAMETER', errors: [{ pointer: '#/CALLBACK' }] },
    ]);
    const envelope = await soap(ID + replyTo(named.replace(/[\r\n\t]/g, ' ')), { NUMBER: 7 }, '1.2');
    expect(envelope.status).toBe(400);
    expect(envelope.text).toMatch(/:Sender<.*InvalidAddressingHeader<.*wsa:ReplyTo is not an address/);
    expect(await messages()).toBe(before);
  });

  it.each([
    '1.1',
    '1.2',
  ] as const)('over SOAP %s is an envelope to ReplyTo that relates to the request', async (version) => {
    const parameters =
      '<wsa:ReferenceParameters><k:Key xmlns:k="urn:k" n="1">a &amp; b</k:Key></wsa:ReferenceParameters>';
    const path = `/hooks/soap${version}`;
    const asked = await soap(ID + replyTo(`${shop.url}${path}`, parameters), { NUMBER: 8 }, version);
    expect([asked.status, asked.text]).toEqual([202, '']);
    const { text, headers } = await shop.at(path);
    const [row] = await box.found('a delivery', 'select id from signalbox_delivery order by id desc limit 1');
    expect(headers['content-type']).toContain(ENVELOPES[version].type);
    expect(version === '1.1' ? headers.soapaction : headers['content-type']).toContain(
      '"urn:test:Orders.v1:ORDER_PLACEResponse"',
    );
    expect(text).toContain(`<wsa:To xmlns:wsa="${WSA}">${shop.url}${path}</wsa:To>`);
    expect(text).toContain(`<wsa:MessageID xmlns:wsa="${WSA}">urn:uuid:${row?.id}</wsa:MessageID>`);
    expect(text).toContain(`>urn:uuid:8e03978e-40d5-43e8-bc93-6894a57f9324</wsa:RelatesTo>`);
    expect(text).toMatch(/<k:Key [^>]*wsa:IsReferenceParameter="true"[^>]*>a &amp; b<\/k:Key>/);
    expect(text).toContain('<PRICE>12.50</PRICE>');
  });

  it('over SOAP is a fault to FaultTo, or else to ReplyTo', async () => {
    const faultTo = `<wsa:FaultTo><wsa:Address>${shop.url}/signed/fault</wsa:Address></wsa:FaultTo>`;
    await soap(ID + replyTo(`${shop.url}/hooks/never`) + faultTo, { NUMBER: 9, HOW: 'refused' });
    const got = await shop.at('/signed/fault');
    expect(got.text).toMatch(/addressing\/soap\/fault<.*Client<.*Number 9 is sold out.*<detail>.*SOLD_OUT/s);
    expect(got.headers['webhook-id']).toBeDefined();
    await soap(ID + replyTo(`${shop.url}/hooks/fault12`), { NUMBER: 9, HOW: 'refused' }, '1.2');
    expect((await shop.at('/hooks/fault12')).text).toContain(':Sender<');
    expect(shop.got.filter(({ path }) => path === '/hooks/never')).toEqual([]);
  });

  it('over SOAP has the Security header of its node, also a fault', async () => {
    await soap(ID + replyTo(`${shop.url}/secured/reply`), { NUMBER: 15 });
    await soap(ID + replyTo(`${shop.url}/secured/fault`), { NUMBER: 16, HOW: 'refused' });
    for (const path of ['/secured/reply', '/secured/fault']) {
      const { text } = await shop.at(path);
      expect(text).toMatch(
        /<wsse:Security .*<wsu:Timestamp.*<wsse:UsernameToken.*<wsse:Username>gateway<.*#PasswordDigest"/s,
      );
      expect(text).not.toContain('shop secret');
    }
  });

  it('takes WS-Addressing of August 2004 too, and answers in it', async () => {
    const header = (ID + replyTo(`${shop.url}/hooks/2004`)).replaceAll('wsa:', 'old:');
    await soap(header.replaceAll(/<old:(ReplyTo|MessageID)>/g, `<old:$1 xmlns:old="${WSA_2004}">`), { NUMBER: 10 });
    expect((await shop.at('/hooks/2004')).text).toContain(`<wsa:RelatesTo xmlns:wsa="${WSA_2004}">`);
  });

  it.each([`${WSA}/anonymous`, `${WSA}/none`])('is only kept for the address %s', async (address) => {
    const before = shop.got.length;
    expect((await soap(replyTo(address), { NUMBER: 11 })).status).toBe(202);
    const [row] = await box.found(
      'a message',
      'select id from signalbox_message where queue is not null order by id desc limit 1',
    );
    await box.delivered(String(row?.id), 'ANSWERS');
    expect((await box.call(`${REST}/orders/${row?.id}/reply`)).status).toBe(200);
    expect(await box.rows(`select id from signalbox_delivery where message = '${row?.id}'`)).toHaveLength(1);
    expect(shop.got).toHaveLength(before);
  });

  it.each([
    ['without a MessageID', '', '', /MessageAddressingHeaderRequired/],
    [
      'with two ReplyTo',
      `${ID}<wsa:ReplyTo><wsa:Address>${WSA}/anonymous</wsa:Address></wsa:ReplyTo>`,
      '',
      /more than once/,
    ],
    ['with two MessageID', ID + ID, '', /wsa:MessageID occurs more than once/],
    ['with two addresses', ID, '<wsa:Address>x</wsa:Address>', /does not have one wsa:Address/],
    [
      'with large parameters',
      ID,
      `<wsa:ReferenceParameters><k>${'x'.repeat(4001)}</k></wsa:ReferenceParameters>`,
      /are longer than/,
    ],
    [
      'with a parameter of WS-Addressing',
      ID,
      '<wsa:ReferenceParameters><wsa:To>x</wsa:To></wsa:ReferenceParameters>',
      /contain To/,
    ],
    [
      'with a parameter of WS-Security',
      ID,
      '<wsa:ReferenceParameters><w:Security xmlns:w="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"/></wsa:ReferenceParameters>',
      /contain Security/,
    ],
    [
      'with FaultTo elsewhere',
      `${ID}<wsa:FaultTo><wsa:Address>http://evil.example.org/</wsa:Address></wsa:FaultTo>`,
      '',
      /wsa:FaultTo is not an address/,
    ],
  ])('is refused over SOAP %s', async (_, header, more, reason) => {
    const before = await messages();
    const { status, text } = await soap(header + replyTo(`${shop.url}/hooks/x`, more), { NUMBER: 12 }, '1.2');
    expect(status).toBe(400);
    expect(text).toMatch(/:Sender</);
    expect(text).toMatch(reason);
    expect(await messages()).toBe(before);
  });

  it('takes header blocks of WS-Addressing that must be understood', async () => {
    const header = replyTo(`${shop.url}/hooks/must`).replace('<wsa:ReplyTo', '<wsa:ReplyTo s:mustUnderstand="1"');
    expect((await soap(ID + header, { NUMBER: 13 })).status).toBe(202);
    await shop.at('/hooks/must');
  });

  it('is tried again with the same id, then a dead letter that can be sent again', async () => {
    let isDown = true;
    shop.answer = ({ path }) => ({ status: path === '/hooks/down' && isDown ? 500 : 202 });
    const { message } = JSON.parse((await post({ NUMBER: 14, CALLBACK: `${shop.url}/hooks/down` })).text);
    const { id } = await box.delivered(message, '~REPLY~ORDER_PLACE~SHOP', 'Error');
    const tries = shop.got.filter(({ path }) => path === '/hooks/down');
    expect(new Set(tries.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set([`"${id}"`]));
    expect(tries.length).toBeGreaterThan(1);
    // The address may be a secret of the caller.
    expect(JSON.stringify(box.log())).not.toContain('/hooks/down');
    isDown = false;
    expect(await operator.get(message)).toMatchObject({
      status: 'Error',
      subscribers: [
        { subscription: 'ANSWERS', status: 'Done' },
        { target: 'the caller at SHOP', status: 'Error', tried: [{ code: 500 }, { code: 500 }] },
      ],
    });
    expect((await operator.payload(message)).parts['reply-to']).toMatchObject({
      reply: { node: 'SHOP', address: `${shop.url}/hooks/down` },
    });
    const { done } = await operator.act('resubmit', String(id), 'ada');
    expect(done).toHaveLength(1);
    await box.delivered(message, '~REPLY~ORDER_PLACE~SHOP');
  });

  it('waits while its node is held, and can be cancelled', async () => {
    await operator.hold({ kind: 'node', id: 'SHOP' }, 'ada');
    const placed = async (NUMBER: number): Promise<string> => {
      const CALLBACK = `${shop.url}/hooks/held/${NUMBER}`;
      const { message } = JSON.parse((await post({ NUMBER, CALLBACK })).text);
      await box.delivered(message, 'ANSWERS');
      return message;
    };
    // Gateways notice within a second what is held: until then they may send one.
    let number = 100;
    let first = await placed(number);
    await eventually('a reply that waits', async () => {
      const of = `message = '${first}' and subscription = '~REPLY~ORDER_PLACE~SHOP'`;
      const [reply] = await box.rows(`select status, entered from signalbox_delivery where ${of}`);
      if (reply?.status === 'Done') first = await placed(++number);
      return (reply?.status === 'New' && Date.now() - Number(reply.entered) > 1500) || undefined;
    });
    const second = await placed(21);
    const { id } = await box.delivered(second, '~REPLY~ORDER_PLACE~SHOP', 'New');
    expect((await operator.act('cancel', String(id), 'ada')).done).toHaveLength(1);
    expect(await operator.list({ node: 'SHOP', status: 'New' }, { limit: 10 })).toMatchObject({
      messages: [{ id: first }],
    });
    await operator.release({ kind: 'node', id: 'SHOP' }, 'ada');
    await box.delivered(first, '~REPLY~ORDER_PLACE~SHOP');
    expect(shop.got.filter(({ path }) => path === '/hooks/held/21')).toEqual([]);
  });

  it('is not tried again after a fault that blames the sender', async () => {
    const fault = '<s:Fault><faultcode>s:Client</faultcode><faultstring>unknown request</faultstring></s:Fault>';
    const body = `<s:Envelope xmlns:s="${ENVELOPES['1.1'].namespace}"><s:Body>${fault}</s:Body></s:Envelope>`;
    shop.answer = () => ({ status: 500, headers: { 'Content-Type': 'text/xml' }, body });
    await soap(ID + replyTo(`${shop.url}/hooks/blamed`), { NUMBER: 18 });
    await shop.at('/hooks/blamed');
    const [row] = await box.found(
      'a dead letter',
      "select reason, attempts from signalbox_delivery where status = 'Error' and reason like '%unknown request%'",
    );
    expect(Number(row?.attempts)).toBe(1);
    shop.answer = () => ({ status: 202 });
  });

  it('is sent in place of a fault that could not be sent, with the same id', async () => {
    shop.answer = ({ path }) => ({ status: path === '/hooks/place' ? 404 : 202 });
    const order = { NUMBER: 22, HOW: 'refused once', CALLBACK: `${shop.url}/hooks/place` };
    const { message } = JSON.parse((await post(order)).text);
    const { id: sent } = await box.delivered(message, '~REPLY~ORDER_PLACE~SHOP', 'Error');
    shop.answer = () => ({ status: 202 });
    const { id } = await box.delivered(message, 'ANSWERS', 'Error');
    expect((await operator.act('resubmit', String(id), 'ada')).refused).toEqual([]);
    expect((await box.delivered(message, '~REPLY~ORDER_PLACE~SHOP')).id).toBe(sent);
    const types = shop.got.filter(({ path }) => path === '/hooks/place').map(({ headers }) => headers['content-type']);
    expect(types).toEqual(['application/problem+json', 'application/json']);
    expect(await operator.get(message)).toMatchObject({ status: 'Done' });
  });

  it('is only kept, with a warning, when its node was removed from the definitions meanwhile', async () => {
    const order = { NUMBER: 23, HOW: 'broken once', CALLBACK: `${shop.url}/hooks/removed` };
    const { message } = JSON.parse((await post(order)).text);
    const { id } = await box.delivered(message, 'ANSWERS', 'Error');
    // As if the message had been published when there was a node GONE.
    const [text, bytes] =
      kind === 'sqlite'
        ? (['cast(content as text)', (of: string) => `cast(${of} as blob)`] as const)
        : (["convert_from(content, 'UTF8')", (of: string) => `convert_to(${of}, 'UTF8')`] as const);
    await box.rows(
      `update signalbox_message_content set content = ${bytes(`replace(${text}, '"SHOP"', '"GONE"')`)} where message = '${message}' and part = 'reply-to'`,
    );
    expect((await operator.act('resubmit', String(id), 'ada')).refused).toEqual([]);
    await box.delivered(message, 'ANSWERS');
    expect((await box.call(`${REST}/orders/${message}/reply`)).status).toBe(200);
    expect(shop.got.filter(({ path }) => path === '/hooks/removed')).toEqual([]);
    expect(box.log().filter((line) => line.level === 'warn' && line.message === message)).toMatchObject([
      {
        msg: 'The reply to a message of ORDER_PLACE is only kept: its "reply-to" does not name node GONE any more.',
        node: 'GONE',
      },
    ]);
  });

  it('goes to the stand-in for a node', async () => {
    await post({ NUMBER: 19, CALLBACK: `${shop.url}/tested/19` });
    await shop.at('/tested/19');
    expect((await post({ NUMBER: 19, CALLBACK: 'https://tested.example.org/19' })).status).toBe(400);
  });

  it('does not follow redirects', async () => {
    shop.answer = ({ path }) => ({
      status: path === '/hooks/away' ? 307 : 202,
      headers: { Location: `${shop.url}/admin` },
    });
    const { message } = JSON.parse((await post({ NUMBER: 15, CALLBACK: `${shop.url}/hooks/away` })).text);
    await box.delivered(message, '~REPLY~ORDER_PLACE~SHOP', 'Error');
    expect(shop.got.some(({ path }) => path === '/admin')).toBe(false);
  });

  it('is sent once, also when the delivery that replied is sent again', async () => {
    shop.answer = () => ({ status: 202 });
    const path = '/hooks/again';
    const { message } = JSON.parse((await post({ NUMBER: 16, HOW: 'refused', CALLBACK: shop.url + path })).text);
    await box.delivered(message, '~REPLY~ORDER_PLACE~SHOP');
    const { id } = await box.delivered(message, 'ANSWERS', 'Error');
    await operator.act('resubmit', String(id), 'ada');
    await eventually(
      'the second attempt',
      async () => (await box.rows(`select number from signalbox_delivery_attempt where delivery = '${id}'`))[1],
    );
    await box.delivered(message, 'ANSWERS', 'Error');
    expect(shop.got.filter((got) => got.path === path)).toHaveLength(1);
  });
});
