import type { Command } from 'commander';
import type { LoadedProject } from '../load/index.ts';
import type { Registry } from '../model/registry.ts';
import { counted } from '../wire/words.ts';
import { Ended } from './failure.ts';
import { renderScreen, type Started, terminalLog } from './gateway-output.ts';
import { explain } from './help.ts';
import { type Place, placeOf, renderLoaded } from './project.ts';
import { followParent } from './signals.ts';
import { coloursOf, note, wantsColour, writeAtOnce } from './terminal.ts';

const help = {
  examples: [
    'signalbox serve',
    'PORT=9000 signalbox serve --json',
    'HOST=0.0.0.0 SIGNALBOX_SAMPLE_USERS=off signalbox serve',
    'DATABASE_URL=postgres://signalbox@db.example.org/signalbox signalbox serve --workers auto',
  ],
  notes: [
    'PORT, HOST and DATABASE_URL override gateway.yaml; PORT=0 takes a free port. SIGTERM and SIGINT let running requests finish; a second one ends the gateway at once.',
    'The log is written for people on a terminal, and as a line of JSON an event elsewhere, behind the lines that say it is ready; with --json these are JSON too.',
    "More than one worker needs PostgreSQL. The workers share the port; one that ends is replaced, /metrics shows the sums of all, and each line of the log says which one wrote it. Each opens as many connections as 'database: connections' allows (20). Any number of machines can serve the same database, each with its own 'signalbox serve'.",
  ],
  exits: ['it was asked to end, and has', 'it could not start, or was ended at once'],
} as const;

/** `signalbox serve`: the gateway. Ends with 1 where it can't start. */
export function addServe(program: Command): void {
  explain(program.command('serve'), help)
    .description('run the gateway')
    .option('--workers <number>', "processes that share the port: a number, or 'auto' for one a processor", '1')
    .option('--json', 'write the log as JSON on a terminal too, and nothing else')
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
      // Handlers may have left timers or connections behind, which would keep the process.
      process.exit(0);
    });
}

/** The registry; diagnostics go to standard error. @throws Ended where there are errors */
async function soundRegistry(project: LoadedProject) {
  if (project.diagnostics.length > 0) note((await renderLoaded(project, process.stderr)).trimEnd());
  if (project.registry === undefined) throw new Ended(1);
  return project.registry;
}

/** Serves in this process, until a signal asks it to end and what runs has ended. */
async function serveAlone(place: Place, project: LoadedProject, json: boolean): Promise<void> {
  const stop = Promise.withResolvers<void>();
  // The gateway itself opens its audit log anew.
  const reopen = project.registry?.gateway.audit === undefined ? undefined : () => undefined;
  onSignals(stop.resolve, () => process.exit(1), reopen);
  const { startGateway } = await import('../serve/start.ts');
  const log = forPeople(json) ? terminalLog(coloursOf(process.stdout)) : {};
  const gateway = await startGateway({ ...place, env: process.env, project, log });
  try {
    await sayReady({ ...gateway, place, follows: false }, json, 1);
    await stop.promise;
  } finally {
    await gateway.close();
  }
}

/** Serves in processes of their own, likewise. @throws Ended where they can't start */
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
  const people = forPeople(json);
  const log = createLog(people ? terminalLog(coloursOf(process.stdout)) : {});
  const primary = new Primary({
    place,
    colour: wantsColour(process.stderr),
    people,
    count: workers,
    log,
    ready: ({ address }) => void sayReady({ address, registry, place, follows: false }, json, workers),
    failed: (text) => writeAtOnce(2, text),
  });
  const stop = (): void => primary.stop();
  onSignals(stop, stop, registry.gateway.audit === undefined ? undefined : () => primary.reopen());
  try {
    await primary.ended();
  } finally {
    await new Promise<void>((resolve) => log.flush(() => resolve()));
  }
}

/** Whether the log is for somebody who reads it on a terminal, rather than for programs. */
function forPeople(json: boolean): boolean {
  return process.stdout.isTTY === true && !json;
}

/** Says that it is ready, which others wait for, and then what a person wants to know. */
async function sayReady(started: Started, json: boolean, workers: number): Promise<void> {
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

/**
 * Calls `first` at the first signal that asks the process to end, and `again` at any more.
 * @param reopen called at SIGHUP, which asks for an end where this is left out
 */
function onSignals(first: () => void, again: () => void, reopen?: () => void): void {
  let asked = false;
  const ask = (): void => {
    if (asked) again();
    else first();
    asked = true;
  };
  followParent(() => {
    if (!asked) ask();
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, ask);
  process.on('SIGHUP', reopen ?? ask);
}
