import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { Checker } from '../../scripts/fuzz/definitions.ts';
import { judge } from '../../scripts/fuzz/judge.ts';
import { quarters, slower } from '../../scripts/soak/run.ts';

// What the fuzz run would find: a run that finds nothing must not be one that sees nothing.

const ID = 'X-Request-Id: r1\r\n';
const OK = `HTTP/1.1 200 OK\r\n${ID}Content-Length: 2\r\n\r\nok`;

/** Judges a server that answers anything with these bytes, and closes. @param logged what its log says of the request `r1` */
async function judged(bytes: string, logged: object = {}, alive = true): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes, 'latin1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await judge({ port, alive, lineOf: async () => [{ ...logged }] }, Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
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
  ['500 that is not logged', `HTTP/1.1 500 X\r\n${ID}Content-Length: 0\r\n\r\n`, { status: 500 }, 'does not say why'],
  [
    '500 of its own',
    `HTTP/1.1 500 X\r\n${ID}Content-Length: 0\r\n\r\n`,
    { status: 500, fault: 'INTERNAL' },
    'of its own',
  ],
])('%s is found', async (_, bytes, logged, words) => {
  await expect(judged(bytes, logged)).rejects.toThrow(words);
});

it('the end of the gateway is found', async () => {
  await expect(judged(OK, {}, false)).rejects.toThrow('ended');
});

it('definitions are checked with the text of the case', async () => {
  const checker = new Checker();
  try {
    await expect(checker.check({ path: 'definitions/security.yaml', text: '\0: [' })).resolves.toBeUndefined();
    await expect(checker.check({ path: 'definitions/none.yaml', text: '' })).rejects.toThrow('has no definitions/none');
  } finally {
    checker.close();
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
