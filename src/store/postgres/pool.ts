import cluster from 'node:cluster';
import { hostname } from 'node:os';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { type DatabaseBounds, databaseBounds } from '../../model/gateway.ts';
import type { PoolStatus } from '../../model/metrics.ts';
import { once, withinSilence } from '../../wire/waiting.ts';
import { timeForStatement, timeLeft, untilDeadline } from '../deadline.ts';
import { StoreError } from '../error.ts';
import { type RawRows, rawReading } from '../raw-rows.ts';
import { Connection, sessionSettings, timeToConnect } from './client.ts';
import type { ConnectionConfig, SessionSetting } from './connection-config.ts';
import { describePostgres, explain, isDemoted } from './error.ts';
import type { Servers } from './servers.ts';

/** Milliseconds to wait for the answer to `select 1`. */
const PATIENCE = 5000;

/** `limits.timeout` by default, for commands that open a database without a gateway. */
const USUAL = databaseBounds(30_000);

/** Connections for the gateway's own tables. */
export interface TablePool extends PostgresPool {
  /** Resolves when the database answers. @throws StoreError */
  ready(): Promise<void>;
  status(): PoolStatus;
}

/**
 * The name under which connections are listed in `pg_stat_activity`: `signalbox tables host:4711`, or `host:4711/4720` for the
 * worker 4720 of a gateway with several. PostgreSQL keeps 63 bytes.
 */
export function applicationName(purpose: 'tables' | 'queries' | 'queue' | 'notifications'): string {
  return `signalbox ${purpose} ${FAMILY}${cluster.isWorker ? `/${process.pid}` : ''}`;
}

/** Names the gateway, with all its workers. */
export const FAMILY = `${hostname().split('.')[0]?.slice(0, 24)}:${cluster.isWorker ? process.ppid : process.pid}`;

/** What a URL does not say. */
interface ConfigOptions {
  readonly bounds?: DatabaseBounds | undefined;
  /** The only schema that names without one refer to, apart from PostgreSQL's own. */
  readonly schema?: string | undefined;
}

function searchPath(schema: string | undefined): SessionSetting[] {
  return schema === undefined ? [] : [{ name: 'search_path', value: `"${schema}"` }];
}

/** What connections to a database have in common. */
export function configOf(servers: Servers, { bounds = USUAL, schema }: ConfigOptions = {}): ConnectionConfig {
  return {
    servers,
    application_name: applicationName('tables'),
    // The operating system notices a peer that vanished without closing the connection.
    keepAlive: true,
    keepAliveInitialDelayMillis: bounds.keepalive.idle,
    session: [...sessionSettings(bounds), ...searchPath(schema)],
    bounds,
  };
}

/** @param lost is called for each connection that is lost while it is idle */
export function openPool(config: ConnectionConfig, max: number, lost: (error: Error) => void): TablePool {
  const { location } = config.servers;
  const pool = new pg.Pool({ types: valueTypes, ...config, max, Client: Connection as never });
  pool.on('error', (error) => lost(explain(location, error) as Error));
  const connections = new Set<Connection>();
  pool.on('connect', (client) => connections.add(client as unknown as Connection));
  pool.on('remove', (client) => connections.delete(client as unknown as Connection));
  const demoted = ({ host, port }: Connection): void => {
    // With one server only, there is no other to go to.
    if (!config.servers.chooses) return;
    for (const each of connections) if (each.host === host && each.port === port) each.leave();
  };
  const connect = async (): Promise<PooledConnection> => {
    try {
      return (await inTime(pool.connect(), timeToConnect(config))) as PooledConnection;
    } catch (error) {
      throw describePostgres(location, error);
    }
  };
  return {
    connect: async () => explaining(await connect(), config, demoted),
    end: () => pool.end(),
    options: pool.options,
    status() {
      const { totalCount, idleCount, waitingCount } = pool;
      return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount, limit: max };
    },
    async ready() {
      const client = await connect();
      try {
        await client.ask(Math.min(timeLeft() ?? PATIENCE, PATIENCE), 'select 1');
        client.release();
      } catch (error) {
        client.release(true);
        throw describePostgres(location, error);
      }
    },
  };
}

/**
 * Waits for a connection so many milliseconds, and until the current deadline. One that is opened or becomes free later is returned
 * to the pool.
 */
