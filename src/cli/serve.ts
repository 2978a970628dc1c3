import { isatty } from 'node:tty';
import type { Command } from 'commander';
import type { LoadedProject } from '../load/index.ts';
import type { Registry } from '../model/registry.ts';
import { counted } from '../wire/words.ts';
import { Ended } from './failure.ts';
import { renderScreen, type Started, terminalLog } from './gateway-output.ts';
import { explain } from './help.ts';
import { type Place, placeOf, renderLoaded } from './project.ts';
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
    'PORT, HOST and DATABASE_URL override gateway.yaml; PORT=0 selects a free port. SIGTERM and SIGINT let running requests finish; a second signal ends the gateway at once.',
    'On a terminal the log is written for people, elsewhere as one line of JSON per event, after the lines that report the gateway as ready; with --json those are JSON too.',
    "More than one worker needs PostgreSQL. The workers share the port; a worker that ends is replaced, /metrics shows the sums of all, and each line of the log has the number of its worker. Each worker opens as many database connections as 'database: connections' allows (20). Any number of machines can serve the same database, each with its own 'signalbox serve'.",
  ],
  exits: ['ended on request', 'could not start, or was ended at once'],
} as const;

/** `signalbox serve`: the gateway. */
export function addServe(program: Command): void {
  explain(program.command('serve'), help)
    .description('run the gateway')
    .option('--workers <number>', "number of processes that share the port, or 'auto' for one per processor", '1')
    .option('--json', 'write nothing but JSON, on a terminal too')
    .action(async ({ workers, json = false }: { workers: string; json?: boolean }, command: Command) => {
      const place = placeOf(command);
      const { countWorkers, readWorkers } = await import('./workers/options.ts');
      const wanted = readWorkers(workers);
      const { loadProject } = await import('../load/index.ts');
      const project = loadProject({ ...place, handlers: 'check' });
      const registry = await soundRegistry(project);
      const count = countWorkers(wanted, registry, process.env);
      if (count === 1) await serveAlone(place, project, json);
      else await serveWithWorkers(place, registry, { workers: count, json });
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
async function serveAlone(place: Place, project: LoadedProject, json: boolean): Promise<void> {
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
  const gateway = await startGateway({ ...place, env: process.env, project, log });
  try {
    await reportReady({ ...gateway, place, follows: false }, json, 1);
    if (isAnnounced(await stop.promise)) await gateway.drain();
  } finally {
    await gateway.close();
  }
}

/** The same in several processes. @throws Ended when they can't start */
async function serveWithWorkers(
  place: Place,
  registry: Registry,
  { workers, json }: { readonly workers: number; readonly json: boolean },
): Promise<void> {
  const [{ Primary }, { createLog }, { choosePort }] = await Promise.all([
    import('./workers/primary.ts'),
    import('../serve/log/log.ts'),
    import('./workers/options.ts'),
  ]);
  process.env.PORT = String(await choosePort(registry, process.env));
  const people = isForPeople(json);
  const log = createLog(people ? terminalLog(coloursOf(process.stdout)) : {});
  const primary = new Primary({
    place,
    colour: wantsColour(process.stderr),
    people,
    count: workers,
    log,
    ready: ({ address }) => void reportReady({ address, registry, place, follows: false }, json, workers),
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

/** Whether load balancers should learn that the gateway stops. At a terminal nobody wants to wait for that. */
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
