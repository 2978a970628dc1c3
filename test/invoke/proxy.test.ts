import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { proxiesOf } from '../../src/invoke/http/connection/endpoint.ts';
import { AUTHORITY, SERVER_CERTIFICATE, SERVER_KEY } from './authority.ts';
import { bodyOf, outgoing, sender, text } from './sending.ts';
import { deadAddress, node, target, thrown } from './support.ts';

interface Proxy {
  readonly url: string;
  /** Start line and credentials of what it was asked for. */
  readonly seen: string[];
}

/** A proxy that answers requests for http itself and opens tunnels, all of them to one port of this machine. */
async function proxy(port = 0, status = 200): Promise<Proxy> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    response.writeHead(status).end('by proxy');
  });
  server.on('connect', (request, socket) => {
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const to = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      to.pipe(socket).pipe(to);
    });
    for (const each of [to, socket]) each.on('error', () => to.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const withUser = (url: string): string => url.replace('//', '//me:hu%40sh@');
const proof = `Basic ${Buffer.from('me:hu@sh').toString('base64')}`;

describe('a proxy', () => {
  it('is asked for the whole address over http', async () => {
    const { url, seen } = await proxy();
    const made = sender(node('PARTNER', ['http://a.example/b']), { env: { http_proxy: withUser(url) } });
    expect(await bodyOf(await made.send(outgoing('GET', { uri: 'c?d=1' })))).toBe('by proxy');
    expect(seen).toEqual([`GET http://a.example/b/c?d=1 ${proof}`]);
  });

  it('is asked for a tunnel over https, in which TLS is with the target', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-proxy-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'ca.pem'), AUTHORITY);
    const server = createTlsServer({ key: SERVER_KEY, cert: SERVER_CERTIFICATE }, (request, response) =>
      response.end(JSON.stringify([(request.socket as TLSSocket).servername, request.headers])),
    ).listen(0, '127.0.0.1');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await once(server, 'listening');
    const { url, seen } = await proxy((server.address() as AddressInfo).port);
    const env = { HTTPS_PROXY: withUser(url) };
    const base = 'https://library.example';
    const trusting = sender(node('LIBRARY', [base], { caFile: text('ca.pem') }), { env, folder });
    const reply = await bodyOf(await trusting.send(outgoing()));
    expect(reply).toMatch(/^\["library\.example"/);
    expect(reply).not.toContain('proxy');
    expect(await thrown(sender(node('LIBRARY', [base]), { env }).send(outgoing()))).toMatchObject({ code: 'TLS' });
    expect(seen).toEqual(Array(2).fill(`CONNECT library.example:443 ${proof}`));
  });

  it('that is not there is told as the one', async () => {
    const retry = { attempts: 1, first: 1, longest: 1, on: new Set<number>() };
    const made = sender(node('PARTNER', ['http://a.example'], { retry }), {
      env: { http_proxy: withUser(await deadAddress()) },
    });
    const error = await thrown(made.send(outgoing()));
    expect(error).toMatchObject({ code: 'CONNECTION', hint: expect.stringContaining('HTTP_PROXY') });
    expect(JSON.stringify(error) + (error as Error).message).not.toContain('hu');
  });

  it.each([
    ['http://a.example', 407, 'the proxy answered with the status 407'],
    ['https://a.example', 407, 'the proxy answered with the status 407'],
    ['https://a.example', 502, 'the proxy answered with the status 502'],
  ])('that refuses %s: %d', async (base, status, words) => {
    const { url } = await proxy(0, status);
    const retry = { attempts: 1, first: 1, longest: 1, on: new Set<number>() };
    const made = sender(node('PARTNER', [base], { retry }), { env: { http_proxy: url, https_proxy: url } });
    expect(await thrown(made.send(outgoing()))).toMatchObject({
      code: 'CONNECTION',
      message: expect.stringContaining(words),
    });
  });

  it('is passed by for names that the node resolves itself', async () => {
    const { url, seen } = await target({});
    const resolve = new Map([['a.example', text(new URL(url).host)]]);
    const made = sender(node('PARTNER', ['http://a.example'], { resolve }), {
      env: { http_proxy: await deadAddress() },
    });
    await made.send(outgoing());
    expect(seen).toHaveLength(1);
  });

  it.each(['socks5://127.0.0.1:1', 'http://', '://hush'])('%s is none', async (address) => {
    const made = sender(node('PARTNER', ['http://a.example']), { env: { HTTP_PROXY: address } });
    const error = await thrown(made.send(outgoing()));
    expect(error).toMatchObject({ code: 'CONFIGURATION', message: expect.stringContaining('HTTP_PROXY is not') });
    expect((error as Error).message).not.toContain('hush');
  });
});

describe('the environment', () => {
  const called = { operation: 'THING_GET', requestId: 'R-1' };
  const env = { http_proxy: 'http://small:1', HTTP_PROXY: 'http://large:1', HTTPS_PROXY: 'secure:2', https_proxy: '' };

  it.each([
    ['http://a.example', 'http://small:1/'],
    ['https://a.example', 'http://secure:2/'],
  ])('names one for %s', (origin, expected) => {
    expect(proxiesOf(env)(origin, called)).toBe(expected);
  });

  it('names none for https where only that for http is there', () => {
    expect(proxiesOf({ HTTP_PROXY: 'http://large:1' })('https://a.example', called)).toBeUndefined();
  });

  it.each([
    ['a.example', 'http://a.example', true],
    ['a.example', 'http://b.a.example', true],
    ['.a.example', 'http://b.a.example', true],
    ['*.a.example', 'http://b.a.example', true],
    ['A.Example.', 'http://a.example', true],
    ['a.example', 'http://ba.example', false],
    ['b.a.example', 'http://a.example', false],
    ['x, a.example:8080', 'http://a.example:8080', true],
    ['a.example:8080', 'http://a.example', false],
    ['a.example:80', 'http://a.example', true],
    ['*', 'http://a.example', true],
    ['*:81', 'http://a.example', false],
    ['127.0.0.1', 'http://127.0.0.1:8080', true],
    ['::1', 'http://[::1]', true],
    ['[::1]:81', 'http://[::1]:81', true],
    ['[::1]:81', 'http://[::1]', false],
    [' ,, ', 'http://a.example', false],
  ])('spares with no_proxy=%s the host %s: %s', (list, origin, spared) => {
    expect(proxiesOf({ ...env, NO_PROXY: list })(origin, called) === undefined).toBe(spared);
  });
});
