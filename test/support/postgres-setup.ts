import type { TestProject } from 'vitest/node';
import { freePort } from './free-port.ts';
import { postgresPrograms, startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Of a PostgreSQL for the whole run; empty where none can be had. */
    readonly postgres: string;
  }
}

/** Nobody stops it in between: only those that are stopped have to keep what was committed. */
const FORGETFUL = { synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off', jit: 'off' } as const;

/**
 * One PostgreSQL for all test files: the one that SIGNALBOX_TEST_POSTGRES names, or one of our own where it is installed.
 * Without either, tests that need it are skipped by name; `.ci/run` installs it.
 */
export default async function setup(project: TestProject): Promise<(() => void) | undefined> {
  const given = process.env.SIGNALBOX_TEST_POSTGRES;
  if (given !== undefined || postgresPrograms() === undefined) {
    project.provide('postgres', given ?? '');
    return undefined;
  }
  const server = startPostgres(await freePort(), FORGETFUL);
  project.provide('postgres', server.url);
  return () => server.remove();
}
