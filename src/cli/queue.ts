import { type Command, Option } from 'commander';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import {
  ATTEMPTS,
  JOB_ACTIONS,
  JOB_FACTS,
  JOB_STATES,
  jobsView,
  QUEUE_ACTIONS,
  QUEUES,
  TRAIL,
} from '../operator/queue.ts';
import type { View } from '../operator/view.ts';
import type { JobDetails, JobState, KeptJob, QueueControl, QueueReader } from '../store/index.ts';
import { counted } from '../wire/words.ts';
import { CliFailure, Ended, wrongUsage } from './failure.ts';
import { propose } from './find.ts';
import { refuseFormer } from './former-commands.ts';
import { AS_JSON, explain, readTime } from './help.ts';
import { actsOnStore, columnsOf, confirm, readLimit, readsStore } from './operator.ts';
import { coloursOf, note, print, printable, printResult, tableOf } from './terminal.ts';

const help = {
  examples: [
    'signalbox queue  # every queue, with --json as JSON',
    'signalbox queue list processes --state dead',
    'signalbox queue show 6f1c1f0e-5d6c-4c8e-9d0a-2f6f0f6e7c11',
    'signalbox queue resubmit 6f1c1f0e-5d6c-4c8e-9d0a-2f6f0f6e7c11',
    'signalbox queue resubmit --all --queue events --since 1h',
    'signalbox queue pause processes',
  ],
  notes: [
    'The commands work on the configured database, also while gateways run: they notice a change within 2 s. A job waits until a gateway takes it, runs, is delayed until its time, is held until it is released, or is dead after its last attempt. Sensitive values are masked. Each action is recorded; queue log prints the record.',
  ],
} as const;

/** `signalbox queue`: what waits, runs and has failed in the background, and what an operator does about it. */
export function addQueue(program: Command): void {
  const queue = explain(program.command('queue'), help).description(
    'show the queues of background work and act on them',
  );
  addOverview(queue);
  addList(queue);
  addShow(queue);
  addResubmit(queue);
  addCancel(queue);
  for (const action of ['pause', 'resume'] as const) addPause(queue, action);
  addLog(queue);
}

/** Makes the command read the queues of the database, which is neither created nor changed. */
function reads<Rest extends readonly unknown[]>(
  command: Command,
  work: (queues: QueueReader, json: true | undefined, ...rest: Rest) => Promise<void>,
): void {
  readsStore<Rest>(command.option('--json', AS_JSON), async ({ registry, store, json }, rest) => {
    const { readQueuesOf } = await import('../serve/start/queues.ts');
    await reported(registry, () => work(readQueuesOf(registry, store, process.env), json, ...rest));
  });
}

interface Acting {
  readonly queues: QueueControl;
  readonly actor: string;
  readonly json: true | undefined;
}

/** Makes the command act on the queues of the database. */
function acts<Rest extends readonly unknown[]>(
  command: Command,
  work: (acting: Acting, ...rest: Rest) => Promise<void>,
): void {
  actsOnStore<Rest>(command, async ({ registry, store, ...given }, rest) => {
    const { withQueues } = await import('../serve/start/queues.ts');
    await withQueues(registry, { store, env: process.env }, (queues) =>
      reported(registry, () => work({ queues, ...given }, ...rest)),
    );
  });
}

const WHERE = "'signalbox queue list NAME --state dead' lists the jobs that have failed.";

/** Reports what the queue refuses in the style of a command, with what to do. */
async function reported<T>(registry: Registry, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const message = error.message.replace(/^(?=There|Job)./, (first) => first.toLowerCase()).replace(/\.$/, '');
    const [, queue] = /^There is no queue (.*)\.$/.exec(error.message) ?? [];
    const { jobOwners } = await import('../serve/start/queues.ts');
    const hint = queue === undefined ? undefined : propose(queue, jobOwners(registry).keys());
    const isJob = error.code === 'NOT_FOUND' && queue === undefined;
    throw new CliFailure(message, { hint: isJob ? WHERE : hint, exitCode: queue === undefined ? 1 : 2, cause: error });
  }
}

function addOverview(queue: Command): void {
  const command = explain(queue.command('overview', { isDefault: true, hidden: true }), {
    examples: ['signalbox queue'],
  })
    .description('show every queue')
    .argument('[command]', 'one of the commands above')
    .hook('preAction', (_, called) => refuseFormer(called));
  reads(command, async (queues, json, unknown: string | undefined) => {
    if (unknown !== undefined) {
      const known = queue.commands.filter((each) => each !== command).map((each) => each.name());
      throw wrongUsage(`queue has no command ${unknown}`, propose(unknown, known));
    }
    await printResult(await queues.overview(), json, (all) => tableOf(all, columnsOf(QUEUES)));
  });
}

