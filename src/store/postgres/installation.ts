import { type RawBuilder, sql } from 'kysely';
import { type DatabaseEngine, QUEUE_SCHEMA } from '../../model/gateway.ts';
import { errorCode, StoreError } from '../error.ts';
import { FIRST_QUEUE } from '../schema/0006-installation.ts';
import type { PendingMigration } from '../store-port.ts';
import type { AppliedStep, Db } from '../tables.ts';

/** The database that an installation is in. */
interface InstallationAccess {
  readonly location: string;
  readonly db: Db;
  readonly engine: DatabaseEngine;
  /** The schema that the settings name; `undefined` for the connection's own. */
  readonly schema: string | undefined;
  /** The steps that were run on it. */
  applied(db: Db): Promise<readonly AppliedStep[]>;
  /** Runs work in a transaction that excludes all other processes that change the database. */
  alone<T>(work: (tx: Db) => Promise<T>): Promise<T>;
}

/** What is found of an installation. */
interface Found {
  /** The schema of its tables. */
  readonly tables: string;
  /** The schema of its queue: the recorded one, or the one that it will have. */
  readonly queue: string;
  readonly isRecorded: boolean;
  /** The schema of the tables that the queue belongs to; `undefined` when it belongs to none yet. */
  readonly owner: string | undefined;
  /** Whether it has tables of pg-boss, which had the jobs of versions before. */
  readonly hasBoss: boolean;
}

/**
 * Where an installation is in a database of PostgreSQL: a schema of tables, and a schema of its queue, which belong together.
 * Each records the other, so that two installations never share jobs, and one never has two queues.
 */
export class Installation {
  readonly #access: InstallationAccess;

  constructor(access: InstallationAccess) {
    this.#access = access;
  }

  /** What {@link createSchema} would run. */
  async pendingSchema(): Promise<PendingMigration[]> {
    const { schema } = this.#access;
    if (schema === undefined || (await this.#exists(schema))) return [];
    return [{ of: 'signalbox', name: `schema ${schema}`, statements: [createSchema(schema)] }];
  }

  /**
   * Creates the schema of the tables if it does not exist, before any table.
   * @throws StoreError when it may not be created, and when the queue belongs to another installation
   */
  async createSchema(onStep: (name: string) => void): Promise<void> {
    for (const step of await this.pendingSchema()) {
      try {
        await this.#run(step, onStep, (each) => each.execute(this.#access.db));
      } catch (error) {
        // Another gateway may have been faster.
        if ((await this.pendingSchema()).length > 0) throw error;
      }
    }
    await this.#find();
  }

  /** What {@link createQueue} would run. @throws StoreError when the queue belongs to another installation */
  async pendingQueue(): Promise<PendingMigration[]> {
    const found = await this.#find();
    return this.#pendingClaim(found);
  }

  /** Creates the queue's schema, once the tables of the installation exist. @throws StoreError */
  async createQueue(onStep: (name: string) => void): Promise<void> {
    if ((await this.pendingQueue()).length === 0) return;
    await this.#access.alone(async (tx) => {
      // Another gateway may have been faster, with other settings.
      const execute = (each: RawBuilder<unknown>) => each.execute(tx);
      for (const step of await this.#pendingClaim(await this.#find(tx))) await this.#run(step, onStep, execute);
    });
  }

  /** The schema of the queue. @throws StoreError when it belongs to another installation */
  async queue(): Promise<string> {
    return (await this.#find()).queue;
  }

  /** Gives the queue and the tables to each other. */
  async #pendingClaim({ tables, queue, isRecorded, owner }: Found): Promise<PendingMigration[]> {
    if (isRecorded && owner !== undefined) return [];
    const schema = (await this.#exists(queue)) ? [] : [createSchema(queue)];
    const record = `${quoted(queue)}.signalbox_installation`;
    const statements = [
      `insert into "signalbox_installation" ("id", "queue") values (1, '${queue}') on conflict do nothing;`,
      ...schema,
      `create table if not exists ${record} ("id" integer primary key, "tables" text not null);`,
      `insert into ${record} ("id", "tables") values (1, '${tables.replaceAll("'", "''")}') on conflict do nothing;`,
    ];
    return [{ of: 'signalbox', name: `queue ${queue}`, statements }];
  }

  /** @throws StoreError when the queue belongs to another installation */
  async #find(db: Db = this.#access.db): Promise<Found> {
    const { location, schema, applied } = this.#access;
    const own = await one<{ name: string | null; role: string }>(db, OWN_SCHEMA);
    const tables = schema ?? own?.name;
    if (tables === undefined || tables === null) {
      const why = `the search_path of ${own?.role ?? 'its user'} names no schema that exists`;
      throw new StoreError(location, `${location} can't be used: ${why}; name one with database: { url, schema }`);
    }
    const recorded = await this.#recorded(db);
    const steps = await applied(db);
    const isNew = steps.length === 0;
    const usual = schema === undefined ? FIRST_QUEUE : `${schema}${QUEUE_SCHEMA}`;
    const queue = recorded ?? (isNew || steps.some(({ name }) => name === '0006-installation') ? usual : FIRST_QUEUE);
    const state = await this.#stateOf(db, queue);
    const found: Found = { tables, queue, isRecorded: recorded !== undefined, ...state };
    // A queue without an owner is one from before owners were recorded: it belongs to tables that exist.
    const isForeign = state.owner === undefined ? isNew && state.hasBoss : state.owner !== tables;
    if (isForeign) throw this.#refusal(found);
    return found;
  }

  #refusal({ tables, queue, owner }: Found): StoreError {
    const { location } = this.#access;
    const whose = owner === undefined ? 'another installation' : `the installation in the schema ${owner}`;
    return new StoreError(
      location,
      `${location} has the queue ${queue}, which belongs to ${whose}, not to ${tables}: installations that share a queue would take each other's jobs; give this one a schema with database: { url, schema: NAME }`,
    );
  }

