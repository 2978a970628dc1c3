import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ELLIPTIC, PARTNER } from '../attacks/support/signers.ts';
import {
  BODY,
  ECDSA_SHA256,
  message,
  type Signing,
  security,
  signed,
  TIME,
  timestamp,
  token,
} from '../attacks/support/wss.ts';
import { eventually } from '../support/project.ts';
import { type MessageGateway, startMessages } from './project.ts';

const FILES = {
  'definitions/data/tables.sql': 'create table unused (id integer);\n',
  'partner.pem': PARTNER.certificate,
  'own.pem': ELLIPTIC.certificate,
  'own.key': ELLIPTIC.key,
  'definitions/orders.yaml': `queue: ORDERS
---
document: ORDER
fields: { NUMBER: { type: string(20), required: true } }
---
document: CONFIRMATION
fields: { NUMBER: { type: string(20), required: true } }
---
service: Orders.v1
permission: EVERYTHING
operations:
  ORDER_PLACED: { post: placed, request: ORDER, queue: ORDERS }
---
node: ERP
base: \${env:ERP_URL}
credential:
  signature: { file: own.pem, key-file: own.key }
  reply-signature: { certificate: partner.pem, confirmation: true }
---
service: Erp.v1
target: ERP
permission: EVERYTHING
operations:
  ERP_ORDER: { soap: true, request: ORDER, response: CONFIRMATION }
---
subscription: BY_SOAP
operation: ORDER_PLACED
call: ERP_ORDER
handler: confirmed
awaits-reply: { within: 1 h }
`,
  'src/handlers/confirmed.ts': `export default {
  async onReply({ NUMBER }, { log }) { log('info', 'confirmed', { number: NUMBER }); },
  async onFault({ reason }, { log }) { log('info', 'refused', { reason }); },
};
`,
};

let box: MessageGateway;
/** Calls as they were received. */
const got: string[] = [];
const server = createServer(async (incoming, outgoing) => {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  got.push(text);
  outgoing.writeHead(202).end();
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  box = await startMessages('sqlite', FILES, { ERP_URL: `http://127.0.0.1:${port}` });
});
afterAll(async () => {
  await box?.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const WSA = 'http://www.w3.org/2005/08/addressing';
const WSSE_11 = 'http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd';
const CONFIRMATION = "//*[local-name(.)='SignatureConfirmation']";
const FAULT = '<s:Fault><faultcode>s:Server</faultcode><faultstring>sold out</faultstring></s:Fault>';

const find = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';

/** Places an order, and waits for its call. */
async function placed(number: string) {
  const id = await box.publish('Orders.v1/placed', { NUMBER: number });
  const call = await eventually(`the call for ${number}`, async () => got.find((each) => each.includes(`>${number}<`)));
  await box.delivered(id, 'BY_SOAP', 'Working');
  const said = `<ERP_ORDERResponse xmlns="urn:test:Erp.v1"><NUMBER>${number}</NUMBER></ERP_ORDERResponse>`;
  const confirms = (value: string): string =>
    `<c:SignatureConfirmation xmlns:c="${WSSE_11}" wsu:Id="sc" Value="${value}"/>`;
  const own = confirms(find(call, /SignatureValue>([^<]+)</));
  /** A reply as the partner signs it. */
  function reply({ body = said, more = own, signing = {} }: { body?: string; more?: string; signing?: Signing } = {}) {
    const relates = `<wsa:RelatesTo xmlns:wsa="${WSA}">${find(call, /MessageID[^>]*>([^<]+)</)}</wsa:RelatesTo>`;
    const header = security(token(signing.signer ?? PARTNER) + timestamp() + more) + relates;
    return signed(message(header, body), { covers: [BODY, TIME, ...(more === '' ? [] : [CONFIRMATION])], ...signing });
  }
  async function send(text: string) {
    const headers = { 'Content-Type': 'text/xml; charset=utf-8' };
    const answer = await fetch(find(call, /<wsa:Address>([^<]+)</), { method: 'POST', headers, body: text });
    return { status: answer.status, text: await answer.text() };
  }
  return { id, said, confirms, reply, send };
}

const logged = (words: string): boolean => box.log().some((line) => JSON.stringify(line).includes(words));

it('takes a later reply that is signed and confirms a signature', async () => {
  const { id, reply, send } = await placed('A1');
  expect((await send(reply())).status).toBe(202);
  await box.delivered(id, 'BY_SOAP');
  expect(logged('A1')).toBe(true);
});

it('takes a signed fault as a fault', async () => {
  const { id, reply, send } = await placed('B1');
  expect((await send(reply({ body: FAULT }))).status).toBe(202);
  await box.delivered(id, 'BY_SOAP');
  expect(logged('sold out')).toBe(true);
});

it('refuses a later reply that is unsigned, changed, signed by another, or confirms nothing, and still takes the right one', async () => {
  const { id, said, confirms, reply, send } = await placed('C1');
  const body = FAULT.replace('sold out', 'forged');
  const wrong: readonly (readonly [string, RegExp])[] = [
    [message('', said), /it has no Security header/],
    [message('', body), /it has no Security header/],
    [reply().replace('>C1<', '>C2<'), /a digest does not match/],
    [reply({ signing: { signer: ELLIPTIC, algorithm: ECDSA_SHA256 } }), /is not accepted|its certificate is not one/],
    [reply({ more: '' }), /it has no SignatureConfirmation/],
    [reply({ more: confirms('AAAA'), signing: { covers: [BODY, TIME] } }), /does not cover SignatureConfirmation/],
  ];
  for (const [text, why] of wrong) {
    const { status, text: words } = await send(text);
    expect([status, words]).toEqual([500, expect.stringMatching(why)]);
  }
  expect(logged('forged')).toBe(false);
  expect((await send(reply())).status).toBe(202);
  await box.delivered(id, 'BY_SOAP');
});
