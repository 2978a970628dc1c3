import { Fault } from '../../model/fault.ts';
import type { Query } from '../../model/query.ts';
import { membersOf, type QueryRun } from '../../query/index.ts';
import type { DeliveredCall, DeliveredPorts } from '../delivered-port.ts';

/** `PUBLIC` queries are those of the definitions, `PRIVATE` ones those that the caller has saved. */
export type OwnerType = 'PUBLIC' | 'PRIVATE';

/** A query, with or without the members of a connected query. */
export interface QueryNamed {
  readonly OwnerType: OwnerType;
  readonly QueryName: string;
  readonly isconnectedquery: 'Y' | 'N';
}

/** The query of a run. */
export function namedBy({ query, isPrivate, input }: QueryRun): QueryNamed {
  return {
    OwnerType: isPrivate ? 'PRIVATE' : 'PUBLIC',
    QueryName: query,
    isconnectedquery: input.connected ? 'Y' : 'N',
  };
}

/**
 * Finds a query that the caller may run. The fault for a query that the caller may not run does not reveal that it exists.
 * @throws Fault NOT_FOUND; BAD_PARAMETER when `isconnectedquery` is Y and the query is not connected
 */
export async function findQuery(
  ports: Pick<DeliveredPorts, 'registry' | 'saved'>,
  call: DeliveredCall,
  named: QueryNamed,
): Promise<Query> {
  const { QueryName, isconnectedquery } = named;
  const query = await lookForQuery(ports, call, named);
  if (query === undefined) throw Fault.of('NOT_FOUND', { what: `query ${QueryName} that you may run` });
  if (isconnectedquery === 'Y' && query.children.length === 0) {
    const reason = `is Y, and ${query.id} is not a connected query`;
    throw Fault.of('BAD_PARAMETER', { name: 'isconnectedquery', reason });
  }
  return query;
}

/** The query of that name, if the caller may run it. */
export async function lookForQuery(
  { registry, saved }: Pick<DeliveredPorts, 'registry' | 'saved'>,
  call: DeliveredCall,
  { OwnerType, QueryName, isconnectedquery }: QueryNamed,
): Promise<Query | undefined> {
  const isPrivate = OwnerType === 'PRIVATE';
  const owner = call.user?.id;
  const own = isPrivate && owner !== undefined ? await saved.find(owner, QueryName) : undefined;
  const query = isPrivate ? own : registry.queries.get(QueryName);
  return query !== undefined && mayRun(call, query, isconnectedquery) ? query : undefined;
}

/** Whether the caller may run a query, and as a connected query its members too. A saved query belongs to its owner. */
export function mayRun(call: DeliveredCall, query: Query, connected: 'Y' | 'N'): boolean {
  return reached(query, connected).every((each) => each.owner !== undefined || call.may(each));
}

/** The query itself, and as a connected query its members too. */
export function reached(query: Query, connected: 'Y' | 'N'): readonly Query[] {
  return connected === 'Y' ? [query, ...membersOf(query)] : [query];
}
