import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINES } from '../message/project.ts';
import { eventually } from '../support/project.ts';
import { CALLS, JOBS, READS, type Role, type Roles, startRoles } from './roles.ts';

// A reply without end is cut while it comes, in every role: by `limits.body` where it is read, and sooner where it is not. What
// comes in from callers is tried in test/attacks.

/** More than the limit of 10 MB, with what the buffers of two sockets take. */
const MOST = 24 * 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, 'a');

/** A reply that goes on until the connection is closed. */
function endless(head: string, begin: string, sent: (bytes: number) => void, closed: () => void) {
  return (socket: Socket): void => {
    const chunk = (bytes: Buffer): Buffer =>
      Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
    socket.once('close', closed);
    socket.write(`HTTP/1.1 200 OK\r\n${head}Transfer-Encoding: chunked\r\n\r\n`);
    socket.write(chunk(Buffer.from(begin)));
    const piece = chunk(PIECE);
    const go = (): void => {
      while (!socket.destroyed) {
        sent(PIECE.length);
        if (!socket.write(piece)) break;
      }
    };
    socket.on('drain', go);
    go();
  };
}

const JSON_HEAD = 'Content-Type: application/json\r\n';
const XML_HEAD = 'Content-Type: text/xml; charset=utf-8\r\n';
const TEXT_HEAD = 'Content-Type: text/plain\r\n';
const ENVELOPE = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>';

function replyOf(role: Role): readonly [head: string, begin: string] {
  if (role === 'ask' || role.includes('soap')) return [XML_HEAD, ENVELOPE];
  return role === 'fetch' ? [TEXT_HEAD, 'a'] : [JSON_HEAD, '{"NAME":"'];
}

describe.each(ENGINES)('a reply without end, on %s', (kind) => {
  let roles: Roles;
  beforeAll(async () => {
    roles = await startRoles(kind);
  });
  afterAll(() => roles?.stop());

  it.each([...READS, ...CALLS, ...JOBS])('is cut in the role %s', async (role) => {
    const name = `endless-${role}`;
    let [bytes, opened, ended] = [0, 0, 0];
    const [head, begin] = replyOf(role);
    roles.answer = ({ text }) => {
      if (!text.includes(name)) return undefined;
      opened += 1;
      return endless(
        head,
        begin,
        (more) => (bytes += more),
        () => (ended += 1),
      );
    };
    const { status, text } = await roles.begin(role, name);
    if ((READS as readonly Role[]).includes(role)) {
      expect([status, text]).toEqual([502, expect.stringContaining('"code":"UPSTREAM_FAILED"')]);
    } else expect(status, text).toBeLessThan(300);
    await eventually('the end of the connection', () => (opened > 0 && ended === opened ? true : undefined));
    expect(bytes / opened).toBeLessThan(MOST);
    await roles.settled();
    // The partner took a request that it answered with success, whatever followed.
    if ((JOBS as readonly Role[]).includes(role)) expect(roles.got(name)).toHaveLength(1);
  });
});
