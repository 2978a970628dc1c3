import { type Command, InvalidArgumentError } from 'commander';
import { typeWords } from '../../model/field.ts';
import { RECURRENCES } from '../../operator/process.ts';
import type { ProcessLoad, ProgramDetail, ScheduleRequest } from '../../process/index.ts';
import { isDay } from '../../wire/moment.ts';
import { counted } from '../../wire/words.ts';
import { wrongUsage } from '../failure.ts';
import { propose } from '../find.ts';
import { AS_JSON, explain } from '../help.ts';
import { columnsOf } from '../operator.ts';
import { type Columns, note, printable, printResult, tableOf } from '../terminal.ts';
import { acts, reads } from './access.ts';

interface ScheduleOptions {
  readonly user: string;
  readonly runControl: string;
  readonly at?: string;
  readonly zone?: string;
  readonly recurrence?: string;
  readonly destination?: string;
  readonly format?: string;
}

/** `signalbox process schedule`. */
export function addSchedule(group: Command): void {
  const command = explain(group.command('schedule'), {
    examples: [
      'signalbox process schedule LOCATION_EXTRACT REGION=N --user demo',
      'signalbox process schedule LOCATION_EXTRACT --user demo --at 2026-03-01T06:00 --zone Europe/Berlin',
      'signalbox process schedule LOCATION_EXTRACT --user demo --recurrence DAILY_0600',
    ],
    notes: [
      'The user must be permitted to run the process or query, whose rights the run has. The record names the account that ran the command.',
    ],
  })
    .description('enter a request for a process or query, which a gateway runs')
    .argument('<name>', 'the process or query')
    .argument('[parameter=value...]', 'its parameters', readParameter)
    .requiredOption('--user <id>', 'the user that it runs for')
    .option('--run-control <id>', 'the run control id', 'signalbox')
    .option('--at <time>', "when it is to run, as in '2026-03-01T06:00' (default: at once)", readDateTime)
    .option('--zone <zone>', "of a time without an offset, as in 'Europe/Berlin' (default: that of the gateway)")
    .option('--recurrence <id>', 'a recurrence, to run at its times')
    .option('--destination <type>', 'where the output goes, as in WEB or FILE')
    .option('--format <format>', 'the format of the report, as in CSV or XLS');
  acts(command, async (acting, name: string, parameters: readonly Parameter[] = [], options: ScheduleOptions) => {
    const { user: id, at, zone, ...how } = options;
    const when = {
      ...(at === undefined ? {} : { runDateTime: at }),
      ...(zone === undefined ? {} : { timeZone: zone }),
    };
    const { registry, scheduler, findUser, actor, json } = acting;
    const user = await findUser(id);
    if (user === undefined) throw wrongUsage(`there is no active user ${id}`, propose(id, registry.users.keys()));
    const type = registry.processes.get(name)?.type ?? 'PSQuery';
    const instance = await scheduler.schedule({ ...how, ...when, type, name, parameters }, user, actor);
    await printResult({ instance }, json, () => `Request ${instance} was entered.\n`);
  });
}

/** A datetime as requests have it, with or without seconds and offset. */
function readDateTime(text: string): string {
  const [, minutes, seconds = ':00', offset = ''] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  if (minutes === undefined || !isDay(text.slice(0, 10)) || Number.isNaN(Date.parse(text)))
    throw new InvalidArgumentError("It takes a date and a time such as '2026-03-01T06:00'.");
  return minutes + seconds + offset;
}

type Parameter = NonNullable<ScheduleRequest['parameters']>[number];

function readParameter(text: string, before: readonly Parameter[] = []): Parameter[] {
  const equals = text.indexOf('=');
  if (equals <= 0) throw new InvalidArgumentError('Write it as NAME=VALUE.');
  return [...before, { Name: text.slice(0, equals), Value: text.slice(equals + 1) }];
}

/** `signalbox process recurrences`. */
export function addRecurrences(group: Command): void {
  const command = explain(group.command('recurrences'), { examples: ['signalbox process recurrences'] })
    .description('list recurrences with their next times, and the processes that recur by themselves')
    .option('--json', AS_JSON);
  reads(command, async ({ requests, operator, json }) => {
    const all = await requests.recurrences(operator);
    const shown = all.map(({ recurrence: { at: _, ...declared }, next, processes }) => ({
      ...declared,
      next,
      processes,
    }));
    await printResult(shown, json, () => tableOf(all, columnsOf(RECURRENCES)));
  });
}

/** `signalbox process programs`. */
export function addPrograms(group: Command): void {
  const command = explain(group.command('programs'), {
    examples: ['signalbox process programs', "signalbox process programs --json | jq '.[].parameters'"],
    notes: ['Parameters in brackets are optional.'],
  })
    .description('list what can be scheduled: processes and queries with their parameters')
    .option('--json', AS_JSON);
  reads(command, async ({ requests, operator, json }) => {
    const all: ShownProgram[] = [];
    for (const { type, name } of await requests.programs(operator)) {
      const { parameters, ...program } = await requests.program(type, name, operator);
      const shown = parameters.map((field) => ({
        ...{ name: field.name, type: typeWords(field.type), required: field.required },
        ...(field.description === undefined ? {} : { description: field.description }),
      }));
      all.push({ ...program, parameters: shown });
    }
    await printResult(all, json, (programs) => tableOf(programs, PROGRAM_COLUMNS));
  });
}

interface ShownProgram extends Omit<ProgramDetail, 'parameters'> {
  readonly parameters: readonly {
    readonly name: string;
    readonly type: string;
    readonly required: boolean;
    readonly description?: string;
  }[];
}

const PROGRAM_COLUMNS: Columns<ShownProgram> = {
  TYPE: ({ type }) => printable(type),
  NAME: ({ name }) => printable(name),
  PARAMETERS: ({ parameters }) => parameters.map(({ name, required }) => (required ? name : `[${name}]`)).join(' '),
  DESCRIPTION: ({ description = '' }) => printable(description),
};

/** `signalbox process load`. */
export function addLoad(group: Command): void {
  const command = explain(group.command('load'), {
    examples: ['signalbox process load', "signalbox process load --json | jq '.processes[0].hours'"],
    notes: [
      "Hours are those of the gateway's zone. --json has all 24 hours of each process, from 0 on, those without requests too.",
    ],
  })
    .description('show how many requests ran in the last seven days, by process and hour of the day')
    .option('--json', AS_JSON);
  reads(command, async ({ requests, operator, json }) => {
    const load = await requests.load(operator);
    if (load.truncated && !json) note('There were more requests in the last seven days: the newest are counted.');
    await printResult(load, json, renderLoad);
  });
}

type ProcessHours = ProcessLoad['processes'][number];

/** The hours in which something ran. */
function renderLoad({ processes, since, total }: ProcessLoad): string {
  if (total === 0) return 'No request ran in the last seven days.\n';
  const hours = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) =>
    processes.some((each) => each.hours[hour] !== 0),
  );
  const columns: Columns<ProcessHours> = {
    PROCESS: ({ name }) => printable(name),
    TYPE: ({ type }) => printable(type),
    ...Object.fromEntries(
      hours.map((hour) => [`${String(hour).padStart(2, '0')}h`, (each: ProcessHours) => each.hours[hour] || '']),
    ),
    ALL: ({ total: all }) => all,
  };
  return `${counted(total, 'request')} since ${since}\n\n${tableOf(processes, columns)}`;
}
