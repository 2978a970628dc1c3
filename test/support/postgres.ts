import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** URL of the PostgreSQL of this run; empty if there is none. */
const server = inject('postgres');

/** Whether there is a PostgreSQL: `describe.skipIf(!hasPostgres)`. */
export const hasPostgres = server !== '';

/** A database for one test. */
export interface TestDatabase {
  readonly url: string;
  /** Runs statements in it, on a separate connection. */
  run(sql: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
  /** Removes it, even if there are connections. */
  drop(): Promise<void>;
}

let strategy: Promise<string> | undefined;

/** Copying files takes half as long as PostgreSQL's default, which logs every page; versions before 15 have no choice. */
async function quickest(): Promise<string> {
  const { rows } = await once(server, 'show server_version_num');
  return Number(rows[0].server_version_num) < 150_000 ? '' : 'strategy file_copy';
}

/** Creates a database: empty, or a copy of a migrated one, which takes a fifth of the time of a migration. */
export async function createDatabase({ migrated = false } = {}): Promise<TestDatabase> {
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  strategy ??= quickest();
  const template = migrated ? `template ${inject('postgresTemplate')}` : '';
  await once(server, `create database ${name} ${template} ${await strategy}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    run: (sql, values) => once(url.href, sql, values),
    drop: async () => void (await once(server, `drop database if exists ${name} with (force)`)),
  };
}

async function once(url: string, sql: string, values?: readonly unknown[]): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql, values === undefined ? undefined : [...values]);
  } finally {
    await client.end();
  }
}
