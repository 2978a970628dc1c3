import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnection } from '../support/connection.ts';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { expectUnharmed, LOOKUP, LOOKUP_SECRET, REST, statusesOf } from './support/attack.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ idleTimeout: 300 });
});
afterAll(async () => {
  await expectUnharmed(gateway);
  await gateway.stop();
});

const TARGET = `${REST}/LocationSetup.v1/Locations`;
/** Smuggled behind another: were it ever read as a request of its own it would be answered with data. */
const HIDDEN = `GET ${LOOKUP} HTTP/1.1\r\nHost: x\r\nAuthorization: ${DEMO}\r\n\r\n`;
const START = `POST ${TARGET} HTTP/1.1\r\nHost: x\r\nAuthorization: ${DEMO}\r\nContent-Type: application/json\r\n`;

const chunked = (line: string): string => `${START}${line}\r\n\r\n0\r\n\r\n${HIDDEN}`;
const sized = (...lines: string[]): string => `${START}${lines.join('\r\n')}\r\n\r\n${HIDDEN}`;

/** Sends on one connection, which must end. @returns all that came back */
async function exchange(bytes: string): Promise<string> {
  const { received, closed } = openConnection(gateway.port, bytes);
  await closed;
  return received();
}

describe.each([
  ['length and chunks', `${START}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['chunks and length', `${START}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['two lengths', sized('Content-Length: 0', `Content-Length: ${HIDDEN.length}`)],
  ['two lengths in one field', sized(`Content-Length: 0, ${HIDDEN.length}`)],
  ['a length with a plus', sized('Content-Length: +0')],
  ['a length with a minus', sized('Content-Length: -1')],
  ['a length in hexadecimal', sized('Content-Length: 0x0')],
  ['a length with a space in it', sized('Content-Length: 0 0')],
  ['a length with a fraction', sized('Content-Length: 0.0')],
  ['a length beyond 64 bits', sized('Content-Length: 18446744073709551616')],
  ['an empty length', sized('Content-Length: ')],
  ['a length with a space before its colon', sized('Content-Length : 0')],
  ['an unknown coding', chunked('Transfer-Encoding: xchunked')],
  ['a coding behind chunked', chunked('Transfer-Encoding: chunked, identity')],
  ['chunked twice', chunked('Transfer-Encoding: chunked\r\nTransfer-Encoding: x')],
  ['chunked with a space before its colon', chunked('Transfer-Encoding : chunked')],
  ['chunked behind a tab and a line', chunked('Transfer-Encoding:\r\n\tchunked')],
  ['chunked in quotes', chunked('Transfer-Encoding: "chunked"')],
  ['chunked with a parameter', chunked('Transfer-Encoding: chunked;x=y')],
  ['chunked with a control character', chunked('Transfer-Encoding: \x0bchunked')],
  ['chunked behind a folded line', chunked('X-Before: y\r\n Transfer-Encoding: chunked\r\nTransfer-Encoding: cow')],
  [
    'chunked in HTTP/1.0 with a length',
    chunked('Content-Length: 3\r\nTransfer-Encoding: chunked').replace('1.1', '1.0'),
  ],
  ['a chunk size with a sign', `${START}Transfer-Encoding: chunked\r\n\r\n+0\r\n\r\n${HIDDEN}`],
  ['a chunk size with 0x', `${START}Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${HIDDEN}`],
  ['a chunk size that overflows', `${START}Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\nx${HIDDEN}`],
  ['a chunk longer than it says', `${START}Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n${HIDDEN}`],
  ['a chunk extension with a bare line feed', `${START}Transfer-Encoding: chunked\r\n\r\n0;a\nb\r\n\r\n${HIDDEN}`],
  ['a chunk that ends in a line feed', `${START}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\n0\r\n\r\n${HIDDEN}`],
  ['a length in a trailer', `${START}Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 7\r\n\r\n${HIDDEN}`],
  [
    'lines that end in a bare line feed',
    `${START}X: y\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n${HIDDEN}`,
  ],
  ['a carriage return in a value', `${START}X: y\rTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n${HIDDEN}`],
  ['a null in a value', `${START}X: y\0z\r\nContent-Length: 0\r\n\r\n${HIDDEN}`],
  ['a null in a name', `${START}X\0: y\r\nContent-Length: 0\r\n\r\n${HIDDEN}`],
  [
    'a space in front of the first name',
    `POST ${TARGET} HTTP/1.1\r\n X: y\r\nHost: x\r\nContent-Length: 0\r\n\r\n${HIDDEN}`,
  ],
  ['no name', `${START}: y\r\nContent-Length: 0\r\n\r\n${HIDDEN}`],
  ['no version', `GET ${LOOKUP}\r\n\r\n${HIDDEN}`],
  ['two versions', `GET ${LOOKUP} HTTP/1.1 HTTP/1.1\r\nHost: x\r\n\r\n${HIDDEN}`],
  ['HTTP/2 on a connection of HTTP/1.1', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${HIDDEN}`],
])('%s', (_, bytes) => {
  it('is refused, and what stands behind it is not read', async () => {
    const before = gateway.log().length;
    const reply = await exchange(bytes);
    expect(reply).not.toContain(LOOKUP_SECRET);
    expect(statusesOf(reply).length).toBeLessThanOrEqual(1);
    for (const status of statusesOf(reply)) expect([400, 411, 413, 415, 422, 501, 505]).toContain(status);
    expect(
      gateway
        .log()
        .slice(before)
        .filter(({ operation }) => operation === 'LOCATIONS_GET'),
    ).toEqual([]);
  });
});

it('a name in the words of the refusal is as the caller wrote it', async () => {
  const reply = await exchange(`${START}Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 7\r\n\r\n`);
  expect(reply).toContain("Content-Length can't be present with Transfer-Encoding");
});

describe('what is right', () => {
  it('chunk extensions and trailers change nothing about a request', async () => {
    const bytes = `${START}Transfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n2;a="b;c"\r\n{}\r\n0\r\nAuthorization: x\r\nHost: y\r\n\r\n${HIDDEN}`;
    const { received, closed, socket } = openConnection(gateway.port, bytes);
    await eventually('both replies', () => (statusesOf(received()).length === 2 ? true : undefined));
    socket.end();
    await closed;
    expect(statusesOf(received())).toEqual([400, 200]);
  });

  it('credentials in a trailer are none', async () => {
    const anonymous = START.replace(/Authorization: .*\r\n/, '');
    const bytes = `${anonymous}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\nAuthorization: ${DEMO}\r\n\r\n`;
    expect(statusesOf(await exchange(bytes))).toEqual([401]);
  });

  it('a body that looks like a request is a body, where it is refused too', async () => {
    for (const credentials of [`Authorization: ${DEMO}\r\n`, '']) {
      const bytes = `POST ${TARGET} HTTP/1.1\r\nHost: x\r\n${credentials}Content-Type: application/json\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`;
      // The request behind it is answered next, and ends the connection.
      const reply = await exchange(`${bytes}GET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(reply).not.toContain(LOOKUP_SECRET);
      expect(statusesOf(reply)).toEqual([credentials === '' ? 401 : 400, 404]);
    }
  });

  it('a length that nothing comes for ends with the connection, not with the next request', async () => {
    const reply = await exchange(`${START}Content-Length: ${HIDDEN.length + 10}\r\n\r\n${HIDDEN}`);
    expect(reply).not.toContain(LOOKUP_SECRET);
  });
});
