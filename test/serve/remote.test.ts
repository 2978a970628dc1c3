import { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { compileProxies, peerOf } from '../../src/serve/listen/remote.ts';
import { PARTNER } from '../support/certificates.ts';
import { certifiedProject, WHO } from '../support/certified.ts';
import { openConnection } from '../support/connection.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';

const proxies = compileProxies(['10.0.0.0/8', '192.0.2.7', '2001:db8:1::/48']);

function seen(remoteAddress: string, headers: IncomingHttpHeaders = {}, encrypted = false) {
  return peerOf({ headers, socket: { remoteAddress, encrypted } } as unknown as IncomingMessage, proxies);
}

describe('the address of a caller', () => {
  it.each([
    [
      'of the connection, whatever it says of itself',
      '203.0.113.9',
      { 'x-forwarded-for': '198.51.100.1' },
      '203.0.113.9',
    ],
    ['as a trusted proxy tells it', '10.1.2.3', { 'x-forwarded-for': '198.51.100.1' }, '198.51.100.1'],
    [
      'the right-most that is no proxy',
      '10.1.2.3',
      { 'x-forwarded-for': '1.1.1.1, 198.51.100.1, 192.0.2.7' },
      '198.51.100.1',
    ],
    ['of a proxy that calls for itself', '10.1.2.3', {}, '10.1.2.3'],
    ['of the first of a chain of proxies alone', '10.1.2.3', { 'x-forwarded-for': '10.0.0.1, 10.0.0.2' }, '10.0.0.1'],
    [
      'no further than it can be read',
      '10.1.2.3',
      { 'x-forwarded-for': '198.51.100.1, unknown, 10.0.0.2' },
      '10.0.0.2',
    ],
    ['with a port', '10.1.2.3', { 'x-forwarded-for': '198.51.100.1:4711' }, '198.51.100.1'],
    ['through a socket of IPv6', '::ffff:10.1.2.3', { 'x-forwarded-for': '2001:db8::9' }, '2001:db8::9'],
    ['behind a proxy of IPv6', '2001:db8:1::5', { forwarded: 'for="[2001:db8::9]:4711";proto=https' }, '2001:db8::9'],
    ['by RFC 7239', '10.1.2.3', { forwarded: 'for=1.1.1.1, for=198.51.100.1;by=10.0.0.2;proto=http' }, '198.51.100.1'],
    ['with commas in quotes', '10.1.2.3', { forwarded: 'for=198.51.100.1;host="a,b;for=1.1.1.1"' }, '198.51.100.1'],
    [
      'unless two fields differ',
      '10.1.2.3',
      { forwarded: 'for=1.1.1.1', 'x-forwarded-for': '198.51.100.1' },
      '10.1.2.3',
    ],
  ])('is %s', (_, peer, headers, address) => {
    expect(seen(peer, headers).address).toBe(address);
  });

  it('is looked at to say that nobody reads along', () => {
    expect(seen('203.0.113.9').secure).toBe(false);
    expect(seen('203.0.113.9', {}, true).secure).toBe(true);
    expect(seen('203.0.113.9', { 'x-forwarded-proto': 'https' }).secure).toBe(false);
    expect(seen('10.1.2.3', { 'x-forwarded-proto': 'https' }).secure).toBe(true);
    expect(seen('10.1.2.3', { 'x-forwarded-proto': 'http' }, true).secure).toBe(false);
    expect(seen('10.1.2.3', { 'x-forwarded-proto': 'https, http' }).secure).toBe(false);
    expect(seen('10.1.2.3', { forwarded: 'for=198.51.100.1;proto=https' }).secure).toBe(true);
    const claims = { forwarded: 'for=1.1.1.1;proto=https', 'x-forwarded-for': '1.1.1.1', 'x-forwarded-proto': 'http' };
    expect(seen('10.1.2.3', claims).secure).toBe(false);
    // How the caller came to a proxy is for that to say.
    expect(seen('10.1.2.3', { 'x-forwarded-for': '198.51.100.1' }, true).secure).toBe(false);
    expect(seen('10.1.2.3', { forwarded: 'for=198.51.100.1' }, true).secure).toBe(false);
    expect(seen('10.1.2.3', {}, true).secure).toBe(true);
    expect(seen('127.0.0.1').secure).toBe(true);
    expect(seen('127.0.0.1', { 'x-forwarded-for': '198.51.100.1' }).secure).toBe(false);
  });

  it('is that of this machine only where nothing stands in between', () => {
    expect(seen('127.0.0.1').local).toBe(true);
    expect(seen('::1').local).toBe(true);
    expect(seen('127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }).local).toBe(false);
    expect(seen('10.1.2.3', { 'x-forwarded-for': '127.0.0.1' }).local).toBe(false);
    expect(seen('127.0.0.1', { via: '1.1 front' }).local).toBe(false);
    // One that says nothing of its callers, but is named.
    const near = { headers: {}, socket: { remoteAddress: '127.0.0.1' } } as unknown as IncomingMessage;
    const { local, secure } = peerOf(near, compileProxies(['127.0.0.0/8']));
    expect([local, secure]).toEqual([false, false]);
  });
});

describe('a trusted proxy', () => {
  const files = (proxy: string): Record<string, string> => ({
    'definitions/gateway.yaml': gatewayText(`proxies: [${proxy}]`),
    ...certifiedProject({
      schemes: `scheme: certificates
client-certificate: { header: Client-Cert }
---
scheme: encoded
client-certificate: { header: X-SSL-Client-Cert }
`,
      requires: '[certificates, encoded]',
    }),
  });
  const REAL_USERS = { SIGNALBOX_SAMPLE_USERS: 'off' };
  const der = new X509Certificate(PARTNER.certificate).raw.toString('base64');

  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ files: files('127.0.0.1'), env: REAL_USERS });
  });
  afterAll(() => gateway.stop());

  it.each([
    ['as bytes (RFC 9440)', 'Client-Cert', `:${der}:`, 200],
    ['as PEM, percent-encoded', 'X-SSL-Client-Cert', encodeURIComponent(PARTNER.certificate), 200],
    ['not at all', 'Client-Cert', '(null)', 401],
    ['twice', 'Client-Cert', `:${der}:, :${der}:`, 401],
    ['broken', 'Client-Cert', `:${der.slice(4)}:`, 401],
  ])('hands a certificate on %s', async (_, header, value, status) => {
    const headers = { [header]: value, 'x-forwarded-for': '198.51.100.1' };
    const reply = await gateway.call(WHO, { anonymous: true, headers });
    expect(reply.status).toBe(status);
    expect(gateway.log().findLast((line) => line.status === status)).toMatchObject({ remote: '198.51.100.1' });
    // To a scraper on another machine this is none of its business, wherever the proxy runs.
    expect((await gateway.call('/metrics', { headers })).status).toBe(403);
  });

  it('is not taken for its caller where that can not be told', async () => {
    const line = (fault: string) =>
      eventually('the line', () => gateway.log().findLast((each) => each.fault === fault));
    for (const text of [
      'nonsense\r\n\r\n',
      'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 198.51.100.7\r\n\r\n',
    ]) {
      await openConnection(gateway.port, text).closed;
    }
    const broken = await line('BAD_REQUEST');
    expect([broken.remote, broken.proxy]).toEqual([undefined, '127.0.0.1']);
    expect(await line('UNKNOWN_METHOD')).toMatchObject({ remote: '198.51.100.7' });
  });

  it('is one by its address alone: from another the header is as if it were not there', async () => {
    const other = await startTestGateway({ files: files('10.0.0.0/8'), env: REAL_USERS });
    onTestFinished(other.stop);
    const reply = await other.call(WHO, { anonymous: true, headers: { 'client-cert': `:${der}:` } });
    expect(reply.status).toBe(401);
    expect(other.log().findLast((line) => line.status === 401)).toMatchObject({ reason: 'no credentials' });
  });

  it('is a way for others to users with well-known passwords: it does not start with both', async () => {
    await expect(startTestGateway({ files: files('127.0.0.1') })).rejects.toThrow(
      '127.0.0.1 can be reached by others through its proxies, and the users demo, guest have well-known passwords',
    );
  });
});