  async #recorded(db: Db): Promise<string | undefined> {
    if (!(await this.#hasTable(db, 'signalbox_installation'))) return undefined;
    return (await db.selectFrom('signalbox_installation').select('queue').executeTakeFirst())?.queue;
  }

  async #stateOf(db: Db, queue: string): Promise<Pick<Found, 'owner' | 'hasBoss'>> {
    const record = `${queue}.signalbox_installation`;
    const owner = (await this.#hasTable(db, `${quoted(queue)}.signalbox_installation`))
      ? (await one<{ tables: string }>(db, sql`select tables from ${sql.table(record)}`))?.tables
      : undefined;
    return { owner, hasBoss: await this.#hasTable(db, `${quoted(queue)}.version`) };
  }

  /** @param name as in SQL; a table without a schema is of the connection's own */
  async #hasTable(db: Db, name: string): Promise<boolean> {
    return (await one<{ found: boolean }>(db, sql`select to_regclass(${name}) is not null as found`))?.found === true;
  }

  async #exists(schema: string): Promise<boolean> {
    const found = sql`select 1 from pg_catalog.pg_namespace where nspname = ${schema}`;
    return (await one(this.#access.db, found)) !== undefined;
  }

  /** Runs the statements of a step. @throws StoreError with the statement that an administrator can run instead */
  async #run(
    { name, statements }: PendingMigration,
    onStep: (name: string) => void,
    execute: (statement: RawBuilder<unknown>) => Promise<unknown>,
  ): Promise<void> {
    const { location } = this.#access;
    onStep(name);
    for (const statement of statements) {
      try {
        await execute(sql.raw(statement));
      } catch (error) {
        const schema = /^create schema if not exists (\S+);$/.exec(statement)?.[1];
        if (errorCode(error) !== MAY_NOT || schema === undefined) throw error;
        const role = (await one<{ role: string }>(this.#access.db, sql`select quote_ident(current_user) as role`))
          ?.role;
        const advice = `run as an administrator: CREATE SCHEMA ${schema} AUTHORIZATION ${role}`;
        throw new StoreError(
          location,
          `${location} can't be used: ${role} may not create the schema ${schema}; ${advice}`,
          {
            cause: error,
          },
        );
      }
    }
  }
}

/** The schema that has the tables, or that will have them. */
const OWN_SCHEMA = sql`
  select current_user as role, coalesce((
    select n.nspname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.oid = to_regclass('signalbox_migration')), current_schema()) as name`;

/** SQLSTATE of a right that is missing. */
const MAY_NOT = '42501';

function createSchema(name: string): string {
  return `create schema if not exists ${quoted(name)};`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

async function one<T>(db: Db, query: RawBuilder<unknown>): Promise<T | undefined> {
  return (await query.execute(db)).rows[0] as T | undefined;
}
