import { setTimeout as delay } from 'node:timers/promises';
import type { ChildGateway } from '../child/gateway.ts';
import { exchange } from './exchange.ts';
import type { RawReply } from './reply.ts';

/** What a case shows that must not be; its message says it. */
export class Finding extends Error {}

/** The gateway ended while the bytes were on their way: by them, or by others that were sent at the same time. */
export class Ended extends Finding {
  constructor() {
    super('the gateway ended');
  }
}

/** The end of a connection is seen before the end of the process behind it: by so much at most. */
const SEEN_MS = 250;

/** A gateway to which any bytes may be sent. */
export type Judged = Pick<ChildGateway, 'port' | 'deaths' | 'lineOf'>;

/**
 * Sends bytes, and judges what comes of them: the connection ends, what comes back is HTTP, a failure has a request id and a
 * line of the log, and none is the gateway's own. Bytes that nobody takes, as the gateway has just ended, are not judged.
 * @throws Finding, MalformedReply
 */
export async function judge(gateway: Judged, bytes: Uint8Array): Promise<void> {
  const { deaths } = gateway;
  let isRefused = false;
  try {
    const { replies, hangs, refused } = await exchange(gateway.port, bytes);
    isRefused = refused;
    if (refused) throw new Finding('the gateway takes no connection');
    if (hangs) throw new Finding('the connection was not ended');
    for (const reply of replies) await judgeReply(gateway, reply);
    if (!(await endsAfter(gateway, deaths, replies.length === 0 ? SEEN_MS : 0))) return;
  } catch (error) {
    if (!(await endsAfter(gateway, deaths, SEEN_MS))) throw error;
    if (isRefused) return;
  }
  throw new Ended();
}

async function judgeReply(gateway: Judged, { status, headers, body }: RawReply): Promise<void> {
  const requestId = headers.get('x-request-id');
  if (requestId === undefined) throw new Finding(`a reply without X-Request-Id: ${status} ${body.slice(0, 200)}`);
  if (status < 500) return;
  const lines = await gateway.lineOf(requestId);
  const line = lines.find((each) => 'status' in each);
  if (typeof line?.fault !== 'string')
    throw new Finding(`${status}, and the log does not say why: ${body.slice(0, 200)}`);
  if (line.fault === 'INTERNAL') throw new Finding(`a failure of its own: ${JSON.stringify(lines).slice(0, 2000)}`);
}

/** Whether the gateway has ended more than so many times, within the milliseconds. */
async function endsAfter(gateway: Judged, deaths: number, within: number): Promise<boolean> {
  const limit = performance.now() + within;
  while (gateway.deaths === deaths && performance.now() < limit) await delay(10);
  return gateway.deaths > deaths;
}
