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
import { errorText, StoreError } from '../error.ts';
import type { PendingMigration, Store } from '../port.ts';
import type { Db, Tables } from '../tables.ts';
import { type Migration, migrations } from './migrations/index.ts';

/** What bringing a database up to date stands on. */
export interface SchemaAccess {
  readonly location: string;
  /** Names of the steps that the database has seen; none where it has never heard of steps. */
  applied(): Promise<readonly string[]>;
  /** Runs work in a transaction that only one process is in at a time; the table of the steps is there then. */
  alone<T>(work: (tx: Db) => Promise<T>): Promise<T>;
}

/**
 * Runs the steps that the database has not seen, all in one transaction that others wait for, so that any number of
 * processes which start together run each step once.
 * @throws StoreError where a step fails (nothing of the run is kept), or where the database is of a newer version
 */
export async function migrate(schema: SchemaAccess, onStep: (name: string) => void = () => {}): Promise<void> {
  if (lacking(schema.location, await schema.applied()).length === 0) return;
  await schema.alone(async (tx) => {
    const rows = await tx.selectFrom('signalbox_migration').select('name').execute();
    const names = rows.map((row) => row.name);
    for (const migration of lacking(schema.location, names)) {
      onStep(migration.name);
      await run(schema.location, migration, tx);
    }
  });
}

async function run(location: string, { name, up }: Migration, tx: Db): Promise<void> {
  try {
    await up(tx);
    await tx.insertInto('signalbox_migration').values({ name, applied: new Date().toISOString() }).execute();
  } catch (cause) {
    throw new StoreError(
      location,
      `${location} can't be brought up to date: migration ${name} failed: ${errorText(cause)}`,
      { cause },
    );
  }
}

/** Steps that a database has not seen, in order. @throws StoreError where it has seen some that nobody knows */
export function lacking(location: string, applied: readonly string[]): readonly Migration[] {
  const known = new Set(migrations.map((migration) => migration.name));
  const newer = applied.filter((name) => !known.has(name));
  if (newer.length > 0) {
    throw new StoreError(
      location,
      `${location} was written by a newer version of signalbox (it has seen ${newer.join(', ')}); run that version, or name another database`,
    );
  }
  const seen = new Set(applied);
  return migrations.filter((migration) => !seen.has(migration.name));
}

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
