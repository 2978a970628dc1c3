import type { Command } from 'commander';
import { wrongUsage } from '../failure.ts';
import { addForcedOptions } from '../forced-answers.ts';
import { explain } from '../help.ts';
import type { PartnerFlags } from '../mock.ts';
import { loadRegistry, type Place, placeOf, withStore } from '../project.ts';
import { endOnSignals } from '../signals.ts';
import { coloursOf, note, wantsColour, writeAtOnce } from '../terminal.ts';
import type { FrontDoor } from './front-door.ts';

const help = {
  examples: [
    'signalbox dev',
    'signalbox dev --migrate',
    'signalbox dev --reset',
    'PORT=9000 signalbox dev',
    'signalbox dev --mock THIRD_PARTY',
    'signalbox dev --mock all --fault ORDER_PUT=503',
  ],
  notes: [
    "Watches the definitions, the handlers and the modules they import, and the migrations. Every save starts a fresh process, which takes over when it is ready: no request is dropped, and after a broken edit the last good version keeps serving. generated/ is kept up to date, and a missing handler file is created as a typed stub. PORT, HOST and DATABASE_URL work as with 'signalbox serve'.",
    'A migration that is new or changed waits: press m, or run it by --migrate as it is saved. At the start all of them run on a database that has none yet. One that dev ran may be changed until `signalbox migrate` or a gateway has run it on that database: then all run again from the first, on empty tables of the project. --reset does the same at once, and empties the tables of the gateway too; users, their API keys and certificates, and sessions stay.',
    'Each call, each attempt at background work and what follows one that failed is a line; a refused caller is one with its reason, which no caller gets. If the project has a TypeScript compiler, errors of types are printed after a save; they hold up nothing.',
    'With --mock, calls of the node are answered from its operations, by their examples and types: nothing is sent to the partner. See signalbox mock.',
  ],
  exits: ['ended on request', 'could not start'],
} as const;

/** `signalbox dev`: the gateway, restarted after every edit. */
export function addDev(program: Command): void {
  const command = explain(program.command('dev'), help)
    .description('run the gateway and apply every edit as it is saved')
    .option('--mock <node>', 'a node to stand in for, or all; repeat for more than one', collect, [])
    .option('--migrate', 'run migrations as they are saved, without being asked')
    .option('--reset', 'build the tables of the project again first; users and their keys stay')
    .option('--force', 'with --reset, also where others than dev ran the migrations');
  addForcedOptions(command).action(
    async ({ mock, fault, delay, migrate = false, reset, force = false }: DevOptions, command: Command) => {
      if (force && !reset) throw wrongUsage('--force needs --reset');
      if (mock.length === 0 && fault.length + delay.length > 0) throw wrongUsage('--fault and --delay need --mock');
      const place = placeOf(command);
      const [{ Supervisor }, { FrontDoor }] = await Promise.all([import('./supervisor.ts'), import('./front-door.ts')]);
      const door = new FrontDoor((sentence) => writeAtOnce(1, `${sentence}\n`));
      if (reset) await resetDatabase(place, door, force);
      const start = { ...place, mock, fault, delay, migrate, colour: wantsColour(process.stderr) };
      const supervisor = new Supervisor(start, door, coloursOf(process.stdout));
      const stop = (): void => supervisor.stop();
      endOnSignals({ end: stop, again: stop });
      await supervisor.ended();
    },
  );
}

interface DevOptions extends PartnerFlags {
  readonly migrate?: boolean;
  readonly reset?: boolean;
  readonly force?: boolean;
}

/** Takes the port first: a gateway that has it may be using the database. */
async function resetDatabase(place: Place, door: FrontDoor, force: boolean): Promise<void> {
  const registry = await loadRegistry(place, 'ignore-missing');
  const [{ projectFilesOf }, { readAddress }] = await Promise.all([
    import('../../serve/start/project-files.ts'),
    import('../../serve/start/address.ts'),
  ]);
  const { migrations, sampleData } = projectFilesOf(registry, place);
  await door.open(readAddress(registry, process.env));
  await withStore(registry, place, async (store) => {
    await store.migrate();
    await store.rebuild({ everything: true, force });
    await store.migrateProject(migrations, note, 'dev');
    await store.loadSampleData(sampleData, note);
    note(`${store.location} was built again. Users and their keys are as before.`);
  }).catch((error: unknown) => {
    door.close();
    throw error;
  });
}

const collect = (text: string, before: readonly string[]): string[] => [...before, text];
