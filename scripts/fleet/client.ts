import { setTimeout } from 'node:timers/promises';
import type { FleetGateway } from './gateway.ts';
import type { Random } from './random.ts';

/** What became of a request. */
export type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  /** No answer came, or one that says that it is not known: what was asked for may have happened. */
  | { readonly kind: 'unknown'; readonly why: string };

/** What can be asked of a gateway. */
export interface Asked {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** From the connector on: `Fleet.v1/Records/1`. */
  readonly path: string;
  readonly body?: object;
}

/** Calls any gateway of the fleet. */
export type Client = (asked: Asked) => Promise<Answer>;

/** An answer that takes longer is none. */
const ANSWER_MS = 30_000;
const AUTHORIZATION = `Basic ${Buffer.from('demo:demo').toString('base64')}`;

/** A client that calls a gateway of those that are up, another each time. */
export function createClient(gateways: readonly FleetGateway[], random: Random): Client {
  return async ({ method = 'GET', path, body }) => {
    const up = await anyUp(gateways);
    if (up.length === 0) return { kind: 'unknown', why: 'no gateway came up' };
    const url = `${random.pick(up).address}/gateway/RESTListeningConnector/${path}`;
    try {
      const reply = await fetch(url, {
        method,
        headers: { authorization: AUTHORIZATION, accept: 'application/json', 'content-type': 'application/json' },
        signal: AbortSignal.timeout(ANSWER_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      if (reply.status >= 500) return { kind: 'unknown', why: `${reply.status} ${text.slice(0, 200)}` };
      return { kind: 'answered', status: reply.status, text };
    } catch (error) {
      return { kind: 'unknown', why: (error as Error).message };
    }
  };
}

/** Those that are up, waited for where there are none: nothing was asked of anybody yet. */
async function anyUp(gateways: readonly FleetGateway[]): Promise<readonly FleetGateway[]> {
  const limit = performance.now() + ANSWER_MS;
  for (;;) {
    const up = gateways.filter((gateway) => gateway.up);
    if (up.length > 0 || performance.now() > limit) return up;
    await setTimeout(50);
  }
}

/** Asks for something that changes nothing, as often as it takes. @throws Error where the time is up */
export async function ask(
  client: Client,
  path: string,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  for (;;) {
    signal.throwIfAborted();
    const answer = await client({ path });
    if (answer.kind === 'answered') return answer;
    await setTimeout(100);
  }
}
