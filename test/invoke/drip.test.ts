import type { Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { document, field } from '../support/registry.ts';
import { remote } from './rest-support.ts';
import { client, FILE, listen, node, partner, thrown } from './support.ts';

// Targets that send a byte every few milliseconds, and come to no end.

function drip(response: Writable): void {
  const timer = setInterval(() => response.write(' '), 5);
  response.once('close', () => clearInterval(timer));
  onTestFinished(() => clearInterval(timer));
}

async function dripping(contentType: string, status = 200): Promise<string> {
  const { url } = await listen((request, response) => {
    request.resume();
    response.writeHead(status, { 'Content-Type': contentType });
    drip(response);
  });
  return url;
}

const REPLY = {
  code: 'TIMEOUT',
  message: expect.stringContaining('the reply was not complete within 100 ms'),
};
const timeouts = { reply: 100, idle: 60_000 };

describe('a reply that is read whole', () => {
  it.each([
    ['JSON', 'application/json', 200],
    ['an error', 'application/json', 500],
    ['what nobody declared', 'text/html', 200],
  ])('ends with its time: %s', async (_, type, status) => {
    const url = await dripping(type, status);
    const response = document('REPLY', [field('A', 'string')]);
    const made = client(remote(url, { method: 'GET', templates: ['x'], response }), { timeouts });
    expect(await thrown(made.call('SOME_CALL', {}))).toMatchObject(REPLY);
  });

  it('ends with its time over SOAP, and that of the node counts', async () => {
    const target = node('PARTNER', [await dripping('text/xml')], { timeouts: { reply: 50 } });
    const made = client(partner(target, { response: FILE }), { timeouts });
    expect(await thrown(made.call('FILE_SEND', {}))).toMatchObject({
      code: 'TIMEOUT',
      message: 'FILE_SEND: the reply was not complete within 50 ms',
    });
  });
});

it('content that is read as it comes ends when it trickles', async () => {
  const url = await dripping('application/octet-stream');
  const made = client(remote(url, { method: 'GET', templates: ['x'], response: 'binary' }), {
    timeouts: { reply: 60_000, idle: 50 },
  });
  const { value } = await made.call('SOME_CALL', {});
  const { stream } = value.content as { stream(): AsyncIterable<Uint8Array> };
  expect(await thrown(Array.fromAsync(stream()))).toMatchObject({
    code: 'TIMEOUT',
    message: 'SOME_CALL: the reply arrived at less than 240 bytes per second',
  });
});

it('a head that trickles ends with the time of the head', async () => {
  const { url } = await listen(({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\nX-A: ');
    drip(socket);
  });
  const retry = { attempts: 1, first: 1, longest: 1, on: new Set<number>() };
  const made = client(partner(node('PARTNER', [url], { timeouts: { head: 100 }, retry })));
  expect(await thrown(made.call('FILE_SEND', {}))).toMatchObject({ code: 'TIMEOUT' });
});
