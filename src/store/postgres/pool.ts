import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { describePostgres, isLost, lostConnection } from './error.ts';

/** Milliseconds to wait for a connection, and for the answer to `select 1`. */
const PATIENCE = 5000;

/** Connections for the gateway's own tables. */
export interface TablePool extends PostgresPool {
  /** Resolves when the database answers. @throws StoreError */
  ready(): Promise<void>;
}

/** A database: for the driver, and for people. */
export interface Reached {
  readonly config: pg.ClientConfig;
  /** `host:port/database`. */
  readonly location: string;
  readonly database: string;
}

/** Reads a URL as the driver does, with `sslmode` and the like, and with the environment. @throws errors of the driver */
export function readConfig(url: string): Reached {
  const config: pg.ClientConfig = {
    connectionString: url,
    application_name: 'signalbox',
    connectionTimeoutMillis: PATIENCE,
    // The operating system notices a peer that vanished without closing the connection.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  const { host, port, database } = new pg.Client(config);
  return { config, location: `${host}:${port}/${database}`, database: database ?? '' };
}

/** @param lost is called for each connection that is lost while it is idle */
export function openPool({ config, location }: Reached, max: number, lost: (error: Error) => void): TablePool {
  const pool = new pg.Pool({ ...config, max, types: valueTypes });
  pool.on('error', (error) => lost(lostConnection(location, error)));
  // A connection that is lost in use fails its statement; its error event without a listener would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const connect = async (): Promise<pg.PoolClient> => {
    try {
      return await pool.connect();
    } catch (error) {
      throw describePostgres(location, error);
    }
  };
  return {
    connect: async () => telling(await connect(), location),
    end: () => pool.end(),
    options: pool.options,
    async ready() {
      const client = await connect();
      try {
        await client.query({ text: 'select 1', query_timeout: PATIENCE } as pg.QueryConfig);
        client.release();
      } catch (error) {
        client.release(true);
        throw describePostgres(location, error);
      }
    },
  };
}

/** A connection for the query builder. When it is lost in use, the error is the same as for one that can't be opened. */
function telling(client: pg.PoolClient, location: string): PostgresPoolClient {
  const query = async (...given: Parameters<pg.PoolClient['query']>): Promise<unknown> => {
    try {
      return await client.query(...given);
    } catch (error) {
      throw isLost(error) ? lostConnection(location, error as Error) : error;
    }
  };
  return { query: query as PostgresPoolClient['query'], release: (destroy) => client.release(destroy) };
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
const valueTypes: pg.CustomTypesConfig = {
  getTypeParser: ((id: number, format?: 'text' | 'binary') => {
    if (id === builtins.INT8) return integer;
    return AS_TEXT.has(id) ? text : pg.types.getTypeParser(id, format as 'text');
  }) as typeof pg.types.getTypeParser,
};

const text = (written: string): string => written;

function integer(written: string): number | bigint {
  const number = Number(written);
  return Number.isSafeInteger(number) ? number : BigInt(written);
}
