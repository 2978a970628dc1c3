import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Account, accountProcesses, accountRuns, accountSaves } from './account.ts';
import { accountMessages } from './account-messages.ts';
import { type Calls, type Client, countCalls, createClient } from './client.ts';
import { createTables, readHeld, unfinished } from './database.ts';
import { Disturbance } from './disturbance.ts';
import type { FleetGateway } from './gateway.ts';
import { createLedger, type Ledger } from './ledger.ts';
import {
  type LoadPorts,
  pollQueries,
  publishLoose,
  publishNumbered,
  type Rollout,
  saveNextRecord,
  saveRecord,
  scheduleProcesses,
} from './load.ts';
import { befall, type Mishaps } from './mishaps.ts';
import type { FleetOptions } from './options.ts';
import { findOverlaps } from './overlaps.ts';
import type { Mark } from './project/intervals.ts';
import { createRandom } from './random.ts';
import type { Receiver } from './receiver.ts';
import { type Installation, type Servers, startServers } from './servers.ts';

/** Clients of each kind, of the first installation; the second one has one of each. */
const CLIENTS = 3;
/** Milliseconds after the duration in which each failure must have happened once, and what changed the fleet must have ended. */
const OVERTIME_MS = 300_000;
/** Milliseconds in which entered items must end once everything is running again. */
const SETTLE_MS = 90_000;
const PROGRESS_MS = 5_000;

/** The result of a run. */
export interface FleetResult {
  readonly accounts: readonly Account[];
  readonly mishaps: Mishaps;
  readonly calls: Calls;
  /** Requests that a gateway refused because only the next definitions know what they name. */
  readonly early: number;
  readonly overlaps: readonly string[];
  /** Answers that no failure explains, gateways that did not end correctly, and items that did not end in time. */
  readonly amiss: readonly string[];
  /** How often the receiver of messages answered in which way. */
  readonly answers: ReadonlyMap<string, number>;
  /** File with the gateways' output; kept if there are errors. */
  readonly log: string;
}

/** Runs the whole test. @param say receives lines of progress */
export async function runFleet(options: FleetOptions, say: (line: string) => void): Promise<FleetResult> {
  const cleanUp: (() => unknown)[] = [];
  const end = async (): Promise<void> => {
    // Each at once: one that waits must not keep others from being ended.
    await Promise.allSettled(cleanUp.splice(0).map(async (each) => each()));
  };
  // A test that is interrupted must not leave its servers behind.
  const interrupted = async (): Promise<void> => {
    say('interrupted: all servers are stopped');
    await starting.catch(() => undefined);
    await end();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted);
  const starting = startServers(options, cleanUp);
  try {
    const servers = await starting;
    const result = await runWith(servers, options, say);
    if (isSound(result)) servers.project.remove();
    return result;
  } finally {
    await end();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted);
  }
}

/** Whether nothing is missing, duplicated or wrong. */
export function isSound({ accounts, overlaps, amiss, mishaps, calls }: FleetResult): boolean {
  const wrong = [overlaps, amiss, mishaps.wrong, calls.lost, ...accounts.map((account) => account.wrong)];
  return wrong.every(({ length }) => length === 0);
}

async function runWith(servers: Servers, options: FleetOptions, say: (line: string) => void): Promise<FleetResult> {
  const { first, second, project, deaths, receiver } = servers;
  const installations = [first, second].map((installation) => ({ ...installation, ledger: createLedger() }));
  const gateways = installations.flatMap((installation) => installation.gateways);
  for (const { schema } of installations) await createTables(servers.database.url, schema);
  await Promise.all(gateways.map((gateway) => gateway.start(AbortSignal.timeout(60_000))));
  say(`${gateways.length} gateways are ready`);
  const ledgers = installations.map(({ ledger }) => ledger);
  const over = new AbortController();
  const disturbance = new Disturbance();
  const freezes = new Map<number, number[]>();
  const calls: Calls = { all: 0, quiet: 0, lost: [] };
  const time = options.seconds * 1000;
  const limit = AbortSignal.timeout(time + OVERTIME_MS);
  const rollout: Rollout = { some: false, all: false, before: false };
  const progress = setInterval(() => say(progressOf(ledgers)), PROGRESS_MS);
  const failures = befall({
    ...servers,
    ...{ gateways, changing: first.gateways, rollout, disturbance, freezes, say, limit },
    ...{ over: AbortSignal.timeout(time), random: createRandom(options.seed) },
  }).finally(() => over.abort());
  const seen = { calls, disturbance };
  const load = installations.map((each) =>
    startLoad(each, { over: over.signal, limit, seed: options.seed, rollout, ...seen }),
  );
  const [mishaps] = await Promise.all([failures, ...load]).finally(() => clearInterval(progress));
  const amiss = ledgers.flatMap(({ refused }) => refused);
  const settled = AbortSignal.timeout(SETTLE_MS);
  for (const { database } of installations) amiss.push(...(await settle(database, settled)));
  amiss.push(...(await stopAll(gateways)), ...receiver.wrong);
  const accounts = await Promise.all(installations.map((each) => accountFor(each, disturbance, receiver)));
  const lines = readFileSync(project.marks, 'utf8').trimEnd().split('\n');
  const marks = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Mark);
  return {
    accounts: accounts.flat(),
    mishaps,
    calls,
    early: ledgers.reduce((sum, { early }) => sum + early, 0),
    overlaps: findOverlaps(marks, deaths, freezes),
    amiss,
    answers: receiver.answers,
    log: project.log,
  };
}

