import { setTimeout as delay } from 'node:timers/promises';
import type { ChildGateway } from '../child/gateway.ts';
import { exchange } from './exchange.ts';
import type { RawReply } from './reply.ts';

/** A defect that a case shows; the message describes it. */
export class Finding extends Error {}

/** The gateway exited while the bytes were being sent: because of them, or of others that were sent at the same time. */
export class Ended extends Finding {
  constructor() {
    super('the gateway ended');
  }
}

/** The end of a connection is noticed before the end of its process, at most this much earlier. */
const SEEN_MS = 250;

/** A gateway to which any bytes may be sent. */
export type Judged = Pick<ChildGateway, 'port' | 'deaths' | 'lineOf'>;

/**
 * Sends bytes, and checks the result: the connection must end, replies must be HTTP, every failure must have a request id and
 * a log line, and none may be an internal error. Bytes sent while the gateway is not running are not judged.
 * @throws Finding, MalformedReply
 */
export async function judge(gateway: Judged, bytes: Uint8Array): Promise<void> {
  const { deaths } = gateway;
  let isRefused = false;
  try {
    const { replies, hangs, refused } = await exchange(gateway.port, bytes);
    isRefused = refused;
    if (refused) throw new Finding('the gateway refuses connections');
    if (hangs) throw new Finding('the connection was not closed');
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
    throw new Finding(`${status} without a reason in the log: ${body.slice(0, 200)}`);
  if (line.fault === 'INTERNAL') throw new Finding(`an internal error: ${JSON.stringify(lines).slice(0, 2000)}`);
}

/** Whether the number of the gateway's exits exceeds `deaths` within this number of milliseconds. */
async function endsAfter(gateway: Judged, deaths: number, within: number): Promise<boolean> {
  const limit = performance.now() + within;
  while (gateway.deaths === deaths && performance.now() < limit) await delay(10);
  return gateway.deaths > deaths;
}
