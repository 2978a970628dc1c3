import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { Db } from '../store/index.ts';
import type { Clock } from './clock.ts';
import type { MessagePage, ProcessMessage, RequestFilter } from './port.ts';
import { findProgram, mayRun, QUERY_TYPE } from './program.ts';
import { findRow, LARGEST, type RequestRow, selectRequests, unknownRequest } from './rows.ts';
import { DISTRIBUTION, digitsOf, RUN_STATUS } from './status.ts';

/** As many as the monitor of the original shows. */
const USUAL_COUNT = 300;

/** Requests that a user may see, the newest first. @throws Fault BAD_PARAMETER */
export async function findRequests(
  db: Db,
  registry: Registry,
  filter: RequestFilter,
  user: User,
): Promise<RequestRow[]> {
  const { from, to, operator, type, name } = filter;
  const runStatus = statusDigits('RunStatus', RUN_STATUS, filter.runStatus);
  const distribution = statusDigits('DistributionStatus', DISTRIBUTION, filter.distribution);
  let query = visible(selectRequests(db), registry, user);
  if (from !== undefined) query = query.where('prcsinstance', '>=', bounded(from));
  if (to !== undefined) query = query.where('prcsinstance', '<=', bounded(to));
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

/** As `checkAccess` has it: the user's own; with `requests: all` those of others too. */
function visible(query: ReturnType<typeof selectRequests>, registry: Registry, user: User) {
  if (!mayReachOthers(user)) return query.where('oprid', '=', user.id);
  const { processes, queries, declared } = deniedNames(registry, user);
  return query.where(({ eb, or, and, not }) => {
    const own = eb('oprid', '=', user.id);
    const isNamed = declared.length === 0 ? [] : [eb('prcsname', 'in', declared)];
    const denied = [
      and([eb('prcstype', '=', QUERY_TYPE), eb('job', 'is not', null), not(or(isNamed))]),
      ...(processes.length === 0 ? [] : [and([eb('prcstype', '<>', QUERY_TYPE), eb('prcsname', 'in', processes)])]),
      ...(queries.length === 0 ? [] : [and([eb('prcstype', '=', QUERY_TYPE), eb('prcsname', 'in', queries)])]),
    ];
    return or([own, not(or(denied))]);
  });
}

/** A number beyond the column's own range is beyond every row as well. */
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
  const reason = `is ${JSON.stringify(given)}; there are: ${known.join(', ')}`;
  throw Fault.of('BAD_PARAMETER', { name, reason });
}

/** `see` its facts; `use` it: its message log, its report, and what becomes of it. */
type Access = 'see' | 'use';

/** Whether requests of others are open to a user, as far as their processes are: a list of the user's says `requests: all`. */
function mayReachOthers({ permissionLists }: User): boolean {
  for (const { requests } of permissionLists) if (requests === 'all') return true;
  return false;
}

/**
 * Checks that a user may reach a request. It belongs to its operator. Of others, those with `requests: all` may use it if they
 * may run its process; if its process is not declared here, because another system entered it, they may see its facts; if
 * it runs a query that its operator has saved, it stays hidden. A hidden request answers as one that does not exist.
 * @throws Fault NOT_FOUND; FORBIDDEN for one that the user may see and not use
 */
export function checkAccess(registry: Registry, row: RequestRow, user: User, access: Access): void {
  if (row.oprid === user.id) return;
  if (!mayReachOthers(user)) throw unknownRequest(row.prcsinstance);
  const program = findProgram(registry, row.prcstype, row.prcsname);
  const isHidden = program === undefined ? row.prcstype === QUERY_TYPE && row.job !== null : !mayRun(user, program);
  if (isHidden) throw unknownRequest(row.prcsinstance);
  if (program !== undefined || access === 'see') return;
  throw Fault.of('FORBIDDEN', { user: `User ${user.id}`, what: `process request ${row.prcsinstance}` });
}

/** Names of declared programs that a user may not run: of processes, and of stored queries; and all that are not saved ones. */
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
  return rows.map((row) => ({ ...row, said: clock.shown(Date.parse(row.said)) }));
}