interface ListOptions {
  readonly state: JobState;
  readonly order: 'oldest' | 'newest';
  readonly limit: number;
  readonly after?: string;
}

function addList(queue: Command): void {
  const command = explain(queue.command('list'), {
    examples: [
      'signalbox queue list processes --state dead',
      "signalbox queue list events --state waiting --order oldest --json | jq -r '.jobs[].id'",
    ],
  })
    .description('list the jobs of a queue')
    .argument('<name>', 'the queue')
    .addOption(new Option('--state <state>', 'the state of the jobs').choices(JOB_STATES).default('dead'))
    .addOption(new Option('--order <order>', 'which jobs come first').choices(['newest', 'oldest']).default('newest'))
    .addOption(
      new Option('--limit <number>', 'the maximum number of jobs, up to 1000').argParser(readLimit).default(50),
    )
    .option('--after <text>', 'go on after a part of the list, with the text that came with it');
  reads(command, async (queues, json, name: string, { state, order, limit, after }: ListOptions) => {
    const page = await queues.list(name, { state, order, limit, ...(after === undefined ? {} : { after }) });
    await printResult(page, json, ({ jobs }) => tableOf(jobs, columnsOf(jobsView(state))));
    if (page.next !== undefined && !json) note(`There are more: add --after ${page.next}`);
  });
}

function addShow(queue: Command): void {
  const command = explain(queue.command('show'), {
    examples: ['signalbox queue show 6f1c1f0e-5d6c-4c8e-9d0a-2f6f0f6e7c11'],
  })
    .description('show a job: its attempts and why they failed, what it carries, and the request that caused it')
    .argument('<id>', 'the id of the job');
  reads(command, async (queues, json, id: string) => printResult(await queues.get(id.toLowerCase()), json, renderJob));
}

function renderJob(job: JobDetails): string {
  const { bold } = coloursOf(process.stdout);
  const lines = Object.values<View<JobDetails>[string]>(JOB_FACTS).flatMap(({ title, value }) => {
    const fact = value(job);
    return fact === undefined ? [] : [`${title.toLowerCase().padEnd(10)}${printable(String(fact))}`];
  });
  if (job.reason !== undefined) lines.push(`${'reason'.padEnd(10)}${printable(job.reason)}`);
  const attempts = tableOf(job.tried, columnsOf(ATTEMPTS));
  const payload = JSON.stringify(job.payload, null, 2).split('\n').map(printable).join('\n');
  return `${[bold(job.id), ...lines].join('\n')}\n\n${job.tried.length === 0 ? '' : `${attempts}\n`}${bold('payload')}\n${payload}\n`;
}

interface ResubmitOptions {
  readonly all?: true;
  readonly queue?: string;
  /** Milliseconds. */
  readonly since?: number;
  readonly yes?: true;
}

function addResubmit(queue: Command): void {
  const command = explain(queue.command('resubmit'), {
    examples: [
      'signalbox queue resubmit 6f1c1f0e-5d6c-4c8e-9d0a-2f6f0f6e7c11',
      'signalbox queue resubmit --all --queue events --since 1h --yes',
    ],
    notes: [`${JOB_ACTIONS.resubmit.effect} A process request goes from Error to Queued.`],
  })
    .description('run dead letters again, release held jobs, or run delayed jobs now')
    .argument('[ids...]', 'ids of jobs')
    .option('--all', 'all dead letters of a queue, those that died first before the others')
    .option('--queue <name>', 'the queue, with --all')
    .option('--since <time>', "with --all: only those that died in the last time, as in '1h' or '30 m'", readTime)
    .option('--yes', 'do not ask');
  acts(command, async (acting, ids: readonly string[], { all, queue: name, since, yes }: ResubmitOptions) => {
    if ((all === undefined) === (ids.length === 0))
      throw wrongUsage(
        'resubmit takes ids of jobs, or --all with --queue',
        `'signalbox queue resubmit --help' shows both.`,
      );
    if (all === undefined && (name !== undefined || since !== undefined))
      throw wrongUsage('--queue and --since need --all');
    if (all === undefined)
      return each(acting, ids, JOB_ACTIONS.resubmit.done, (id) => acting.queues.resubmit(id, acting.actor));
    if (name === undefined) throw wrongUsage('--all needs --queue', "'signalbox queue' lists the queues.");
    await resubmitAll(acting, name, { since, yes });
  });
}

