import type { LoadedProject } from '../../load/index.ts';
import type { Registry } from '../../model/registry.ts';
import { followParent } from '../parent.ts';
import type { Place } from '../project.ts';
import { coloursOf, wantsColour, writeAtOnce } from '../terminal.ts';
import { count } from '../words.ts';

/** Serves in this process, until a signal asks it to end and what runs has ended. */
export async function serveAlone(place: Place, project: LoadedProject): Promise<void> {
  const stop = Promise.withResolvers<void>();
  // The gateway itself opens its audit log anew.
  const reopen = project.registry?.gateway.audit === undefined ? undefined : () => undefined;
  onSignals(stop.resolve, () => process.exit(1), reopen);
  const { startGateway } = await import('../../serve/start.ts');
  const gateway = await startGateway({ ...place, env: process.env, project });
  const { services, operations } = gateway.registry;
  sayReady(gateway.address, count(services.size, 'service'), count(operations.size, 'operation'));
  await stop.promise;
  await gateway.close();
}

/** Serves in processes of their own, likewise. @throws Ended where they can't start */
export async function serveWithWorkers(place: Place, registry: Registry, workers: number): Promise<void> {
  const [{ Primary }, { createLog }, { choosePort }] = await Promise.all([
    import('../workers/primary.ts'),
    import('../../serve/log/log.ts'),
    import('../workers/port.ts'),
  ]);
  process.env.PORT = String(await choosePort(registry, process.env));
  const log = createLog();
  const primary = new Primary({
    place,
    colour: wantsColour(process.stderr),
    count: workers,
    log,
    ready: ({ address, services, operations }) =>
      sayReady(address, count(services, 'service'), count(operations, 'operation'), count(workers, 'worker')),
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

function sayReady(address: string, ...what: readonly string[]): void {
  const { green, bold } = coloursOf(process.stdout);
  writeAtOnce(1, `${green('Signalbox is ready')} on ${bold(address)} (${what.join(', ')})\n`);
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
