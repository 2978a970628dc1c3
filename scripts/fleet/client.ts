import { setTimeout } from 'node:timers/promises';
import type { FleetGateway } from './gateway.ts';
import type { Random } from './random.ts';

/** The result of a request. */
export type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  /** There was no answer, or one that leaves it open: the request may have been carried out. */
  | { readonly kind: 'unknown'; readonly why: string };

/** A request to a gateway. */
export interface Asked {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Path below the connector: `Fleet.v1/Records/1`. */
  readonly path: string;
  readonly body?: object;
}

/** Calls any gateway of the fleet. */
export type Client = (asked: Asked) => Promise<Answer>;

/** Time for an answer; a later one is ignored. */
const ANSWER_MS = 30_000;
const AUTHORIZATION = `Basic ${Buffer.from('demo:demo').toString('base64')}`;

/** A client that calls a different running gateway each time. */
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

/** The running gateways. Waits until there is one, since no request was sent yet. */
async function anyUp(gateways: readonly FleetGateway[]): Promise<readonly FleetGateway[]> {
  const limit = performance.now() + ANSWER_MS;
  for (;;) {
    const up = gateways.filter((gateway) => gateway.up);
    if (up.length > 0 || performance.now() > limit) return up;
    await setTimeout(50);
  }
}

/** Repeats a request that changes nothing until it succeeds. @throws Error if the time is up */
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
