import type { Db } from '../../tables.ts';

/** Users that are kept here, their API keys and certificates, what became of them; callers that tokens vouched for; nonces that were seen. */
export async function createSecurity(db: Db): Promise<void> {
  await createUsers(db);
  await db.schema
    .createTable('signalbox_caller')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('roles', 'text', (column) => column.notNull())
    .addColumn('seen', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('signalbox_nonce')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('until', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('signalbox_nonce_until').on('signalbox_nonce').column('until').execute();
}

async function createUsers(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_user')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('password', 'text')
    .addColumn('description', 'text')
    .addColumn('roles', 'text', (column) => column.notNull())
    .addColumn('disabled', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('changed', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('signalbox_api_key')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('expires', 'text')
    .addColumn('revoked', 'text')
    .execute();
  await db.schema.createIndex('signalbox_api_key_user').on('signalbox_api_key').column('user_id').execute();
  await db.schema
    .createTable('signalbox_user_certificate')
    .addColumn('fingerprint', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('created', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('signalbox_user_certificate_user')
    .on('signalbox_user_certificate')
    .column('user_id')
    .execute();
  await db.schema
    .createTable('signalbox_user_audit')
    .addColumn('sequence', 'integer', (column) => column.primaryKey())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('signalbox_user_audit_user').on('signalbox_user_audit').column('user_id').execute();
  await db.schema
    .createTable('signalbox_user_version')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute();
  await db.insertInto('signalbox_user_version').values({ id: 1, version: 0 }).execute();
}
