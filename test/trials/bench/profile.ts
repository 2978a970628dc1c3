import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Bench } from './harness.ts';
import { postgresDatabase } from './postgres-data.ts';
import { asClient } from './processors.ts';
import { database } from './query-data.ts';
import { enqueueRequest } from './rows/enqueue.ts';
import { lookupRequest, postRequest } from './rows/lookup.ts';
import { soapRequest } from './rows/soap.ts';
import { byStage, type Profile, type StageTime } from './stages.ts';
import { once } from './under-load.ts';

/** A request to the gateway, and the database that it has. */
interface Load {
  readonly request: string;
  readonly database: (bench: Bench) => string | Promise<string>;
}

/** What can be profiled, by the name of its row. */
export const PROFILED: ReadonlyMap<string, Load> = new Map([
  ['lookup', { request: lookupRequest, database }],
  ['post', { request: postRequest, database }],
  ['soap', { request: soapRequest, database }],
  ['enqueue', { request: enqueueRequest, database: postgresDatabase }],
]);

/** Where the processor time of a request goes. */
export interface Profiled {
  readonly row: string;
  readonly perSecond: number;
  /** Processor time of the whole server, in microseconds a request. */
  readonly micros: number;
  readonly stages: readonly {
    readonly stage: string;
    /** Part of `micros`, from 0 to 1. */
    readonly share: number;
    readonly micros: number;
    readonly functions: readonly { readonly name: string; readonly micros: number }[];
  }[];
}

/** Loads the gateway with the request of a row, and takes a profile once it is warm. @param to file of the profile */
export async function profileRow(bench: Bench, row: string, to?: string): Promise<Profiled> {
  const file = resolve(to ?? join(bench.folder, `${row}.cpuprofile`));
  const { request, database } = PROFILED.get(row) as Load;
  const server = await bench.serveProfiled('gateway-server.ts', [await database(bench)], file);
  bench.say(`profile of ${row}`);
  const subject = { server, requests: [request] };
  const { perSecond, micros, mainMicros } = await asClient(async () => {
    await once(subject, 2 * bench.seconds);
    // The profiler takes time itself: the figures are those without it, and only their shares are the profile's.
    const without = await once(subject, bench.seconds);
    process.kill(server.pid, 'SIGUSR2');
    await once(subject, bench.seconds);
    return without;
  });
  await server.stop();
  if (micros === undefined || mainMicros === undefined)
    throw new Error('a profile needs /proc, for the processor time');
  const stages = byStage(JSON.parse(readFileSync(file, 'utf8')) as Profile);
  return { row, perSecond, micros, stages: inMicros(stages, micros, mainMicros) };
}

/** The time of each stage in a request, with what other threads than the profiled one use. */
function inMicros(stages: readonly StageTime[], micros: number, mainMicros: number): Profiled['stages'] {
  const factor = mainMicros / stages.reduce((sum, { time }) => sum + time, 0);
  const others = { stage: 'other threads', time: (micros - mainMicros) / factor, functions: [] };
  return [...stages, others].map(({ stage, time, functions }) => ({
    stage,
    share: (time * factor) / micros,
    micros: time * factor,
    functions: functions.map((each) => ({ name: each.name, micros: each.time * factor })),
  }));
}

export const PROFILE_HEADING = ['stage', 'share', 'µs a request', 'most of it in'];
export const PROFILE_RIGHT: ReadonlySet<number> = new Set([1, 2]);

/** The cells of a profile's lines, with the functions that take most. */
export function profileCells({ stages }: Profiled): string[][] {
  return stages.map(({ stage, share, micros, functions }) => [
    stage,
    `${(share * 100).toFixed(1)} %`,
    micros.toFixed(2),
    functions
      .filter((each) => each.micros >= 0.1)
      .slice(0, 3)
      .map((each) => `${each.name.replace(/.*\//, '').trim()} ${each.micros.toFixed(1)}`)
      .join(', '),
  ]);
}
