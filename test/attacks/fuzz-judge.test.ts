import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { writeProject } from '../trials/child/schemes.ts';
import { Checker } from '../trials/fuzz/definitions.ts';
import { Ended, judge } from '../trials/fuzz/judge.ts';
import { quarters, slower } from '../trials/soak/run.ts';

// What the fuzz run would find: a run that finds nothing must not be one that sees nothing.

const REQUEST = Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
const ID = 'X-Request-Id: r1\r\n';
const OK = `HTTP/1.1 200 OK\r\n${ID}Content-Length: 2\r\n\r\nok`;

/**
 * Judges a server that answers anything with these bytes, and closes.
 * @param logged what its log says of the request `r1`
 * @param ends milliseconds after its answer at which its process is seen to end
 */
async function judged(bytes: string, logged: object = {}, ends?: number): Promise<void> {
  const gateway = { deaths: 0 };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      if (ends !== undefined) setTimeout(() => gateway.deaths++, ends);
      socket.end(bytes, 'latin1');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await judge(Object.assign(gateway, { port, lineOf: async () => [{ ...logged }] }), REQUEST);
  } finally {
    server.close();
  }
}

it.each<[string, string]>([
  ['a reply', OK],
  ['several', OK + OK],
  ['chunks', `HTTP/1.1 200 OK\r\n${ID}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
  ['a reply that ends with the connection', `HTTP/1.1 200 OK\r\n${ID}Connection: close\r\n\r\nok`],
  ['nothing but the end', ''],
])('%s is sound', async (_, bytes) => {
  await expect(judged(bytes)).resolves.toBeUndefined();
});

it.each<[string, string, object, string]>([
  ['no HTTP', 'hello', {}, 'ends early'],
  ['another status line', `HTTP/1.1 OK\r\n${ID}\r\n`, {}, 'no status line'],
  ['a header with a bare line feed', `HTTP/1.1 200 OK\r\n${ID}A: b\nC: d\r\n\r\n`, {}, 'no header'],
  ['a body that is too short', `HTTP/1.1 200 OK\r\n${ID}Content-Length: 5\r\n\r\nok`, {}, 'ends early'],
  ['a body that is too long', `${OK}more\r\n\r\n`, {}, 'no status line'],
  ['a chunk that is none', `HTTP/1.1 200 OK\r\n${ID}Transfer-Encoding: chunked\r\n\r\nx\r\n`, {}, 'a chunk'],
  [
    'length and chunks',
    `HTTP/1.1 200 OK\r\n${ID}Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n`,
    {},
    'a length',
  ],
  ['no request id', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', {}, 'without X-Request-Id'],
  [
    '500 that is not logged',
    `HTTP/1.1 500 X\r\n${ID}Content-Length: 0\r\n\r\n`,
    { status: 500 },
    'without a reason in the log',
  ],
  [
    '500 of its own',
    `HTTP/1.1 500 X\r\n${ID}Content-Length: 0\r\n\r\n`,
    { status: 500, fault: 'INTERNAL' },
    'an internal error',
  ],
])('%s is found', async (_, bytes, logged, words) => {
  await expect(judged(bytes, logged)).rejects.toThrow(words);
});

it.each([
  ['with the end of the connection', '', 0],
  ['only after that', '', 100],
  ['in the middle of a reply', OK.slice(0, 30), 100],
])('the end of the gateway is found that is seen %s', async (_, bytes, ends) => {
  await expect(judged(bytes, {}, ends)).rejects.toThrow(Ended);
});

it('bytes that nobody takes are found where the gateway has not ended before', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const gateway = { port, deaths: 0, lineOf: async () => [] };
  await expect(judge(gateway, REQUEST)).rejects.toThrow('refuses connections');
  setTimeout(() => gateway.deaths++, 100);
  await expect(judge(gateway, REQUEST)).resolves.toBeUndefined();
});

it('definitions and contracts are checked with the text of the case', async () => {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-checked-'));
  writeProject(fileURLToPath(new URL('../../', import.meta.url)), root);
  const checker = new Checker(root);
  try {
    await expect(checker.check({ path: 'definitions/child.yaml', text: '\0: [' })).resolves.toBeUndefined();
    await expect(checker.check({ path: 'definitions/none.yaml', text: '' })).rejects.toThrow('has no definitions/none');
    await expect(checker.check({ location: 'a.wsdl', bytes: '<definitions' })).resolves.toBeUndefined();
  } finally {
    checker.close();
    rmSync(root, { recursive: true, force: true });
  }
});

it('a soak that grows slow is found, and one whose machine does is not', () => {
  const took = (msAt: (at: number) => number) =>
    quarters(
      Array.from({ length: 4_000 }, (_, at) => ({ at: at + 7, ms: msAt(at) })),
      7,
      4_000,
    );
  const steady = took(() => 15);
  const growing = took((at) => 15 + at / 100);
  expect(growing[3]).toBeGreaterThan(45);
  expect(slower(growing, steady)).toEqual([expect.stringContaining('the last quarter')]);
  expect(slower(growing, growing)).toEqual([]);
  const once = took((at) => (at > 3_500 && at < 3_700 ? 900 : 15));
  expect(slower(once, steady), 'one stretch that something else took').toEqual([]);
});
