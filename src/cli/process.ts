import { type Command, InvalidArgumentError, Option } from 'commander';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { PermissionList, User } from '../model/security.ts';
import type {
  ProcessMessage,
  ProcessRequest,
  RecurrenceTimes,
  RequestAction,
  RequestDetail,
  RequestReader,
  ScheduleRequest,
  Scheduler,
} from '../process/index.ts';
import { counted } from '../wire/words.ts';
import { CliFailure, Ended, wrongUsage } from './failure.ts';
import { propose } from './find.ts';
import { AS_JSON, explain, readTime } from './help.ts';
import { checkOutput, writeContent } from './invoke/files.ts';
import { confirm, readLimit } from './operator.ts';
import { loadRegistry, placeOf, readTables, withCurrentStore } from './project.ts';
import { type Columns, coloursOf, note, print, printable, printResult, tableOf } from './terminal.ts';

const help = {
  examples: [
    'signalbox process list --status Error --since 7d',
    'signalbox process show 1042',
    'signalbox process report 1042 --output locations.csv',
    'signalbox process schedule LOCATION_EXTRACT REGION=N --user demo',
    'signalbox process restart 1042 1043',
  ],
  notes: [
    "The commands work on the configured database, also while gateways run: they notice a change within 2 s. They act with all permission lists of the definitions and `requests: all`; only requests for private queries of users are hidden. A request that is scheduled belongs to the user of --user and needs that user's rights. Sensitive values are masked.",
  ],
} as const;

/** `signalbox process`: the requests of the process scheduler, and what an operator does about them. */
export function addProcess(program: Command): void {
  const group = explain(program.command('process'), help).description('show process requests and act on them');
  addList(group);
  addShow(group);
  addReport(group);
  addSchedule(group);
  for (const name of ['hold', 'cancel', 'restart', 'delete'] as const) addAction(group, name);
  addRecurrences(group);
}

interface Reading {
  readonly requests: RequestReader<{ stream(): AsyncIterable<Uint8Array> }>;
  readonly operator: User;
  readonly json: true | undefined;
}

/** Makes the command read the requests of the database, which is neither created nor changed. */
function reads<Rest extends readonly unknown[]>(
  command: Command,
  work: (reading: Reading, ...rest: Rest) => Promise<void>,
): void {
  command.action(async (...rest: unknown[]) => {
    const place = placeOf(command);
    const registry = await loadRegistry(place, 'ignore-missing');
    const { readRequestsOf } = await import('../serve/start/queues.ts');
    const { json } = command.opts<{ json?: true }>();
    await readTables(registry, place, (_, store) => {
      const requests = readRequestsOf(registry, store, process.env);
      return reported(() => work({ requests, operator: operatorOf(registry), json }, ...(rest as unknown as Rest)));
    });
  });
}

interface Acting {
  readonly registry: Registry;
  readonly scheduler: Scheduler;
  readonly findUser: (id: string) => User | undefined | Promise<User | undefined>;
  readonly json: true | undefined;
}

/** Makes the command act on the requests of the database. */
function acts<Rest extends readonly unknown[]>(
  command: Command,
  work: (acting: Acting, ...rest: Rest) => Promise<void>,
): void {
  command.option('--json', AS_JSON).action(async (...rest: unknown[]) => {
    const place = placeOf(command);
    const registry = await loadRegistry(place, 'ignore-missing');
    const { withScheduler } = await import('../serve/start/queues.ts');
    const { json } = command.opts<{ json?: true }>();
    await withCurrentStore(registry, place, (store) =>
      withScheduler(registry, { store, env: process.env }, ({ scheduler, directory }) => {
        const findUser: Acting['findUser'] = (id) => directory.findOwner(id);
        return reported(() => work({ registry, scheduler, findUser, json }, ...(rest as unknown as Rest)));
      }),
    );
  });
}

/** Reports what the scheduler refuses in the style of a command, with what to do. */
async function reported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const isUsage = error.code === 'BAD_PARAMETER' || error.code === 'MISSING_PARAMETER';
    const isUnknown = error.message.startsWith('There is no process request ');
    const hint = isUnknown ? "'signalbox process list' lists the requests." : undefined;
    const words = printable(error.message).replace(/^(?=There|Process |Parameter )./, (first) => first.toLowerCase());
    throw new CliFailure(words.replace(/\.$/, ''), { hint, exitCode: isUsage ? 2 : 1, cause: error });
  }
}

