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

/**
 * From so many minutes on it counts where the last quarter is slower than the first. A shorter one shows the figures alone: what
 * else the machine does in its few seconds decides them.
 */
const JUDGED_MINUTES = 4;
/** Stretches of a quarter of the time. Their median passes over what the machine did beside. */
const STRETCHES = 5;

/** Milliseconds of a timer, and those that it may be late by on a machine that does nothing else. */
const TIMER_MS = 20;
const LATE_MS = 5;
/** Milliseconds of a lookup below which it is the machine that is measured. */
const FAST_MS = 10;

/** How a soak went. */
export interface SoakResult {
  /** Requests answered as they must be, by kind. */
  readonly answered: ReadonlyMap<string, number>;
  /** 99th percentiles of a lookup, in milliseconds, of the quarters of the time: each the median of its stretches'. */
  readonly p99: readonly number[];
  /** The same of how late timers of this process are: how busy the machine is with other things. */
  readonly late: readonly number[];
  readonly before: Holdings;
  readonly after: Holdings;
  /** What must not be. */
  readonly amiss: readonly string[];
}

/** What something took, and when that was. */
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
    const timers = watchTimers();
    await load(soak, length, options.seed + 1);
    clearInterval(timers.interval);
    await rest(SETTLE_MS);
    const after = await gateway.holdings();
    const p99 = quarters(samples, from, length);
    const late = quarters(timers.samples, from, length);
    amiss.push(...compare(before, after));
    if (options.minutes >= JUDGED_MINUTES) amiss.push(...slower(p99, late));
    const how = await gateway.stop();
    if (how !== 'code 0' || gateway.deaths > 0)
      amiss.push(`the gateway ended by ${how}, ${gateway.deaths} times before that`);
    return { answered, p99, late, before, after, amiss };
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

/** Of some values, the one that such a share of them stays below. */
function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** By quarters of the time, the median of their stretches' 99th percentiles. @param from when it began, as `at` of samples */
export function quarters(samples: readonly Sample[], from: number, length: number): number[] {
  const stretches = Array.from({ length: 4 * STRETCHES }, (): number[] => []);
  for (const { at, ms } of samples) stretches[Math.floor(((at - from) / length) * stretches.length)]?.push(ms);
  const p99 = stretches.map((times) => quantile(times, 0.99));
  return [0, 1, 2, 3].map((quarter) => quantile(p99.slice(quarter * STRETCHES, (quarter + 1) * STRETCHES), 0.5));
}

/** Notes how late a timer is, again and again. */
function watchTimers(): { readonly samples: readonly Sample[]; readonly interval: NodeJS.Timeout } {
  const samples: Sample[] = [];
  let due = performance.now() + TIMER_MS;
  const interval = setInterval(() => {
    const at = performance.now();
    samples.push({ at, ms: Math.max(0, at - due) });
    due = at + TIMER_MS;
  }, TIMER_MS);
  return { samples, interval };
}

/**
 * What is amiss where the last quarter took more than twice as long as the first, beyond what the machine has slowed down
 * by itself meanwhile.
 */
export function slower(p99: readonly number[], late: readonly number[]): string[] {
  const [first = Number.NaN, last = Number.NaN] = [p99[0], p99.at(-1)];
  const [before = Number.NaN, after = Number.NaN] = [late[0], late.at(-1)].map((ms) => Math.max(ms ?? 0, LATE_MS));
  const most = 2 * Math.max(first, FAST_MS) * Math.max(1, after / before);
  return last <= most
    ? []
    : [`the last quarter has a 99th percentile of ${last.toFixed(1)} ms, the first of ${first.toFixed(1)} ms`];
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
