import type { Query } from '../../model/query.ts';
import type { Registry } from '../../model/registry.ts';
import type { Role, User } from '../../model/security.ts';
import type { Row, Value } from '../../model/value.ts';
import { compilePrompts, type QueryPort } from '../../query/index.ts';
import { authorise } from '../../security/authorise.ts';
import type { Db } from '../../store/index.ts';

interface QueryPorts {
  readonly registry: Pick<Registry, 'queries'>;
  readonly queries: QueryPort;
}

/** The user or role whose grants count: the caller's, or those of the role that replaces them. */
interface Authority {
  readonly user: User | undefined;
  readonly as: Role | undefined;
  /** The user or address to whose share of the readers a query counts. */
  readonly sharer: string | undefined;
}

/** Runs a query on behalf of a caller: checks the grant and the prompts, and reads its rows from the port. */
export type QueryRows = (
  authority: Authority,
  query: Query,
  prompts: Readonly<Record<string, Value>>,
  options: {
    readonly maxrows?: number;
    readonly signal: AbortSignal;
    readonly onTruncated: () => void;
    /** Runs it inside a transaction. */
    readonly tx?: Db | undefined;
  },
) => Promise<Row[]>;

/** Compiles the prompt checks of every query once. */
export function compileQueryRows({ registry, queries }: QueryPorts): QueryRows {
  const readers = new Map([...registry.queries.values()].map((query) => [query, compilePrompts(query).fromValues]));
  return async ({ user, as, sharer }, query, prompts, { tx, ...options }) => {
    authorise(user, query, 'query', as);
    const call = { ...options, query, prompts: readers.get(query)!(prompts), caller: sharer };
    return tx === undefined ? queries.rows(call) : queries.rowsInside(tx, call);
  };
}
