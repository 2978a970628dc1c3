import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { Db, Tables } from '../store/index.ts';
import type { Clock } from './clock.ts';
import type { MessagePage, ProcessMessage, RequestFilter } from './process-port.ts';
import { findProgram, mayRun, QUERY_TYPE } from './program.ts';
import { findRow, LARGEST, type RequestRow, selectRequests, unknownRequest } from './rows.ts';
import { DISTRIBUTION, digitsOf, RUN_STATUS } from './status.ts';

/** As in the monitor of the original. */
const USUAL_COUNT = 300;

/** Requests that a user may see, the newest first. @throws Fault BAD_PARAMETER */
export async function findRequests(
  db: Db,
  { registry, clock }: { readonly registry: Registry; readonly clock: Clock },
  filter: RequestFilter,
  user: User,
): Promise<RequestRow[]> {
  const { from, to, since, operator, type, name } = filter;
  const runStatus = statusDigits('RunStatus', RUN_STATUS, filter.runStatus);
  const distribution = statusDigits('DistributionStatus', DISTRIBUTION, filter.distribution);
  let query = visible(selectRequests(db), registry, user);
  if (from !== undefined) query = query.where('prcsinstance', '>=', bounded(from));
  if (to !== undefined) query = query.where('prcsinstance', '<=', bounded(to));
  if (since !== undefined) query = query.where('rundttm', '>=', clock.local(since));
  if (operator !== undefined) query = query.where('oprid', '=', operator);
  if (type !== undefined) query = query.where('prcstype', '=', type);
  if (name !== undefined) query = query.where('prcsname', '=', name);
  if (runStatus !== undefined) query = query.where('runstatus', '=', runStatus);
  if (distribution !== undefined) query = query.where('diststatus', '=', distribution);
  return query
    .orderBy('prcsinstance', 'desc')
    .limit(filter.count ?? USUAL_COUNT)
    .execute();
}

/** Selects the requests that {@link checkAccess} lets a user see: the user's own, and with `process-requests: all` those of others. */
function visible(query: ReturnType<typeof selectRequests>, registry: Registry, user: User) {
  if (!seesOthers(user)) return query.where('oprid', '=', user.id);
  return query.where((builder) => {
    const eb = builder as unknown as ExpressionBuilder<Tables, 'psprcsrqst' | 'signalbox_process_request'>;
    return ownOrNot(eb, user, deniedTo(eb, registry, user, eb('job', 'is not', null)));
  });
}

type RequestColumns = ExpressionBuilder<Tables, 'psprcsrqst'>;

function ownOrNot(eb: RequestColumns, user: User, denied: readonly Expression<SqlBool>[]) {
  return eb.or([eb('oprid', '=', user.id), eb.not(eb.or(denied))]);
}

/**
 * Which requests a user may see, by the columns of the request table alone: of the requests for queries that are not declared,
 * those that another system entered for others are left out too.
 */
export function visibleByName(eb: RequestColumns, registry: Registry, user: User) {
  if (!seesOthers(user)) return eb('oprid', '=', user.id);
  return ownOrNot(eb, user, deniedTo(eb, registry, user, eb.lit(true)));
}

/** Requests of others that a user may not see. @param isOurs the gateway has entered a request */
function deniedTo(
  eb: RequestColumns,
  registry: Registry,
  user: User,
  isOurs: Expression<SqlBool>,
): Expression<SqlBool>[] {
  const { processes, queries, declared } = deniedNames(registry, user);
  const isNamed = declared.length === 0 ? [] : [eb('prcsname', 'in', declared)];
  return [
    eb.and([eb('prcstype', '=', QUERY_TYPE), isOurs, eb.not(eb.or(isNamed))]),
    ...(processes.length === 0 ? [] : [eb.and([eb('prcstype', '<>', QUERY_TYPE), eb('prcsname', 'in', processes)])]),
    ...(queries.length === 0 ? [] : [eb.and([eb('prcstype', '=', QUERY_TYPE), eb('prcsname', 'in', queries)])]),
  ];
}

