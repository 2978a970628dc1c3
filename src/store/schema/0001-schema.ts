import { sql } from 'kysely';
import type { Store } from '../store-port.ts';
import type { Db } from '../tables.ts';

type Kind = Store['kind'];

/** A table, with the type and the constraints of each column in SQL. */
interface Shape {
  readonly columns: Readonly<Record<string, string | Readonly<Record<Kind, string>>>>;
  /** The primary key, when it has several columns. */
  readonly key?: readonly string[];
  /** By the last part of their names. */
  readonly indexes?: Readonly<Record<string, Index>>;
  /** The engine that has the table; both engines have it when absent. */
  readonly only?: Kind;
}

interface Index {
  readonly columns: readonly string[];
  readonly unique?: true;
  readonly where?: string;
  /** The engine that has the index; both engines have it when absent. */
  readonly only?: Kind;
}

/** Tables by name. They are those of this step for good: the row types of `tables/` go on to what later steps make of them. */
type Shapes = Readonly<Record<string, Shape>>;

const KEY = 'text primary key';
const TEXT = 'text not null';
const EMPTY = "text default '' not null";
const INTEGER = 'integer not null';
const ZERO = 'integer default 0 not null';
const BIGINT = 'bigint not null';
const LARGE_ZERO = 'bigint default 0 not null';

const processes = {
  psprcsrqst: {
    columns: {
      prcsinstance: 'integer primary key',
      jobinstance: ZERO,
      mainjobinstance: ZERO,
      prcsjobseq: ZERO,
      prcsjobname: EMPTY,
      prcstype: TEXT,
      prcsname: TEXT,
      mainjobname: EMPTY,
      runlocation: EMPTY,
      opsys: EMPTY,
      servernamerqst: EMPTY,
      servernamerun: EMPTY,
      rundttm: 'text',
      recurname: EMPTY,
      oprid: TEXT,
      runcntlid: EMPTY,
      runstatus: TEXT,
      diststatus: "text default '0' not null",
      rqstdttm: 'text',
      begindttm: 'text',
      enddttm: 'text',
    },
    indexes: { oprid: { columns: ['oprid'] }, runstatus: { columns: ['runstatus'] } },
  },
  signalbox_process_request: {
    columns: {
      instance: 'integer primary key',
      parameters: TEXT,
      destination: TEXT,
      format: TEXT,
      requested: TEXT,
      runs: TEXT,
      began: 'text',
      ended: 'text',
      job: TEXT,
      run: 'text',
      attempt: ZERO,
      followed: ZERO,
      cancelled: 'text',
      percent: 'integer',
      progress: 'text',
      messages: ZERO,
      report: 'text',
      content: 'integer',
    },
    indexes: { ended: { columns: ['ended'] } },
  },
  signalbox_process_message: {
    columns: { instance: INTEGER, sequence: INTEGER, level: TEXT, text: TEXT, said: TEXT },
    key: ['instance', 'sequence'],
  },
  signalbox_process_number: { columns: { name: KEY, last: INTEGER } },
} satisfies Shapes;

const queries = {
  signalbox_query_run: {
    columns: {
      id: KEY,
      owner: TEXT,
      query: TEXT,
      is_private: INTEGER,
      request: TEXT,
      state: TEXT,
      message: 'text',
      num_cols: ZERO,
      total_rows: LARGE_ZERO,
      total_bytes: LARGE_ZERO,
      truncated: ZERO,
      blocks: "text default '[]' not null",
      blob: 'text',
      file: 'text',
      entered: TEXT,
      ended: 'text',
    },
    indexes: { ended: { columns: ['ended'] } },
  },
  signalbox_saved_query: {
    columns: { owner: TEXT, name: TEXT, definition: TEXT, saved: TEXT },
    key: ['owner', 'name'],
  },
} satisfies Shapes;

const WAITING = 'worker is null and place = 0';

const queue = {
  signalbox_job: {
    columns: {
      sequence: { sqlite: 'integer primary key', postgres: BIGINT },
      queue: TEXT,
      id: { sqlite: TEXT, postgres: 'uuid not null' },
      key: 'text',
      data: TEXT,
      place: INTEGER,
      due: BIGINT,
      since: 'bigint',
      attempt: ZERO,
      worker: 'text',
      mark: 'bigint',
      cancelled: ZERO,
    },
    // Each answers one question: what waits, for how long, who is first and next of a key, who comes to it, who holds what.
    indexes: {
      id: { only: 'sqlite', columns: ['queue', 'id'], unique: true },
      // A look for several ids must not depend on statistics: with the queue first, those of an empty table make it read all.
      uuid: { only: 'postgres', columns: ['id', 'queue'], unique: true },
      waiting: { only: 'sqlite', columns: ['queue', 'due', 'sequence'], where: WAITING },
      since: { only: 'sqlite', columns: ['queue', 'since'], where: WAITING },
      head: { only: 'sqlite', columns: ['queue', 'key'], unique: true, where: 'place = 0 and key is not null' },
      next: { columns: ['queue', 'key', 'sequence'], where: 'place = 1' },
      coming: { only: 'sqlite', columns: ['queue', 'due', 'sequence'], where: 'place = 2' },
      worker: { only: 'sqlite', columns: ['worker'], where: 'worker is not null' },
    },
  },
  signalbox_job_key: {
    only: 'postgres',
    columns: { queue: TEXT, key: TEXT, last: BIGINT },
    key: ['queue', 'key'],
  },
  signalbox_dead_letter: {
    columns: { queue: TEXT, id: TEXT, key: 'text', data: TEXT, attempts: INTEGER, error: TEXT, died: TEXT },
    key: ['queue', 'id'],
    indexes: { died: { columns: ['died'] } },
  },
  signalbox_recurring: { columns: { name: KEY, cron: TEXT, zone: TEXT, last: TEXT, next: 'text' } },
} satisfies Shapes;