/** Whoever may use the database has all rights. No user has this id: the ids of users begin with a letter or digit. */
function operatorOf({ permissionLists, gateway: { at } }: Registry): User {
  const all: PermissionList = {
    id: '',
    operations: [],
    queries: [],
    processes: [],
    components: [],
    requests: 'all',
    at,
  };
  return {
    id: ':operator',
    roles: [],
    permissionLists: new Set([...permissionLists.values(), all]),
    apiKeys: [],
    certificates: [],
    sample: false,
    origin: 'definitions',
    at,
  };
}

interface ListOptions {
  readonly user?: string;
  readonly type?: string;
  readonly name?: string;
  readonly status?: string;
  /** Milliseconds. */
  readonly since?: number;
  readonly limit: number;
}

function addList(group: Command): void {
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
    .option('--since <time>', "those whose run time is in the last time or later, as in '7d' or '30 min'", readTime)
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
    await printResult(await requests.find(filter, operator), json, (found) => tableOf(found, REQUEST_COLUMNS));
  });
}

const REQUEST_COLUMNS: Columns<ProcessRequest> = {
  INSTANCE: ({ instance }) => instance,
  TYPE: ({ type }) => printable(type),
  NAME: ({ name }) => printable(name),
  USER: ({ operator }) => printable(operator),
  STATUS: ({ runStatus }) => runStatus,
  PROGRESS: ({ percent }) => (percent === undefined ? '' : `${percent} %`),
  RUNS: ({ runs }) => runs,
  ENDED: ({ ended }) => ended,
};

/** Lines of a message log that are read at once. */
const PAGE = 1000;

function addShow(group: Command): void {
  const command = explain(group.command('show'), { examples: ['signalbox process show 1042'] })
    .description('show a process request: its parameters, its message log, and what can be done with it')
    .argument('<instance>', 'the number of the request', readInstance)
    .option('--json', AS_JSON);
  reads(command, async ({ requests, operator, json }, instance: number) => {
    const detail = await requests.detail(instance, operator);
    const messages: ProcessMessage[] = [];
    for (let more = detail.mayUse; more; ) {
      const page = await requests.messages(instance, { from: messages.length + 1, count: PAGE }, operator);
      messages.push(...page);
      more = page.length === PAGE;
    }
    await printResult({ ...detail, messages }, json, renderRequest);
  });
}

