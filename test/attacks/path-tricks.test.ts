import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, GUEST, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { expectRefused, expectUnharmed, LOOKUP, LOOKUP_SECRET, requestText } from './support/attack.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(async () => {
  await expectUnharmed(gateway);
  await gateway.stop();
});

const CONNECTOR = '/gateway/RESTListeningConnector';
const REST = `${CONNECTOR}/LOCAL`;

/** Spellings of one protected path that a filter in front, or a careless router, may take for another. */
const TARGETS: readonly string[] = [
  LOOKUP,
  `/${LOOKUP}`,
  LOOKUP.replace('LOCAL/', 'LOCAL//'),
  LOOKUP.replace('LOCAL/', 'LOCAL/./'),
  LOOKUP.replace('LOCAL/', 'LOCAL/x/../'),
  LOOKUP.replace('LOCAL/', 'LOCAL/%2e/'),
  LOOKUP.replace('LOCAL/', 'LOCAL/x/%2e%2e/'),
  LOOKUP.replace('LOCAL/', 'LOCAL/x/.%2E/'),
  LOOKUP.replace('LOCAL/', 'LOCAL/x/%252e%252e/'),
  LOOKUP.replace('LOCAL/', 'LOCAL;x/'),
  LOOKUP.replace('LOCAL/', 'LOCAL/;x/'),
  LOOKUP.replace('Locations.v1', 'Locations.v1;x=y'),
  LOOKUP.replace('/Locations/', '/Locations;jsessionid=1/'),
  LOOKUP.replace('Locations.v1', 'locations.v1'),
  LOOKUP.replace('Locations.v1', 'LOCATIONS.V1'),
  LOOKUP.replace('Locations.v1', 'Locations.v1.'),
  LOOKUP.replace('/Locations/', '/Locations./'),
  LOOKUP.replace('/Locations/', '/Locations%20/'),
  LOOKUP.replace('/Locations/', '/Locations%2F'),
  LOOKUP.replace('/Locations/', '%2FLocations%2F'),
  LOOKUP.replace('/Locations/', '/Locations%5C'),
  LOOKUP.replace('/Locations/', '/Locations%00/'),
  LOOKUP.replace('/Locations/', '/Locations/%00'),
  LOOKUP.replace('/Locations/', '/Locations%C0%AF'),
  LOOKUP.replace('/Locations/', '/Locations%E0%80%AF'),
  LOOKUP.replace('/Locations/', '/%4cocations/'),
  LOOKUP.replace('/gateway/', '/%67ateway/'),
  LOOKUP.replace('/gateway/', '/GATEWAY/'),
  LOOKUP.replace('RESTListeningConnector', 'restlisteningconnector'),
  LOOKUP.replace('RESTListeningConnector', 'RESTListening%43onnector'),
  LOOKUP.replace('?', '%3f'),
  LOOKUP.replace('?', '??'),
  LOOKUP.replace('?', '?.wadl&'),
  LOOKUP.replace('?', '.json?'),
  `/health/live/..${LOOKUP}`,
  `/health/live/%2e%2e/%2e%2e${LOOKUP}`,
  `/health/live;/..;/..;${LOOKUP}`,
  `${CONNECTOR}/Locations.v1.wadl/../LOCAL/Locations.v1/Locations/?region=N`,
  `${CONNECTOR}/Locations.v1.wadl${LOOKUP.slice(REST.length)}`,
  `${LOOKUP}#/health/live`,
  `${LOOKUP}&region=N`,
  `${LOOKUP}%00`,
  `${LOOKUP}&_method=OPTIONS`,
  `${LOOKUP}&access_token=${DEMO.slice(6)}`,
  `${LOOKUP}&user=demo&password=demo`,
  `http://127.0.0.1${LOOKUP}`,
  `http://demo:demo@127.0.0.1${LOOKUP}`,
  `HTTP://127.0.0.1${LOOKUP}`,
  `https://127.0.0.1${LOOKUP}`,
  `file://${LOOKUP}`,
  `//127.0.0.1${LOOKUP}`,
  `demo:demo@127.0.0.1:80`,
  '127.0.0.1:80',
  '*',
];

describe.each([
  ['nobody', []],
  ['a user without grants', [`Authorization: ${GUEST}`]],
] as const)('%s', (_, credentials) => {
  it.each(TARGETS)('gets no data from %s', async (target) => {
    for (const method of ['GET', 'HEAD', 'POST']) {
      expectRefused(await gateway.raw(requestText(`${method} ${target}`, credentials)), `${method} ${target}`);
    }
  });

  it.each([
    'TRACE',
    'TRACK',
    'CONNECT',
    'DEBUG',
    'PROPFIND',
    'get',
    'GeT',
    'M-SEARCH',
    'PURGE',
    'SOURCE',
  ])('gets no data by %s, and nothing that it sent', async (method) => {
    const marked = [...credentials, 'X-Marked: must-not-come-back'];
    for (const target of [LOOKUP, '127.0.0.1:80', '*']) {
      const reply = await gateway.raw(requestText(`${method} ${target}`, marked));
      expectRefused(reply, `${method} ${target}`);
      expect(reply).not.toContain('must-not-come-back');
    }
  });

  it('learns from OPTIONS which methods there are, and no more', async () => {
    const reply = await gateway.raw(requestText(`OPTIONS ${LOOKUP}`, credentials));
    expect(reply).not.toContain(LOOKUP_SECRET);
    expect(reply).toMatch(/^HTTP\/1\.1 (204|401|403|405) /);
  });
});

it('who may is answered', async () => {
  expect(await gateway.raw(requestText(`GET ${LOOKUP}`, [`Authorization: ${DEMO}`]))).toContain(LOOKUP_SECRET);
});