/** Limits a number to the range of the column, without changing the rows that it selects. */
function bounded(instance: number): number {
  return Math.max(-1, Math.min(instance, LARGEST));
}

function statusDigits(
  name: string,
  codes: Readonly<Record<string, string>>,
  given: string | undefined,
): string | undefined {
  if (given === undefined) return undefined;
  const digits = digitsOf(codes, given);
  if (digits !== undefined) return digits;
  const known = Object.entries(codes).map(([word, code]) => `${word} (${code})`);
  const reason = `is ${JSON.stringify(given)}; allowed: ${known.join(', ')}`;
  throw Fault.of('BAD_PARAMETER', { name, reason });
}

/** `see` the status of a request, or `use` it: read its message log and report, and change it. */
type Access = 'see' | 'use';

/** Whether a list of the user has `process-requests: all`, for requests of others whose processes the user may run. */
export function seesOthers({ permissionLists }: User): boolean {
  for (const { processRequests } of permissionLists) if (processRequests === 'all') return true;
  return false;
}

/**
 * Checks a user's access to a request. It belongs to its operator. Other users need `process-requests: all`: they may use it if they
 * may run its process, and see it if its process is not declared here, because another system entered it. A request that
 * runs a private query of its operator is hidden from them. Hidden requests are answered as if they did not exist.
 * @throws Fault NOT_FOUND; FORBIDDEN for a request that the user may only see
 */
export function checkAccess(registry: Registry, row: RequestRow, user: User, access: Access): void {
  const found = accessTo(registry, row, user);
  if (found === undefined) throw unknownRequest(row.prcsinstance);
  if (found === 'use' || access === 'see') return;
  throw Fault.of('FORBIDDEN', { user: `User ${user.id}`, what: `process request ${row.prcsinstance}` });
}

/** What a user may do with a request; `undefined` for one that is hidden. */
export function accessTo(registry: Registry, row: RequestRow, user: User): Access | undefined {
  if (row.oprid === user.id) return 'use';
  if (!seesOthers(user)) return undefined;
  const program = findProgram(registry, row.prcstype, row.prcsname);
  if (program !== undefined) return mayRun(user, program) ? 'use' : undefined;
  return row.prcstype === QUERY_TYPE && row.job !== null ? undefined : 'see';
}

/** Names of the processes and stored queries that a user may not run, and of all queries that are not private. */
function deniedNames(
  registry: Registry,
  user: User,
): { readonly processes: string[]; readonly queries: string[]; readonly declared: string[] } {
  const isDenied = (type: string, id: string): boolean => {
    const program = findProgram(registry, type, id);
    return program !== undefined && !mayRun(user, program);
  };
  const processes = [...registry.processes.values()].filter(({ type }) => type !== QUERY_TYPE);
  const queries = new Set([...registry.queries.keys(), ...registry.processes.keys()]);
  return {
    processes: processes.filter(({ id, type }) => isDenied(type, id)).map(({ id }) => id),
    queries: [...queries].filter((id) => isDenied(QUERY_TYPE, id)),
    declared: [...queries].filter((id) => findProgram(registry, QUERY_TYPE, id) !== undefined),
  };
}

/** Lines of a request's message log. @throws Fault NOT_FOUND, FORBIDDEN */
export async function findMessages(
  db: Db,
  { registry, clock }: { readonly registry: Registry; readonly clock: Clock },
  instance: number,
  { from, count }: MessagePage,
  user: User,
): Promise<readonly ProcessMessage[]> {
  checkAccess(registry, await findRow(db, instance), user, 'use');
  const rows = await db
    .selectFrom('signalbox_process_message')
    .select(['sequence', 'level', 'text', 'said'])
    .where('instance', '=', instance)
    .where('sequence', '>=', from)
    .orderBy('sequence')
    .limit(count)
    .execute();
  return rows.map(({ said: at, ...row }) => ({ ...row, said: clock.shown(Date.parse(at)), at }));
}
