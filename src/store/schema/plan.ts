import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { PendingMigration, Store } from '../port.ts';
import type { Tables } from '../tables.ts';
import type { Migration } from './migrations/index.ts';

/** Steps of the schema in the words of the engine: they are run on a database that only takes notes. */
export async function planOf(steps: readonly Migration[], kind: Store['kind']): Promise<PendingMigration[]> {
  const plan: PendingMigration[] = [];
  for (const { name, up } of steps) {
    const statements: string[] = [];
    await up(new Kysely<Tables>({ dialect: notingDialect(kind, statements) }));
    plan.push({ name, statements });
  }
  return plan;
}

function notingDialect(kind: Store['kind'], notes: string[]): Dialect {
  const driver = new NotingDriver(notes);
  if (kind === 'sqlite') {
    return {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    };
  }
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class NotingDriver extends DummyDriver {
  readonly #notes: string[];

  constructor(notes: string[]) {
    super();
    this.#notes = notes;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return {
      executeQuery: async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
        const values = parameters.length === 0 ? '' : ` -- ${JSON.stringify(parameters)}`;
        this.#notes.push(`${sql.replaceAll(/\s*\n\s*/g, ' ')};${values}`);
        return { rows: [] };
      },
      async *streamQuery() {},
    };
  }
}
