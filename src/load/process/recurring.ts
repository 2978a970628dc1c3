import type { Process, Recurrence } from '../../model/process.ts';
import type { User } from '../../model/security.ts';
import { type Linking, mayHaveMeant, resolveKey } from '../linking.ts';
import type { Declaration } from '../read/declaration.ts';
import type { ProcessDeclared } from '../schema/process.ts';

/** What processes that recur are linked against. */
export interface RecurringSources {
  readonly recurrences: ReadonlyMap<string, Recurrence>;
  readonly users: ReadonlyMap<string, User>;
}

/** `recurs:` and `run-as:`: when a process runs without a request, and in whose name. */
export function linkRecurring(
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
    if (runAs !== undefined && !mayHaveMeant(linking, value, ['recurs']))
      refuse('run-as', 'has `run-as`, which is of use with `recurs` alone');
    return {};
  }
  const recurrence = resolveKey(linking, 'recurrence', recurrences, value, 'recurs');
  if (runAs === undefined) {
    if (!mayHaveMeant(linking, value, ['run-as'])) refuse('recurs', 'recurs, and no `run-as` says in whose name');
  } else if (user !== undefined && !mayRun(user, process)) {
    refuse('run-as', `recurs in the name of ${user.id}, who may not run it`);
  }
  const needed = process.parameters.filter((field) => field.required && field.default === undefined);
  if (needed.length > 0) {
    const names = needed.map((field) => field.name).join(', ');
    refuse('recurs', `recurs, and nobody gives it ${names}, which ${needed.length === 1 ? 'is' : 'are'} required`);
  }
  return recurrence === undefined || user === undefined ? {} : { recurs: recurrence, runAs: user.id };
}

/** A process that a stored query is the program of needs the grant of both. */
function mayRun(user: User, process: Process): boolean {
  const { answer } = process;
  const things = answer.kind === 'query' ? [process, answer.query] : [process];
  return things.every(
    (each) =>
      each.public || each.permissions.length === 0 || each.permissions.some((list) => user.permissionLists.has(list)),
  );
}
