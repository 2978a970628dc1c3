import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import { findProgram, mayRun, QUERY_TYPE } from './program.ts';
import { type RequestRow, unknownRequest } from './rows.ts';

/** `see` its facts; `use` it: its message log, its report, and what becomes of it. */
export type Access = 'see' | 'use';

/**
 * A request belongs to its operator; who may run its process may use it as well. The facts of a request whose process is
 * not declared, another system's say, are seen by everybody whom the operation lets in; one that runs a query that its
 * operator has saved is nobody else's. Of any other nobody is told that it is there: the number is the caller's own.
 * @throws Fault NOT_FOUND; FORBIDDEN for one that the user may see and not use
 */
export function checkAccess(registry: Registry, row: RequestRow, user: User, access: Access): void {
  if (row.oprid === user.id) return;
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
