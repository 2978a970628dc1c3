import { setTimeout } from 'node:timers/promises';
import type { Disturbance } from './disturbance.ts';
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

/** What can be called: a gateway, or a proxy before several. */
export interface Target {
  readonly address: string;
  /** Whether it can be reached now. */
  readonly up: boolean;
}

/** A client that calls any of the targets that are up, at random. */
export function createClient(targets: readonly Target[], random: Random): Client {
  return async ({ method = 'GET', path, body }) => {
    const up = await anyUp(targets);
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

/** The targets that are up. Waits until there is one, since no request was sent yet. */
async function anyUp(targets: readonly Target[]): Promise<readonly Target[]> {
  const limit = performance.now() + ANSWER_MS;
  for (;;) {
    const up = targets.filter((target) => target.up);
    if (up.length > 0 || performance.now() > limit) return up;
    await setTimeout(50);
  }
}

/** The number of calls. */
export interface Calls {
  all: number;
  /** Those that began and ended while nothing failed: none of them may be lost. */
  quiet: number;
  /** Those of them that were lost nevertheless. */
  readonly lost: string[];
}

/** A client whose calls are counted. */
export function countCalls(client: Client, calls: Calls, disturbance: Disturbance): Client {
  return async (asked) => {
    const from = Date.now();
    const answer = await client(asked);
    calls.all++;
    if (disturbance.covers(from, Date.now())) return answer;
    calls.quiet++;
    if (answer.kind === 'unknown')
      calls.lost.push(`${new Date(from).toISOString()} ${asked.method ?? 'GET'} ${asked.path}: ${answer.why}`);
    return answer;
  };
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
