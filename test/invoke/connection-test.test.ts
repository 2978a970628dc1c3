import { once } from 'node:events';
import { createServer as createProxy } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { type ConnectionTest, testConnection } from '../../src/invoke/index.ts';
import { secretsOf } from '../../src/load/value/config.ts';
import { parseConfigText } from '../../src/load/value/config-text.ts';
import type { Node } from '../../src/model/node.ts';
import { AUTHORITY, EXPIRED, PARTNER, SERVER } from '../support/certificates.ts';
import { type TestProject, writeProject } from '../support/project.ts';
import { CERTIFICATE, KEY } from './certificate.ts';
import { deadAddress, node, target } from './support.ts';

let project: TestProject;
beforeAll(() => {
  project = writeProject({ 'ca.pem': AUTHORITY, 'partner.pem': PARTNER.certificate, 'partner.key': PARTNER.key });
});
afterAll(() => project.remove());

const text = (source: string) => parseConfigText(source).text;
const TRUSTING = { caFile: text('ca.pem') };

async function test(given: Node, env: Record<string, string> = {}): Promise<ConnectionTest> {
  return testConnection(given, { env, folder: project.root, redactor: createRedactor(() => secretsOf(env)) });
}

/** The phases of the only address, as `connect failed`. */
const phasesOf = ({ addresses: [first] }: ConnectionTest): string[] =>
  (first?.phases ?? []).map(({ phase, result }) => `${phase} ${result}`);
const lastOf = ({ addresses: [first] }: ConnectionTest) => first?.phases.at(-1);

/** Requests and bytes that have come. */
async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    if ('closeAllConnections' in server) (server as Server & { closeAllConnections(): void }).closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

async function secureTarget(options: ServerOptions = {}): Promise<{ readonly port: number; readonly seen: string[] }> {
  const seen: string[] = [];
  const own = { cert: SERVER.certificate, key: SERVER.key, ...options };
  const port = await listening(
    createServer(own, ({ url = '' }, response) => {
      seen.push(url);
      response.end();
    }),
  );
  return { port, seen };
}

