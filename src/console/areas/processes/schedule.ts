import { Fault } from '../../../model/fault.ts';
import type { ProgramDetail, ScheduleRequest } from '../../../process/index.ts';
import { describedBy, type Entries, entryFields, labelled, readEntries, UNTOUCHED } from '../../entries.ts';
import { exact, type Html, html, NOTHING } from '../../html.ts';
import { field, filters, form, heading, input, link, notice, pathTo, select, table } from '../../parts.ts';
import { actionRoute, page, type Reply, type Visit } from '../../route.ts';
import { requestPath } from './parts.ts';

/** Maximum number of listed processes. */
const MOST = 200;

const formPath = ({ type, name }: Pick<ProgramDetail, 'type' | 'name'>): string =>
  pathTo('processes', 'new', type, name);

/** The processes and queries that the user may run. */
export async function chooseProgram(visit: Visit): Promise<Reply> {
  const wanted = (visit.query.get('q') ?? '').trim().toLowerCase();
  const all = await visit.ports.scheduler.programs(visit.user);
  const found = all.filter(({ type, name, description = '' }) =>
    `${type} ${name} ${description}`.toLowerCase().includes(wanted),
  );
  const rest =
    found.length > MOST ? html`<p class="faint">${found.length - MOST} more: narrow the search.</p>` : NOTHING;
  return page(
    'Schedule a process',
    html`${heading('Schedule a process', { about: 'The processes and queries that you may run.' })}
${filters('Search of processes', '/processes/new', field('Name, type or description', 'q', input('q', visit.query.get('q'), 'search')))}
${table(
  'Processes',
  [
    { title: 'Name', cell: (program) => link(formPath(program), program.name) },
    { title: 'Type', cell: ({ type }) => type },
    { title: 'Description', kind: 'wide', cell: ({ description }) => description },
  ],
  found.slice(0, MOST),
  { empty: wanted === '' ? 'There is no process that you may run.' : 'No process that you may run has these letters.' },
)}${rest}`,
  );
}

/** Controls other than the parameters, with their names in faults. */
const CONTROLS: Readonly<Record<string, string>> = {
  runControl: 'RunControlId',
  runs: 'RunDateTime',
  zone: 'TimeZone',
  recurrence: 'Recurrence',
  destination: 'OutputDestinationType',
  format: 'OutputDestinationFormat',
};

/** A form with what was entered. */
interface Filled {
  readonly given: URLSearchParams;
  readonly entries: Entries;
  /** By control, as sentences. */
  readonly problems: ReadonlyMap<string, string>;
  /** A problem that belongs to no control. */
  readonly problem?: string;
  readonly status?: number;
}

const programOf = ({ ports, params, user }: Visit): Promise<ProgramDetail> =>
  ports.scheduler.program(params.type as string, params.name as string, user);

export async function showForm(visit: Visit): Promise<Reply> {
  const given = new URLSearchParams({ runControl: 'CONSOLE' });
  return formOf(visit, await programOf(visit), { given, entries: UNTOUCHED, problems: new Map() });
}

export const scheduleAction = actionRoute('/processes/new/:type/:name', 'process.schedule', async (visit) => {
  const program = await programOf(visit);
  const entries = readEntries(program.parameters, visit.form);
  const problems = new Map<string, string>();
  const request = requestOf(program, visit.form, entries, problems);
  const filled = { given: visit.form, entries, problems };
  if (entries.problems.size > 0 || problems.size > 0) return formOf(visit, program, { ...filled, status: 422 });
  try {
    const instance = await visit.ports.scheduler.schedule(request, visit.user, visit.actor);
    const what = `${program.name} ${instance}`;
    return { to: requestPath(instance), notice: `Request ${instance} of ${program.name} is scheduled.`, target: what };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { message, status } = error;
    const control = Object.keys(CONTROLS).find((each) => message.startsWith(`${CONTROLS[each]} `));
    if (control === undefined) return formOf(visit, program, { ...filled, problem: error.text, status });
    return formOf(visit, program, { ...filled, problems: new Map([[control, message]]), status });
  }
});

