import type { Field } from '../model/field.ts';
import type { Process } from '../model/process.ts';
import type { Query } from '../model/query.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import { kindOfWork } from '../model/work.ts';
import type { SavedQueries } from '../query/index.ts';
import { may } from '../security/authorise.ts';

/** The type of requests that run a stored query. */
export const QUERY_TYPE = 'PSQuery';

/** The program of a request: a declared process, or a stored query by itself. */
export interface Program {
  readonly id: string;
  readonly type: string;
  readonly process?: Process;
  /** The query whose rows become the report; without one, code runs. */
  readonly query?: Query;
  readonly parameters: readonly Field[];
}

/** Where programs are found: in the definitions, and among private queries. */
export interface ProgramSources {
  readonly registry: Registry;
  readonly saved: Pick<SavedQueries, 'find' | 'list'>;
}

/**
 * Finds the program of an operator's request: a declared one, else a private query of the operator. Reads the database; must
 * not be called inside a transaction.
 * @throws Fault CONFLICT for a private query that is no longer valid
 */
export async function findProgramOf(
  { registry, saved }: ProgramSources,
  type: string,
  name: string,
  operator: string,
): Promise<Program | undefined> {
  const declared = findProgram(registry, type, name);
  if (declared !== undefined || type !== QUERY_TYPE) return declared;
  const own = await saved.find(operator, name);
  return own === undefined ? undefined : programOfQuery(own);
}

/** The kind of the jobs that run private queries: every gateway has those in its database. */
export const PRIVATE_KIND = 'private queries';

/** The kind of a request's job. @param recurrence id of its recurrence; empty for none */
export function kindOfProgram({ id, type, process, query, parameters }: Program, recurrence: string): string {
  if (query?.owner !== undefined) return PRIVATE_KIND;
  const name = recurrence === '' ? `${id} of ${type}` : `${id} of ${type}, ${recurrence}`;
  return kindOfWork(name, parameters, [process, query]);
}

/** The kinds of the jobs of all declared programs. */
export function kindsOfPrograms({ processes, queries, recurrences }: Registry): readonly string[] {
  const programs = [...[...processes.values()].map(programOf), ...[...queries.values()].map(programOfQuery)];
  return programs.flatMap((program) => ['', ...recurrences.keys()].map((each) => kindOfProgram(program, each)));
}

/** Finds a declared program. */
export function findProgram(registry: Registry, type: string, name: string): Program | undefined {
  const process = registry.processes.get(name);
  if (process?.type === type) return programOf(process);
  const query = type === QUERY_TYPE ? registry.queries.get(name) : undefined;
  return query === undefined ? undefined : programOfQuery(query);
}

export function programOfQuery(query: Query): Program {
  return { id: query.id, type: QUERY_TYPE, query, parameters: query.prompts };
}

export function programOf(process: Process): Program {
  const { id, type, parameters, answer } = process;
  return { id, type, process, parameters, ...(answer.kind === 'query' ? { query: answer.query } : {}) };
}

/** Whether a user may run a program: both its process and its query, if it has them. A private query is its owner's alone. */
export function mayRun(user: User, { process, query }: Program): boolean {
  if (query?.owner !== undefined) return query.owner === user.id;
  return [process, query].every((thing) => thing === undefined || may(user, thing));
}

/** Sorted names of the programs that a user may run; stored and private queries only for their type. */
export async function programNamesOf(
  { registry, saved }: ProgramSources,
  user: User,
  type: string | undefined,
): Promise<string[]> {
  const declared = programNames(registry, user, type);
  if (type !== QUERY_TYPE) return declared;
  const own = (await saved.list(user.id)).filter(({ id }) => findProgram(registry, type, id) === undefined);
  return [...declared, ...own.map(({ id }) => id)].sort();
}

function programNames(registry: Registry, user: User, type: string | undefined): string[] {
  const processes = [...registry.processes.values()]
    .filter((each) => type === undefined || each.type === type)
    .map(programOf);
  const queries = type === QUERY_TYPE ? [...registry.queries.keys()] : [];
  const programs = [...processes, ...queries.flatMap((id) => findProgram(registry, QUERY_TYPE, id) ?? [])];
  return [...new Set(programs.filter((program) => mayRun(user, program)).map(({ id }) => id))].sort();
}
