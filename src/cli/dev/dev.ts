import type { Command } from 'commander';
import { placeOf } from '../project.ts';
import { coloursOf, wantsColour, writeAtOnce } from '../terminal.ts';

const examples = `
Examples:
  signalbox dev
  PORT=9000 signalbox dev

Follows the definitions, the handlers and what they import. Every save starts a fresh process, which takes over once it is
ready: no request is dropped, and a broken edit leaves the last good one serving. generated/ is kept up to date, and a
missing handler file is created as a typed stub. PORT, HOST and DATABASE_URL work as with 'signalbox serve'.`;

/** `signalbox dev`: the gateway, following every edit. */
export function addDev(program: Command): void {
  program
    .command('dev')
    .description('run the gateway and take over every edit as it is saved')
    .addHelpText('after', examples)
    .action(async (_: object, command: Command) => {
      const { lineReporter, Supervisor, stopOnSignals } = await import('./supervisor.ts');
      const { green, red } = coloursOf(process.stdout);
      const report = lineReporter(writeAtOnce, { good: green, bad: red });
      const supervisor = new Supervisor({ ...placeOf(command), colour: wantsColour(process.stderr) }, report);
      stopOnSignals(supervisor);
      await supervisor.ended();
    });
}
