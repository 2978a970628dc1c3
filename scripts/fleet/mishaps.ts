import { setTimeout } from 'node:timers/promises';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import type { FleetGateway } from './gateway.ts';
import type { Random } from './random.ts';

/** The targets and limits of the failures. */
export interface MishapPorts {
  readonly gateways: readonly FleetGateway[];
  readonly database: PostgresServer;
  readonly random: Random;
  readonly say: (line: string) => void;
  /** Ends the failures; everything that is down is started again. */
  readonly over: AbortSignal;
  /** The test fails if something is still down by then. */
  readonly limit: AbortSignal;
}

/** The number of failures, by kind. */
export interface Mishaps {
  kills: number;
  /** Of workers that their gateway replaces. */
  workers: number;
  restarts: number;
}

/** Kills gateways and restarts the database, one at a time or several at once. */
export async function befall(ports: MishapPorts): Promise<Mishaps> {
  const { gateways, random, over } = ports;
  const happened: Mishaps = { kills: 0, workers: 0, restarts: 0 };
  const coming: Promise<void>[] = [];
  while (!over.aborted) {
    await pause(random.between(300, 3_000), over);
    // If no gateway is running, there is no work that could be lost.
    while (!over.aborted && !gateways.some(({ up }) => up)) await pause(50, over);
    if (over.aborted) break;
    const which = random.between(1, 10);
    if (which <= 2 && (await killWorker(ports))) happened.workers++;
    else if (which <= 7) {
      happened.kills++;
      coming.push(killOne(ports));
    } else {
      happened.restarts++;
      await restartDatabase(ports);
    }
  }
  await Promise.all(coming);
  return happened;
}

/** @returns whether there was one */
async function killWorker({ gateways, random, say }: MishapPorts): Promise<boolean> {
  for (const [index, gateway] of gateways.entries()) {
    if (!(await gateway.killWorker(random))) continue;
    say(`kill -9 of a worker of gateway ${index + 1}`);
    return true;
  }
  return false;
}

async function killOne({ gateways, random, say, limit }: MishapPorts): Promise<void> {
  const number = random.between(1, gateways.length);
  const gateway = gateways[number - 1] as FleetGateway;
  const away = random.between(0, 2_000);
  say(`kill -9 of gateway ${number}, away for ${away} ms`);
  await gateway.kill();
  await setTimeout(away);
  await gateway.start(limit);
}

async function restartDatabase({ database, random, say }: MishapPorts): Promise<void> {
  const mode = random.pick(['fast', 'immediate'] as const);
  const away = random.between(0, 2_000);
  say(`the database stops (${mode}), away for ${away} ms`);
  database.stop(mode);
  await setTimeout(away);
  database.start();
}

async function pause(ms: number, over: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal: over }).catch(() => undefined);
}
