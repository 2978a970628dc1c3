import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll } from 'vitest';
import type { Datasource, Query } from '../../../src/model/query.ts';
import type { ScalarKind } from '../../../src/model/scalar.ts';
import { openQueries, type QueryOptions, type QueryPort, reachDatabase } from '../../../src/query/index.ts';
import { freePort } from '../../support/free-port.ts';
import { hasMariadb, type MariadbServer, startMariadb } from '../../support/mariadb-server.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { postgresOf, storeAt } from '../postgres/support.ts';
import { databaseOf } from '../support.ts';

type Options = Partial<QueryOptions> & { readonly connections?: number };
type AtEnd = (task: () => Promise<void>) => void;

/** A database of a test's own on a server. */
export interface ServedDatabase {
  /** Opens queries on it, until the end. */
  open(options?: Options): Promise<QueryPort>;
  /** Runs statements in it, on a connection of its own; rows are those of the last. */
  run(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Where large results are put. */
  readonly results: string;
}

/** A server that dies and comes back. */
interface MortalServer {
  /** Queries on its first database. */
  readonly open: () => Promise<QueryPort>;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** A kind of server that queries run on: the same suite runs on each. */
export interface ServerKind {
  readonly name: string;
  readonly isThere: boolean;
  /** The gateway's own tables can be there too: `ready` says whether it answers. */
  readonly isOwn: boolean;
  databaseOf(sql: string, atEnd: AtEnd): Promise<ServedDatabase>;
  mortal(): Promise<MortalServer>;
  /** What each calls the same. */
  readonly sql: {
    /** Fills a table `t (id, name, cost)` with rows from 1 on. */
    readonly fill: (rows: number) => string;
    readonly asleep: string;
    /** Counts statements that sleep. */
    readonly sleeping: string;
    /** Fails while rows of `t` are read, and what the database says then. */
    readonly failing: string;
    readonly failure: RegExp;
    /** A text of `:SIZE` characters, all but the last of two bytes. */
    readonly wide: string;
    readonly writing: readonly string[];
    /** A SELECT of the numbers from 1 on. */
    readonly numbers: (count: number) => string;
    /** Statements with literals, whose backslashes are letters. */
    readonly escaped: (statements: string) => string;
    readonly connections: string;
    /** Types of the columns that `values` writes, and how it writes them. */
    readonly columns: Readonly<Record<string, string>>;
    readonly literal: (value: string | Uint8Array | null, type: string | undefined) => string;
    /** Empties `t` and fills it with these tuples. */
    readonly refill: (tuples: string) => string;
    /** A text as its column keeps it: not every type has room for each form. */
    readonly kept: (column: string, text: string) => string;
    /** A zone that the server knows, and ten o'clock of a day in July there. */
    readonly zone: string;
    readonly summer: string;
    /** Values that no format has a form for, with the types that they are declared as. */
    readonly odd: readonly (readonly [ScalarKind, string])[];
  };
}

const POSTGRES: ServerKind = {
  name: 'PostgreSQL',
  isThere: hasPostgres,
  isOwn: true,
  async databaseOf(sql, atEnd) {
    const database = await postgresOf(sql, atEnd);
    return { open: database.open, results: database.results, run: async (text) => (await database.run(text)).rows };
  },
  async mortal() {
    const server = startPostgres(await freePort());
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
    const store = await storeAt(server.url, join(folder, 'box'));
    return {
      open: async () => openQueries({ store, timezone: 'UTC', limits: { rows: 10, timeout: 5000 } }),
      kill: async () => server.stop('immediate'),
      start: async () => server.start(),
      remove: async () => {
        server.remove();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
  sql: {
    fill: (rows) => `create table t (id integer primary key, name text, cost numeric(10,2));
      insert into t select x, 'name ' || x, x * 1.25 from generate_series(1, ${rows}) x`,
    asleep: 'select pg_sleep(60)::text as n',
    sleeping:
      "select pid from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep%' and pid <> pg_backend_pid()",
    failing: 'select 1 / (id - id) as n from t',
    failure: /^query A_QUERY: 22012: division by zero$/,
    wide: "select repeat('é', :SIZE::int - 1) || 'x' as name",
    writing: [
      "with x as (insert into t values (0, 'no', 0) returning id) select id from x",
      'delete from t where id = 1 returning id',
    ],
    connections: 'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    numbers: (count) => `select generate_series(1, ${count})`,
    escaped: (statements) => statements,
    columns: {
      I: 'bigint',
      SMALL: 'smallint',
      D: 'numeric',
      F: 'double precision',
      B: 'boolean',
      DAY: 'date',
      T: 'time',
      AT: 'timestamp',
      OFF: 'timestamptz',
      S: 'text',
      V: 'varchar(20)',
      BIN: 'bytea',
      J: 'json',
      U: 'uuid',
      G: 'uuid',
      L: 'text',
    },
    literal(value, type) {
      if (value === null) return `null::${type}`;
      if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'::${type}`;
      return `'\\x${Buffer.from(value).toString('hex')}'::${type}`;
    },
    refill: (tuples) => `truncate t; set timezone = 'UTC'; insert into t values ${tuples}`,
    kept: (_, text) => text,
    zone: 'Europe/Berlin',
    summer: '2026-07-01T10:00:00+02:00',
    odd: [
      ['decimal', "'NaN'::numeric"],
      ['decimal', "'NaN'::float8"],
      ['decimal', "'Infinity'::float8"],
      ['integer', '1.5::numeric'],
      ['integer', "'x'::text"],
      ['date', "'infinity'::date"],
      ['date', "'0044-03-15 BC'::date"],
      ['date', "'12026-03-15'::date"],
      ['datetime', "'-infinity'::timestamp"],
      ['datetime', "'0044-03-15 10:00:00 BC'::timestamptz"],
      ['datetime', "'12026-01-01'::timestamp"],
      ['time', "'10:00:00+02'::timetz"],
      ['boolean', "'x'::text"],
    ],
  },
};

let shared: Promise<MariadbServer> | undefined;
let databases = 0;

/** One for each file of tests: it ends with the file. */
function mariadb(): Promise<MariadbServer> {
  if (shared !== undefined) return shared;
  shared = freePort().then((port) => startMariadb(port, ['--performance-schema=off']));
  afterAll(async () => {
    const server = await shared;
    shared = undefined;
    await server?.remove();
  });
  return shared;
}

/** Runs statements on a MariaDB. */
export async function runOn(url: string, sql: string): Promise<readonly RowDataPacket[]> {
  const connection = await createConnection({ uri: url, multipleStatements: true });
  try {
    const [found] = await connection.query<RowDataPacket[] | RowDataPacket[][]>(sql);
    const last = Array.isArray(found[0]) ? found.at(-1) : found;
    return Array.isArray(last) ? (last as RowDataPacket[]) : [];
  } finally {
    await connection.end();
  }
}

const DATASOURCE: Datasource = {
  id: 'OTHER',
  engine: 'mysql',
  url: { source: '', parts: [] },
  at: { file: 'datasources.yaml', line: 1, column: 1 },
};

/** Opens queries whose datasource is a MariaDB. The status is that of its connections alone. */
export async function openMariadb(url: string, results: string, options: Options, atEnd: AtEnd): Promise<QueryPort> {
  const store = await databaseOf('', atEnd);
  const { connections = 3, readers = 1, ...more } = options;
  const reached = await reachDatabase(url, '/');
  const port = openQueries({
    store: { location: store.location, files: results.replace(/-results$/, ''), postgres: undefined },
    timezone: 'UTC',
    limits: { rows: 300_000, timeout: 20_000 },
    readers,
    maxReaders: readers,
    datasources: [
      { datasource: DATASOURCE, database: { ...reached, open: (kept) => reached.open({ ...kept, connections }) } },
    ],
    ...more,
  });
  atEnd(() => port.close());
  const known = new WeakMap<Query, Query>();
  const there = (query: Query): Query => {
    const found = known.get(query) ?? { ...query, datasource: DATASOURCE };
    known.set(query, found);
    return found;
  };
  await port.ready();
  const own = port.status().readers.length;
  return {
    ...port,
    run: (call) => port.run({ ...call, query: there(call.query) }),
    rows: (call) => port.rows({ ...call, query: there(call.query) }),
    status: () => ({ ...port.status(), readers: port.status().readers.slice(own) }),
  };
}

const MARIADB: ServerKind = {
  name: 'MariaDB',
  isThere: hasMariadb,
  isOwn: false,
  async databaseOf(sql, atEnd) {
    const server = await mariadb();
    databases += 1;
    const name = `t_${databases}`;
    await runOn(server.url, `create database ${name} character set utf8mb4`);
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
    atEnd(async () => rmSync(folder, { recursive: true, force: true }));
    if (sql !== '') await runOn(url.href, sql);
    const results = join(folder, 'box-results');
    return {
      results,
      run: (text) => runOn(url.href, text),
      open: (options = {}) => openMariadb(url.href, results, options, atEnd),
    };
  },
  async mortal() {
    const server = await startMariadb(await freePort());
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
    const ends: (() => Promise<void>)[] = [];
    return {
      open: () => openMariadb(server.url, join(folder, 'box-results'), {}, (end) => void ends.push(end)),
      kill: () => server.stop('SIGKILL'),
      start: () => server.start(),
      remove: async () => {
        for (const end of ends.toReversed()) await end();
        await server.remove();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
  sql: {
    fill: (rows) => `create table t (id integer primary key, name text, cost numeric(10,2));
      insert into t select seq, concat('name ', seq), seq * 1.25 from seq_1_to_${rows}`,
    asleep: 'select sleep(60) as n',
    sleeping:
      "select id from information_schema.processlist where db = database() and info like '%sleep(%' and id <> connection_id()",
    failing: 'select 18446744073709551615 + id as n from t',
    failure: /^query A_QUERY: ER_DATA_OUT_OF_RANGE: BIGINT UNSIGNED value is out of range/,
    wide: "select concat(repeat('é', :SIZE - 1), 'x') as name",
    writing: ['delete from t where id = 1', "select id from t into outfile '/tmp/signalbox-no'"],
    connections: 'select id from information_schema.processlist where db = database() and id <> connection_id()',
    numbers: (count) => `select seq from seq_1_to_${count}`,
    escaped: (statements) => statements.replaceAll('\\', '\\\\'),
    columns: {
      I: 'bigint',
      SMALL: 'smallint',
      D: 'decimal(40, 12)',
      F: 'double',
      B: 'boolean',
      DAY: 'date',
      T: 'time',
      AT: 'datetime',
      OFF: 'datetime',
      S: 'longtext',
      V: 'varchar(20)',
      BIN: 'varbinary(20)',
      J: 'json',
      U: 'char(36)',
      G: 'char(36)',
      L: 'text',
    },
    literal(value) {
      if (value === null) return 'null';
      if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
      return `x'${Buffer.from(value).toString('hex')}'`;
    },
    refill: (tuples) => `truncate t; insert into t values ${tuples}`,
    kept(column, text) {
      if (column === 'OFF') return text.replace('+00', '');
      if (column !== 'D') return text;
      const [whole = '', fraction = ''] = text.split('.');
      return `${whole}.${fraction.padEnd(12, '0')}`;
    },
    // Names of zones are known to servers whose tables of zones were filled alone.
    zone: 'UTC',
    summer: '2026-07-01T10:00:00+00:00',
    odd: [
      ['integer', '1.5'],
      ['integer', "'x'"],
      ['date', "cast('0000-00-00' as date)"],
      ['date', "cast('2026-00-10' as date)"],
      ['datetime', "cast('0000-00-00 00:00:00' as datetime)"],
      ['time', "cast('838:59:59' as time)"],
      ['time', "cast('-10:00:00' as time)"],
      ['boolean', "'x'"],
      ['boolean', '2'],
    ],
  },
};

/** The kinds of servers, each with `describe.skipIf(!kind.isThere)`. */
export const SERVERS: readonly ServerKind[] = [POSTGRES, MARIADB];
