import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { describePostgres, isLost, lostConnection } from './error.ts';

/** How long a connection is waited for, and the answer to `select 1`, in milliseconds. */
const PATIENCE = 5000;

/** Connections for the gateway's own tables. */
export interface TablePool extends PostgresPool {
  /** Resolves where the database answers. @throws StoreError */
  ready(): Promise<void>;
}

/** What the driver needs to know of a database, and what people may. */
export interface Reached {
  readonly config: pg.ClientConfig;
  /** `host:port/database`. */
  readonly location: string;
  readonly database: string;
}

/** Reads a URL as the driver does: `sslmode` and its like, and what the environment adds. @throws errors of the driver */
export function readConfig(url: string): Reached {
  const config: pg.ClientConfig = {
    connectionString: url,
    application_name: 'signalbox',
    connectionTimeoutMillis: PATIENCE,
    // A peer that went away without a word is noticed by the system.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  const { host, port, database } = new pg.Client(config);
  return { config, location: `${host}:${port}/${database}`, database: database ?? '' };
}

/** @param lost is told of each connection that is lost while nobody uses it */
export function openPool({ config, location }: Reached, max: number, lost: (error: Error) => void): TablePool {
  const pool = new pg.Pool({ ...config, max, types: valueTypes });
  pool.on('error', (error) => lost(lostConnection(location, error)));
  // One that is lost while it is used fails what uses it; its event, which nobody else hears then, would end the process.
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

/** A connection for the query builder. One that is lost while it is used says so as any other that can't be had. */
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

/** What PostgreSQL writes is text of its own: no date that takes the zone of this machine. */
const AS_TEXT = new Set<number>([
  builtins.DATE,
  builtins.TIME,
  builtins.TIMETZ,
  builtins.TIMESTAMP,
  builtins.TIMESTAMPTZ,
  builtins.INTERVAL,
]);

/**
 * How values of PostgreSQL become those of JavaScript: an integer of eight bytes is a number where one holds it and a
 * bigint where not, dates and times are text; the rest is what the driver makes of it, a decimal its digits.
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
