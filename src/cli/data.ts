import type { Command } from 'commander';
import type { Moved, Plan, Step } from '../moving/index.ts';
import type { Store, StoreOptions } from '../store/index.ts';
import { counted } from '../wire/words.ts';
import { CliFailure } from './failure.ts';
import { AS_JSON, explain } from './help.ts';
import { type Meter, withProgress } from './progress.ts';
import { loadRegistry, placeOf, storeOptions } from './project.ts';
import { interruptible } from './signals.ts';
import { coloursOf, note, printResult, tableOf } from './terminal.ts';

const help = {
  examples: [
    'signalbox data move sqlite:.signalbox/signalbox.db "$DATABASE_URL" --dry-run',
    'signalbox data move sqlite:.signalbox/signalbox.db "$DATABASE_URL"',
  ],
} as const;

const moveHelp = {
  examples: [
    'signalbox data move sqlite:.signalbox/signalbox.db "$DATABASE_URL" --dry-run',
    'PGPASSWORD=... signalbox data move sqlite:.signalbox/signalbox.db postgres://owner@db.example.org/signalbox',
    'signalbox data move "$DATABASE_URL" sqlite:.signalbox/back.db',
    'signalbox data move sqlite:old.db "$DATABASE_URL" --json | jq \'.tables[] | {table, rows}\'',
  ],
  notes: [
    'Moves users with their keys and certificates, messages, jobs and dead letters, process requests and schedules, stored files, statistics, the trails, and the tables of the project. The target must be empty; its tables are made by this command, with the migrations and the sample data of the project. Each value is compared as the target has it, and the rows of each table are counted in both databases. Sessions are not moved: users of the console sign in again.',
    'Stop the gateways of both databases first: one that runs is an error. All rows are written in one transaction. When the move fails, is interrupted or killed, the target has none of them: run the same command again, which begins anew and keeps the stored files that were copied. The source is only read. Afterwards set the database of the gateway to the target, and start no gateway on the source again: it would deliver its messages a second time.',
  ],
  exits: ['moved, or with --dry-run, it can be', 'nothing was moved'],
} as const;

interface MoveOptions {
  readonly without: readonly string[];
  readonly dryRun?: true;
  readonly json?: true;
}

/** `signalbox data`: what the gateway keeps, as a whole. */
export function addData(program: Command): void {
  const data = explain(program.command('data'), help).description('move what the gateway keeps to another database');
  explain(data.command('move'), moveHelp)
    .description('move everything from SQLite to PostgreSQL, or back')
    .argument('<from>', 'the database that has everything: sqlite:<path> or postgres://...')
    .argument('<to>', 'an empty database on the other engine')
    .option('--dry-run', 'list what would be moved, and change nothing')
    .option('--without <table>', 'a table of the project that stays where it is; can be repeated', collect, [])
    .option('--json', AS_JSON)
    .action(async (from: string, to: string, options: MoveOptions, command: Command) => {
      const place = placeOf(command);
      const registry = await loadRegistry(place, 'ignore-missing');
      const { projectFilesOf } = await import('../serve/start/project-files.ts');
      const files = projectFilesOf(registry, place);
      const { url: _, renewed, replicas, ...usual } = await storeOptions(registry, place);
      const chosen = { files, timezone: registry.gateway.timezone, without: tablesIn(options.without) };
      const source = await openSource({ ...usual, url: from });
      try {
        const target = { ...usual, url: to };
        const result = options.dryRun ? await plan(source, target, chosen) : await move(source, target, chosen);
        await report(result, options);
      } finally {
        await source.close();
      }
    });
}

const collect = (table: string, before: readonly string[]): string[] => [...before, table];

const tablesIn = (names: readonly string[]): ReadonlySet<string> => new Set(names.map((name) => name.toLowerCase()));

type Chosen = Pick<Plan, 'files' | 'timezone' | 'without'>;

/** A missing file is an error, and is not created. */
async function openSource(options: StoreOptions): Promise<Store> {
  const { openStore, openToRead } = await import('../store/index.ts');
  await (await openToRead(options)).close();
  return openStore(options);
}

interface Report {
  readonly from: string;
  readonly to: string;
  readonly tables: readonly Moved[];
}

async function plan(from: Store, options: StoreOptions, chosen: Chosen): Promise<Report> {
  const { openToPlan } = await import('../store/index.ts');
  const { planMove } = await import('../moving/index.ts');
  const to = await openToPlan(options);
  try {
    const tables = await withProgress('Reading the databases', () => planMove({ from, to, ...chosen }));
    return { from: from.location, to: to.location, tables };
  } finally {
    await to.close();
  }
}

const LABELS = ['Preparing the tables', 'Moving stored files', 'Moving rows'];

async function move(from: Store, options: StoreOptions, chosen: Chosen): Promise<Report> {
  const { openStore } = await import('../store/index.ts');
  const { moveData } = await import('../moving/index.ts');
  const to = await openStore(options);
  let asked: AbortSignal | undefined;
  try {
    const tables = await interruptible((signal) => {
      asked = signal;
      return withProgress(LABELS, (meter) => moveData({ from, to, ...chosen, signal, onStep: reportTo(meter) }));
    });
    return { from: from.location, to: to.location, tables };
  } catch (error) {
    if (asked?.aborted !== true) throw error;
    throw new CliFailure('interrupted: nothing was moved', {
      hint: `${to.location} has no rows yet, only tables and stored files. Run the same command again to begin anew.`,
    });
  } finally {
    await to.close();
  }
}

/** Reports the steps of a move to a meter. */
function reportTo(meter: Meter): (step: Step) => void {
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

async function report(result: Report, { json, dryRun }: MoveOptions): Promise<void> {
  await printResult(result, json, ({ from, to, tables }) => {
    const { green } = coloursOf(process.stdout);
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const list = tableOf(tables, { TABLE: ({ table }) => table, ROWS: ({ rows }) => rows });
    const all = `${counted(rows, 'row')} of ${counted(tables.length, 'table')}`;
    const done = dryRun ? 'would be moved' : green('were moved');
    return `${list}\n${all} ${done} from ${from} to ${to}.\n`;
  });
  if (dryRun) return;
  note(
    `Set the database of the gateway to ${result.to}, and start no gateway on ${result.from} again: it would deliver its messages a second time.`,
  );
}
