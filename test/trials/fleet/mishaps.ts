import { setTimeout } from 'node:timers/promises';
import type { PostgresServer } from '../../support/postgres-server.ts';
import type { PostgresWire } from '../../support/postgres-wire.ts';
import type { Disturbance } from './disturbance.ts';
import type { FleetGateway } from './gateway.ts';
import type { Rollout } from './load.ts';
import type { Random } from './random.ts';

/** The targets and limits of the failures. */
export interface MishapPorts {
  /** The gateways of all installations. */
  readonly gateways: readonly FleetGateway[];
  /** The gateways of the installation that is changed while it runs. */
  readonly changing: readonly FleetGateway[];
  readonly database: PostgresServer;
  /** Between a gateway and the database. */
  readonly wire: PostgresWire;
  /** The folder of the built version before this one. */
  readonly before: string;
  /** Starts a gateway where it has to refuse. @returns what is wrong with that */
  readonly startRefused: () => Promise<readonly string[]>;
  readonly rollout: Rollout;
  readonly disturbance: Disturbance;
  /** When processes were frozen, by pid. */
  readonly freezes: Map<number, number[]>;
  readonly random: Random;
  readonly say: (line: string) => void;
  /** Ends the failures once each has happened; everything that is down is started again. */
  readonly over: AbortSignal;
  /** The test fails if something is still down by then. */
  readonly limit: AbortSignal;
}

/** What befell the fleet, and what was wrong with how it went. */
export interface Mishaps {
  /** How often each happened, by its description. */
  readonly counts: ReadonlyMap<string, number>;
  readonly wrong: readonly string[];
}

interface Mishap {
  /** For the summary. */
  readonly what: string;
  /** How often it happens, in relation to the others. */
  readonly weight: number;
  /**
   * `alone` when nothing else fails, because no call may be lost; `meanwhile` together with those that follow; otherwise the
   * next one waits for it.
   */
  readonly with?: 'alone' | 'meanwhile';
  /** @returns `undefined` if it could not happen now; otherwise what was wrong */
  readonly happen: (ports: MishapPorts) => Promise<readonly string[] | undefined>;
}

/** A gateway is frozen for longer than its jobs' leases (10 s, and the time in which others notice) and its transactions last. */
const FROZEN_MS = [13_000, 16_000] as const;
/** Shorter and longer than a lease. */
const STALLED_MS = [2_000, 14_000] as const;
/** Until nginx tries a gateway again, after it refused a connection. */
const NOTICED_MS = 1_500;

/** In the order in which each happens first. */
const MISHAPS: readonly Mishap[] = [
  { what: 'restarts of the database', weight: 4, happen: restartDatabase },
  { what: 'frozen gateways', weight: 3, with: 'meanwhile', happen: freezeOne },
  { what: 'times that the database stopped answering', weight: 3, with: 'meanwhile', happen: stallDatabase },
  { what: 'starts refused behind PgBouncer', weight: 1, happen: (ports) => ports.startRefused() },
  { what: 'kills of workers', weight: 3, happen: killWorker },
  { what: 'kills of gateways', weight: 8, with: 'meanwhile', happen: killOne },
  { what: 'rollouts of definitions', weight: 2, with: 'alone', happen: changeDefinitions },
  { what: 'gateways of the version before', weight: 2, with: 'alone', happen: runVersionBefore },
];

/** Has each mishap happen once, then at random, one at a time or several at once. */
export async function befall(ports: MishapPorts): Promise<Mishaps> {
  const { gateways, changing, random, rollout, disturbance, over, limit } = ports;
  const counts = new Map(MISHAPS.map(({ what }) => [what, 0]));
  const wrong: string[] = [];
  const coming: Promise<void>[] = [];
  const begin = async ({ what, happen }: Mishap): Promise<boolean> => {
    const found = await happen(ports);
    if (found === undefined) return false;
    counts.set(what, (counts.get(what) ?? 0) + 1);
    wrong.push(...found);
    return true;
  };
  const next = async (mishap: Mishap): Promise<boolean> => {
    if (mishap.with === 'alone') {
      await Promise.all(coming);
      await disturbance.over(limit);
    }
    const happened = begin(mishap);
    if (mishap.with !== 'meanwhile') return happened;
    const ended = happened.then(() => undefined);
    // An error is reported when all that is going on has ended.
    ended.catch(() => undefined);
    coming.push(ended);
    return true;
  };
  const lots = MISHAPS.flatMap((mishap) => Array.from({ length: mishap.weight }, () => mishap));
  for (let count = 0; count < MISHAPS.length || !over.aborted; count++) {
    limit.throwIfAborted();
    const mishap = MISHAPS[count] ?? random.pick(lots);
    await pause(random.between(300, count < MISHAPS.length ? 800 : 3_000), limit);
    // If no gateway is running, there is no work that could be lost.
    while (!limit.aborted && !gateways.some(({ up }) => up)) await pause(50, limit);
    while (!(await next(mishap)) && count < MISHAPS.length && !limit.aborted) await pause(50, limit);
  }
  await Promise.all(coming);
  if (!rollout.all) {
    // Work that only the next definitions have waits for a gateway that has them.
    await disturbance.over(limit);
    wrong.push(...(await changeDefinitions(ports)));
  }
  for (const [what, count] of counts) if (count === 0) wrong.push(`there were no ${what}`);
  for (const gateway of changing) if (!gateway.up) wrong.push(`${nameOf(ports, gateway)} is down at the end`);
  return { counts, wrong };
}

