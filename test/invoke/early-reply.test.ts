import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Outgoing } from '../../src/invoke/outgoing.ts';
import { AUTHORITY, SERVER_CERTIFICATE, SERVER_KEY } from './authority.ts';
import { bodyOf, outgoing, type Sender, sender, text } from './sending.ts';
import { node, thrown } from './support.ts';

/** For a machine that is busy with other things as well. */
const LONG = { timeout: 15_000 };

const folder = mkdtempSync(join(tmpdir(), 'signalbox-early-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'ca.pem'), AUTHORITY);

/**
 * A target that answers once the head of a request is there, reads no more of it and ends the connection, all of it while
 * the caller looks elsewhere: it runs beside it, and says in `done` that it is through.
 */
const TARGET = `
const { parentPort, workerData: { key, cert, reply, done } } = require('node:worker_threads');
const listen = (socket) => {
  socket.on('error', () => undefined);
  socket.once('data', () => {
    socket.pause();
    const end = () => {
      socket.once('close', () => {
        Atomics.store(done, 0, 1);
        Atomics.notify(done, 0);
      });
      // What has come and is not read makes a reset of it.
      socket.destroy();
    };
    if (reply === '') end();
    else socket.write(reply, end);
  });
};
const server = key === '' ? require('node:net').createServer(listen) : require('node:tls').createServer({ key, cert }, listen);
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

interface Ending {
  readonly made: Sender;
  /** A request that is sent while the target ends the connection. */
  readonly upload: Outgoing;
  /** What it is read from has been let go. */
  readonly isEnded: () => boolean;
}

async function ending(tls: boolean, reply: string): Promise<Ending> {
  const done = new Int32Array(new SharedArrayBuffer(4));
  const [key, cert] = tls ? [SERVER_KEY, SERVER_CERTIFICATE] : ['', ''];
  const target = new Worker(TARGET, { eval: true, workerData: { key, cert, reply, done } });
  onTestFinished(() => void target.terminate());
  const [port] = (await once(target, 'message')) as [number];
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  let isEnded = false;
  const upload = outgoing('POST', {
    length: 2 ** 30,
    again: false,
    async *bytes() {
      try {
        yield Buffer.alloc(65_536);
        Atomics.wait(done, 0, 0);
        for (let sent = 65_536; sent < 2 ** 30; sent += 65_536) yield Buffer.alloc(65_536);
      } finally {
        isEnded = true;
      }
    },
  });
  const made = sender(node('PARTNER', [url], { caFile: text('ca.pem') }), { folder });
  return { made, upload, isEnded: () => isEnded };
}

const LENGTH = 'HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 8\r\n\r\ntoo much';
const CHUNKS = 'HTTP/1.1 413 Content Too Large\r\nTransfer-Encoding: chunked\r\n\r\n8\r\ntoo much\r\n0\r\n\r\n';
const TO_THE_END = 'HTTP/1.1 413 Content Too Large\r\nConnection: close\r\n\r\ntoo much';

describe.each([
  ['HTTP', false],
  ['TLS', true],
] as const)('a target over %s that ends the connection in the middle of an upload', (_, tls) => {
  it.each([
    ['with a length', LENGTH],
    ['in chunks', CHUNKS],
    ['without a length', TO_THE_END],
  ])('has said why, %s: that is the reply', async (_, reply) => {
    const { made, upload, isEnded } = await ending(tls, reply);
    const received = await made.send(upload);
    expect(received.status).toBe(413);
    expect(await bodyOf(received)).toBe('too much');
    await expect.poll(isEnded, LONG).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['half a head', LENGTH.slice(0, 40)],
  ])('has said %s: that is a connection that ended', async (_, reply) => {
    const { made, upload, isEnded } = await ending(tls, reply);
    expect(await thrown(made.send(upload))).toMatchObject({ code: 'CUT', responseStatus: 10 });
    await expect.poll(isEnded, LONG).toBe(true);
  });

  it('has said half of why: that is a reply that is not whole', async () => {
    const { made, upload } = await ending(tls, LENGTH.slice(0, -4));
    const received = await made.send(upload);
    expect(await thrown(bodyOf(received))).toMatchObject({ code: 'CUT', httpResponseCode: 413 });
  });
});
