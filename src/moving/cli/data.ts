import type { Command } from 'commander';
import { CliFailure } from '../../cli/failure.ts';
import { AS_JSON, explain } from '../../cli/help.ts';
import { type Meter, withProgress } from '../../cli/progress.ts';
import { loadRegistry, placeOf, storeOptions } from '../../cli/project.ts';
import { interruptible } from '../../cli/signals.ts';
import { coloursOf, note, printResult, tableOf } from '../../cli/terminal.ts';
import type { Registry } from '../../model/registry.ts';
import type { Store, StoreOptions } from '../../store/index.ts';
import { counted } from '../../wire/words.ts';
import type { Moved, Step } from '../run/index.ts';

const help = {
  examples: [
    'signalbox data move sqlite:.signalbox/signalbox.db "$DATABASE_URL"',
    'signalbox data move "$DATABASE_URL" sqlite:.signalbox/signalbox.db',
  ],
} as const;

const moveHelp = {
  examples: [
    'signalbox data move sqlite:.signalbox/signalbox.db postgres://owner@db.example.org/signalbox',
    'signalbox data move "$DATABASE_URL" sqlite:copy.db --ignore-gateways  # a copy to look at, while the gateway runs',
    'signalbox data move sqlite:old.db "$DATABASE_URL" --json | jq \'.tables[] | {table, rows}\'',
  ],
  notes: [
    'Moves users with their keys and certificates, messages, jobs and dead letters, process requests and schedules, stored files, statistics, the trails, and the tables of the project. The target is made by the migrations and the sample data of the project first, and must be empty. Sessions are not moved: users of the console sign in again. Then each table is read again, its rows are counted, and the values of each column are compared.',
    'Stop the gateways of both databases first. A gateway on SQLite is found by the lock file that it holds in the folder with the name of the database and `-workers`, one on PostgreSQL by its sessions. All rows are written in one transaction: when the move fails or is interrupted, the target has none of them; run the same command again, which begins anew and keeps the stored files that were copied. The source is only read. Afterwards set the database of the gateway to the target, and start no gateway on the source again: it would deliver its messages a second time.',
  ],
  exits: ['moved', 'nothing was moved'],
} as const;

interface MoveOptions {
  readonly without: readonly string[];
  readonly replace?: true;
  readonly ignoreGateways?: true;
  readonly acceptDifferences?: true;
  readonly json?: true;
}

/** `signalbox data`: what the gateway keeps, as a whole. */
export function addData(program: Command): void {
  const data = explain(program.command('data'), help).description('move what the gateway keeps to another database');
  explain(data.command('move'), moveHelp)
    .description('move everything from SQLite to PostgreSQL, or back')
    .argument('<from>', 'the database that has everything: sqlite:<path> or postgres://...')
    .argument('<to>', 'an empty database on the other engine')
    .option('--without <table>', 'a table of the project that stays where it is; can be repeated', collect, [])
    .option('--replace', 'delete rows that the tables of the project have in the target')
    .option('--ignore-gateways', 'move although gateways run on the databases')
    .option('--accept-differences', 'move although the target does not keep every value as it is')
    .option('--json', AS_JSON)
    .action(async (from: string, to: string, options: MoveOptions, command: Command) => {
      const place = placeOf(command);
      const registry = await loadRegistry(place, 'ignore-missing');
      const { projectFilesOf } = await import('../../serve/start/project-files.ts');
      const files = projectFilesOf(registry, place);
      const optionsFor = await sideOptions(registry, place.root);
      const [source, target] = await openBoth(optionsFor(from), optionsFor(to));
      try {
        const tables = await move(registry, { source, target, files }, options);
        await report({ from: source.location, to: target.location, tables }, options.json);
      } finally {
        await source.close();
        await target.close();
      }
    });
}

const collect = (table: string, before: readonly string[]): string[] => [...before, table];

/** How the databases of a move are opened: by their URLs, with the schema and the limits of the configured database. */
async function sideOptions(registry: Registry, root: string): Promise<(url: string) => StoreOptions> {
  const { url: _, renewed, replicas, ...usual } = await storeOptions(registry, { root });
  return (url) => ({ ...usual, url });
}

/** The source is opened first: a missing file must not be created for it, nor a target without a source. */
async function openBoth(from: StoreOptions, to: StoreOptions): Promise<[source: Store, target: Store]> {
  const { openStore, openToRead } = await import('../../store/index.ts');
  await (await openToRead(from)).close();
  const source = await openStore(from);
  try {
    return [source, await openStore(to)];
  } catch (error) {
    await source.close();
    throw error;
  }
}

interface Sides {
  readonly source: Store;
  readonly target: Store;
  readonly files: ReturnType<typeof import('../../serve/start/project-files.ts').projectFilesOf>;
}

const LABELS = ['Preparing the tables', 'Moving stored files', 'Moving and comparing rows'];

async function move(
  { gateway: { timezone } }: Registry,
  { source: from, target: to, files }: Sides,
  { without, replace = false, ignoreGateways = false, acceptDifferences = false }: MoveOptions,
): Promise<readonly Moved[]> {
  const { moveData } = await import('../run/index.ts');
  const chosen = {
    without: new Set(without.map((name) => name.toLowerCase())),
    replace,
    ignoreGateways,
    acceptDifferences,
  };
  return interruptible(async (signal) => {
    try {
      return await withProgress(LABELS, (meter) =>
        moveData({ from, to, files, timezone, ...chosen, signal, onStep: steps(meter) }),
      );
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new CliFailure('interrupted: nothing was moved', {
        hint: `${to.location} has no rows yet, only tables and stored files. Run the same command again to begin anew.`,
      });
    }
  });
}

/** Reports the steps of a move to a meter. */
function steps(meter: Meter): (step: Step) => void {
  let done = 0;
  let total = 0;
  return (step) => {
    if (step.step === 'done') done += step.more;
    else {
      meter.step(['prepare', 'files', 'rows'].indexOf(step.step));
      done = 0;
      total = step.step === 'prepare' ? 0 : step.total;
    }
    meter.count(done, total);
  };
}

interface Report {
  readonly from: string;
  readonly to: string;
  readonly tables: readonly Moved[];
}

async function report(result: Report, json: true | undefined): Promise<void> {
  await printResult(result, json, ({ from, to, tables }) => {
    const { green } = coloursOf(process.stdout);
    const rows = tables.reduce((sum, table) => sum + table.rows.to, 0);
    const list = tableOf(tables, {
      TABLE: ({ table }) => table,
      FROM: ({ rows }) => rows.from,
      TO: ({ rows }) => rows.to,
      VALUES: ({ differs }) => (differs === undefined ? 'equal' : `differ: ${differs.join(', ')}`),
    });
    return `${list}\n${counted(rows, 'row')} of ${counted(tables.length, 'table')} were ${green('moved')} from ${from} to ${to}.\n`;
  });
  note(
    `Set the database of the gateway to the target, and start no gateway on ${result.from} again: it would deliver its messages a second time.`,
  );
}