/** A gateway that is up and runs. */
function anyRunning({ gateways, random }: MishapPorts): FleetGateway | undefined {
  const running = gateways.filter(({ up, frozen }) => up && !frozen);
  return running.length === 0 ? undefined : random.pick(running);
}

function nameOf({ gateways }: MishapPorts, gateway: FleetGateway): string {
  return `gateway ${gateways.indexOf(gateway) + 1}`;
}

async function killWorker(ports: MishapPorts): Promise<readonly string[] | undefined> {
  const { gateways, random, disturbance, say } = ports;
  const gateway = gateways.find(({ hasWorkers, up, frozen }) => hasWorkers && up && !frozen);
  if (gateway === undefined) return undefined;
  return disturbance.during(async () => {
    if (!(await gateway.killWorker(random))) return undefined;
    say(`kill -9 of a worker of ${nameOf(ports, gateway)}`);
    return [];
  });
}

async function killOne(ports: MishapPorts): Promise<readonly string[] | undefined> {
  const { random, disturbance, say, limit } = ports;
  const gateway = anyRunning(ports);
  if (gateway === undefined) return undefined;
  const away = random.between(0, 2_000);
  say(`kill -9 of ${nameOf(ports, gateway)}, away for ${away} ms`);
  return disturbance.during(async () => {
    await gateway.kill();
    await setTimeout(away);
    await gateway.start(limit);
    return [];
  });
}

async function freezeOne(ports: MishapPorts): Promise<readonly string[] | undefined> {
  const { random, disturbance, freezes, say } = ports;
  const gateway = anyRunning(ports);
  if (gateway === undefined) return undefined;
  const time = random.between(...FROZEN_MS);
  say(`${nameOf(ports, gateway)} is frozen for ${time} ms`);
  return disturbance.during(async () => {
    const at = Date.now();
    const pids = gateway.freeze();
    for (const pid of pids) freezes.set(pid, [...(freezes.get(pid) ?? []), at]);
    await setTimeout(time);
    gateway.thaw(pids);
    return [];
  });
}

async function stallDatabase({ random, disturbance, wire, say }: MishapPorts): Promise<readonly string[]> {
  const time = random.between(...STALLED_MS);
  say(`the database does not answer gateway 1 for ${time} ms`);
  return disturbance.during(async () => {
    wire.stall(true);
    await setTimeout(time);
    wire.stall(false);
    return [];
  });
}

async function restartDatabase({ database, random, disturbance, say }: MishapPorts): Promise<readonly string[]> {
  const mode = random.pick(['fast', 'immediate'] as const);
  const away = random.between(0, 2_000);
  say(`the database stops (${mode}), away for ${away} ms`);
  return disturbance.during(async () => {
    database.stop(mode);
    await setTimeout(away);
    database.start();
    return [];
  });
}

/** Gives all gateways the next definitions, or takes these back, one gateway at a time. */
async function changeDefinitions(ports: MishapPorts): Promise<readonly string[]> {
  const { changing, rollout, say, limit } = ports;
  const next = !rollout.all;
  const wrong: string[] = [];
  Object.assign(rollout, { some: true, all: false });
  say(`rollout of the ${next ? 'next' : 'first'} definitions`);
  for (const gateway of changing) {
    const { project } = gateway;
    const release = { ...project.release, next };
    if (gateway.hasWorkers) {
      project.install(release);
      await gateway.replaceWorkers(limit);
    } else wrong.push(...(await replace(ports, gateway, () => project.install(release))));
    say(`${nameOf(ports, gateway)} has them`);
    await setTimeout(NOTICED_MS);
  }
  Object.assign(rollout, { some: next, all: next });
  return wrong;
}

/** Replaces a gateway by one of the version before, and that by one of this version. */
async function runVersionBefore(ports: MishapPorts): Promise<readonly string[]> {
  const { changing, before, rollout, random, disturbance, say } = ports;
  const gateway = random.pick(changing.filter(({ hasWorkers }) => !hasWorkers));
  const { project } = gateway;
  const { release } = project;
  say(`${nameOf(ports, gateway)} is of the version before`);
  rollout.before = true;
  const wrong = await replace(ports, gateway, () => project.install({ ...release, product: before }));
  await setTimeout(random.between(2_000, 4_000));
  // That version closes its port at once on SIGTERM.
  const backWrong = await disturbance.during(() => replace(ports, gateway, () => project.install(release)));
  rollout.before = false;
  say(`${nameOf(ports, gateway)} is of this version again`);
  return [...wrong, ...backWrong];
}

/** Ends a gateway with SIGTERM, and starts it with something else. */
async function replace(ports: MishapPorts, gateway: FleetGateway, install: () => void): Promise<readonly string[]> {
  const how = await gateway.stop();
  install();
  await gateway.start(ports.limit);
  await setTimeout(NOTICED_MS);
  return how === 'code 0' ? [] : [`${nameOf(ports, gateway)} ended by ${how ?? 'itself'}, not with code 0 on SIGTERM`];
}

async function pause(ms: number, over: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal: over }).catch(() => undefined);
}
