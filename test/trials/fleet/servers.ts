import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../../support/free-port.ts';
import { hasPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { PostgresWire } from '../../support/postgres-wire.ts';
import { hasProxy, startProxy } from '../../support/proxies.ts';
import { FleetGateway } from './gateway.ts';
import type { FleetOptions } from './options.ts';
import { createProject, type FleetProject } from './project.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { buildVersionBefore } from './version-before.ts';

/** Gateways that share a schema of the database, behind a proxy. */
export interface Installation {
  /** Begins the names of its items, so that one that gets into the other installation is noticed. */
  readonly prefix: string;
  readonly schema: string | undefined;
  /** Its database as the test sees it. */
  readonly database: string;
  readonly gateways: readonly FleetGateway[];
  /** Address of its proxy. */
  readonly address: string;
}

/** Everything that a run starts. */
export interface Servers {
  readonly database: PostgresServer;
  /** Between gateway 1 and the database. */
  readonly wire: PostgresWire;
  readonly first: Installation;
  readonly second: Installation;
  /** The project whose files for marks and output all others use. */
  readonly project: FleetProject;
  readonly before: string;
  readonly receiver: Receiver;
  /** When processes ended, by pid, in milliseconds since 1970. */
  readonly deaths: Map<number, number>;
  /** Starts a gateway behind PgBouncer in a mode that it can't work with. @returns what is wrong with how that went */
  startRefused(): Promise<readonly string[]>;
}

/** Seconds in which nginx expects the answer of a gateway. It is longer than `limits.timeout` of the project. */
const ANSWER_S = 12;
const REFUSED_MS = 30_000;

/**
 * Starts everything but the gateways.
 * @param cleanUp receives what ends it, the latest first
 */
export async function startServers(options: FleetOptions, cleanUp: (() => unknown)[]): Promise<Servers> {
  if (!hasPgBouncer || !hasProxy('nginx'))
    throw new Error('PgBouncer and nginx are needed: apt-get install pgbouncer nginx');
  const before = buildVersionBefore();
  const database = startPostgres(await freePort());
  cleanUp.unshift(database.remove);
  const wire = await PostgresWire.open(database.url);
  cleanUp.unshift(() => wire.close());
  const pooler = await startPgBouncer(database.url, {
    pool_mode: 'session',
    default_pool_size: 60,
    server_login_retry: 1,
    // As it is usually set; the version before sends options.
    ignore_startup_parameters: 'options,extra_float_digits',
  });
  cleanUp.unshift(() => pooler.stop());
  const receiver = await startReceiver(options.seed);
  cleanUp.unshift(() => receiver.close());
  const project = createProject();
  const deaths = new Map<number, number>();
  const install = async (prefix: string, urls: readonly string[], schema?: string): Promise<Installation> => {
    const ports = await Promise.all(urls.map(freePort));
    const gateways = urls.map((url, index) => {
      const its = createProject({ beside: project, second: schema !== undefined });
      const workers = urls.length > 1 && index === urls.length - 1 ? options.workers : 1;
      const gateway = new FleetGateway(
        { project: its, port: ports[index] as number, database: url, receiver, workers },
        deaths,
      );
      cleanUp.unshift(async () => {
        await gateway.close();
        its.remove();
      });
      return gateway;
    });
    const proxy = await startProxy('nginx', ports, ANSWER_S);
    cleanUp.unshift(() => proxy.stop());
    const search = schema === undefined ? '' : `?options=-c%20search_path%3D${schema}`;
    return { prefix, schema, database: database.url + search, gateways, address: proxy.address };
  };
  const direct = Array.from({ length: options.gateways - 2 }, () => database.url);
  const first = await install('', [wire.through(database.url), pooler.through(database.url), ...direct]);
  const second = await install('b', [database.url], 'second');
  const startRefused = async (): Promise<readonly string[]> => {
    const wrong = await Promise.all(
      ['transaction', 'statement'].map((mode) => refusal(mode, { database: database.url, project, receiver, cleanUp })),
    );
    return wrong.flat();
  };
  return { database, wire, first, second, project, before, receiver, deaths, startRefused };
}

interface RefusalPorts {
  readonly database: string;
  readonly project: FleetProject;
  readonly receiver: Receiver;
  readonly cleanUp: (() => unknown)[];
}

async function refusal(
  mode: string,
  { database, project, receiver, cleanUp }: RefusalPorts,
): Promise<readonly string[]> {
  const { root } = project;
  const pooler = await startPgBouncer(database, { pool_mode: mode });
  cleanUp.unshift(() => pooler.stop());
  try {
    const env = {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: pooler.through(database),
      FLEET_RECEIVER: receiver.url,
      FLEET_HOOK: receiver.secret,
    };
    const command = join(root, 'node_modules/signalbox/dist/cli/main.js');
    const child = spawn(process.execPath, [command, 'serve'], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: AbortSignal.timeout(REFUSED_MS),
      killSignal: 'SIGKILL',
    });
    child.on('error', () => undefined);
    cleanUp.unshift(() => child.kill('SIGKILL'));
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    if (code === 1 && (output + errors).includes('pool_mode = session')) return [];
    return [`a start behind PgBouncer in ${mode} mode ended with ${code}: ${(output + errors).slice(-500)}`];
  } finally {
    await pooler.stop();
  }
}
