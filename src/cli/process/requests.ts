import { type Command, Option } from 'commander';
import { MESSAGE_LOG, REQUEST_ACTIONS, REQUESTS } from '../../operator/process.ts';
import type { LogEntry, LogPage, RequestDetail } from '../../process/index.ts';
import { wrongUsage } from '../failure.ts';
import { AS_JSON, explain, readTime } from '../help.ts';
import { checkOutput, writeContent } from '../invoke/files.ts';
import { columnsOf, readLimit } from '../operator.ts';
import { coloursOf, printable, printResult, tableOf } from '../terminal.ts';
import { readInstance, reads } from './access.ts';

interface ListOptions {
  readonly user?: string;
  readonly type?: string;
  readonly name?: string;
  readonly status?: string;
  /** Milliseconds. */
  readonly since?: number;
  readonly from?: number;
  readonly to?: number;
  readonly limit: number;
}

/** `signalbox process list`. */
export function addList(group: Command): void {
  const command = explain(group.command('list'), {
    examples: [
      'signalbox process list --status Error --since 7d',
      "signalbox process list --name LOCATION_EXTRACT --json | jq -r '.[].instance'",
    ],
  })
    .description('list process requests, the newest first')
    .option('--user <id>', 'those of a user')
    .option('--type <type>', "those of a process type; 'PSQuery' for queries")
    .option('--name <name>', 'those of a process or query')
    .option('--status <status>', "those with a run status, as in 'Error' or 'Success With Warning'")
    .option('--since <time>', "those whose run time is in the last time or later, as in '7d' or '30 m'", readTime)
    .option('--from <instance>', 'those from this number on', readInstance)
    .option(
      '--to <instance>',
      'those up to this number; goes on after a list, with its last number less one',
      readInstance,
    )
    .addOption(
      new Option('--limit <number>', 'the maximum number of requests, up to 1000').argParser(readLimit).default(50),
    )
    .option('--json', AS_JSON);
  reads(command, async ({ requests, operator, json }, { user, status, since, limit, ...same }: ListOptions) => {
    const filter = {
      ...same,
      count: limit,
      ...(user === undefined ? {} : { operator: user }),
      ...(status === undefined ? {} : { runStatus: status }),
      ...(since === undefined ? {} : { since: Date.now() - since }),
    };
    await printResult(await requests.find(filter, operator), json, (found) => tableOf(found, columnsOf(REQUESTS)));
  });
}

/** Lines of a message log that are read at once. */
const PAGE = 1000;

/** `signalbox process show`. */
export function addShow(group: Command): void {
  const command = explain(group.command('show'), { examples: ['signalbox process show 1042'] })
    .description(
      'show a process request: its parameters, its message log with what operators did, and what can be done with it',
    )
    .argument('<instance>', 'the number of the request', readInstance)
    .option('--json', AS_JSON);
  reads(command, async ({ requests, operator, json }, instance: number) => {
    const detail = await requests.detail(instance, operator);
    const log: LogEntry[] = [];
    for (let from: number | undefined = 1; from !== undefined; ) {
      const { entries, next }: LogPage = await requests.log(instance, { from, count: PAGE }, operator);
      log.push(...entries);
      from = next;
    }
    const messages = log.filter(({ sequence }) => sequence !== undefined);
    await printResult({ ...detail, messages }, json, (shown) => renderRequest(shown, log));
  });
}

function renderRequest({ request, parameters, actions, job }: RequestDetail, log: readonly LogEntry[]): string {
  const { bold } = coloursOf(process.stdout);
  const facts = {
    status: request.runStatus,
    progress: request.percent === undefined ? undefined : `${request.percent} % ${request.progress ?? ''}`,
    user: request.operator,
    'run control': request.runControl,
    recurrence: request.recurrence,
    requested: request.requested,
    runs: request.runs,
    began: request.began,
    ended: request.ended,
    attempt: request.attempt,
    gateway: request.server,
    output: [request.destination, request.format].filter(Boolean).join(', '),
    distribution: request.distribution,
    job,
    actions: actions.map((action) => REQUEST_ACTIONS[action].verb).join(', '),
  };
  const lines = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name.padEnd(14)}${printable(String(value))}`],
  );
  const title = bold(printable(`${request.instance}: ${request.name} of ${request.type}`));
  const values = parameters.map(({ name, value }) => `${name}=${printable(value)}`);
  const { at, level, message } = MESSAGE_LOG;
  const table = tableOf(log, { ...columnsOf<LogEntry>({ at, level }), MESSAGE: message.value });
  return [
    `${[title, ...lines].join('\n')}\n`,
    ...(values.length === 0 ? [] : [`${[bold('parameters'), ...values].join('\n')}\n`]),
    ...(log.length === 0 ? [] : [table]),
  ].join('\n');
}

/** `signalbox process report`. */
export function addReport(group: Command): void {
  const command = explain(group.command('report'), {
    examples: ['signalbox process report 1042 --output locations.csv', 'signalbox process report 1042 > locations.csv'],
  })
    .description('write the report of a process request')
    .argument('<instance>', 'the number of the request', readInstance)
    .option('-o, --output <file>', 'the file to write; - is standard output (default: standard output)');
  reads(command, async ({ requests, operator }, instance: number, { output }: { readonly output?: string }) => {
    if (output === undefined && process.stdout.isTTY)
      throw wrongUsage('reports are not written to a terminal', 'Write it to a file with --output FILE.');
    const path = output ?? '-';
    await checkOutput(path);
    const { content } = await requests.report(instance, operator);
    await writeContent(path, content.stream());
  });
}
