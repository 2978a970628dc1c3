import { sql } from 'kysely';
import type { Db } from '../tables.ts';

/** Sessions of the console, sign-ins that wait for their provider, and a count of the lines of the trail that changed no user. */
export async function addSessions(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_session')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('signed_in', 'text', (column) => column.notNull())
    .addColumn('roles', 'text', (column) => column.notNull())
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('seen', 'text', (column) => column.notNull())
    .addColumn('expires', 'text', (column) => column.notNull())
    .addColumn('ended', 'text')
    .addColumn('reason', 'text')
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('agent', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('signalbox_session_hash').on('signalbox_session').columns(['hash']).unique().execute();
  for (const column of ['user_id', 'expires'])
    await db.schema.createIndex(`signalbox_session_${column}`).on('signalbox_session').columns([column]).execute();
  await db.schema
    .createTable('signalbox_sign_in')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('scheme', 'text', (column) => column.notNull())
    .addColumn('return_to', 'text', (column) => column.notNull())
    .addColumn('redirect_uri', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('until', 'text', (column) => column.notNull())
    .execute();
  for (const column of ['address', 'until'])
    await db.schema.createIndex(`signalbox_sign_in_${column}`).on('signalbox_sign_in').columns([column]).execute();
  await db.schema
    .alterTable('signalbox_user_version')
    .addColumn('notes', 'integer', (column) => column.notNull().defaultTo(sql.lit(0)))
    .execute();
}
