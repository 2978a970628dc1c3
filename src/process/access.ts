import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import { findProgram, mayRun, QUERY_TYPE } from './program.ts';
import { type RequestRow, unknownRequest } from './rows.ts';

/** `see` its facts; `use` it: its message log, its report, and what becomes of it. */
export type Access = 'see' | 'use';

/** Whether requests of others are open to a user, as far as their processes are: a list of the user's says `requests: all`. */
export function mayReachOthers({ permissionLists }: User): boolean {
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
export function deniedNames(
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
