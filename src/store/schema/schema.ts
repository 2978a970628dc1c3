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
import type { PendingMigration, Store } from '../store-port.ts';
import type { AppliedStep, Db, Tables } from '../tables.ts';
import { createSchema } from './0001-schema.ts';
import { addWork } from './0003-work.ts';
import { addQueueControl } from './0004-queue-control.ts';
import { addCause } from './0005-cause.ts';
import { addInstallation } from './0006-installation.ts';
import { addRetention } from './0007-retention.ts';
import { addOperators } from './0008-operators.ts';
import { addQueueDepth } from './0009-queue-depth.ts';
import { addProjectMigrations } from './0010-project-migrations.ts';
import { addMessages } from './0011-messages.ts';
import { addDirectJobs } from './0012-direct-jobs.ts';
import { addOnce } from './0013-once.ts';
import { addReplies } from './0017-replies.ts';
import { addStatistics } from './0018-statistics.ts';
import { addSessions } from './0019-sessions.ts';
import { addDefinitions } from './0020-definitions.ts';
import { addRequestIds } from './0021-request-ids.ts';
import { addProcessLoad } from './0022-process-load.ts';
import { addTrailIndexes } from './0023-trail-indexes.ts';
import { addFailures } from './0024-failures.ts';
import { addRequestTrail } from './0025-request-trail.ts';
import { addSignIn } from './0026-sign-in.ts';
import { addDefinitionsOrder } from './0027-definitions-order.ts';
import { addRetentionKinds } from './0028-retention-kinds.ts';

/** One step of the schema, forward only. Once released it never changes: a later step corrects it. */
interface Migration {
  /** Its key in `signalbox_migration`. */
  readonly name: string;
  /** @param before the steps that ran before this run of steps; none on a new database */
  up(db: Db, kind: Store['kind'], before: readonly AppliedStep[]): Promise<void>;
}

/** The step that creates the tables. */
export const FIRST_STEP = '0001-schema';

/** Every step, oldest first: they run in this order. */
export const migrations: readonly Migration[] = [
  { name: FIRST_STEP, up: createSchema },
  { name: '0003-work', up: addWork },
  { name: '0004-queue-control', up: addQueueControl },
  { name: '0005-cause', up: addCause },
  { name: '0006-installation', up: addInstallation },
  { name: '0007-retention', up: addRetention },
  { name: '0008-operators', up: addOperators },
  { name: '0009-queue-depth', up: addQueueDepth },
  { name: '0010-project-migrations', up: addProjectMigrations },
  { name: '0011-messages', up: addMessages },
  { name: '0012-direct-jobs', up: addDirectJobs },
  { name: '0013-once', up: addOnce },
  { name: '0017-replies', up: addReplies },
  { name: '0018-statistics', up: addStatistics },
  { name: '0019-sessions', up: addSessions },
  { name: '0020-definitions', up: addDefinitions },
  { name: '0021-request-ids', up: addRequestIds },
  { name: '0022-process-load', up: addProcessLoad },
  { name: '0023-trail-indexes', up: addTrailIndexes },
  { name: '0024-failures', up: addFailures },
  { name: '0025-request-trail', up: addRequestTrail },
  { name: '0026-sign-in', up: addSignIn },
  { name: '0027-definitions-order', up: addDefinitionsOrder },
  { name: '0028-retention-kinds', up: addRetentionKinds },
];

/**
 * The last step of the version before this one, which goes on working with every step that follows. The database keeps it
 * with each step, so that a version learns it of steps that it does not know.
 */
const COMPATIBLE_WITH = '0001-schema';

/** The first step of builds that preceded the first release. */
const BEFORE_RELEASE = '0001-process-requests';

/** The database that is brought up to date. */
export interface SchemaAccess {
  readonly kind: Store['kind'];
  readonly location: string;
  /** The steps that were run on it; empty for a database without the table of steps. */
  applied(): Promise<readonly AppliedStep[]>;
  /** Runs work in a transaction that excludes all other processes, once the table of steps exists with all its columns. */
  alone<T>(work: (tx: Db) => Promise<T>): Promise<T>;
}

/**
 * Runs the steps that the database lacks, all in one transaction that other processes wait for, so that each step runs once
 * however many processes start together.
 * @throws StoreError when a step fails, and nothing is changed; for a database of another version: see {@link lacking}
 */
export async function migrate(schema: SchemaAccess, onStep: (name: string) => void = () => {}): Promise<void> {
  if (lacking(schema.location, await schema.applied()).length === 0) return;
  await schema.alone(async (tx) => {
    const applied = await tx.selectFrom('signalbox_migration').selectAll().execute();
    for (const migration of lacking(schema.location, applied)) {
      onStep(migration.name);
      await run(schema, migration, tx, applied);
    }
  });
}

async function run(
  { location, kind }: SchemaAccess,
  { name, up }: Migration,
  tx: Db,
  before: readonly AppliedStep[],
): Promise<void> {
  try {
    await up(tx, kind, before);
    const applied = new Date().toISOString();
    await tx.insertInto('signalbox_migration').values({ name, applied, compatible_with: COMPATIBLE_WITH }).execute();
  } catch (cause) {
    throw new StoreError(
      location,
      `${location} can't be brought up to date: migration ${name} failed: ${errorText(cause)}`,
      { cause },
    );
  }
}

/**
 * The steps that a database lacks, in order.
 * @throws StoreError for a database with steps that this version does not know, unless these are compatible with it
 */
export function lacking(location: string, applied: readonly AppliedStep[]): readonly Migration[] {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied
    .filter(({ name, compatible_with: oldest }) => !known.has(name) && !known.has(oldest ?? name))
    .map(({ name }) => name);
  if (unknown.length > 0) throw new StoreError(location, refusal(location, unknown));
  const names = new Set(applied.map(({ name }) => name));
  return migrations.filter(({ name }) => !names.has(name));
}

function refusal(location: string, unknown: readonly string[]): string {
  return unknown.includes(BEFORE_RELEASE)
    ? `${location} holds the tables of a signalbox from before its first release (steps ${unknown[0]} to ${unknown.at(-1)}), which this version can't bring up to date; dump what you want to keep of it, and name an empty database`
    : `${location} was written by a newer version of signalbox (it has seen ${unknown.join(', ')}); run that version, or name another database`;
}

/** The statements of steps as an engine gets them: the steps run on a driver that records statements and executes none. */
export async function planOf(
  steps: readonly Migration[],
  kind: Store['kind'],
  before: readonly AppliedStep[],
): Promise<PendingMigration[]> {
  const plan: PendingMigration[] = [];
  for (const { name, up } of steps) {
    const statements: string[] = [];
    await up(new Kysely<Tables>({ dialect: recordingDialect(kind, statements) }), kind, before);
    plan.push({ of: 'signalbox', name, statements });
  }
  return plan;
}

function recordingDialect(kind: Store['kind'], notes: string[]): Dialect {
  const driver = new RecordingDriver(notes);
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

class RecordingDriver extends DummyDriver {
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
