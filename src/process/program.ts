import type { Field } from '../model/field.ts';
import type { Process } from '../model/process.ts';
import type { Query } from '../model/query.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { SavedQueries } from '../query/index.ts';
import { may } from '../security/authorise.ts';

/** The type of requests that run a stored query. */
export const QUERY_TYPE = 'PSQuery';

/** What a request can run: a declared process, or a stored query by itself. */
export interface Program {
  readonly id: string;
  readonly type: string;
  readonly process?: Process;
  /** What it runs to a file; code where undefined. */
  readonly query?: Query;
  readonly parameters: readonly Field[];
}

/** Where programs are: in the definitions, and among the queries that users have saved. */
export interface ProgramSources {
  readonly registry: Registry;
  readonly saved: Pick<SavedQueries, 'find' | 'list'>;
}

/**
 * Finds what a type and a name stand for in a request of an operator: what is declared, else a query that the operator has
 * saved. It reads the database, and so is not for code inside a transaction.
 * @throws Fault CONFLICT for a saved query that is acceptable no longer
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

/** Finds what a type and a name stand for in the definitions; undefined where there is none. */
export function findProgram(registry: Registry, type: string, name: string): Program | undefined {
  const process = registry.processes.get(name);
  if (process?.type === type) return programOf(process);
  const query = type === QUERY_TYPE ? registry.queries.get(name) : undefined;
  return query === undefined ? undefined : programOfQuery(query);
}

function programOfQuery(query: Query): Program {
  return { id: query.id, type: QUERY_TYPE, query, parameters: query.prompts };
}

/** A declared process as a program. */
export function programOf(process: Process): Program {
  const { id, type, parameters, answer } = process;
  return { id, type, process, parameters, ...(answer.kind === 'query' ? { query: answer.query } : {}) };
}

/** Whether a user may run it: the process where there is one, and the query where there is one. One that was saved is its owner's. */
export function mayRun(user: User, { process, query }: Program): boolean {
  if (query?.owner !== undefined) return query.owner === user.id;
  return [process, query].every((thing) => thing === undefined || may(user, thing));
}

/** Names of what a user may run, sorted; stored queries too where their type is asked for, the user's own with them. */
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

/** Names of what is declared and a user may run, sorted. */
function programNames(registry: Registry, user: User, type: string | undefined): string[] {
  const processes = [...registry.processes.values()]
    .filter((each) => type === undefined || each.type === type)
    .map(programOf);
  const queries = type === QUERY_TYPE ? [...registry.queries.keys()] : [];
  const programs = [...processes, ...queries.flatMap((id) => findProgram(registry, QUERY_TYPE, id) ?? [])];
  return [...new Set(programs.filter((program) => mayRun(user, program)).map(({ id }) => id))].sort();
}