async function resubmitAll(
  { queues, actor, json }: Acting,
  name: string,
  { since, yes }: { readonly since: number | undefined; readonly yes: true | undefined },
): Promise<void> {
  // Before the question, so that an unknown queue is reported without one.
  await queues.list(name, { state: 'dead', limit: 1 });
  const from = since === undefined ? undefined : new Date(Date.now() - since);
  const dead = (await queues.overview()).find(({ queue }) => queue === name)?.dead ?? 0;
  const which = `${counted(dead, 'dead letter')} of ${name}${from === undefined ? '' : `, of those that died since ${from.toISOString()}`}`;
  await confirm({ question: `Run ${which} again?`, line: `${which} to run again.` }, dead > 0 ? yes : true);
  const options = { most: Number.POSITIVE_INFINITY, ...(from === undefined ? {} : { since: from }) };
  const { resubmitted, refused } = await queues.resubmitFailed(name, options, actor);
  await printResult(
    { resubmitted, refused },
    json,
    () => `${counted(resubmitted, 'dead letter')} of ${name} ${resubmitted === 1 ? 'runs' : 'run'} again.\n`,
  );
  for (const { id, reason } of refused) note(`${id} can't run again: ${reason}`);
  if (refused.length > 0) throw new Ended(1);
}

function addCancel(queue: Command): void {
  const command = explain(queue.command('cancel'), {
    examples: ['signalbox queue cancel 6f1c1f0e-5d6c-4c8e-9d0a-2f6f0f6e7c11'],
    notes: [
      'A job that waits is gone for good: its process request becomes Cancelled, its query run killed. One that runs is cancelled through its request or its run.',
    ],
  })
    .description('cancel jobs that wait, are delayed, held or dead')
    .argument('<ids...>', 'ids of jobs')
    .option('--yes', 'do not ask');
  acts(command, async (acting, ids: readonly string[], { yes }: { yes?: true }) => {
    const many = counted(ids.length, 'job');
    if (ids.length > 1) await confirm({ question: `Cancel ${many} for good?`, line: `${many} to cancel.` }, yes);
    await each(acting, ids, JOB_ACTIONS.cancel.done, (id) => acting.queues.cancel(id, acting.actor));
  });
}

/** Acts on each job. The others are done although one is refused; the command then fails. */
async function each(
  { json }: Acting,
  ids: readonly string[],
  done: string,
  act: (id: string) => Promise<KeptJob>,
): Promise<void> {
  const results: (KeptJob | { readonly id: string; readonly error: string })[] = [];
  const refused: unknown[] = [];
  for (const id of ids) {
    try {
      const job = await act(id.toLowerCase());
      results.push(job);
      if (!json) await print(`${id} of ${job.queue}, which was ${job.state}, ${done}.\n`);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (ids.length === 1) throw error;
      results.push({ id, error: error.message });
      refused.push(error);
      note(error.message);
    }
  }
  if (json) await printResult(results, json, () => '');
  if (refused.length > 0) throw new Ended(1);
}

function addPause(queue: Command, action: 'pause' | 'resume'): void {
  const description = {
    pause: 'let no gateway take jobs from a queue; jobs that run go on, and new ones are entered',
    resume: 'let gateways take jobs from a paused queue again',
  }[action];
  const command = explain(queue.command(action), { examples: [`signalbox queue ${action} processes`] })
    .description(description)
    .argument('<name>', 'the queue');
  acts(command, async ({ queues, actor, json }, name: string) => {
    const changed = await queues[action](name, actor);
    await printResult(
      { queue: name, changed },
      json,
      () => `${name} is ${changed ? '' : 'already '}${QUEUE_ACTIONS[action].done}.\n`,
    );
  });
}

function addLog(queue: Command): void {
  const command = explain(queue.command('log'), {
    examples: ['signalbox queue log', 'signalbox queue log --limit 1000 --json | jq -r .actor'],
    notes: ['--json writes one line per entry.'],
  })
    .description('print what operators have done, the newest first')
    .addOption(
      new Option('--limit <number>', 'the maximum number of lines, up to 1000').argParser(readLimit).default(50),
    );
  reads(command, async (queues, json, { limit }: { readonly limit: number }) => {
    const trail = await queues.trail(limit);
    const table = () => tableOf(trail, columnsOf(TRAIL));
    await print(json ? trail.map((line) => `${JSON.stringify(line)}\n`).join('') : table());
  });
}
