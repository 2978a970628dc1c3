import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  AUTHORITY,
  CLIENT_CERTIFICATE,
  CLIENT_KEY,
  CLIENT_KEY_LOCKED,
  SERVER_CERTIFICATE,
  SERVER_KEY,
} from './authority.ts';
import { CERTIFICATE } from './certificate.ts';
import { bodyOf, outgoing, sender, text } from './sending.ts';
import { node, target, thrown } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-tls-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = {
  'ca.pem': AUTHORITY,
  'both.pem': `words before it\n${CERTIFICATE}\n${AUTHORITY}`,
  'other.pem': CERTIFICATE,
  'none.pem': 'no certificate',
  'broken.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  'client.pem': CLIENT_CERTIFICATE,
  'client.key': CLIENT_KEY,
  'locked.key': CLIENT_KEY_LOCKED,
  'other.key': SERVER_KEY,
};
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);

/** A library whose certificate is of the authority; it answers who called by which name, or where it has moved `to`. */
async function library(
  options: ServerOptions = {},
  to?: string,
): Promise<{ readonly port: number; readonly url: string }> {
  const server = createServer({ key: SERVER_KEY, cert: SERVER_CERTIFICATE, ...options }, (request, response) => {
    const socket = request.socket as TLSSocket;
    const { subject } = socket.getPeerCertificate();
    if (to !== undefined) response.writeHead(307, { Location: to });
    response.end(`${subject?.CN ?? 'nobody'} at ${request.headers.host}, ${socket.servername || 'no name'}`);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, url: `https://127.0.0.1:${port}` };
}

describe('ca-file', () => {
  it.each(['ca.pem', 'both.pem', join(folder, 'ca.pem')])('names whom to trust: %s', async (file) => {
    const { url } = await library();
    const reply = await sender(node('LIBRARY', [url], { caFile: text(file) }), { folder }).send(outgoing());
    expect(await bodyOf(reply)).toMatch(/^nobody at 127/);
  });

  it.each(['', 'other.pem'])('that does not vouch for the target: %j', async (file) => {
    const { url } = await library();
    const made = sender(node('LIBRARY', [url], { caFile: text(`\${env:CA:-${file}}`) }), { folder });
    expect(await thrown(made.send(outgoing()))).toMatchObject({
      code: 'TLS',
      hint: expect.stringContaining('ca-file: of node LIBRARY'),
    });
  });

  it('that vouches for the target as a caller alone: it is not called, nor another in its place', async () => {
    const { url } = await library({ key: CLIENT_KEY, cert: CLIENT_CERTIFICATE });
    const { url: other, seen } = await target({});
    const made = sender(node('LIBRARY', [url, other], { caFile: text('ca.pem') }), { folder });
    expect(await thrown(made.send(outgoing()))).toMatchObject({ code: 'TLS', responseStatus: 20 });
    expect(seen).toEqual([]);
  });

  it.each([
    ['absent.pem', 'the file does not exist'],
    ['none.pem', 'does not contain a certificate in PEM'],
    ['broken.pem', 'certificate 1 of ca-file broken.pem is invalid'],
  ])('%s is told, with node and file', async (file, words) => {
    const { url } = await library();
    const made = sender(node('LIBRARY', [url], { caFile: text(file) }), { folder });
    const error = await thrown(made.send(outgoing()));
    expect(error).toMatchObject({ code: 'CONFIGURATION', message: expect.stringContaining(words) });
    expect((error as Error).message).toContain('node LIBRARY');
    expect((error as Error).message).toContain(file);
  });

  it('of one node is not trusted by another', async () => {
    const { url } = await library();
    expect((await sender(node('A', [url], { caFile: text('ca.pem') }), { folder }).send(outgoing())).status).toBe(200);
    expect(await thrown(sender(node('B', [url]), { folder }).send(outgoing()))).toMatchObject({ code: 'TLS' });
  });
});

describe('certificate', () => {
  const asking = { requestCert: true, rejectUnauthorized: true, ca: AUTHORITY };
  const shown = { file: text('client.pem'), keyFile: text('client.key') };

  it.each([
    ['an open key', shown],
    ['a locked one', { ...shown, keyFile: text('locked.key'), passphrase: text('${secret:PASS}') }],
  ])('is what a node shows, with %s', async (_, certificate) => {
    const { url } = await library(asking);
    const made = sender(node('LIBRARY', [url], { caFile: text('ca.pem'), certificate }), {
      folder,
      env: { PASS: 'opensesame' },
    });
    expect(await bodyOf(await made.send(outgoing()))).toMatch(/^caller at/);
  });

  it('that a target asks for and does not get', async () => {
    // The fatal alert certificate_required (RFC 8446 section 6.2).
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.from('15030300020274', 'hex')));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const made = sender(node('LIBRARY', [`https://127.0.0.1:${(server.address() as AddressInfo).port}`]));
    expect(await thrown(made.send(outgoing()))).toMatchObject({
      code: 'TLS',
      message: expect.stringContaining('the target refuses the connection'),
      hint: expect.stringContaining('certificate: of node LIBRARY'),
    });
  });

  it.each([
    ['another key', { ...shown, keyFile: text('other.key') }],
    ['a wrong passphrase', { ...shown, keyFile: text('locked.key'), passphrase: text('${secret:PASS}') }],
    ['no key', { ...shown, keyFile: text('ca.pem') }],
  ])('with %s is told', async (_, certificate) => {
    const made = sender(node('LIBRARY', ['https://127.0.0.1:1'], { certificate }), { folder, env: { PASS: 'hush' } });
    const error = await thrown(made.send(outgoing()));
    expect(error).toMatchObject({ code: 'CONFIGURATION', message: expect.stringContaining('node LIBRARY') });
    expect((error as Error).message).not.toContain('hush');
  });

  it('is not shown where a redirect leads to another origin', async () => {
    const other = await library({ ...asking, rejectUnauthorized: false });
    const first = await target({ status: 307, headers: { Location: `${other.url}/` } });
    const made = sender(node('LIBRARY', [first.url], { caFile: text('ca.pem'), certificate: shown, redirects: 1 }), {
      folder,
    });
    expect(await bodyOf(await made.send(outgoing()))).toMatch(/^nobody at/);
  });
});

