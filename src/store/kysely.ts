import { Kysely, SqliteDialect } from 'kysely';
import type { Connection } from './sqlite-file.ts';
import type { Tables } from './tables.ts';

/** The query builder for the gateway's own tables, over a connection that somebody else closes. */
export function kyselyOver(connection: Connection): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: connection }) });
}
