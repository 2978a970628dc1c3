import { expect } from 'vitest';
import type { TestGateway } from '../../support/gateway.ts';

const REST = '/gateway/RESTListeningConnector';
/** Answers 200 to `demo` alone, and its reply holds {@link LOOKUP_SECRET}. */
export const LOOKUP = `${REST}/LOCAL/Locations.v1/Locations/?region=N`;
export const LOOKUP_SECRET = 'NYC01';
/** Runs the stored query PROCESS_MONITOR. */
export const MONITOR = `${REST}/ExecuteQuery.v1/PUBLIC/PROCESS_MONITOR/JSON/NONFILE`;
export const SOAP = '/gateway/PeopleSoftServiceListeningConnector';
export { REST };

/** The text of a request without a body, on a connection that closes behind it. */
export function requestText(line: string, headers: readonly string[] = [], host = '127.0.0.1'): string {
  return [`${line} HTTP/1.1`, `Host: ${host}`, ...headers, 'Connection: close', '', ''].join('\r\n');
}

/** Status codes of all replies on a connection, in their order. Bodies of ours never hold a status line. */
export function statusesOf(replies: string): number[] {
  return [...replies.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((found) => Number(found[1]));
}

/** No reply of this text did anything, none shows data, and each is well formed: a status line, or nothing at all. */
export function expectRefused(replies: string, what: string): void {
  expect(
    statusesOf(replies)
      .filter((status) => status < 400 || status >= 500)
      .filter((status) => status !== 501 && status !== 505),
    what,
  ).toEqual([]);
  expect(replies, what).not.toContain(LOOKUP_SECRET);
  expect(replies, what).toMatch(/^(HTTP\/1\.1 \d{3} |$)/);
}

/** The gateway goes on, and has nothing of its own to complain about, but what the test knows. */
export async function expectUnharmed(gateway: TestGateway, known: readonly string[] = []): Promise<void> {
  expect((await gateway.call('/health/ready')).status).toBe(200);
  expect((await gateway.call(LOOKUP)).text).toContain(LOOKUP_SECRET);
  const errors = gateway.log().filter(({ level }) => level === 'error' || level === 'fatal');
  expect(errors.filter(({ msg }) => !known.includes(String(msg)))).toEqual([]);
}
