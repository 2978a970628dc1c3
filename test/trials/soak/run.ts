import fc from 'fast-check';
import type { Holdings } from '../child/door.ts';
import { ChildGateway } from '../child/gateway.ts';
import { createRandom } from '../fleet/random.ts';
import { judge } from '../fuzz/judge.ts';
import { KINDS } from '../fuzz/seeds.ts';
import { createClient } from './client.ts';
import type { SoakOptions } from './options.ts';
import { WORK } from './work.ts';

/** Concurrent clients, each of which sends one request after the other. */
const CLIENTS = 6;
/** One in this many requests is hostile. */
const HOSTILE = 10;
/** Maximum milliseconds between two requests of a client, so that the gateway's time is measured and not that of a queue. */
const REST_MS = 40;
const PROGRESS_MS = 5_000;
/** Long enough to compile the code of every kind, and to start all readers and connections. */
const WARM_MS = 8_000;
/** Before counting, running work ends and idle connections are closed. */
const SETTLE_MS = 8_000;
/** Bytes by which the heap may grow, because histories and caches of fixed size fill up. */
const KEPT = 24 * 1024 * 1024;
/** Additional handles of a kind that are allowed: a connection that is being closed, a timer. */
const HANDLES = 3;
/** Query readers are started under load, up to their own limit: each is a process with pipes. */
const READERS: Readonly<Record<string, number>> = { ProcessWrap: 6, PipeWrap: 18 };

/**
 * From this duration on, a last quarter that is slower than the first is an error. Shorter runs only print the figures, because
 * other load on the machine during these few seconds has too much influence.
 */
const JUDGED_MINUTES = 4;
/** Parts of a quarter of the time. Their median ignores occasional other load on the machine. */
const STRETCHES = 5;

/** Milliseconds of a timer, and its lateness on an idle machine. */
const TIMER_MS = 20;
const LATE_MS = 5;
/** Milliseconds of a lookup below which differences are due to the machine. */
const FAST_MS = 10;

/** The result of a soak. */
export interface SoakResult {
  /** Correctly answered requests, by kind. */
  readonly answered: ReadonlyMap<string, number>;
  /** 99th percentiles of a lookup, in milliseconds, for each quarter of the time: the median of its parts. */
  readonly p99: readonly number[];
  /** The same for the lateness of timers in this process, which shows other load on the machine. */
  readonly late: readonly number[];
  readonly before: Holdings;
  readonly after: Holdings;
  /** Errors. */
  readonly amiss: readonly string[];
}

/** A duration, and the time when it was measured. */
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

/** Runs the whole soak. @param say receives lines of progress */
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
      amiss.push(`the gateway ended with ${how}, after ${gateway.deaths} unexpected exits`);
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

/** The quantile of some values: `share` of them are below it. */
function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** For each quarter of the time, the median of the 99th percentiles of its parts. @param from the start, on the clock of `at` */
export function quarters(samples: readonly Sample[], from: number, length: number): number[] {
  const stretches = Array.from({ length: 4 * STRETCHES }, (): number[] => []);
  for (const { at, ms } of samples) stretches[Math.floor(((at - from) / length) * stretches.length)]?.push(ms);
  const p99 = stretches.map((times) => quantile(times, 0.99));
  return [0, 1, 2, 3].map((quarter) => quantile(p99.slice(quarter * STRETCHES, (quarter + 1) * STRETCHES), 0.5));
}

/** Repeatedly measures how late a timer is. */
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
 * An error if the last quarter took more than twice as long as the first, after allowing for a machine that has become
 * slower meanwhile.
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
  const heap = grown > KEPT ? [`the heap has grown by ${(grown / 1024 / 1024).toFixed(0)} MiB`] : [];
  const handles = Object.entries(after.handles).flatMap(([kind, count]) => {
    const more = count - (before.handles[kind] ?? 0);
    return more > (READERS[kind] ?? HANDLES) ? [`${more} more handles of the kind ${kind}`] : [];
  });
  return [...heap, ...handles];
}

function progressOf(answered: ReadonlyMap<string, number>): string {
  return [...answered].map(([kind, count]) => `${kind} ${count}`).join(', ');
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
