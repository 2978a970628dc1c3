import fc from 'fast-check';
import type { Holdings } from '../child/door.ts';
import { ChildGateway } from '../child/gateway.ts';
import { createRandom } from '../fleet/random.ts';
import { judge } from '../fuzz/judge.ts';
import { KINDS } from '../fuzz/seeds.ts';
import { createClient } from './client.ts';
import type { SoakOptions } from './options.ts';
import { WORK } from './work.ts';

/** Clients that ask at the same time, each one thing after the other. */
const CLIENTS = 6;
/** One in so many requests is a hostile one. */
const HOSTILE = 10;
/** Milliseconds that a client rests at most between two requests: what is measured is the gateway's time, not the queue's. */
const REST_MS = 40;
const PROGRESS_MS = 5_000;
/** Long enough for every kind to be compiled, and for every reader and connection to be there. */
const WARM_MS = 8_000;
/** What was begun ends, and idle connections are closed, before what is left is counted. */
const SETTLE_MS = 8_000;
/** Bytes that may be held at the end beyond the start, as histories and caches of a fixed size fill up. */
const KEPT = 24 * 1024 * 1024;
/** Handles of a kind that may be more: a connection that is being closed, a timer. */
const HANDLES = 3;
/** Readers of queries come with the load, up to a bound of their own: each is a process with pipes. */
const READERS: Readonly<Record<string, number>> = { ProcessWrap: 6, PipeWrap: 18 };

/** How a soak went. */
export interface SoakResult {
  /** Requests answered as they must be, by kind. */
  readonly answered: ReadonlyMap<string, number>;
  /** 99th percentiles of a lookup, in milliseconds, of each fifth of the time. */
  readonly p99: readonly number[];
  readonly before: Holdings;
  readonly after: Holdings;
  /** What must not be. */
  readonly amiss: readonly string[];
}

/** Times of one kind of request, and when each was made. */
interface Sample {
  readonly at: number;
  readonly ms: number;
}

interface Soak {
  readonly gateway: ChildGateway;
  readonly answered: Map<string, number>;
  readonly samples: Sample[];
  readonly amiss: string[];
}

/** Runs the whole soak. @param say takes lines about how it goes */
export async function runSoak(options: SoakOptions, say: (line: string) => void): Promise<SoakResult> {
  const soak: Soak = { gateway: new ChildGateway(), answered: new Map(), samples: [], amiss: [] };
  const { gateway, answered, samples, amiss } = soak;
  const progress = setInterval(() => say(progressOf(answered)), PROGRESS_MS);
  try {
    await gateway.start();
    await load(soak, WARM_MS, options.seed);
    await rest(SETTLE_MS);
    const before = await gateway.holdings();
    say(`warm: ${progressOf(answered)}`);
    samples.length = 0;
    answered.clear();
    const from = performance.now();
    const length = options.minutes * 60_000;
    await load(soak, length, options.seed + 1);
    await rest(SETTLE_MS);
    const after = await gateway.holdings();
    const p99 = fifths(samples, from, length);
    amiss.push(...compare(before, after), ...slower(p99));
    const how = await gateway.stop();
    if (how !== 'code 0' || gateway.deaths > 0)
      amiss.push(`the gateway ended by ${how}, ${gateway.deaths} times before that`);
    return { answered, p99, before, after, amiss };
  } finally {
    clearInterval(progress);
    gateway.remove();
  }
}

async function load(soak: Soak, ms: number, seed: number): Promise<void> {
  const until = performance.now() + ms;
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => askOn(soak, `C${index + 1}`, seed + index, until)));
}

async function askOn(
  { gateway, answered, samples, amiss }: Soak,
  name: string,
  seed: number,
  until: number,
): Promise<void> {
  const random = createRandom(seed);
  const client = createClient(gateway.port);
  const hostile = fc.sample(fc.oneof(...Object.values(KINDS)), { numRuns: 500, seed });
  try {
    while (performance.now() < until) {
      const isHostile = random.between(1, HOSTILE) === 1;
      const [kind, work] = random.pick(WORK);
      const at = performance.now();
      try {
        if (isHostile) await judge(gateway, random.pick(hostile));
        else await work(client, random, name);
        const counted = isHostile ? 'hostile' : kind;
        answered.set(counted, (answered.get(counted) ?? 0) + 1);
        if (counted === 'lookup') samples.push({ at, ms: performance.now() - at });
      } catch (error) {
        amiss.push(`${isHostile ? 'hostile' : kind}: ${(error as Error).message}`);
        if (!gateway.alive) return;
      }
      await rest(random.between(0, REST_MS));
    }
  } finally {
    client.close();
  }
}

function fifths(samples: readonly Sample[], from: number, length: number): number[] {
  return Array.from({ length: 5 }, (_, fifth) => {
    const times = samples
      .filter(({ at }) => Math.min(4, Math.floor(((at - from) * 5) / length)) === fifth)
      .map(({ ms }) => ms);
    return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
  });
}

function slower(p99: readonly number[]): string[] {
  const [first = Number.NaN, last = Number.NaN] = [p99[0], p99.at(-1)];
  // Below that it is the machine that is measured.
  const most = Math.max(2 * first, 20);
  return last <= most
    ? []
    : [`the last fifth has a 99th percentile of ${last.toFixed(1)} ms, the first of ${first.toFixed(1)} ms`];
}

function compare(before: Holdings, after: Holdings): string[] {
  const grown = after.heap - before.heap;
  const heap = grown > KEPT ? [`${(grown / 1024 / 1024).toFixed(0)} MiB more are held than at the start`] : [];
  const handles = Object.entries(after.handles).flatMap(([kind, count]) => {
    const more = count - (before.handles[kind] ?? 0);
    return more > (READERS[kind] ?? HANDLES) ? [`${more} handles more of the kind ${kind}`] : [];
  });
  return [...heap, ...handles];
}

function progressOf(answered: ReadonlyMap<string, number>): string {
  return [...answered].map(([kind, count]) => `${kind} ${count}`).join(', ');
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
