import type { ChildGateway } from '../child/gateway.ts';
import { exchange } from './exchange.ts';

/** What a case shows that must not be; its message says it. */
export class Finding extends Error {}

/** A gateway to which any bytes may be sent. */
export type Judged = Pick<ChildGateway, 'port' | 'alive' | 'lineOf'>;

/**
 * Sends bytes, and judges what comes of them: the connection ends, what comes back is HTTP, a failure has a request id and a
 * line of the log, and none is the gateway's own.
 * @throws Finding, MalformedReply
 */
export async function judge(gateway: Judged, bytes: Uint8Array): Promise<void> {
  const { replies, hangs, refused } = await exchange(gateway.port, bytes);
  if (!gateway.alive || refused) throw new Finding('the gateway ended');
  if (hangs) throw new Finding('the connection was not ended');
  for (const { status, headers, body } of replies) {
    const requestId = headers.get('x-request-id');
    if (requestId === undefined) throw new Finding(`a reply without X-Request-Id: ${status} ${body.slice(0, 200)}`);
    if (status < 500) continue;
    const lines = await gateway.lineOf(requestId);
    const line = lines.find((each) => 'status' in each);
    if (typeof line?.fault !== 'string')
      throw new Finding(`${status}, and the log does not say why: ${body.slice(0, 200)}`);
    if (line.fault === 'INTERNAL') throw new Finding(`a failure of its own: ${JSON.stringify(lines).slice(0, 2000)}`);
  }
}
