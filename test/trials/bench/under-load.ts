import type { Figure, Target } from './figure.ts';
import type { Bench, Server } from './harness.ts';
import { loadCounted } from './load.ts';
import { asClient, processorTime } from './processors.ts';

/** Clients that keep their connection and wait for each reply before they send again, as wrk does. */
const CONNECTIONS = 32;

/** A server under load, with the requests that it gets in turn. */
export interface Subject {
  readonly server: Server;
  readonly requests: readonly string[];
}

/** What a server achieved, by round. */
interface Achieved {
  readonly perSecond: readonly number[];
  /** Processor time of the server in microseconds a request; empty where it can't be read. */
  readonly micros: readonly number[];
}

/** Measures servers that run apart ({@link Bench.serveApart}), after each has become warm. */
export async function underLoad<Subjects extends Readonly<Record<string, Subject>>>(
  bench: Bench,
  name: string,
  subjects: Subjects,
): Promise<{ [Name in keyof Subjects]: Achieved }> {
  const each = Object.entries(subjects);
  return asClient(async () => {
    bench.say(`${name}: warming up`);
    // Twice as long as a round: in its first seconds Node is busy with compiling, which also takes processor time.
    for (const [, subject] of each) await once(subject, 2 * bench.seconds);
    const work = each.map(([key, subject]) => [key, () => once(subject, bench.seconds)] as const);
    const results = await bench.inRounds<string, Once>(name, Object.fromEntries(work));
    const achieved = Object.entries(results).map(([key, rounds]) => [
      key,
      { perSecond: rounds.map(({ perSecond }) => perSecond), micros: rounds.flatMap(({ micros }) => micros ?? []) },
    ]);
    return Object.fromEntries(achieved);
  });
}

interface Once {
  readonly perSecond: number;
  /** Processor time of the server in microseconds a request, and that of its main thread. */
  readonly micros: number | undefined;
  readonly mainMicros: number | undefined;
}

/** Loads a server once. Call it from {@link asClient}. */
export async function once({ server, requests }: Subject, wanted: number): Promise<Once> {
  const times = () => [processorTime(server.pid), processorTime(server.pid, 'main')] as const;
  let before: ReturnType<typeof times> = [undefined, undefined];
  const { replies, seconds } = await loadCounted(
    { port: server.port, requests, connections: CONNECTIONS, depth: 1, seconds: wanted },
    () => {
      before = times();
    },
  );
  const [micros, mainMicros] = times().map((after, index) => {
    const earlier = before[index];
    return after === undefined || earlier === undefined ? undefined : (after - earlier) / replies;
  });
  return { perSecond: replies / seconds, micros, mainMicros };
}

/** The line of the table for two of the servers. */
export function figureOf(
  job: string,
  beside: string,
  { limit, ours, unit = 'requests/s' }: { readonly limit: Achieved; readonly ours: Achieved; readonly unit?: string },
  target?: Target,
): Figure {
  const isKnown = limit.micros.length > 0 && ours.micros.length > 0;
  return {
    job,
    beside,
    unit,
    limit: limit.perSecond,
    ours: ours.perSecond,
    micros: isKnown ? { limit: limit.micros, ours: ours.micros } : undefined,
    target,
  };
}
