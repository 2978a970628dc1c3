import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';
import { callerOf, childrenRunning, startFailing } from './failure-project.ts';

const RUNNING = `select pid from pg_stat_activity
  where datname = current_database() and state = 'active' and query like '%from c)%' and pid <> pg_backend_pid()`;

/** Of the statements that a run may be stopped in, one must have been within it; a machine that is busy may miss some. */
const WITHIN = 1_000;
const TRIES = 5;

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  const lacks = engine === 'PostgreSQL' ? !hasPostgres : process.platform !== 'linux';
  describe.skipIf(lacks)(`a polled query that is cancelled on ${engine}`, () => {
    let database: TestDatabase | undefined;
    let gateway: TestGateway;
    beforeAll(async () => {
      database = engine === 'PostgreSQL' ? await createDatabase({ migrated: true }) : undefined;
      gateway = await startFailing(database?.url);
    });
    afterAll(async () => {
      await gateway.stop();
      await database?.drop();
    });

    /** Whether a query has been handed over: a run counts as running a moment before that. */
    const isBusy = async (): Promise<boolean> =>
      /^signalbox_query_readers\{state="busy"\} [1-9]/m.test((await gateway.call('/metrics')).text);

    /** What works at queries: statements of the database, or readers. */
    const workers = async (): Promise<number[]> =>
      database === undefined
        ? childrenRunning(gateway.folder)
        : (await database.run(RUNNING)).rows.map(({ pid }: { pid: number }) => pid);

    it('is stopped in the database within a second', async () => {
      const { get, poll, untilRun } = callerOf(gateway);
      let took = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < TRIES && took >= WITHIN; tries++) {
        const id = await poll('ENDLESS');
        await untilRun(id, 'running');
        const before = await eventually('what runs it', async () => {
          const found = (await isBusy()) ? await workers() : [];
          return found.length > 0 ? found : undefined;
        });
        const from = performance.now();
        expect((await get(`CancelQuery.v1/cancelquery?instanceid=${id}&json_resp=true`)).text).toContain('success');
        // Of the readers one is killed, and another takes its place.
        await eventually('its end', async () => {
          const now = await workers();
          return before.some((pid) => !now.includes(pid)) || undefined;
        });
        took = performance.now() - from;
        await untilRun(id, 'killed');
      }
      expect(took).toBeLessThan(WITHIN);
    });
  });
}
