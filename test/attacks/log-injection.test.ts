import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { expectUnharmed, LOOKUP, MONITOR, REST, requestText, SOAP } from './support/attack.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(async () => {
  await expectUnharmed(gateway);
  await gateway.stop();
});

const FORGED = '","user":"admin","status":200}\r\n{"level":"info","user":"admin","forged":true}\n\u2028\x1b[2J\x07';
const enc = encodeURIComponent;
const inHeader = FORGED.replace(/[^ -~]/g, ' ');

it.each<[string, string, readonly string[]]>([
  ['a path', `GET /${enc(FORGED)}`, []],
  ['a service', `GET ${REST}/${enc(FORGED)}/x`, []],
  ['a variable', `GET ${LOOKUP.split('?')[0]}${enc(FORGED)}/?location=x`, []],
  ['a query', `GET ${MONITOR}?maxrows=${enc(FORGED)}`, []],
  ['the name of a query', `GET ${REST}/ExecuteQuery.v1/PUBLIC/${enc(FORGED)}/JSON/NONFILE`, []],
  ['a method', `${'X'.repeat(2000)} ${LOOKUP}`, []],
  ['a request id', `GET ${LOOKUP}`, [`X-Request-Id: ${inHeader}`]],
  ['a user agent', `GET ${LOOKUP}`, [`User-Agent: ${inHeader}`]],
  ['a forwarded address', `GET ${LOOKUP}`, [`X-Forwarded-For: ${inHeader}`, `Forwarded: for="${inHeader}"`]],
  ['a SOAP action', `POST ${SOAP}`, [`SOAPAction: "${inHeader}"`, 'Content-Type: text/xml', 'Content-Length: 0']],
  ['a media type', `POST ${SOAP}`, [`Content-Type: text/xml;a="${inHeader}"`, 'Content-Length: 0']],
])('%s makes one line of its own request, and of no other', async (_, line, headers) => {
  const before = gateway.log().length;
  const reply = await gateway.raw(Buffer.from(requestText(line, [`Authorization: ${DEMO}`, ...headers]), 'latin1'));
  const requestId = /^x-request-id: (\S+)/im.exec(reply)?.[1];
  // Reading the log parses every line as JSON.
  const added = gateway.log().slice(before);
  expect(added).toHaveLength(1);
  expect(added[0]).toMatchObject({ requestId, level: 'info' });
  expect(added[0]).not.toHaveProperty('forged');
  expect(added[0]?.user ?? 'demo').toBe('demo');
  const text = JSON.stringify(added[0]);
  // A terminal that shows the log obeys nobody, and no line of it is endless.
  for (const character of ['\x1b', '\x07', '\n', '\r']) expect(text).not.toContain(character);
  expect(text.length).toBeLessThan(4096);
});

it('a user name makes no line and no field', async () => {
  for (const name of ['admin"\r\n{"user":"admin"}', 'demo\0', 'demo\ndemo', '__proto__']) {
    const before = gateway.log().length;
    const authorization = `Basic ${Buffer.from(`${name}:demo`).toString('base64')}`;
    expect((await gateway.call(LOOKUP, { headers: { authorization } })).status).toBe(401);
    const added = gateway.log().slice(before);
    expect(added).toHaveLength(1);
    expect(added[0]).not.toHaveProperty('user', 'admin');
    expect(JSON.stringify(added[0])).not.toContain(':demo');
  }
});
