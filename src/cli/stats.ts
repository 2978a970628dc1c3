import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { Registry } from '../model/registry.ts';
import type { Operation } from '../model/service.ts';
import type { CallKind, StatisticsEntry, StatisticsReader } from '../store/index.ts';
import { wrongUsage } from './failure.ts';
import { findOperation } from './find.ts';
import { AS_JSON, explain, readTime } from './help.ts';
import { readLimit } from './operator.ts';
import { loadRegistry, placeOf, readTables } from './project.ts';
import { type Columns, note, printResult, tableOf } from './terminal.ts';

const help = {
  examples: [
    'signalbox stats  # the operations that were called in the last day',
    'signalbox stats LOCATIONS_GET  # one operation, hour by hour',
    'signalbox stats LOCATIONS_GET --since 30m  # minute by minute',
    'signalbox stats LOCATIONS_GET --since 7d --step 1d',
    "signalbox stats --since 1h --json | jq '.operations[] | select(.failures > 0)'",
  ],
  notes: [
    'Counted are calls of all gateways that share the database, when they end; each gateway enters them every ten seconds, so that the last line is that of the running minute. Served calls arrive here; called are those to other systems. Failures are replies with a status of 500 or more or 408, and those that were not complete; refusals are those with any other status of 400 or more. Half of the calls took at most P50 milliseconds, 95 % at most P95, 99 % at most P99, with an error of up to 5 %. Times are UTC; more than an hour is extended to whole hours.',
  ],
} as const;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Lines of a series: a week by minute. */
const MOST_STEPS = 10_080;

interface StatsOptions {
  /** Milliseconds. */
  readonly since: number;
  readonly step?: number;
  readonly limit?: number;
  readonly json?: true;
}

/** `signalbox stats`: how often operations were called, how long that took, and what failed. */
export function addStats(program: Command): void {
  explain(program.command('stats'), help)
    .description('show how often operations are called, how many calls fail, and how long they take')
    .argument('[operation]', 'one operation, step by step')
    .addOption(
      new Option('--since <time>', 'the period up to now, as in 1h or 7d').argParser(readTime).default(DAY, '1d'),
    )
    .addOption(
      new Option('--step <time>', 'of one operation: whole minutes (default: 1h, or 1m of an hour or less)').argParser(
        readStep,
      ),
    )
    .addOption(new Option('--limit <number>', 'the most operations, up to 1000 (default: 100)').argParser(readLimit))
    .option('--json', AS_JSON)
    .action(async (name: string | undefined, options: StatsOptions, command: Command) => {
      const place = placeOf(command);
      const registry = await loadRegistry(place, 'ignore-missing');
      const operation = name === undefined ? undefined : findOperation(registry, name);
      const { step = options.since <= HOUR ? MINUTE : HOUR } = options;
      checkUse(operation, options, step);
      const { readStatistics } = await import('../store/index.ts');
      await readTables(registry, place, async (_, store) => {
        const statistics = readStatistics(store);
        if (operation === undefined) await showOperations(statistics, options);
        else await showSeries(statistics, { operation, kind: kindOf(registry, operation), step }, options);
      });
    });
}

function readStep(text: string): number {
  const step = readTime(text);
  if (step % MINUTE !== 0) throw new InvalidArgumentError("It takes whole minutes, such as '5 m' or '1 h'.");
  return step;
}

function checkUse(operation: unknown, { since, step: given, limit }: StatsOptions, step: number): void {
  if (operation === undefined && given !== undefined)
    throw wrongUsage('--step needs an operation', 'signalbox stats OPERATION --step 1h');
  if (operation !== undefined && limit !== undefined)
    throw wrongUsage('--limit is for all operations, and not for one', 'Leave out --limit, or the operation.');
  if (operation !== undefined && since / step > MOST_STEPS)
    throw wrongUsage(
      `the period has more than ${MOST_STEPS} steps`,
      'Use a longer --step, or a shorter period with --since.',
    );
}

function kindOf({ consumers }: Registry, { id }: Operation | ConsumerOperation): CallKind {
  return consumers.has(id) ? 'called' : 'served';
}

async function showOperations(statistics: StatisticsReader, { since, limit, json }: StatsOptions): Promise<void> {
  const until = Date.now();
  const overview = await statistics.byOperation({ since: until - since, until, most: limit });
  const [from, to] = [time(overview.since), time(overview.until)];
  await printResult({ since: from, until: to, operations: overview.operations }, json, ({ operations }) =>
    tableOf(operations, { OPERATION: (each) => each.operation, KIND: ({ kind }) => kind, ...ENTRY }),
  );
  if (!json && overview.operations.length === 0) note(`No call has been counted since ${from}.`);
}

interface Shown {
  readonly operation: Operation | ConsumerOperation;
  readonly kind: CallKind;
  /** Milliseconds. */
  readonly step: number;
}

async function showSeries(statistics: StatisticsReader, shown: Shown, { since, json }: StatsOptions): Promise<void> {
  const { kind, step } = shown;
  const operation = shown.operation.id;
  const until = Date.now();
  const found = await statistics.series({ since: until - since, until, step, operation, kind });
  const series = found.map((entry) => ({ ...entry, at: time(entry.at) }));
  await printResult({ operation, kind, series }, json, () => tableOf(series, { AT: ({ at }) => at, ...ENTRY }));
}

/** `2026-03-01T10:05Z`: statistics know no seconds. */
function time(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}Z`;
}

const ENTRY: Columns<StatisticsEntry> = {
  CALLS: ({ calls }) => calls,
  FAILURES: ({ failures }) => failures,
  REFUSALS: ({ refusals }) => refusals,
  'P50 MS': ({ p50 }) => p50,
  'P95 MS': ({ p95 }) => p95,
  'P99 MS': ({ p99 }) => p99,
};
