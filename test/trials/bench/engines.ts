import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { postgresPrograms, startPostgres } from '../../support/postgres-server.ts';
import type { Figure } from './figure.ts';
import type { Bench } from './harness.ts';

/** A database for each run: in one that is full, the next would be slower. */
export interface Engine {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** The URL of an empty database. */
  fresh(): Promise<string>;
}

/** Does something on each engine that is installed. */
export async function onEach(bench: Bench, work: (engine: Engine) => Promise<readonly Figure[]>): Promise<Figure[]> {
  let files = 0;
  const fresh = async (): Promise<string> => `sqlite:${join(bench.folder, `engine-${files++}.db`)}`;
  const figures = [...(await work({ name: 'SQLite', fresh }))];
  if (postgresPrograms() === undefined) return figures;
  const server = startPostgres(await freePort());
  const { default: pg } = await import('pg');
  try {
    let databases = 0;
    const next = async (): Promise<string> => {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      const name = `bench_${databases++}`;
      await client.query(`create database ${name}`);
      await client.end();
      const url = new URL(server.url);
      url.pathname = name;
      return url.href;
    };
    figures.push(...(await work({ name: 'PostgreSQL', fresh: next })));
  } finally {
    server.remove();
  }
  return figures;
}
