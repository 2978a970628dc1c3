import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../error.ts';
import type { Db } from '../tables.ts';

/** How often making the tables is tried. */
const TRIES = 10;

/** SQLSTATE of `create table if not exists` where another process makes the same table: it looks, then collides. */
const COLLIDED = new Set(['23505', '42P07', '42710', 'XX000', '40001']);

/** There is no such table. */
const UNDEFINED_TABLE = '42P01';

/** Names of the steps that the database has seen. */
export async function appliedSteps(db: Db): Promise<string[]> {
  try {
    const rows = await db.selectFrom('signalbox_migration').select('name').execute();
    return rows.map((row) => row.name);
  } catch (error) {
    if (errorCode(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}

/** Makes what the steps themselves need, whoever else does so at the same time. */
export async function makeStepTables(db: Db): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await make(db);
    } catch (error) {
      if (tries === TRIES || !COLLIDED.has(errorCode(error))) throw error;
      await pause(Math.random() * 20 * tries);
    }
  }
}

/**
 * Waits until no other process brings the schema up to date or loads sample data, and keeps others out until the
 * transaction ends. A row is locked, because advisory locks are not had on all engines.
 */
export async function lockSteps(tx: Db): Promise<void> {
  await tx.selectFrom('signalbox_migration_lock').select('id').forUpdate().execute();
}

async function make(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_migration')
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('applied', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('signalbox_migration_lock')
    .ifNotExists()
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .execute();
  await db
    .insertInto('signalbox_migration_lock')
    .values({ id: 1 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
