import type { Command } from 'commander';
import { explain } from '../help.ts';
import { placeOf } from '../project.ts';
import { endOnSignals } from '../signals.ts';
import { coloursOf, wantsColour } from '../terminal.ts';

const help = {
  examples: ['signalbox dev', 'PORT=9000 signalbox dev', 'signalbox dev --mock THIRD_PARTY'],
  notes: [
    "Watches the definitions, the handlers and the modules they import, and the migrations: a new one is applied to the database as it is saved. Every save starts a fresh process, which takes over when it is ready: no request is dropped, and after a broken edit the last good version keeps serving. generated/ is kept up to date, and a missing handler file is created as a typed stub. PORT, HOST and DATABASE_URL work as with 'signalbox serve'.",
    'With --mock, calls of the node are answered from its operations, by their examples and types: nothing is sent to the partner. See signalbox mock.',
  ],
  exits: ['ended on request', 'could not start'],
} as const;

/** `signalbox dev`: the gateway, restarted after every edit. */
export function addDev(program: Command): void {
  explain(program.command('dev'), help)
    .description('run the gateway and apply every edit as it is saved')
    .option('--mock <node>', 'a node to stand in for, or all; repeat for more than one', collect, [])
    .action(async ({ mock }: { mock: readonly string[] }, command: Command) => {
      const { Supervisor } = await import('./supervisor.ts');
      const start = { ...placeOf(command), mock, colour: wantsColour(process.stderr) };
      const supervisor = new Supervisor(start, coloursOf(process.stdout));
      const stop = (): void => supervisor.stop();
      endOnSignals({ end: stop, again: stop });
      await supervisor.ended();
    });
}

const collect = (text: string, before: readonly string[]): string[] => [...before, text];
