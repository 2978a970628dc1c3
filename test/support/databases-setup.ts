import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openStore } from '../../src/store/index.ts';
import { freePort } from './free-port.ts';
import { postgresPrograms, startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of a PostgreSQL for the whole run; empty if none is available. */
    readonly postgres: string;
    /** Name of a migrated database there, to be copied. */
    readonly postgresTemplate: string;
  }
}

/** Settings without durability: this server is never restarted during a run. */
const FORGETFUL = { synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off', jit: 'off' } as const;

/**
 * The databases that all test files share. Migrated ones to be copied: of SQLite, and of one PostgreSQL, which is the one that
 * SIGNALBOX_TEST_POSTGRES names, or a new one if PostgreSQL is installed. Without either, tests that need it are skipped by
 * name; `.ci/run` installs it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-template-'));
  await migrate('sqlite:template.db', folder);
  process.env.SIGNALBOX_TEST_SQLITE = join(folder, 'template.db');
  const given = process.env.SIGNALBOX_TEST_POSTGRES;
  const own =
    given === undefined && postgresPrograms() !== undefined ? startPostgres(await freePort(), FORGETFUL) : undefined;
  const url = given ?? own?.url ?? '';
  project.provide('postgres', url);
  const template = `signalbox_template_${process.pid}`;
  project.provide('postgresTemplate', template);
  if (url !== '') await makeTemplate(url, template, folder);
  return async () => {
    rmSync(folder, { recursive: true });
    own?.remove();
    if (own === undefined && url !== '') await runOn(url, `drop database ${template}`);
  };
}

async function makeTemplate(server: string, name: string, folder: string): Promise<void> {
  await runOn(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  await migrate(url.href, folder);
}

async function migrate(url: string, root: string): Promise<void> {
  const store = await openStore({ url, root });
  await store.migrate();
  await store.close();
}

async function runOn(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(sql);
  await client.end();
}
