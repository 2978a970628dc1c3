/** `npm run bench`: the speed of the gateway, compared with the best possible in the same run. */
import { cpus } from 'node:os';
import { coloursOf, renderTable } from '../../src/cli/terminal.ts';
import { cells, HEADING, type Judged, judge, RIGHT } from './bench/figure.ts';
import { Bench, type Row } from './bench/harness.ts';
import { PROFILE_HEADING, PROFILE_RIGHT, PROFILED, profileCells, profileRow } from './bench/profile.ts';
import { check } from './bench/rows/check.ts';
import { compress } from './bench/rows/compress.ts';
import { console as operators } from './bench/rows/console.ts';
import { consumer } from './bench/rows/consumer.ts';
import { enqueue } from './bench/rows/enqueue.ts';
import { formats } from './bench/rows/formats.ts';
import { credentials, lookup, middleware, post, record } from './bench/rows/lookup.ts';
import { backlog, deliver, latency, publish } from './bench/rows/messages.ts';
import { mtom } from './bench/rows/mtom.ts';
import { polled } from './bench/rows/polled.ts';
import { query, queryPostgres } from './bench/rows/query.ts';
import { queue } from './bench/rows/queue.ts';
import { rest } from './bench/rows/rest.ts';
import { routing } from './bench/rows/routing.ts';
import { soap } from './bench/rows/soap.ts';
import { idle, start } from './bench/rows/start.ts';
import { stream, streamPostgres } from './bench/rows/stream.ts';
import { upload } from './bench/rows/upload.ts';
import { parse, runScript, TEXT, UsageError } from './support/command-line.ts';

const ROWS: readonly Row[] = [
  lookup,
  credentials,
  middleware,
  post,
  record,
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
  enqueue,
  publish,
  deliver,
  latency,
  backlog,
  routing,
  start,
  idle,
  check,
  operators,
];
const ROUNDS = 5;

const HELP = `npm run bench -- [options]

Compares Signalbox with a limit for each job: a minimal program that does only the essential work. Both are measured in
alternating rounds of the same run. The table shows the median of each, and the median of their ratios in each round.
Exits with 1 if a target is missed.

  --only <row>   measure only this row; can be repeated
  --rounds <n>   number of rounds (default: ${ROUNDS})
  --seconds <n>  how long a server is under load in a round (default: 3)
  --smoke        one short round of everything, without judging the figures: shows that the bench works
  --whole        a backlog of 1,000,000 messages, which takes about an hour
  --profile <row>  take a CPU profile of the gateway under the load of this row (lookup, post, soap
                 or enqueue), and show the share of each stage of a request
  --to <file>    with --profile: keep the profile, for the viewers that read .cpuprofile
  --markdown     print the tables as Markdown, as in docs/performance.md
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
  readonly seconds: number | undefined;
  readonly smoke: boolean;
  readonly whole: boolean;
  /** The row to profile. */
  readonly profile: string | undefined;
  /** Where the profile is kept. */
  readonly to: string | undefined;
  readonly output: 'table' | 'markdown' | 'json';
}

function readOptions(args: readonly string[]): Options | undefined {
  const values = parse(args, HELP, {
    only: { ...TEXT, multiple: true },
    rounds: TEXT,
    seconds: TEXT,
    smoke: FLAG,
    whole: FLAG,
    profile: TEXT,
    to: TEXT,
    markdown: FLAG,
    json: FLAG,
  });
  if (values === undefined) return undefined;
  const { only = [], smoke, whole, profile, to } = values;
  const rounds = smoke ? 1 : Number(values.rounds ?? ROUNDS);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new UsageError(`--rounds must be a whole number from 1, not '${values.rounds}'`);
  const seconds = values.seconds === undefined ? undefined : Number(values.seconds);
  if (seconds !== undefined && !(seconds > 0))
    throw new UsageError(`--seconds must be a number above 0, not '${values.seconds}'`);
  const rows = only.map((name) => {
    const row = ROWS.find((each) => each.name === name);
    if (row === undefined)
      throw new UsageError(`unknown row '${name}'; the rows are ${ROWS.map((each) => each.name).join(', ')}`);
    return row;
  });
  if (profile !== undefined && !PROFILED.has(profile))
    throw new UsageError(
      `'${profile}' can't be profiled; the rows with a profile are ${[...PROFILED.keys()].join(', ')}`,
    );
  if (to !== undefined && profile === undefined) throw new UsageError('--to needs --profile');
  const output = values.json ? 'json' : values.markdown ? 'markdown' : 'table';
  return { rows: rows.length > 0 ? rows : ROWS, rounds, seconds, smoke, whole, profile, to, output };
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

/** Runs something with a bench that is closed at its end, also when the run is interrupted. */
async function withBench<T>(options: Options, work: (bench: Bench) => Promise<T>): Promise<T> {
  const bench = new Bench({ ...options, say });
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
  try {
    return await work(bench);
  } finally {
    say('');
    bench.close();
  }
}

interface Measured {
  readonly judged: readonly Judged[];
  readonly leftOut: Bench['leftOut'];
  /** Whether a row ended with an error. */
  readonly failed: boolean;
}

async function measure(bench: Bench, rows: readonly Row[]): Promise<Measured> {
  const judged: Judged[] = [];
  let failed = false;
  for (const row of rows) {
    try {
      judged.push(...(await row.measure(bench)).map(judge));
    } catch (error) {
      failed = true;
      say('');
      process.stderr.write(`${row.name} failed: ${error instanceof Error ? error.stack : error}\n`);
    }
  }
  return { judged, leftOut: bench.leftOut, failed };
}

/** A table for the terminal, or in Markdown. */
function tableOf(
  output: Options['output'],
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number>,
): string {
  if (output !== 'markdown') return renderTable(heading, rows, { colours: coloursOf(process.stdout), right });
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const rule = line(heading.map((_, column) => (right.has(column) ? '--:' : '---')));
  return line(heading) + rule + rows.map(line).join('');
}

function machineText(): string {
  const { cpu, cores, node, date } = machine();
  return `${cpu}, ${cores} cores, Node ${node}, ${date}`;
}

async function showProfile(options: Options, row: string): Promise<void> {
  const profile = await withBench(options, (bench) => profileRow(bench, row, options.to));
  if (options.output === 'json') {
    process.stdout.write(`${JSON.stringify({ machine: machine(), profile }, undefined, 2)}\n`);
    return;
  }
  const { micros, perSecond } = profile;
  const facts = `${micros.toFixed(1)} µs of processor time a request, ${Math.round(perSecond)} requests/s`;
  process.stdout.write(tableOf(options.output, PROFILE_HEADING, profileCells(profile), PROFILE_RIGHT));
  process.stdout.write(`\n${row}: ${facts}; ${machineText()}\n`);
}

async function showFigures(options: Options): Promise<boolean> {
  const { rows, rounds, output, smoke } = options;
  const { judged, leftOut, failed } = await withBench(options, (bench) => measure(bench, rows));
  if (output === 'json') {
    const result = { machine: machine(), rounds, figures: judged, leftOut };
    process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
  } else {
    process.stdout.write(tableOf(output, HEADING, judged.map(cells), RIGHT));
    for (const { job, beside, why } of leftOut)
      process.stdout.write(`\n${job}, beside ${beside}: left out, because ${why}\n`);
    process.stdout.write(`\n${machineText()}; ${rounds} rounds\n`);
  }
  return !failed && (smoke || judged.every(({ reached }) => reached));
}

await runScript(readOptions, async (options) => {
  if (options.profile === undefined) return showFigures(options);
  await showProfile(options, options.profile);
  return true;
});
