import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { isatty } from 'node:tty';
import type { Command } from 'commander';
import type { CachedProject } from '../load/cache.ts';
import type { LoadedProject } from '../load/index.ts';
import type { Registry } from '../model/registry.ts';
import { counted } from '../wire/words.ts';
import { CliFailure, Ended, wrongUsage } from './failure.ts';
import { renderScreen, type Started, terminalLog } from './gateway-output.ts';
import { explain } from './help.ts';
import { loadCached, type Place, placeOf, renderLoaded } from './project.ts';
import { type EndSignal, endOnSignals } from './signals.ts';
import { coloursOf, note, wantsColour, writeAtOnce } from './terminal.ts';

const help = {
  examples: [
    'signalbox serve',
    'PORT=9000 signalbox serve --json',
    'HOST=0.0.0.0 SIGNALBOX_SAMPLE_USERS=off signalbox serve',
    'DATABASE_URL=postgres://signalbox@db.example.org/signalbox signalbox serve --workers auto',
  ],
  notes: [
    'PORT, HOST and DATABASE_URL override gateway.yaml; PORT=0 selects a free port. SIGTERM announces the end at /health/ready and lets running requests finish, as drain: of gateway.yaml says; SIGINT does not announce it; a second signal ends the gateway at once. SIGHUP reopens the audit log.',
    'On a terminal the log is written for people, elsewhere as one line of JSON per event, after the lines that report the gateway as ready; with --json those are JSON too.',
    "More than one worker needs PostgreSQL. The workers share the port; a worker that ends is replaced, SIGUSR2 replaces them one at a time by new ones with the definitions on the disk, /metrics shows the sums of all, and each line of the log has the number of its worker. Each worker opens as many database connections as 'database: connections' allows (20). Any number of machines can serve the same database, each with its own 'signalbox serve'.",
  ],
  exits: ['ended on request', 'could not start, or was ended at once'],
} as const;

interface ServeOptions {
  readonly workers: string;
  readonly json?: boolean;
  readonly strictEnv?: boolean;
}

/** `signalbox serve`: the gateway. */
export function addServe(program: Command): void {
  explain(program.command('serve'), help)
    .description('run the gateway')
    .option('--workers <number>', "number of processes that share the port, or 'auto' for one per processor", '1')
    .option('--strict-env', 'do not start while a variable or secret of the definitions is not set')
    .option('--json', 'write nothing but JSON, on a terminal too')
    .action(async ({ workers, json = false, strictEnv = false }: ServeOptions, command: Command) => {
      const place = placeOf(command);
      const wanted = readWorkers(workers);
      const loaded = await loadCached(place, 'check');
      const { project } = loaded;
      const registry = await soundRegistry(project);
      const count = await countWorkers(wanted, registry, process.env);
      if (count === 1) await serveAlone(place, loaded, { json, strictEnv });
      else {
        // The workers find it.
        loaded.keep();
        await serveWithWorkers(place, registry, { workers: count, json, strictEnv });
      }
      // Handlers may have left timers or connections behind that would keep the process alive.
      process.exit(0);
    });
}

/** The registry; diagnostics go to standard error. @throws Ended when there are errors */
async function soundRegistry(project: LoadedProject) {
  if (project.diagnostics.length > 0) note((await renderLoaded(project, process.stderr)).trimEnd());
  if (project.registry === undefined) throw new Ended(1);
  return project.registry;
}

/** Serves in this process until a signal asks it to end, and running requests are finished. */
async function serveAlone(
  place: Place,
  { project, keep }: CachedProject,
  { json, strictEnv }: { readonly json: boolean; readonly strictEnv: boolean },
): Promise<void> {
  const stop = Promise.withResolvers<EndSignal>();
  endOnSignals({
    end: stop.resolve,
    again: () => process.exit(1),
    // The gateway itself reopens its audit log.
    reopen: outlivesTerminal(project.registry) ? () => undefined : undefined,
    replace: () => note('SIGUSR2 replaces the workers of --workers. To apply changes to a single gateway, restart it.'),
  });
  const { startGateway } = await import('../serve/start.ts');
  const log = isForPeople(json) ? terminalLog(coloursOf(process.stdout)) : {};
  const gateway = await startGateway({ ...place, env: process.env, strictEnv, project, log });
  try {
    await reportReady({ ...gateway, place, follows: false }, json, 1);
    keep();
    if (isAnnounced(await stop.promise)) await gateway.drain();
  } finally {
    await gateway.close();
  }
}

