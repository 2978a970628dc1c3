import { sql } from 'kysely';
import type { Store } from '../store-port.ts';
import type { Db } from '../tables.ts';

/** Messages, their content, the fields by which they are found, and their deliveries with the attempts at each. */
export async function addMessages(db: Db, kind: Store['kind']): Promise<void> {
  const uuid = sql.raw(kind === 'sqlite' ? 'text' : 'uuid');
  const bytes = sql.raw(kind === 'sqlite' ? 'blob' : 'bytea');
  await db.schema
    .createTable('signalbox_message')
    .addColumn('id', uuid, (column) => column.primaryKey())
    .addColumn('operation', 'text', (column) => column.notNull())
    .addColumn('queue', 'text')
    .addColumn('partition', 'text')
    .addColumn('node', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('entered', 'bigint', (column) => column.notNull())
    .addColumn('ended', 'bigint')
    .addColumn('expires', 'bigint')
    .addColumn('actor', 'text')
    .addColumn('declared', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('connector', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('trace', 'text')
    .addColumn('caused_by', uuid)
    .addColumn('edited_from', uuid)
    .addColumn('hops', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('open', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('size', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('code', 'integer')
    .addColumn('reason', 'text')
    .execute();
  // Ids are in the order of time (RFC 9562, section 5.7), so these serve lists from the newest on.
  for (const column of ['operation', 'queue', 'status'])
    await db.schema
      .createIndex(`signalbox_message_${column}`)
      .on('signalbox_message')
      .columns([column, 'id'])
      .execute();
  // Columns that few messages have cost the others nothing.
  for (const column of ['node', 'trace', 'caused_by', 'edited_from', 'expires'])
    await db.schema
      .createIndex(`signalbox_message_${column}`)
      .on('signalbox_message')
      .columns([column, 'id'])
      .where(sql<boolean>`${sql.ref(column)} is not null`)
      .execute();
  await db.schema
    .createIndex('signalbox_message_actor')
    .on('signalbox_message')
    .columns(['actor'])
    .where(sql<boolean>`open > 0 and declared = 0`)
    .execute();
  await db.schema
    .createTable('signalbox_message_content')
    .addColumn('message', uuid, (column) => column.notNull())
    .addColumn('part', 'text', (column) => column.notNull())
    .addColumn('encoding', 'text', (column) => column.notNull())
    .addColumn('content', bytes)
    .addColumn('blob', 'text')
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('signalbox_message_content_key', ['message', 'part'])
    .execute();
  await db.schema
    .createTable('signalbox_message_field')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('message', uuid, (column) => column.notNull())
    .addPrimaryKeyConstraint('signalbox_message_field_key', ['name', 'value', 'message'])
    .execute();
  await db.schema
    .createIndex('signalbox_message_field_of')
    .on('signalbox_message_field')
    .columns(['message'])
    .execute();
  await db.schema
    .createIndex('signalbox_message_content_blob')
    .on('signalbox_message_content')
    .columns(['message'])
    .where(sql<boolean>`blob is not null`)
    .execute();
  await db.schema
    .createTable('signalbox_delivery')
    .addColumn('id', uuid, (column) => column.primaryKey())
    .addColumn('message', uuid, (column) => column.notNull())
    .addColumn('subscription', 'text', (column) => column.notNull())
    .addColumn('partition', 'text')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('entered', 'bigint', (column) => column.notNull())
    .addColumn('ended', 'bigint')
    .addColumn('next', 'bigint')
    .addColumn('reason', 'text')
    .addColumn('actor', 'text')
    .execute();
  await db.schema.createIndex('signalbox_delivery_message').on('signalbox_delivery').columns(['message']).execute();
  // By message, so that a list of messages follows them from the newest on.
  for (const column of ['subscription', 'status'])
    await db.schema
      .createIndex(`signalbox_delivery_${column}`)
      .on('signalbox_delivery')
      .columns([column, 'message'])
      .execute();
  await db.schema
    .createTable('signalbox_delivery_attempt')
    .addColumn('delivery', uuid, (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('began', 'bigint', (column) => column.notNull())
    .addColumn('ended', 'bigint', (column) => column.notNull())
    .addColumn('gateway', 'text', (column) => column.notNull())
    .addColumn('code', 'integer')
    .addColumn('reason', 'text')
    .addPrimaryKeyConstraint('signalbox_delivery_attempt_key', ['delivery', 'number'])
    .execute();
}
