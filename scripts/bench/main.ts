/** `npm run bench`: the speed of the gateway, compared with the best possible in the same run. */
import { cpus } from 'node:os';
import { coloursOf, renderTable } from '../../src/cli/terminal.ts';
import { parse, runScript, TEXT, UsageError } from '../support/command-line.ts';
import { cells, HEADING, type Judged, judge } from './figure.ts';
import { Bench, type Row } from './harness.ts';
import { check } from './rows/check.ts';
import { compress } from './rows/compress.ts';
import { consumer } from './rows/consumer.ts';
import { formats } from './rows/formats.ts';
import { lookup } from './rows/lookup.ts';
import { mtom } from './rows/mtom.ts';
import { polled } from './rows/polled.ts';
import { query, queryPostgres } from './rows/query.ts';
import { queue } from './rows/queue.ts';
import { rest } from './rows/rest.ts';
import { routing } from './rows/routing.ts';
import { soap } from './rows/soap.ts';
import { start } from './rows/start.ts';
import { stream, streamPostgres } from './rows/stream.ts';
import { upload } from './rows/upload.ts';

const ROWS: readonly Row[] = [
  lookup,
  compress,
  query,
  polled,
  stream,
  formats,
  queryPostgres,
  streamPostgres,
  soap,
  consumer,
  rest,
  upload,
  mtom,
  queue,
  routing,
  start,
  check,
];
const ROUNDS = 5;

const HELP = `npm run bench -- [options]

Compares Signalbox with a limit for each job: a minimal program that does only the essential work. Both are measured in
alternating rounds of the same run. The table shows the median of each, and the median of their ratios in each round.
Exits with 1 if a target is missed.

  --only <row>   measure only this row; can be repeated
  --rounds <n>   number of rounds (default: ${ROUNDS})
  --smoke        one short round of everything, without judging the figures: shows that the bench works
  --json         print the figures as JSON
  --help         print this help

Rows:
${ROWS.map(({ name, about }) => `  ${name.padEnd(17)}${about}`).join('\n')}
`;

/** An option without a value. */
const FLAG = { type: 'boolean', default: false } as const;

interface Options {
  readonly rows: readonly Row[];
  readonly rounds: number;
  readonly smoke: boolean;
  readonly json: boolean;
}

function readOptions(args: readonly string[]): Options | undefined {
  const values = parse(args, HELP, {
    only: { ...TEXT, multiple: true },
    rounds: TEXT,
    smoke: FLAG,
    json: FLAG,
  });
  if (values === undefined) return undefined;
  const { only = [], smoke, json } = values;
  const rounds = smoke ? 1 : Number(values.rounds ?? ROUNDS);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new UsageError(`--rounds must be a whole number from 1, not '${values.rounds}'`);
  const rows = only.map((name) => {
    const row = ROWS.find((each) => each.name === name);
    if (row === undefined)
      throw new UsageError(`unknown row '${name}'; the rows are ${ROWS.map((each) => each.name).join(', ')}`);
    return row;
  });
  return { rows: rows.length > 0 ? rows : ROWS, rounds, smoke, json };
}

/** Shows progress, on a terminal only. */
function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
}

function machine(): { cpu: string; cores: number; node: string; date: string } {
  const all = cpus();
  const cpu = all[0]?.model.trim() ?? 'unknown';
  return { cpu, cores: all.length, node: process.version, date: new Date().toISOString().slice(0, 10) };
}

async function measure({ rows, rounds, smoke }: Options): Promise<{ judged: Judged[]; failed: boolean }> {
  const bench = new Bench({ rounds, smoke, say });
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, () => {
      say('');
      bench.close();
      process.exit(code);
    });
  }
  const judged: Judged[] = [];
  let failed = false;
  try {
    for (const row of rows) {
      try {
        judged.push(...(await row.measure(bench)).map(judge));
      } catch (error) {
        failed = true;
        say('');
        process.stderr.write(`${row.name} failed: ${error instanceof Error ? error.stack : error}\n`);
      }
    }
  } finally {
    say('');
    bench.close();
  }
  return { judged, failed };
}

async function run(options: Options): Promise<boolean> {
  const { judged, failed } = await measure(options);
  const facts = machine();
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify({ machine: facts, rounds: options.rounds, figures: judged }, undefined, 2)}\n`,
    );
  } else {
    const colours = coloursOf(process.stdout);
    process.stdout.write(renderTable(HEADING, judged.map(cells), { colours, right: new Set([2, 3]) }));
    const { cpu, cores, node, date } = facts;
    process.stdout.write(`\n${cpu}, ${cores} cores, Node ${node}, ${date}; ${options.rounds} rounds\n`);
  }
  return !failed && (options.smoke || judged.every(({ reached }) => reached));
}

await runScript(readOptions, run);
