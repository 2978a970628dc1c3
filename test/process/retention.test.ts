import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRetention } from '../../src/store/index.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { openTestScheduler, registryOf, type TestScheduler } from './support.ts';

const DAY = 86_400_000;

describe.each(['SQLite', 'PostgreSQL'])('process requests that ended long ago, on %s', (engine) => {
  const isPostgres = engine === 'PostgreSQL';
  const inEngine = it.skipIf(isPostgres && !hasPostgres);
  let database: TestDatabase | undefined;
  let test: TestScheduler;

  beforeAll(async () => {
    if (isPostgres && !hasPostgres) return;
    database = isPostgres ? await createDatabase({ migrated: true }) : undefined;
    const registry = registryOf('', 'retention: { process-requests: 90 d, process-logs: 30 d, results: 7 d }');
    test = await openTestScheduler({
      ...(database === undefined ? {} : { url: database.url }),
      registry,
      code: async (_, context) => {
        context.message('info', 'a line');
        await context.report({
          contentType: 'text/plain',
          stream: async function* () {
            yield Buffer.from('report');
          },
        });
      },
    });
  });
  afterAll(async () => {
    await test?.close();
    await database?.drop();
  });

  const endedBefore = async (instance: number, days: number): Promise<void> => {
    const ended = new Date(Date.now() - days * DAY).toISOString();
    const db = await test.store.tables();
    await db.updateTable('signalbox_process_request').set({ ended }).where('instance', '=', instance).execute();
  };
  const done = async (days: number): Promise<number> => {
    const instance = await test.enter();
    await test.reaches(instance, 'Success');
    await endedBefore(instance, days);
    return instance;
  };
  const left = async (table: 'psprcsrqst' | 'signalbox_process_request' | 'signalbox_process_message') => {
    const column = table === 'psprcsrqst' ? 'prcsinstance' : 'instance';
    const rows = await (await test.store.tables()).selectFrom(table).select(column).distinct().execute();
    return rows.map((row) => Object.values(row)[0] as number).sort((a, b) => a - b);
  };
  const sweep = () => openRetention({ store: test.store, kinds: test.scheduler.retained, most: 2 }).sweep();

  inEngine('lose their reports and messages first, and go in the end, with all that belongs to them', async () => {
    const [gone, alsoGone, thirdGone] = [await done(91), await done(100), await done(200)];
    const [quiet, alsoQuiet, thirdQuiet] = [await done(31), await done(31), await done(89)];
    const bare = await done(8);
    const whole = await done(1);
    await sweep();
    const kept = [quiet, alsoQuiet, thirdQuiet, bare, whole];
    expect(await left('psprcsrqst')).toEqual(kept);
    expect(await left('signalbox_process_request')).toEqual(kept);
    expect(await left('signalbox_process_message')).toEqual([bare, whole]);
    const distributions = kept.map(async (each) => (await test.scheduler.get(each, test.demo)).distribution);
    expect(await Promise.all(distributions)).toEqual(['Delete', 'Delete', 'Delete', 'Delete', 'Posted']);
    const blobs = await (await test.store.tables()).selectFrom('signalbox_blob').select('key').execute();
    expect(blobs).toHaveLength(1);
    for (const each of [gone, alsoGone, thirdGone])
      await expect(test.scheduler.get(each, test.demo)).rejects.toThrow(`no process request ${each}`);
  });

  inEngine('stay while they have not ended, however old they are', async () => {
    const waiting = await test.enter({ runDateTime: '2999-01-01T00:00:00Z' });
    const restarted = await done(1000);
    const db = await test.store.tables();
    // As if another gateway were restarting it at this moment.
    await db.updateTable('psprcsrqst').set({ runstatus: '5' }).where('prcsinstance', '=', restarted).execute();
    await endedBefore(waiting, 1000);
    await sweep();
    const kept = await left('signalbox_process_request');
    expect(kept).toContain(waiting);
    expect(kept).toContain(restarted);
  });

  inEngine('that were deleted before they ran count from then on', async () => {
    const waiting = await test.enter({ runDateTime: '2999-01-01T00:00:00Z' });
    await test.scheduler.update(waiting, 'Deleted', test.demo, 'demo');
    const db = await test.store.tables();
    const row = db.selectFrom('signalbox_process_request').select('ended').where('instance', '=', waiting);
    expect((await row.executeTakeFirstOrThrow()).ended).not.toBeNull();
    await endedBefore(waiting, 91);
    await sweep();
    expect(await left('psprcsrqst')).not.toContain(waiting);
  });

  inEngine('keep the callers for whom requests have not ended', async () => {
    const waiting = await test.enter({ runDateTime: '2999-01-01T00:00:00Z' });
    const { store, scheduler } = test;
    const busy = await store.transaction((tx) => scheduler.busy(tx, ['demo', 'IDP:nobody']));
    expect(busy).toEqual(['demo']);
    await scheduler.update(waiting, 'Cancelled', test.demo, 'demo');
  });
});