describe('a test of a connection', () => {
  it('ends where a call would send its request', async () => {
    const { url, seen } = await target({});
    const done = await test(node('ERP', [url]));
    expect(done).toMatchObject({ node: 'ERP', ok: true, addresses: [{ address: new URL(url).origin, result: 'ok' }] });
    expect(phasesOf(done)).toEqual(['settings ok', 'name ok', 'connect ok']);
    expect(seen).toEqual([]);
  });

  it('shows the certificate of a target that is trusted', async () => {
    const { port, seen } = await secureTarget();
    const done = await test(node('ERP', [`https://localhost:${port}`], TRUSTING));
    expect(phasesOf(done)).toEqual(['settings ok', 'name ok', 'connect ok', 'tls ok']);
    expect(done.addresses[0]?.certificate).toEqual({
      subject: 'CN=localhost',
      issuer: 'CN=Test authority, O=Example',
      from: '2020-01-01T00:00:00.000Z',
      until: '2126-01-01T00:00:00.000Z',
    });
    expect(seen).toEqual([]);
  });

  it.each([
    ['of an unknown issuer', {}, {}, /the target is not trusted: .*issuer of its certificate is not known/],
    [
      'that is signed by itself',
      { cert: CERTIFICATE, key: KEY },
      TRUSTING,
      /the target is not trusted: its certificate is signed by itself/,
    ],
    [
      'that has expired',
      { cert: EXPIRED.certificate, key: EXPIRED.key },
      TRUSTING,
      /the target is not trusted: its certificate has expired/,
    ],
    [
      'of a caller',
      { cert: PARTNER.certificate, key: PARTNER.key },
      TRUSTING,
      /the target is not trusted: its certificate is not made for servers/,
    ],
  ])('says why a certificate %s is refused, and shows it', async (_, options, more, words) => {
    const { port } = await secureTarget(options);
    const done = await test(node('ERP', [`https://localhost:${port}`], more));
    expect(done.ok).toBe(false);
    expect(lastOf(done)).toMatchObject({ phase: 'tls', result: 'failed', words: expect.stringMatching(words) });
    expect(done.addresses[0]?.certificate?.subject).toMatch(/^CN=/);
  });

  it('says that a certificate has another name', async () => {
    const { port } = await secureTarget();
    const resolve = new Map([['erp.invalid', text(`127.0.0.1:${port}`)]]);
    const done = await test(node('ERP', ['https://erp.invalid'], { ...TRUSTING, resolve }));
    expect(lastOf(done)?.words).toMatch(/^the target is not trusted: Hostname\/IP does not match certificate/);
  });

  it('says that a target wants a client certificate, which it reports only after the handshake', async () => {
    const { port } = await secureTarget({ requestCert: true, rejectUnauthorized: true, ca: AUTHORITY });
    const done = await test(node('ERP', [`https://localhost:${port}`], TRUSTING));
    expect(lastOf(done)).toMatchObject({
      ...{ phase: 'tls', result: 'failed', words: expect.stringContaining('the target refuses the connection') },
      hint: expect.stringContaining('name it in certificate: of node ERP'),
    });
    const certificate = { file: text('partner.pem'), keyFile: text('partner.key') };
    expect(await test(node('ERP', [`https://localhost:${port}`], { ...TRUSTING, certificate }))).toMatchObject({
      ok: true,
    });
  });

  it('says in words and in those of the system that nothing listens', async () => {
    const { hostname, port } = new URL(await deadAddress());
    const done = await test(node('ERP', [`http://${hostname}:${port}`]));
    expect(lastOf(done)).toMatchObject({
      ...{ phase: 'connect', result: 'failed' },
      words: `nothing listens at its address (connect ECONNREFUSED ${hostname}:${port})`,
    });
  });

  it('says that a name is unknown', async () => {
    const done = await test(node('ERP', ['http://no-such-host.invalid']));
    expect(lastOf(done)).toMatchObject({ phase: 'name', result: 'failed' });
    expect(lastOf(done)?.words).toMatch(/its host name (is unknown|could not be resolved) \(getaddrinfo /);
  });

  it('ends in the time for a connection where a target accepts and says nothing', async () => {
    const port = await listening(createTcpServer());
    const done = await test(node('ERP', [`https://127.0.0.1:${port}`], { timeouts: { connect: 100 } }));
    expect(lastOf(done)).toMatchObject({
      phase: 'tls',
      words: expect.stringMatching(/not completed.* within 100 ms$/),
    });
    expect(done.ms).toBeLessThan(5_000);
  });

  it('tries all addresses, each with its own result', async () => {
    const { url } = await target({});
    const done = await test(node('ERP', [await deadAddress(), url]));
    expect(done.ok).toBe(false);
    expect(done.addresses.map(({ result }) => result)).toEqual(['failed', 'ok']);
  });

  it('goes where resolve: of the node leads, and through a proxy that the environment names', async () => {
    const { url } = await target({});
    const { port } = new URL(url);
    const resolve = new Map([['erp.invalid', text(`127.0.0.1:${port}`)]]);
    expect(await test(node('ERP', ['http://erp.invalid'], { resolve }))).toMatchObject({ ok: true });

    const asked: string[] = [];
    const proxy = createProxy().on('connect', ({ url: to, headers }, socket) => {
      asked.push(`${to} ${headers['proxy-authorization']}`);
      if (headers['proxy-authorization'] === undefined) return socket.end('HTTP/1.1 407 No\r\n\r\n');
      const there = connect(Number(port), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      there.on('error', () => {});
      there.on('close', () => socket.destroy());
      socket.on('error', () => {});
      return socket.pipe(there);
    });
    const at = await listening(proxy);
    const refused = await test(node('ERP', [url]), { http_proxy: `http://127.0.0.1:${at}` });
    expect(lastOf(refused)).toMatchObject({ phase: 'proxy', words: 'the proxy answered with the status 407' });
    const through = await test(node('ERP', [url]), { http_proxy: `http://me:mine@127.0.0.1:${at}` });
    expect(phasesOf(through)).toEqual(['settings ok', 'name ok', 'connect ok', 'proxy ok']);
    expect(asked).toEqual([
      `127.0.0.1:${port} undefined`,
      `127.0.0.1:${port} Basic ${Buffer.from('me:mine').toString('base64')}`,
    ]);
  });

  it('reports settings that are missing, and connects all the same where only a credential is', async () => {
    const unset = await test(node('ERP', ['${env:ERP_URL}']));
    expect(unset.addresses).toMatchObject([{ address: '${env:ERP_URL}', result: 'failed' }]);
    expect(lastOf(unset)).toMatchObject({ phase: 'settings', words: 'ERP_URL is not set' });
    const { url } = await target({});
    const credential = { kind: 'bearer', token: text('${secret:ERP_TOKEN}') } as const;
    const done = await test(node('ERP', [url], { credential }));
    expect(phasesOf(done)).toEqual(['settings ok', 'credential failed', 'name ok', 'connect ok']);
    expect(done.ok).toBe(false);
  });

  it('reports a secret that no request could be signed with', async () => {
    const { url } = await target({});
    const secrets = [text('${secret:SHARED}')];
    const hmac = { header: 'X-A', algorithm: 'sha256', form: '{hex}', signed: '{body}', encoding: 'hex' } as const;
    for (const credential of [{ kind: 'hmac', secrets, ...hmac } as const, { kind: 'webhook', secrets } as const]) {
      const done = await test(node('ERP', [url], { credential }), { SHARED: 'neither' });
      expect(phasesOf(done)).toContain('credential failed');
      expect(JSON.stringify(done)).toContain("the webhook secret of node ERP can't be used");
    }
    const credential = { kind: 'hmac', secrets, ...hmac } as const;
    expect(phasesOf(await test(node('ERP', [url], { credential }), { SHARED: '00ff' }))).toContain('credential ok');
  });

  it('does not reveal the host of an address that is a secret', async () => {
    const { port } = new URL(await deadAddress());
    const env = { ERP_URL: `http://localhost:${port}/hook` };
    const done = await test(node('ERP', ['${secret:ERP_URL}']), env);
    expect(lastOf(done)).toMatchObject({ phase: 'connect', result: 'failed' });
    expect(JSON.stringify(done)).not.toMatch(/localhost|127\.0\.0\.1|::1/);
  });

  it('has nothing to connect to at a base that is a scheme', async () => {
    const done = await test(node('ERP', ['https://']));
    expect(done).toMatchObject({ ok: true, addresses: [{ result: 'skipped' }] });
  });
});
