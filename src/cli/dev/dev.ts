import type { Command } from 'commander';
import { explain } from '../help.ts';
import { placeOf } from '../project.ts';
import { coloursOf, wantsColour } from '../terminal.ts';

const help = {
  examples: ['signalbox dev', 'PORT=9000 signalbox dev'],
  notes: [
    "Follows the definitions, the handlers and what they import. Every save starts a fresh process, which takes over once it is ready: no request is dropped, and a broken edit leaves the last good one serving. generated/ is kept up to date, and a missing handler file is created as a typed stub. PORT, HOST and DATABASE_URL work as with 'signalbox serve'.",
  ],
  exits: ['it was asked to end, and has', 'it could not start'],
} as const;

/** `signalbox dev`: the gateway, following every edit. */
export function addDev(program: Command): void {
  explain(program.command('dev'), help)
    .description('run the gateway and take over every edit as it is saved')
    .action(async (_: object, command: Command) => {
      const { lineReporter, Supervisor, stopOnSignals } = await import('./supervisor.ts');
      const report = lineReporter(coloursOf(process.stdout));
      const supervisor = new Supervisor({ ...placeOf(command), colour: wantsColour(process.stderr) }, report);
      stopOnSignals(supervisor);
      await supervisor.ended();
    });
}
