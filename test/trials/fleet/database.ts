import pg from 'pg';
import type { HeldMessages } from './account-messages.ts';
import { NEXT_RECORDS } from './ledger.ts';

/** The test's own tables, in addition to the gateway's. The database itself records what was saved, and in which order. */
const TABLES = `
create table fleet_effect (item text not null, instance bigint not null);
create table fleet_record (id text primary key, step integer not null);
create table fleet_saved (number bigint generated always as identity, id text not null, step integer not null);
create table fleet_audit (number bigint generated always as identity, class integer not null, id text not null, step integer not null);
create table fleet_sequence (part text primary key, number integer not null);
insert into fleet_sequence select 'part' || n, 0 from generate_series(1, 8) as n;
create table fleet_published (item text primary key, part text not null, number integer not null);
create table fleet_delivered (number bigint generated always as identity, subscription text not null, item text not null);
create function fleet_note() returns trigger language plpgsql as $$
begin
  insert into fleet_saved (id, step) values (new.id, new.step);
  return null;
end $$;
create trigger fleet_noted after insert or update on fleet_record for each row execute function fleet_note();
`;

/** A process request, from the scheduler's own table. */
export interface RequestRow {
  readonly instance: number;
  readonly item: string;
  readonly status: string;
  /** Whether it has one attempt only. */
  readonly once: boolean;
  /** When it was entered and when it ended, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** A save, identified by the record and its step; for an audit row also the class that wrote it. */
export interface SaveRow {
  readonly id: string;
  readonly step: number;
}

/** The content of the database at the end. */
export interface Held {
  readonly requests: readonly RequestRow[];
  /** Items, one for each row that a process wrote. */
  readonly effects: readonly string[];
  /** In the order of the saves. */
  readonly saved: readonly SaveRow[];
  /** In the order in which the rows were written. */
  readonly audits: readonly (SaveRow & { readonly class: number })[];
  readonly messages: HeldMessages;
}

/** Creates the test's tables, in the schema if there is one. */
export async function createTables(url: string, schema?: string): Promise<void> {
  const inSchema = schema === undefined ? '' : `create schema ${schema}; set search_path = ${schema};`;
  await withClient(url, (client) => client.query(inSchema + TABLES));
}

/** The number of unfinished items. */
export function unfinished(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ open: number }>(
      `select (select count(*) from psprcsrqst where runstatus not in ('1', '2', '3', '8', '9', '10', '17'))
            + greatest(0, 2 * (select count(*) from fleet_saved) - (select count(*) from fleet_audit where class < 3))
            + greatest(0, (select count(*) from fleet_saved where id like '${NEXT_RECORDS}%')
              - (select count(*) from fleet_audit where class = 3 and id like '${NEXT_RECORDS}%'))
            + (select count(*) from signalbox_message where ended is null) as open`,
    );
    return Number(rows[0]?.open);
  });
}

/** Reads everything that the accounts need. */
export function readHeld(url: string): Promise<Held> {
  return withClient(url, async (client) => {
    const requests = await client.query<
      Omit<RequestRow, 'from' | 'to'> & { begun: string | null; ended: string | null }
    >(
      `select prcsinstance as instance, runcntlid as item, runstatus as status, prcsname = 'FLEET_NEXT' as once,
         rqstdttm as begun, enddttm as ended from psprcsrqst order by prcsinstance`,
    );
    const effects = await client.query<{ item: string }>('select item from fleet_effect');
    const saved = await client.query<SaveRow>('select id, step from fleet_saved order by number');
    const audits = await client.query<SaveRow & { class: number }>(
      'select class, id, step from fleet_audit order by number',
    );
    return {
      requests: requests.rows.map(({ begun, ended, ...row }) => ({
        ...row,
        instance: Number(row.instance),
        from: Date.parse(`${begun}Z`),
        // It is in whole seconds.
        to: Date.parse(`${ended}Z`) + 1000,
      })),
      effects: effects.rows.map(({ item }) => item),
      saved: saved.rows,
      audits: audits.rows,
      messages: await readMessages(client),
    };
  });
}

async function readMessages(client: pg.Client): Promise<HeldMessages> {
  const item = "join signalbox_message_field f on f.name = 'ITEM' and f.message";
  const read = async <T extends keyof HeldMessages>(text: string): Promise<HeldMessages[T]> =>
    (await client.query(text)).rows as unknown as HeldMessages[T];
  return {
    messages: await read<'messages'>(
      `select m.id, m.status, f.value as item from signalbox_message m ${item} = m.id order by m.id`,
    ),
    deliveries: await read<'deliveries'>(
      `select d.id, d.status, d.subscription, f.value as item from signalbox_delivery d ${item} = d.message`,
    ),
    published: await read<'published'>('select item, part from fleet_published order by part, number'),
    delivered: await read<'delivered'>('select subscription, item from fleet_delivered order by number'),
  };
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
