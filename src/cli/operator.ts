import { createInterface } from 'node:readline/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Registry } from '../model/registry.ts';
import type { View, ViewColumn } from '../operator/view.ts';
import type { Store, StoreReader } from '../store/index.ts';
import { roughly } from '../wire/duration.ts';
import { CliFailure } from './failure.ts';
import { AS_JSON } from './help.ts';
import { loadRegistry, placeOf, readTables, withCurrentStore } from './project.ts';
import { type Columns, note } from './terminal.ts';
import { checkText, defaultActor } from './user/access.ts';

/** Reads the number of entries of a list. */
export function readLimit(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 1000)
    throw new InvalidArgumentError('It takes an integer from 1 to 1000.');
  return number;
}

/** The first line of a reason, of a length for tables. */
export function shortReason(reason: string): string {
  const [line = ''] = reason.split('\n', 1);
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}

/** The columns of a view, for a table of a command. */
export function columnsOf<T>(view: View<T>): Columns<T> {
  return Object.fromEntries(
    Object.values(view).map(({ title, value, kind }) => [title.toUpperCase(), (row: T) => cellOf(value(row), kind)]),
  );
}

function cellOf(value: string | number | undefined, kind: ViewColumn<unknown>['kind']): string | number | undefined {
  if (kind === 'seconds') return value === undefined ? undefined : roughly(1000 * Number(value));
  return kind === 'prose' ? shortReason(String(value ?? '')) : value;
}

/** What is about to be done to many. */
interface Intent {
  readonly question: string;
  /** The same for a log: `17 deliveries to resubmit.` */
  readonly line: string;
}

/**
 * Asks on a terminal. Programs are not asked, and neither is anyone with `--yes`: a line says what is about to be done.
 * @throws CliFailure when the answer is no
 */
export async function confirm({ question, line }: Intent, yes: true | undefined): Promise<void> {
  if (yes || process.stdin.isTTY !== true || process.stderr.isTTY !== true) return note(line);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CliFailure('nothing was done');
  } finally {
    lines.close();
  }
}

/** What a command works with in the configured database. */
interface Operating<Opened> {
  readonly registry: Registry;
  readonly store: Opened;
  readonly json: true | undefined;
}

/** Makes the command read the database, which is neither created nor changed. @param work gets the arguments of the command line too */
export function readsStore<Rest extends readonly unknown[]>(
  command: Command,
  work: (reading: Operating<StoreReader>, rest: Rest) => Promise<void>,
): void {
  command.action(async (...rest: unknown[]) => {
    const place = placeOf(command);
    const registry = await loadRegistry(place, 'ignore-missing');
    const { json } = command.opts<{ json?: true }>();
    await readTables(registry, place, (_, store) => work({ registry, store, json }, rest as unknown as Rest));
  });
}

/** Makes the command act on the database, under the name that the record has. */
export function actsOnStore<Rest extends readonly unknown[]>(
  command: Command,
  work: (acting: Operating<Store> & { readonly actor: string }, rest: Rest) => Promise<void>,
): void {
  command
    .option('--json', AS_JSON)
    .addOption(new Option('--actor <name>', 'the name in the record (default: account@host)'))
    .action(async (...rest: unknown[]) => {
      const { json, actor = defaultActor() } = command.opts<{ json?: true; actor?: string }>();
      checkText('--actor', actor);
      const place = placeOf(command);
      const registry = await loadRegistry(place, 'ignore-missing');
      await withCurrentStore(registry, place, (store) =>
        work({ registry, store, actor, json }, rest as unknown as Rest),
      );
    });
}
