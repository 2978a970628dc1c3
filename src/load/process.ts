import type { Process, Recurrence } from '../model/process.ts';
import type { Query } from '../model/query.ts';
import { PROCESS_RETRY } from '../model/retry.ts';
import type { User } from '../model/security.ts';
import { cronProblem } from '../wire/cron.ts';
import { positionOf } from './diagnostic/diagnostic.ts';
import type { Documents } from './document/documents.ts';
import { linkSingleValues } from './document/field.ts';
import { fileNamedAs, type WantedFile } from './handlers.ts';
import { byId, declarationsOf, type Linking, linkEach, refuseBoth, resolveKey } from './linking.ts';
import { given } from './object.ts';
import type { Declaration } from './read/declaration.ts';
import type { FieldsDeclared } from './schema/document.ts';
import type { GatewayDeclared } from './schema/gateway.ts';
import { description, keys, matching, name, reference, refersTo, text, time } from './schema/json-schema.ts';
import { permission, publicKey } from './schema/operation.ts';
import { type GrantSources, linkThingGrants } from './security/grants.ts';
import { linkRetry, type RetryDeclared, retry } from './value/retry.ts';
import { isTimezone, linkDuration } from './value/units.ts';

/** The definitions that processes refer to. */
interface ProcessSources extends RecurringSources {
  readonly grants: GrantSources;
  readonly queries: ReadonlyMap<string, Query>;
}

/** Links every process. */
export function linkProcesses(documents: Documents, sources: ProcessSources): Map<string, Process> {
  const { linking } = documents;
  const linked = declarationsOf<ProcessDeclared>(linking, 'process').flatMap((each) => {
    const process = linkProcess(documents, sources, each);
    // It has been reported.
    if (process === undefined) linking.declared.reject('process', each.id);
    return process ?? [];
  });
  return byId(linked);
}

/** The handler files of processes. */
export function processFiles({ doubt }: Linking, all: Iterable<Process>): WantedFile[] {
  return [...all].flatMap((each) =>
    each.answer.kind === 'handler'
      ? { id: each.id, file: each.answer.file, unsure: doubt.about(each), at: each.at }
      : [],
  );
}

/** `undefined` when it is not known what runs. */
function linkProcess(
  documents: Documents,
  sources: ProcessSources,
  declaration: Declaration<ProcessDeclared>,
): Process | undefined {
  const { linking } = documents;
  const { id, value, at } = declaration;
  const program = linkProgram(documents, sources, declaration);
  const grants = linkThingGrants(linking, sources.grants, declaration, 'process');
  if (program === undefined) return undefined;
  const process: Process = {
    id,
    type: value.type,
    ...program,
    ...grants,
    ...given({
      description: value.description,
      timeout: linkDuration(linking, value, 'timeout'),
      retry: linkRetry(linking, value, PROCESS_RETRY),
    }),
    at: positionOf(at),
  };
  const linked = { ...process, ...linkRecurring(linking, sources, declaration, process) };
  if (linking.doubt.about(value, 'handler', 'query')) linking.doubt.mark(linked);
  return linked;
}

/** What runs, and its parameters. */
function linkProgram(
  documents: Documents,
  { queries }: ProcessSources,
  { id, value }: Declaration<ProcessDeclared>,
): Pick<Process, 'answer' | 'parameters'> | undefined {
  const { linking } = documents;
  if (value.query === undefined) {
    const file = value.handler ?? fileNamedAs(id);
    return {
      answer: { kind: 'handler', file },
      parameters: linkSingleValues(documents, id, 'parameter', value.parameters),
    };
  }
  refuseBoth(linking, value, 'query', 'handler', 'a process runs one of them');
  refuseBoth(linking, value, 'query', 'parameters', 'the prompts of the query are the parameters');
  const query = resolveKey(linking, 'query', queries, value, 'query');
  return query === undefined ? undefined : { answer: { kind: 'query', query }, parameters: query.prompts };
}

/** The definitions that recurring processes refer to. */
interface RecurringSources {
  readonly recurrences: ReadonlyMap<string, Recurrence>;
  readonly users: ReadonlyMap<string, User>;
}

/** `recurs:` and `run-as:`: when a process runs without a request, and in whose name. */
function linkRecurring(
  linking: Linking,
  { recurrences, users }: RecurringSources,
  { id, value }: Declaration<ProcessDeclared>,
  process: Process,
): Pick<Process, 'recurs' | 'runAs'> {
  const { report, places } = linking;
  const runAs = value['run-as'];
  const user = resolveKey(linking, 'user', users, value, 'run-as');
  const refuse = (key: string, reason: string): void =>
    report.raise('bad-process', { process: id, reason }, places.key(value, key));
  if (value.recurs === undefined) {
    if (runAs !== undefined && !linking.doubt.about(value, 'recurs'))
      refuse('run-as', 'has `run-as`, which only applies together with `recurs`');
    return {};
  }
  const recurrence = resolveKey(linking, 'recurrence', recurrences, value, 'recurs');
  if (runAs === undefined) {
    if (!linking.doubt.about(value, 'run-as'))
      refuse('recurs', 'has `recurs`, but no `run-as` for the user in whose name it runs');
  } else if (user !== undefined && !mayRun(user, process)) {
    refuse('run-as', `runs in the name of ${user.id}, who is not permitted to run it`);
  }
  const needed = process.parameters.filter((field) => field.required && field.default === undefined);
  if (needed.length > 0) {
    const names = needed.map((field) => field.name).join(', ');
    refuse('recurs', `recurs without anyone to supply ${names}, which ${needed.length === 1 ? 'is' : 'are'} required`);
  }
  return recurrence === undefined || user === undefined ? {} : { recurs: recurrence, runAs: user.id };
}

