import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openQueries, type QueryOptions, type QueryPort } from '../../../src/query/index.ts';
import { postgres } from '../../../src/query/postgres/adapter.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';

/** A database of its own and a folder for large results, both of which go at the end. */
export interface TestPostgres extends TestDatabase {
  /** Opens queries on it, until the end. */
  open(options?: Partial<QueryOptions> & { readonly connections?: number }): Promise<QueryPort>;
  /** Where large results are put. */
  readonly results: string;
}

type AtEnd = (task: () => Promise<void>) => void;

export async function postgresOf(sql: string, atEnd: AtEnd = onTestFinished): Promise<TestPostgres> {
  const database = await createDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  const ports: QueryPort[] = [];
  atEnd(async () => {
    await Promise.all(ports.map((port) => port.close()));
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  if (sql !== '') await database.run(sql);
  const files = join(folder, 'box');
  return {
    ...database,
    results: `${files}-results`,
    async open({ connections = 3, ...options } = {}) {
      const port = openQueries({
        store: await storeAt(database.url, files, connections),
        timezone: 'UTC',
        limits: { rows: 300_000, timeout: 20_000 },
        ...options,
      });
      ports.push(port);
      return port;
    },
  };
}

/** As the gateway's own database is reached. */
export async function storeAt(url: string, files: string, connections = 3): Promise<QueryOptions['store']> {
  const { location, access: config } = await postgres.reach(url, '/', {});
  return {
    location,
    files,
    postgres: {
      config,
      engine: 'postgresql',
      connections: { tables: 2, queries: connections, queue: 2 },
      queue: async () => 'signalbox_queue',
    },
  };
}