function renderRequest({
  request,
  parameters,
  messages,
  actions,
  job,
}: RequestDetail & { readonly messages: readonly ProcessMessage[] }): string {
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
    actions: actions.map((action) => COMMANDS_OF[action]).join(', '),
  };
  const lines = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name.padEnd(14)}${printable(String(value))}`],
  );
  const title = bold(printable(`${request.instance}: ${request.name} of ${request.type}`));
  const values = parameters.map(({ name, value }) => `${name}=${printable(value)}`);
  const log = tableOf(messages, {
    AT: ({ said }) => said,
    LEVEL: ({ level }) => level,
    MESSAGE: ({ text }) => printable(text),
  });
  return [
    `${[title, ...lines].join('\n')}\n`,
    ...(values.length === 0 ? [] : [`${[bold('parameters'), ...values].join('\n')}\n`]),
    ...(messages.length === 0 ? [] : [log]),
  ].join('\n');
}

function addReport(group: Command): void {
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

interface ScheduleOptions {
  readonly user: string;
  readonly runControl: string;
  readonly recurrence?: string;
  readonly format?: string;
}

function addSchedule(group: Command): void {
  const command = explain(group.command('schedule'), {
    examples: [
      'signalbox process schedule LOCATION_EXTRACT REGION=N --user demo',
      'signalbox process schedule LOCATION_EXTRACT --user demo --recurrence DAILY_0600',
    ],
    notes: ['The user must be permitted to run the process or query, whose rights the run has.'],
  })
    .description('enter a request for a process or query, which a gateway runs')
    .argument('<name>', 'the process or query')
    .argument('[parameter=value...]', 'its parameters', readParameter)
    .requiredOption('--user <id>', 'the user that it runs for')
    .option('--run-control <id>', 'the run control id', 'signalbox')
    .option('--recurrence <id>', 'a recurrence, to run at its times')
    .option('--format <format>', 'the format of the report, as in CSV or XLS');
  acts(
    command,
    async (acting, name: string, parameters: readonly Parameter[] = [], { user: id, ...how }: ScheduleOptions) => {
      const { registry, scheduler, findUser, json } = acting;
      const user = await findUser(id);
      if (user === undefined) throw wrongUsage(`there is no active user ${id}`, propose(id, registry.users.keys()));
      const type = registry.processes.get(name)?.type ?? 'PSQuery';
      const instance = await scheduler.schedule({ ...how, type, name, parameters }, user);
      await printResult({ instance }, json, () => `Request ${instance} was entered.\n`);
    },
  );
}

type Parameter = NonNullable<ScheduleRequest['parameters']>[number];

function readParameter(text: string, before: readonly Parameter[] = []): Parameter[] {
  const equals = text.indexOf('=');
  if (equals <= 0) throw new InvalidArgumentError('Write it as NAME=VALUE.');
  return [...before, { Name: text.slice(0, equals), Value: text.slice(equals + 1) }];
}

function readInstance(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('It takes the number of a request.');
  return number;
}

const readInstances = (text: string, before: readonly number[] = []): number[] => [...before, readInstance(text)];

const ACTIONS = {
  hold: { action: 'Hold', description: 'put requests that wait on hold, until they are restarted', done: 'is on hold' },
  cancel: {
    action: 'Cancelled',
    description: 'cancel requests; code that runs is asked to stop',
    done: 'is cancelled',
  },
  restart: {
    ...{ action: 'Restart', done: 'runs again' },
    description: 'run requests again with the same parameters; their reports are removed',
  },
  delete: {
    ...{ action: 'Deleted', done: 'is deleted' },
    description: 'mark requests as deleted, and remove their reports for good',
  },
} as const satisfies Record<string, { action: RequestAction; description: string; done: string }>;

const COMMANDS_OF: Readonly<Record<RequestAction, keyof typeof ACTIONS>> = {
  ...{ Hold: 'hold', Cancelled: 'cancel', Restart: 'restart', Deleted: 'delete' },
};

function addAction(group: Command, name: keyof typeof ACTIONS): void {
  const { description } = ACTIONS[name];
  const command = explain(group.command(name), { examples: [`signalbox process ${name} 1042`] })
    .description(description)
    .argument('<instances...>', 'the numbers of requests', readInstances)
    .option('--yes', 'do not ask');
  acts(command, async (acting, instances: readonly number[], { yes }: { readonly yes?: true }) => {
    const many = counted(instances.length, 'request');
    if (instances.length > 1)
      await confirm({ question: `Do you want to ${name} ${many}?`, line: `${many} to ${name}.` }, yes);
    await updateEach(acting, instances, name);
  });
}

/** Acts on each request. The others are done although one is refused; the command then fails. */
async function updateEach(
  { registry, scheduler, json }: Acting,
  instances: readonly number[],
  name: keyof typeof ACTIONS,
): Promise<void> {
  const { action, done } = ACTIONS[name];
  const operator = operatorOf(registry);
  const results: (ProcessRequest | { readonly instance: number; readonly error: string })[] = [];
  let refused = 0;
  for (const instance of instances) {
    try {
      const request = await scheduler.update(instance, action, operator);
      results.push(request);
      const result = request.runStatus === 'Cancel' ? 'is being cancelled' : done;
      if (!json) await print(`Request ${instance} ${result}.\n`);
    } catch (error) {
      if (!(error instanceof Fault) || instances.length === 1) throw error;
      results.push({ instance, error: error.message });
      refused += 1;
      note(error.message);
    }
  }
  if (json) await printResult(results, json, () => '');
  if (refused > 0) throw new Ended(1);
}

function addRecurrences(group: Command): void {
  const command = explain(group.command('recurrences'), { examples: ['signalbox process recurrences'] })
    .description('list recurrences with their next times, and the processes that recur by themselves')
    .option('--json', AS_JSON);
  reads(command, async ({ requests, operator, json }) => {
    const shown = (await requests.recurrences(operator)).map(({ recurrence, next, processes }) => {
      const { at: _, ...declared } = recurrence;
      return { ...declared, next, processes };
    });
    await printResult(shown, json, (all) => tableOf(all, RECURRENCE_COLUMNS));
  });
}

type ShownRecurrence = Pick<RecurrenceTimes, 'next' | 'processes'> &
  Pick<RecurrenceTimes['recurrence'], 'id' | 'cron' | 'zone'>;

const RECURRENCE_COLUMNS: Columns<ShownRecurrence> = {
  RECURRENCE: ({ id }) => id,
  CRON: ({ cron }) => cron,
  ZONE: ({ zone }) => zone,
  NEXT: ({ next }) => next[0] ?? 'never',
  PROCESSES: ({ processes }) => processes.map(({ name, runAs }) => `${name} as ${runAs}`).join(', '),
};