it('TLS is not left where a redirect leads to http', async () => {
  const open = await target({});
  const { url } = await library({}, open.url);
  const made = sender(node('LIBRARY', [url], { caFile: text('ca.pem'), redirects: 1 }), { folder });
  expect(await thrown(made.send(outgoing()))).toMatchObject({
    code: 'HTTP_STATUS',
    hint: expect.stringContaining('from https to http'),
  });
  expect(open.seen).toEqual([]);
});

describe('resolve', () => {
  it.each([
    ['with a port', (port: number) => [`127.0.0.1:${port}`, '']],
    ['without one', (port: number) => ['127.0.0.1', `:${port}`]],
  ])('goes to the address, %s, while Host and TLS keep the name', async (_, placed) => {
    const { port } = await library();
    const [address, end] = placed(port);
    const resolve = new Map([['library.example', text(`${address}`)]]);
    const made = sender(node('LIBRARY', [`https://Library.example${end}`], { caFile: text('ca.pem'), resolve }), {
      folder,
    });
    expect(await bodyOf(await made.send(outgoing()))).toBe(`nobody at library.example${end}, library.example`);
  });

  it('holds over http, and for hosts that values of the call make', async () => {
    const { url, seen } = await target({});
    const resolve = new Map([['tenant.library.example', text(new URL(url).host)]]);
    const made = sender(node('LIBRARY', ['http://'], { resolve }));
    await made.send(outgoing('GET', { uri: 'tenant.library.example/x' }));
    expect(seen[0]).toMatchObject({ url: '/x', headers: { host: 'tenant.library.example' } });
  });

  it('does not make another name good', async () => {
    const { port } = await library();
    const resolve = new Map([['other.example', text(`127.0.0.1:${port}`)]]);
    const made = sender(node('LIBRARY', ['https://other.example'], { caFile: text('ca.pem'), resolve }), { folder });
    expect(await thrown(made.send(outgoing()))).toMatchObject({ code: 'TLS' });
  });

  it.each(['a b', 'http://127.0.0.1', '127.0.0.1:99999', '[::1'])('%s is no address', async (address) => {
    const resolve = new Map([['library.example', text(address)]]);
    const made = sender(node('LIBRARY', ['https://library.example'], { resolve }));
    expect(await thrown(made.send(outgoing()))).toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining('node LIBRARY resolves library.example'),
    });
  });

  it('is left to DNS where it resolves to nothing', async () => {
    const { url } = await target({});
    const resolve = new Map([['127.0.0.1', text('${env:ADDRESS:-}')]]);
    expect((await sender(node('LIBRARY', [url], { resolve })).send(outgoing())).status).toBe(200);
  });
});