interface Load extends Pick<LoadPorts, 'over' | 'limit' | 'rollout'> {
  readonly seed: number;
  readonly calls: Calls;
  readonly disturbance: Disturbance;
}

type Accounted = Installation & { readonly ledger: Ledger };

/** Each client has its own random numbers, so that its actions depend only on the seed. */
async function startLoad(installation: Accounted, { seed, calls, disturbance, ...load }: Load): Promise<void> {
  const { prefix, schema, gateways, address, ledger } = installation;
  const isFirst = schema === undefined;
  const proxy = {
    address,
    get up() {
      return gateways.some(({ up }) => up);
    },
  };
  const kinds = [
    ...[scheduleProcesses, saveRecord, pollQueries, publishNumbered, publishLoose],
    ...(isFirst ? [saveNextRecord] : []),
  ];
  const clients = kinds.flatMap((kind, which) =>
    Array.from({ length: isFirst ? CLIENTS : 1 }, (_, index) => {
      const random = createRandom(seed + 1 + which * CLIENTS + index);
      const client: Client = countCalls(createClient([proxy], random), calls, disturbance);
      // The second installation lacks the next definitions.
      const rollout = isFirst ? load.rollout : { some: false, all: false, before: false };
      return kind(`${prefix}${'psqmlr'[which]}${index + 1}`, { client, ledger, random, ...load, rollout });
    }),
  );
  await Promise.all(clients);
}

async function accountFor(
  { schema, database, ledger, gateways }: Accounted,
  disturbance: Disturbance,
  receiver: Receiver,
): Promise<Account[]> {
  const held = await readHeld(database);
  const failing = (from: number, to: number): boolean => disturbance.covers(from, to);
  const own = gateways[0]?.project.installation;
  const taken = receiver.taken.filter(({ installation }) => installation === own);
  const accounts = [
    accountProcesses(ledger, held, failing),
    accountSaves(ledger, held),
    accountRuns(ledger),
    accountMessages('ordered', ledger.ordered, held.messages, taken),
    accountMessages('loose', ledger.loose, held.messages, taken),
  ];
  return accounts.map((account) => ({
    ...account,
    kind: `${account.kind}${schema === undefined ? '' : `, schema ${schema}`}`,
  }));
}

function progressOf(ledgers: readonly Ledger[]): string {
  const sum = (count: (ledger: Ledger) => number): number => ledgers.reduce((all, ledger) => all + count(ledger), 0);
  const processes = sum(({ schedules }) => schedules.accepted.size);
  const saves = sum((ledger) => ledger.saves.accepted.size);
  const queries = sum(({ runs }) => runs.accepted);
  const lost = sum(
    ({ schedules, runs, ordered, loose, ...ledger }) =>
      schedules.unknown.size + ledger.saves.unknown.size + runs.unknown + ordered.unknown.size + loose.unknown.size,
  );
  const messages = sum(({ ordered, loose }) => ordered.accepted.size + loose.accepted.size);
  return `${processes} processes, ${saves} saves, ${queries} queries, ${messages} messages entered; ${lost} answers lost`;
}

/** Waits until all items have ended. @returns a message if some have not in time */
async function settle(database: string, limit: AbortSignal): Promise<string[]> {
  for (;;) {
    const left = await unfinished(database);
    if (left === 0) return [];
    if (limit.aborted) return [`${left} items had not ended ${SETTLE_MS / 1000} s after the last failure`];
    await setTimeout(200);
  }
}

async function stopAll(gateways: readonly FleetGateway[]): Promise<string[]> {
  const ends = await Promise.all(gateways.map((gateway) => gateway.stop()));
  return ends.flatMap((how, index) =>
    how === 'code 0' ? [] : [`gateway ${index + 1} ended by ${how ?? 'itself'}, not with code 0 on SIGTERM`],
  );
}
