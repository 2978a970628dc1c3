import type { Command } from 'commander';
import type { LoadedProject } from '../../load/index.ts';
import { Ended } from '../failure.ts';
import { explain } from '../help.ts';
import { placeOf, renderLoaded } from '../project.ts';
import { note } from '../terminal.ts';
import { serveAlone, serveWithWorkers } from './run.ts';

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
      const { countWorkers, readWorkers } = await import('../workers/count.ts');
      const wanted = readWorkers(workers);
      const { loadProject } = await import('../../load/index.ts');
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