const blobs = {
  signalbox_blob: {
    columns: {
      scope: TEXT,
      key: TEXT,
      file: TEXT,
      content_type: TEXT,
      name: 'text',
      length: BIGINT,
      sha256: TEXT,
      stored: TEXT,
    },
    key: ['scope', 'key'],
  },
  signalbox_loose_blob: { columns: { file: KEY, process: TEXT } },
  // SQLite has files for the content of blobs.
  signalbox_blob_chunk: {
    only: 'postgres',
    columns: { file: TEXT, number: INTEGER, content: 'bytea not null' },
    key: ['file', 'number'],
  },
  signalbox_blob_lease: { only: 'postgres', columns: { id: KEY, beats: ZERO } },
  signalbox_blob_reader: {
    only: 'postgres',
    columns: { id: KEY, file: TEXT, process: TEXT },
    indexes: { file: { columns: ['file'] } },
  },
} satisfies Shapes;

const callers = {
  signalbox_user: {
    columns: {
      id: KEY,
      password: 'text',
      description: 'text',
      roles: TEXT,
      disabled: ZERO,
      created: TEXT,
      changed: TEXT,
    },
  },
  signalbox_api_key: {
    columns: {
      id: KEY,
      hash: 'text not null unique',
      user_id: TEXT,
      description: 'text',
      created: TEXT,
      expires: 'text',
      revoked: 'text',
    },
    indexes: { user: { columns: ['user_id'] } },
  },
  signalbox_user_certificate: {
    columns: { fingerprint: KEY, user_id: TEXT, description: 'text', created: TEXT },
    indexes: { user: { columns: ['user_id'] } },
  },
  signalbox_user_audit: {
    columns: { sequence: 'integer primary key', at: TEXT, actor: TEXT, action: TEXT, user_id: TEXT, detail: TEXT },
    indexes: { user: { columns: ['user_id'] } },
  },
  signalbox_user_version: { columns: { id: 'integer primary key', version: INTEGER } },
  signalbox_caller: { columns: { id: KEY, roles: TEXT, seen: TEXT } },
  signalbox_nonce: { columns: { hash: KEY, until: TEXT }, indexes: { until: { columns: ['until'] } } },
  // A gateway on SQLite is alone and counts in memory. The library that counts here names no columns: their order matters.
  signalbox_rate: { only: 'postgres', columns: { key: KEY, points: INTEGER, expire: 'bigint' } },
} satisfies Shapes;

const shapes: Shapes = {
  ...processes,
  ...queries,
  ...queue,
  ...blobs,
  ...callers,
  signalbox_sample_data: { columns: { name: KEY, loaded: TEXT } },
};

/** Creates every table of the gateway. */
export async function createSchema(db: Db, kind: Kind): Promise<void> {
  for (const [name, shape] of Object.entries<Shape>(shapes))
    if (shape.only === undefined || shape.only === kind) await createTable(db, kind, name, shape);
  const numbers = ['instance', 'content'].map((name) => ({ name, last: 0 }));
  await db.insertInto('signalbox_process_number').values(numbers).execute();
  await db.insertInto('signalbox_user_version').values({ id: 1, version: 0 }).execute();
}

async function createTable(db: Db, kind: Kind, name: string, { columns, key, indexes = {} }: Shape) {
  let table = db.schema.createTable(name);
  for (const [column, type] of Object.entries(columns))
    table = table.addColumn(column, sql.raw(typeof type === 'string' ? type : type[kind]));
  if (key !== undefined) table = table.addPrimaryKeyConstraint(`${name}_pk`, [...key] as never[]);
  await table.execute();
  for (const [end, { columns: of, unique, where, only = kind }] of Object.entries(indexes)) {
    if (only !== kind) continue;
    let index = db.schema
      .createIndex(`${name}_${end}`)
      .on(name)
      .columns([...of]);
    if (unique) index = index.unique();
    await (where === undefined ? index : index.where(sql.raw<boolean>(where))).execute();
  }
}
