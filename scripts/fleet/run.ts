import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.ts';
import { type PostgresServer, startPostgres } from '../../test/support/postgres-server.ts';
import { type Account, accountProcesses, accountRuns, accountSaves } from './account.ts';
import { createClient } from './client.ts';
import { createTables, readHeld, unfinished } from './database.ts';
import { FleetGateway } from './gateway.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { type LoadPorts, pollQueries, saveRecord, scheduleProcesses } from './load.ts';
import { befall, type Mishaps } from './mishaps.ts';
import type { FleetOptions } from './options.ts';
import { findOverlaps } from './overlaps.ts';
import type { Mark } from './project/intervals.ts';
import { createProject, type FleetProject } from './project.ts';
import { createRandom } from './random.ts';

/** Clients of each kind. */
const CLIENTS = 4;
/** Milliseconds in which entered items must end once everything is running again. */
const SETTLE_MS = 90_000;
const PROGRESS_MS = 5_000;

/** The result of a run. */
export interface FleetResult {
  readonly accounts: readonly Account[];
  readonly mishaps: Mishaps;
  readonly overlaps: readonly string[];
  /** Answers that no failure explains, gateways that did not end correctly, and items that did not end in time. */
  readonly amiss: readonly string[];
  /** File with the gateways' output; kept if there are errors. */
  readonly log: string;
}

/** The parts of a run. */
interface Fleet {
  readonly project: FleetProject;
  readonly database: PostgresServer;
  readonly gateways: readonly FleetGateway[];
  readonly deaths: Map<number, number>;
}

/** Runs the whole test. @param say receives lines of progress */
export async function runFleet(options: FleetOptions, say: (line: string) => void): Promise<FleetResult> {
  const project = createProject();
  const database = startPostgres(await freePort());
  const deaths = new Map<number, number>();
  const ports = await Promise.all(Array.from({ length: options.gateways }, freePort));
  const gateways = ports.map((port, index) => {
    const workers = index === ports.length - 1 ? options.workers : 1;
    return new FleetGateway({ project, port, database: database.url, workers }, deaths);
  });
  const fleet: Fleet = { project, database, gateways, deaths };
  let sound = false;
  // A test that is interrupted must not leave its servers behind.
  const end = (): never => {
    for (const gateway of gateways) void gateway.kill();
    database.remove();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  try {
    const result = await runWith(fleet, options, say);
    sound = isSound(result);
    return result;
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.kill()));
    database.remove();
    if (sound) project.remove();
  }
}

/** Whether nothing is missing, duplicated or wrong. */
export function isSound({ accounts, overlaps, amiss }: FleetResult): boolean {
  return accounts.every(({ wrong }) => wrong.length === 0) && overlaps.length === 0 && amiss.length === 0;
}

async function runWith(fleet: Fleet, options: FleetOptions, say: (line: string) => void): Promise<FleetResult> {
  const { gateways, database, project } = fleet;
  await createTables(database.url);
  await Promise.all(gateways.map((gateway) => gateway.start(AbortSignal.timeout(60_000))));
  say(`${gateways.length} gateways are ready`);
  const ledger = createLedger();
  const over = AbortSignal.timeout(options.seconds * 1000);
  const limit = AbortSignal.timeout(options.seconds * 1000 + SETTLE_MS);
  const random = createRandom(options.seed);
  const progress = setInterval(() => say(progressOf(ledger)), PROGRESS_MS);
  const [mishaps] = await Promise.all([
    befall({ gateways, database, random, say, over, limit }),
    startLoad({ fleet, ledger, over, limit, seed: options.seed }),
  ]).finally(() => clearInterval(progress));
  const amiss = [...ledger.refused, ...(await settle(database.url, limit)), ...(await stopAll(gateways))];
  const held = await readHeld(database.url);
  const lines = readFileSync(project.marks, 'utf8').trimEnd().split('\n');
  const marks = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Mark);
  return {
    accounts: [accountProcesses(ledger, held), accountSaves(ledger, held), accountRuns(ledger)],
    mishaps,
    overlaps: findOverlaps(marks, fleet.deaths),
    amiss,
    log: project.log,
  };
}

interface LoadStart {
  readonly fleet: Fleet;
  readonly ledger: Ledger;
  readonly over: AbortSignal;
  readonly limit: AbortSignal;
  readonly seed: number;
}

/** Each client has its own random numbers, so that its actions depend only on the seed. */
async function startLoad({ fleet, ledger, over, limit, seed }: LoadStart): Promise<void> {
  const kinds = [scheduleProcesses, saveRecord, pollQueries];
  const clients = kinds.flatMap((kind, which) =>
    Array.from({ length: CLIENTS }, (_, index) => {
      const random = createRandom(seed + 1 + which * CLIENTS + index);
      const client = createClient(fleet.gateways, random);
      const ports: LoadPorts = { client, ledger, random, over, limit };
      return kind(`${'psq'[which]}${index + 1}`, ports);
    }),
  );
  await Promise.all(clients);
}

function progressOf({ schedules, saves, runs }: Ledger): string {
  const [entered, lost] = [schedules.accepted.size, schedules.unknown.size];
  return `${entered} processes, ${saves.accepted.size} saves, ${runs.accepted} queries entered; ${lost + saves.unknown.size + runs.unknown} answers lost`;
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
