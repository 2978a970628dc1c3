import { Fault } from '../model/fault.ts';
import type { Query } from '../model/query.ts';
import { membersOf } from '../query/index.ts';
import type { DeliveredCall, DeliveredPorts } from './index.ts';

/** Whose queries are meant: those of the definitions, or those that the caller has saved. */
export type OwnerType = 'PUBLIC' | 'PRIVATE';

/** Which query, and whether its members are meant too. */
export interface QueryNamed {
  readonly OwnerType: OwnerType;
  readonly QueryName: string;
  readonly isconnectedquery: 'Y' | 'N';
}

/** Finds a query that the caller may run. @throws Fault NOT_FOUND, FORBIDDEN, BAD_PARAMETER for one that connects none */
export async function findQuery(
  { registry, saved }: Pick<DeliveredPorts, 'registry' | 'saved'>,
  call: DeliveredCall,
  { OwnerType, QueryName, isconnectedquery }: QueryNamed,
): Promise<Query> {
  const isPrivate = OwnerType === 'PRIVATE';
  const owner = call.user?.id;
  const own = isPrivate && owner !== undefined ? await saved.find(owner, QueryName) : undefined;
  const query = isPrivate ? own : registry.queries.get(QueryName);
  if (query === undefined) throw Fault.of('NOT_FOUND', { what: `${OwnerType.toLowerCase()} query ${QueryName}` });
  for (const each of reached(query, isconnectedquery)) if (each.owner === undefined) call.authorise(each);
  if (isconnectedquery === 'Y' && query.children.length === 0) {
    const reason = `is Y, and ${query.id} is not a connected query`;
    throw Fault.of('BAD_PARAMETER', { name: 'isconnectedquery', reason });
  }
  return query;
}

/** The query itself, and its members where it is run as a connected one. */
export function reached(query: Query, connected: 'Y' | 'N'): readonly Query[] {
  return connected === 'Y' ? [query, ...membersOf(query)] : [query];
}
