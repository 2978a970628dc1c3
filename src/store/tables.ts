import type { Kysely } from 'kysely';
import type { BlobTables } from './tables/blob.ts';
import type { ProcessTables } from './tables/process.ts';
import type { QueryTables } from './tables/query.ts';
import type { QueueTables } from './tables/queue.ts';
import type { SchemaTables } from './tables/schema.ts';
import type { UserTables } from './tables/user.ts';

/** The gateway's own tables. */
export interface Tables extends BlobTables, ProcessTables, QueryTables, QueueTables, SchemaTables, UserTables {}

/** The query builder of the gateway's own tables, over the pool or inside a transaction. */
export type Db = Kysely<Tables>;