function inTime(connecting: Promise<pg.PoolClient>, ms: number): Promise<pg.PoolClient> {
  const giveBack = once(() =>
    connecting.then(
      (client) => client.release(),
      () => {},
    ),
  );
  const late = (): Error => {
    giveBack();
    return new Error('no connection became free in time');
  };
  return untilDeadline(withinSilence(connecting, ms, late), late);
}

/** Milliseconds to end a transaction whose deadline has passed, or is about to. */
const LAST = 200;

type PooledConnection = Connection & pg.PoolClient;

/**
 * A connection for the query builder. Each statement is answered before the current deadline, or fails. When the connection is
 * lost in use, the error is the same as for one that can't be opened.
 */
function explaining(
  client: PooledConnection,
  { bounds, servers: { location } }: ConnectionConfig,
  demoted: (client: Connection) => void,
): PostgresPoolClient {
  let unfit = false;
  const query = async (sql: string, values?: readonly unknown[]): Promise<unknown> => {
    const left = timeForStatement(bounds.patience, bounds.timeouts.statement + LAST);
    const ms = sql === 'commit' || sql === 'rollback' ? Math.max(left, LAST) : left;
    try {
      if (ms <= 0) throw new StoreError(location, 'the time limit had passed before a statement was sent');
      if (rawReading() !== undefined) return await rawRows(client, ms, sql, values);
      return await client.ask(ms, preparedOf(sql) ?? sql, values);
    } catch (error) {
      if (isDemoted(error)) {
        unfit = true;
        demoted(client);
      }
      throw explain(location, error);
    }
  };
  return {
    query: query as PostgresPoolClient['query'],
    // One whose transaction could not be ended must not serve anyone else.
    release: (destroy) => client.release(destroy || unfit || client.getTransactionStatus() !== 'I'),
  };
}

/**
 * Inserts of given values, or of rows in a JSON text: whatever the values are, they have one plan. A text with a semicolon may
 * hold several statements, which can't be prepared.
 */
const INSERT =
  /^\s*(?:with \S+ as \(\s*)?insert into\s(?!.*;\s*\S)(?!.*\breturning \*)(?!.*\bselect\b(?!.*\bfrom json_to_recordset\())/is;

/** Statements that may be prepared on each connection. */
const MOST_PREPARED = 100;

const prepared = new Map<string, { readonly name: string; readonly text: string }>();

/**
 * An insert that each connection keeps prepared: to parse and plan that of jobs takes PostgreSQL longer than to run it. Other
 * statements are not: their best plan depends on the values, and the columns of a result may change with a migration.
 */
function preparedOf(text: string): { readonly name: string; readonly text: string } | undefined {
  const known = prepared.get(text);
  if (known !== undefined || prepared.size === MOST_PREPARED || !INSERT.test(text)) return known;
  const named = { name: `signalbox_${prepared.size + 1}`, text };
  prepared.set(text, named);
  return named;
}

/** A result whose only row has all rows. */
async function rawRows(client: Connection, ms: number, sql: string, values?: readonly unknown[]) {
  const { rows, fields } = await client.ask<never>(
    ms,
    { text: sql, rowMode: 'array', types: TEXTS } as pg.QueryConfig,
    values,
  );
  const names = fields.map(({ name }) => name);
  return { rows: [{ names, types: fields.map(({ dataTypeID }) => dataTypeID), cells: rows } satisfies RawRows] };
}

const { builtins } = pg.types;

/** Types that stay the text of PostgreSQL: a date must not take the time zone of this machine. */
const AS_TEXT = new Set<number>([
  builtins.DATE,
  builtins.TIME,
  builtins.TIMETZ,
  builtins.TIMESTAMP,
  builtins.TIMESTAMPTZ,
  builtins.INTERVAL,
]);

/**
 * Converts values of PostgreSQL to JavaScript: an integer of eight bytes becomes a number, or a bigint when a number can't hold
 * it; dates and times become text; the driver converts the rest, a decimal to its digits.
 */
export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser: ((id: number, format?: 'text' | 'binary') => {
    if (id === builtins.INT8) return integer;
    return AS_TEXT.has(id) ? text : pg.types.getTypeParser(id, format as 'text');
  }) as typeof pg.types.getTypeParser,
};

const text = (written: string): string => written;

/** Every value as PostgreSQL writes it. */
const TEXTS: pg.CustomTypesConfig = { getTypeParser: (() => text) as typeof pg.types.getTypeParser };

function integer(written: string): number | bigint {
  const number = Number(written);
  return Number.isSafeInteger(number) ? number : BigInt(written);
}