/** Records the problems of controls other than the parameters. */
function requestOf(
  { type, name }: ProgramDetail,
  given: URLSearchParams,
  { texts }: Entries,
  problems: Map<string, string>,
): ScheduleRequest {
  const text = (control: string): string => (given.get(control) ?? '').trim();
  const runs = text('runs');
  if (text('runControl') === '') problems.set('runControl', 'The run control is missing.');
  if (runs !== '' && !isLocalTime(runs))
    problems.set('runs', 'The run date/time is not a date and a time such as 2026-03-01T06:00.');
  return {
    ...{ runControl: text('runControl'), type, name, timeZone: text('zone'), recurrence: text('recurrence') },
    ...{ destination: text('destination'), format: text('format') },
    ...(runs === '' ? {} : { runDateTime: runs.length === 16 ? `${runs}:00` : runs }),
    parameters: Object.entries(texts).map(([Name, Value]) => ({ Name, Value })),
  };
}

/** The form that `datetime-local` sends: without an offset, and with seconds only if they are not 0. */
function isLocalTime(text: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?$/.exec(text);
  const instant = new Date(`${text}Z`);
  return match !== null && !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(match[1] as string);
}

function formOf(visit: Visit, program: ProgramDetail, filled: Filled): Reply {
  const { entries, problem, status = 200 } = filled;
  const { parameters, description } = program;
  const wrong = entries.problems.size + filled.problems.size;
  const words =
    problem ?? (wrong === 0 ? undefined : 'Nothing was scheduled. Correct the fields that are marked below.');
  return page(
    `Schedule ${program.name}`,
    html`${heading(`Schedule ${program.name}`, { about: description ?? program.type })}
${words === undefined ? NOTHING : notice('bad', words)}
${form(
  visit,
  formPath(program),
  html`${parameters.length === 0 ? NOTHING : html`<fieldset><legend>Parameters</legend>${entryFields(parameters, entries)}</fieldset>`}
<fieldset><legend>When</legend>${whenFields(visit, filled)}</fieldset>
<fieldset><legend>Run control and output</legend>${outputFields(program, filled)}</fieldset>
<p><button class="primary">Schedule</button></p>`,
  'form',
)}`,
    { status },
  );
}

function whenFields({ ports: { registry } }: Visit, { given, problems }: Filled): Html {
  const { timezone } = registry.gateway;
  const at = 'Empty: at once, or at the next time of the recurrence.';
  const zones = 'An IANA time zone, or an offset such as +02:00.';
  const recurrences = [...registry.recurrences.values()].map(({ id, description, cron }): [string, string] => [
    id,
    `${id} (${description ?? cron})`,
  ]);
  const control = (id: string, value: string, type: string, hint: string, more: Html = NOTHING): Html =>
    input(id, value, type, html`${describedBy(id, hint, problems.get(id))}${more}`);
  return html`${labelled('Run date/time', 'runs', control('runs', given.get('runs') ?? '', 'datetime-local', at), { hint: at, problem: problems.get('runs') })}
${labelled('Time zone', 'zone', control('zone', given.get('zone') ?? timezone, 'text', zones, html` list="zones"`), { hint: zones, problem: problems.get('zone') })}
<datalist id="zones">${Intl.supportedValuesOf('timeZone').map((zone) => html`<option value="${exact(zone)}"></option>`)}</datalist>
${labelled('Recurrence', 'recurrence', select('recurrence', [['', 'Once'], ...recurrences], given.get('recurrence')), { problem: problems.get('recurrence') })}`;
}

function outputFields({ destinations, formats }: ProgramDetail, { given, problems }: Filled): Html {
  const choices = (all: readonly string[]) => all.map((each): [string, string] => [each, each]);
  const hint = 'The name that the request has among your own.';
  const id = 'runControl';
  const control = input(
    id,
    given.get(id),
    'text',
    html`${describedBy(id, hint, problems.get(id))} required maxlength="30"`,
  );
  return html`${labelled('Run control', id, control, { hint, problem: problems.get(id) })}
${labelled('Destination', 'destination', select('destination', choices(destinations), given.get('destination') ?? destinations[0]), { problem: problems.get('destination') })}
${formats.length === 0 ? NOTHING : labelled('Format', 'format', select('format', choices(formats), given.get('format') ?? formats[0]), { problem: problems.get('format') })}`;
}
