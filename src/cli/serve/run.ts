import type { LoadedProject } from '../../load/index.ts';
import type { Registry } from '../../model/registry.ts';
import { terminalLog } from '../log-line.ts';
import { followParent } from '../parent.ts';
import type { Place } from '../project.ts';
import { renderScreen, type Started } from '../screen.ts';
import { coloursOf, wantsColour, writeAtOnce } from '../terminal.ts';
import { count } from '../words.ts';

/** Serves in this process, until a signal asks it to end and what runs has ended. */
export async function serveAlone(place: Place, project: LoadedProject, json: boolean): Promise<void> {
  const stop = Promise.withResolvers<void>();
  // The gateway itself opens its audit log anew.
  const reopen = project.registry?.gateway.audit === undefined ? undefined : () => undefined;
  onSignals(stop.resolve, () => process.exit(1), reopen);
  const { startGateway } = await import('../../serve/start.ts');
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
export async function serveWithWorkers(
  place: Place,
  registry: Registry,
  { workers, json }: { readonly workers: number; readonly json: boolean },
): Promise<void> {
  const [{ Primary }, { createLog }, { choosePort }] = await Promise.all([
    import('../workers/primary.ts'),
    import('../../serve/log/log.ts'),
    import('../workers/port.ts'),
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
  const what = [count(services, 'service'), count(operations, 'operation')];
  if (workers > 1) what.push(count(workers, 'worker'));
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