/** A process that runs a stored query needs the grants of both. */
function mayRun(user: User, process: Process): boolean {
  const { answer } = process;
  const things = answer.kind === 'query' ? [process, answer.query] : [process];
  return things.every(
    (each) =>
      each.public || each.permissions.length === 0 || each.permissions.some((list) => user.permissionLists.has(list)),
  );
}

/** Links every recurrence. */
export function linkRecurrences(linking: Linking): Map<string, Recurrence> {
  const [gateway] = declarationsOf<GatewayDeclared>(linking, 'gateway');
  const standard = gateway?.value.timezone ?? 'UTC';
  return linkEach<RecurrenceDeclared, Recurrence>(linking, 'recurrence', (each) =>
    linkRecurrence(linking, each, standard),
  );
}

function linkRecurrence(
  { report, places }: Linking,
  { id, value }: Declaration<RecurrenceDeclared>,
  standard: string,
): Pick<Recurrence, 'cron' | 'zone'> {
  const { cron, zone } = value;
  if (zone !== undefined && !isTimezone(zone)) {
    const reason = `${zone} is not a time zone of the IANA database`;
    report.raise('bad-recurrence', { recurrence: id, reason }, places.value(value, 'zone'));
  }
  const problem = cronProblem(cron);
  if (problem !== undefined)
    report.raise('bad-recurrence', { recurrence: id, reason: problem }, places.value(value, 'cron'));
  return { cron, zone: zone ?? standard };
}

export interface ProcessDeclared {
  readonly description?: string;
  readonly type: string;
  readonly parameters?: FieldsDeclared;
  readonly handler?: string;
  readonly query?: string;
  readonly retry?: RetryDeclared;
  readonly timeout?: string;
  readonly recurs?: string;
  readonly 'run-as'?: string;
  readonly permission?: string | readonly string[];
  readonly public?: boolean;
}

interface RecurrenceDeclared {
  readonly description?: string;
  readonly cron: string;
  readonly zone?: string;
}

export const process = keys<'process' | keyof ProcessDeclared>(
  {
    title: 'process',
    description: 'A program that the process scheduler runs on request.',
    required: ['process', 'type'],
    examples: [
      {
        process: 'LOCATION_EXTRACT',
        type: 'Application Engine',
        permission: 'PROCESS_USER',
        parameters: { REGION: 'string(1)' },
        retry: 3,
      },
    ],
  },
  {
    process: name('Its name, at most 30 characters.', 'LOCATION_EXTRACT'),
    description,
    type: {
      type: 'string',
      minLength: 1,
      maxLength: 30,
      description: 'Its type, a word of your choice.',
      examples: ['Application Engine', 'SQR Report'],
    },
    parameters: { ...reference('fields'), description: 'Input of a request, by name.' },
    handler: matching(
      'the name of a file without its ending',
      '^[A-Za-z0-9][A-Za-z0-9._-]*$',
      'The file of its code in the handlers folder. Without it and without `query`, it is the name in lower case with hyphens.',
      'location-extract',
    ),
    query: refersTo(
      'query-id',
      'A stored query to run to a file; its prompts are the parameters.',
      'EMPLOYEES_BY_DEPT',
    ),
    retry,
    timeout: time('Time limit of one attempt. By default there is none.'),
    recurs: refersTo('recurrence-id', 'When it runs without a request, in the name of `run-as`.', 'DAILY_0600'),
    'run-as': refersTo('user-id', 'The user in whose name it runs when it recurs.', 'demo'),
    permission,
    public: publicKey,
  },
);

export const recurrence = keys<'recurrence' | keyof RecurrenceDeclared>(
  {
    title: 'recurrence',
    description: 'A schedule for recurring runs.',
    required: ['recurrence', 'cron'],
    examples: [{ recurrence: 'DAILY_0600', cron: '0 6 * * *', zone: 'Europe/Berlin' }],
  },
  {
    recurrence: name('Its id, at most 30 characters.', 'DAILY_0600'),
    description,
    cron: {
      type: 'string',
      minLength: 9,
      description:
        'Minute, hour, day of the month, month, day of the week. As in crontab(5), either of the two days is enough where both are restricted; where one of them contains `*`, as in `*/2`, both have to match.',
      examples: ['0 6 * * *', '*/15 8-18 * * 1-5'],
    },
    zone: text('IANA time zone. The default is that of the gateway.', 'Europe/Berlin'),
  },
);
