import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEMO, GUEST, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { expectRefused, expectUnharmed, LOOKUP, LOOKUP_SECRET, REST, requestText } from './support/attack.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(async () => {
  await expectUnharmed(gateway);
  await gateway.stop();
});

const DELETED = `${REST}/LocationSetup.v1/Locations/N/NYC01`;

it.each([
  'X-Original-URL',
  'X-Rewrite-URL',
  'X-Forwarded-Uri',
  'X-Original-Uri',
  'X-Forwarded-Path',
  'X-Forwarded-Prefix',
])('%s leads nowhere else', async (name) => {
  const away = await gateway.raw(requestText('GET /health/live', [`${name}: ${LOOKUP}`]));
  expect(away).toContain('{"status":"live"}');
  expectRefused(await gateway.raw(requestText(`GET ${LOOKUP}`, [`${name}: /health/live`])), name);
});

it.each([
  'X-HTTP-Method-Override',
  'X-HTTP-Method',
  'X-Method-Override',
  '_method',
])('%s makes no other method of the one that was sent', async (name) => {
  for (const method of ['GET', 'POST']) {
    const given = [`Authorization: ${DEMO}`, `${name}: DELETE`, 'Content-Length: 0'];
    await gateway.raw(requestText(`${method} ${DELETED}?_method=DELETE`, given));
    expect((await gateway.call(DELETED)).status).toBe(200);
  }
  expectRefused(await gateway.raw(requestText(`DELETE ${DELETED}`, [`${name}: OPTIONS`])), name);
  expect((await gateway.call(DELETED)).status).toBe(200);
});

it.each([
  'X-Forwarded-User: demo',
  'X-Remote-User: demo',
  'Remote-User: demo',
  'X-Authenticated-User: demo',
  'X-Forwarded-For: 127.0.0.1',
  'X-Real-IP: 127.0.0.1',
  'Forwarded: for=127.0.0.1;by=127.0.0.1',
  'Client-Cert: :YWJj:',
  'X-SSL-Client-Verify: SUCCESS',
  `Proxy-Authorization: ${DEMO}`,
  `X-Authorization: ${DEMO}`,
  `Cookie: Authorization=${DEMO}`,
])('%s stands for no credentials', async (header) => {
  expectRefused(await gateway.raw(requestText(`GET ${LOOKUP}`, [header])), header);
});

it.each([
  ['two, the second of one who may', [GUEST, DEMO]],
  ['two, the first of one who may', [DEMO, GUEST]],
  ['the same one twice', [DEMO, DEMO]],
  ['two in one field', [`${GUEST}, ${DEMO}`]],
  ['two in one field, the first of one who may', [`${DEMO}, ${GUEST}`]],
])('Authorization: %s is refused', async (_, values) => {
  const given = values.map((value) => `Authorization: ${value}`);
  expectRefused(await gateway.raw(requestText(`GET ${LOOKUP}`, given)), values.join());
});

it.each([
  ['two', ['Host: 127.0.0.1', 'Host: evil.example']],
  ['two that are the same', ['Host: 127.0.0.1', 'Host: 127.0.0.1']],
  ['one with a path', ['Host: 127.0.0.1/health/live?']],
  ['one with credentials', ['Host: demo:demo@127.0.0.1']],
  ['one on two lines', ['Host: 127.0.0.1', ' evil.example']],
  ['one with a space before the colon', ['Host : 127.0.0.1']],
])('Host: %s is refused, whoever asks', async (_, hosts) => {
  const text = [`GET ${LOOKUP} HTTP/1.1`, ...hosts, `Authorization: ${DEMO}`, 'Connection: close', '', ''].join('\r\n');
  expectRefused(await gateway.raw(text), hosts.join());
});

it('another Host changes no address in a contract or a reply', async () => {
  for (const path of [`${REST}/Locations.v1.wadl`, `${REST}/Locations.v1.openapi.json`, LOOKUP]) {
    const reply = await gateway.raw(
      requestText(`GET ${path}`, [`Authorization: ${DEMO}`, 'X-Forwarded-Host: evil.example'], 'evil.example'),
    );
    expect(reply).toMatch(/^HTTP\/1\.1 200 /);
    expect(reply).not.toContain('evil.example');
  }
  expect((await gateway.call(LOOKUP)).text).toContain(LOOKUP_SECRET);
});