/** The same in several processes. @throws Ended when they can't start */
async function serveWithWorkers(
  place: Place,
  registry: Registry,
  { workers, json, strictEnv }: { readonly workers: number; readonly json: boolean; readonly strictEnv: boolean },
): Promise<void> {
  const [{ Primary }, { createLog }, { requirePorts }] = await Promise.all([
    import('./workers/primary.ts'),
    import('../serve/log/log.ts'),
    import('../serve/start.ts'),
  ]);
  await requirePorts(registry, { env: process.env });
  const port = await choosePort(registry, process.env);
  if (port !== undefined) process.env.PORT = String(port);
  const people = isForPeople(json);
  const log = createLog(people ? terminalLog(coloursOf(process.stdout)) : {});
  const primary = new Primary({
    place,
    strictEnv,
    colour: wantsColour(process.stderr),
    people,
    count: workers,
    log,
    ready: (worker) => void reportReady({ ...worker, registry, place, follows: false }, json, workers),
    failed: (text) => writeAtOnce(2, text),
  });
  const end = (signal?: EndSignal): void => primary.stop({ drains: isAnnounced(signal) });
  endOnSignals({
    end,
    again: end,
    reopen: outlivesTerminal(registry) ? () => primary.reopen() : undefined,
    replace: () => primary.replace(),
  });
  try {
    await primary.ended();
  } finally {
    await new Promise<void>((resolve) => log.flush(() => resolve()));
  }
}

/** A machine with more processors runs several gateways. */
const MOST = 256;

/** The value of `--workers`. @throws CliFailure for a value that is neither a number from 1 on nor `auto` */
function readWorkers(text: string): number | 'auto' {
  if (text === 'auto') return text;
  const number = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MOST) return number;
  throw wrongUsage(
    `--workers takes a number from 1 to ${MOST}, or auto, not '${text}'`,
    'auto starts one per processor on PostgreSQL, and one on SQLite.',
  );
}

/** The number of workers to run. @throws CliFailure for several workers on a database that serves one gateway only */
async function countWorkers(wanted: number | 'auto', { gateway }: Registry, env: NodeJS.ProcessEnv): Promise<number> {
  if (wanted === 1) return 1;
  const { resolveSetting } = await import('../serve/start/settings.ts');
  const isSqlite = /^sqlite:/i.test(resolveSetting(gateway.database.url, env));
  if (wanted === 'auto') return isSqlite ? 1 : Math.min(availableParallelism(), MOST);
  if (!isSqlite) return wanted;
  throw new CliFailure(`--workers ${wanted} needs PostgreSQL: a SQLite database serves one gateway`, {
    hint: 'Set DATABASE_URL=postgres://user:password@host/database, or omit --workers.',
  });
}

/**
 * The port that all workers share, unless the service manager passes one. Port 0 is replaced by a free port here, so that a
 * worker that replaces another listens on the same one.
 */
async function choosePort(registry: Registry, env: NodeJS.ProcessEnv): Promise<number | undefined> {
  const { passedPort, readAddress } = await import('../serve/start/address.ts');
  if (passedPort(env) !== undefined) return undefined;
  const { host, port } = readAddress(registry, env);
  if (port !== 0) return port;
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** Whether load balancers should learn that the gateway stops. At a terminal (SIGINT) there is no reason to wait for that. */
function isAnnounced(signal: EndSignal | undefined): boolean {
  return signal === 'SIGTERM';
}

/** Whether SIGHUP reopens files. It ends a gateway that was started on a terminal, which is gone, and has no file to reopen. */
function outlivesTerminal(registry: Registry | undefined): boolean {
  return registry?.gateway.audit !== undefined || !(isatty(0) || isatty(1));
}

/** Whether the log is for a person at a terminal rather than for programs. */
function isForPeople(json: boolean): boolean {
  return process.stdout.isTTY === true && !json;
}

/** Reports the gateway as ready in a line that programs can wait for, followed by the screen for people. */
async function reportReady(started: Started, json: boolean, workers: number): Promise<void> {
  const { address, registry } = started;
  const [services, operations] = [registry.services.size, registry.operations.size];
  if (json) {
    const msg = `Signalbox is ready on ${address}`;
    const record = { level: 'info', time: new Date().toISOString(), address, services, operations, workers, msg };
    writeAtOnce(1, `${JSON.stringify(record)}\n`);
    return;
  }
  const paint = coloursOf(process.stdout);
  const what = [counted(services, 'service'), counted(operations, 'operation')];
  if (workers > 1) what.push(counted(workers, 'worker'));
  writeAtOnce(1, `${paint.green('Signalbox is ready')} on ${paint.bold(address)} (${what.join(', ')})\n`);
  writeAtOnce(1, await renderScreen(started, paint));
}
