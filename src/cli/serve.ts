import type { Command } from 'commander';
import type { RunningGateway } from '../serve/start.ts';
import { Ended } from './failure.ts';
import { followParent } from './parent.ts';
import { placeOf, renderLoaded } from './project.ts';
import { coloursOf, note, writeAtOnce } from './terminal.ts';
import { count } from './words.ts';

const examples = `
Examples:
  signalbox serve
  PORT=9000 signalbox serve
  HOST=0.0.0.0 SIGNALBOX_SAMPLE_USERS=off DATABASE_URL=sqlite:/var/lib/signalbox.db signalbox serve

PORT, HOST and DATABASE_URL override gateway.yaml; PORT=0 takes a free port. SIGTERM and SIGINT let running requests
finish; a second one ends the gateway at once.`;

/** `signalbox serve`: the gateway. Ends with 1 where it can't start. */
export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the gateway')
    .addHelpText('after', examples)
    .action(async (_: object, command: Command) => {
      const stop = awaitSignal();
      const gateway = await start(command);
      writeAtOnce(1, `${readyLine(gateway)}\n`);
      await stop;
      await gateway.close();
      // Handlers may have left timers or connections behind, which would keep the process.
      process.exit(0);
    });
}

async function start(command: Command): Promise<RunningGateway> {
  const place = placeOf(command);
  const [{ loadProject }, { startGateway }] = await Promise.all([
    import('../load/index.ts'),
    import('../serve/start.ts'),
  ]);
  const project = loadProject({ ...place, handlers: 'check' });
  if (project.diagnostics.length > 0) note((await renderLoaded(project, process.stderr)).trimEnd());
  if (project.registry === undefined) throw new Ended(1);
  return await startGateway({ ...place, env: process.env, project });
}

function readyLine({ address, registry }: RunningGateway): string {
  const { green, bold } = coloursOf(process.stdout);
  const what = `${count(registry.services.size, 'service')}, ${count(registry.operations.size, 'operation')}`;
  return `${green('Signalbox is ready')} on ${bold(address)} (${what})`;
}

/** Resolves at the first signal that asks the process to end; the second ends it there and then. */
function awaitSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    followParent(resolve);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        resolve();
      });
    }
  });
}
