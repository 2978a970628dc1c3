import { compileTextWriter } from '../codec/index.ts';
import { Fault } from '../model/fault.ts';
import type { Process, Recurrence } from '../model/process.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { DocumentValue } from '../model/value.ts';
import type { Db } from '../store/index.ts';
import { nextTime } from '../wire/cron.ts';
import type { Clock } from './clock.ts';
import { type EntryPorts, enterRequest, type NewRequest } from './enter.ts';
import { readOutput } from './output.ts';
import type { ScheduleRequest } from './process-port.ts';
import {
  findProgramOf,
  kindOfProgram,
  mayRun,
  type Program,
  type ProgramSources,
  programOf,
  QUERY_TYPE,
} from './program.ts';
import { type GivenParameter, parameterTexts } from './request.ts';

/**
 * Checks a caller's request.
 * @throws Fault MISSING_PARAMETER, BAD_PARAMETER; NOT_FOUND also for a process that the user may not run; CONFLICT for a
 * private query that is no longer valid
 */
export async function readRequest(
  sources: ProgramSources,
  clock: Clock,
  asked: ScheduleRequest,
  user: User,
): Promise<NewRequest> {
  const { runControl, type, name, timeZone, runDateTime } = asked;
  for (const [key, text] of Object.entries({ RunControlId: runControl, ProcessType: type, ProcessName: name }))
    if (text.trim() === '') throw Fault.of('MISSING_PARAMETER', { name: key });
  const program = await programFor(sources, type, name, user);
  const recurrence = recurrenceFor(sources.registry, asked.recurrence);
  const now = clock.now();
  // The zone is checked even if there is no datetime, or one with an offset.
  const given = clock.instantOf(runDateTime ?? '2000-01-01T00:00:00', emptyToNone(timeZone));
  const first = recurrence === undefined ? now : timeAfter(recurrence, now);
  return {
    type,
    name,
    operator: user.id,
    isDeclared: user.origin === 'definitions',
    kind: kindOfProgram(program, recurrence?.id ?? ''),
    runControl,
    server: asked.server ?? '',
    parameters: parameterTexts(program, asked.parameters ?? []),
    output: readOutput(program, emptyToNone(asked.destination), emptyToNone(asked.format)),
    runs: runDateTime === undefined ? first : given,
    recurrence: recurrence?.id ?? '',
    followed: recurrence === undefined,
  };
}

/**
 * The request of code for a declared process.
 * @throws Fault FORBIDDEN, BAD_PARAMETER naming the parameter
 */
export function requestOf(
  process: Process,
  clock: Clock,
  {
    parameters,
    runControl,
    at,
  }: { readonly parameters: DocumentValue; readonly runControl: string; readonly at: Date | undefined },
  user: User,
): NewRequest {
  const program = programOf(process);
  if (!mayRun(user, program)) throw Fault.of('FORBIDDEN', { user: `User ${user.id}`, what: `process ${process.id}` });
  return {
    type: process.type,
    name: process.id,
    operator: user.id,
    isDeclared: user.origin === 'definitions',
    kind: kindOfProgram(program, ''),
    runControl,
    server: '',
    parameters: parameterTexts(program, givenOf(program, parameters)),
    output: readOutput(program, undefined, undefined),
    runs: at?.getTime() ?? clock.now(),
    recurrence: '',
    followed: true,
  };
}

/** Values of code as a request has them. */
function givenOf({ parameters }: Program, values: DocumentValue): GivenParameter[] {
  return Object.entries(values).flatMap(([Name, value]) => {
    const field = parameters.find(({ name }) => name === Name);
    if (value === undefined || value === null) return [];
    const isText = field === undefined || typeof value === 'string';
    return { Name, Value: isText ? String(value) : compileTextWriter(field)(value).join('') };
  });
}

const emptyToNone = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

/**
 * The program that a user asks for.
 * @throws Fault NOT_FOUND also for one that the user may not run; BAD_PARAMETER for one of another type; CONFLICT for a private
 * query that is no longer valid
 */
export async function programFor(sources: ProgramSources, type: string, name: string, user: User): Promise<Program> {
  const program = await findProgramOf(sources, type, name, user.id);
  if (program !== undefined && mayRun(user, program)) return program;
  // The same database access as for an unknown name: the response time must not reveal that the query exists.
  if (program !== undefined && type === QUERY_TYPE) await sources.saved.find(user.id, name);
  const process = sources.registry.processes.get(name);
  if (process === undefined || process.type === type || !mayRun(user, programOf(process)))
    throw Fault.of('NOT_FOUND', { what: `${type === QUERY_TYPE ? 'query' : 'process'} ${name} that you may run` });
  const reason = `is ${JSON.stringify(type)}, and ${process.id} is of the type ${JSON.stringify(process.type)}`;
  throw Fault.of('BAD_PARAMETER', { name: 'ProcessType', reason });
}

function recurrenceFor(registry: Registry, id: string | undefined): Recurrence | undefined {
  if (id === undefined || id === '') return undefined;
  const found = registry.recurrences.get(id);
  if (found !== undefined) return found;
  const known = [...registry.recurrences.keys()].join(', ') || 'none';
  const reason = `is ${JSON.stringify(id)}, which is not a declared recurrence; declared: ${known}`;
  throw Fault.of('BAD_PARAMETER', { name: 'Recurrence', reason });
}

/** @throws Fault BAD_PARAMETER for a recurrence without a future time */
function timeAfter(recurrence: Recurrence, instant: number): number {
  const next = nextTime(recurrence.cron, recurrence.zone, new Date(instant));
  if (next !== undefined) return next.getTime();
  const reason = `is ${JSON.stringify(recurrence.id)}, which has no future time`;
  throw Fault.of('BAD_PARAMETER', { name: 'Recurrence', reason });
}

/** The next request of a recurrence; `undefined` if the recurrence is no longer declared or has no future time. */
export function followingRequest(
  registry: Registry,
  clock: Clock,
  request: Omit<NewRequest, 'followed'>,
): NewRequest | undefined {
  const recurrence = registry.recurrences.get(request.recurrence);
  if (recurrence === undefined) return undefined;
  // The later of both times counts: even if the clock was set back or the request ran late, no time is used twice.
  const after = new Date(Math.max(clock.now(), request.runs));
  const next = nextTime(recurrence.cron, recurrence.zone, after);
  return next === undefined ? undefined : { ...request, runs: next.getTime(), followed: false };
}

/** Enters a request of a process with `recurs:`. @param instance its number, which was reserved for it */
export async function enterRecurring(
  tx: Db,
  ports: EntryPorts,
  process: Process,
  at: Date,
  instance: number,
): Promise<void> {
  const program = programOf(process);
  const request = {
    type: process.type,
    name: process.id,
    operator: process.runAs ?? '',
    isDeclared: true,
    kind: kindOfProgram(program, process.recurs?.id ?? ''),
    runControl: process.recurs?.id ?? '',
    server: '',
    parameters: {},
    output: readOutput(program, undefined, undefined),
    runs: at.getTime(),
    recurrence: process.recurs?.id ?? '',
    followed: true,
  };
  await enterRequest(tx, ports, request, instance);
}
