import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { Db } from '../store/index.ts';
import { deniedNames, mayReachOthers } from './access.ts';
import type { RequestFilter } from './port.ts';
import { QUERY_TYPE } from './program.ts';
import { type RequestRow, selectRequests } from './rows.ts';
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
  return Math.max(-1, Math.min(instance, 2 ** 31 - 1));
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
