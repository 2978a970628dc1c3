import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProcessContext } from '../../src/model/handler.ts';
import { openRetention } from '../../src/store/index.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';
import { type Code, gate, openTestScheduler, registryOf, type TestScheduler } from './support.ts';

const parameters = (values: Record<string, string>) => ({
  parameters: Object.entries(values).map(([Name, Value]) => ({ Name, Value })),
});

/** What the code of WORK does, by its parameter MODE. */
const modes = new Map<string, Code>();
let named = 0;

/** Registers code, and returns the parameters of a request that runs it. */
function doing(code: Code) {
  named += 1;
  modes.set(String(named), code);
  return parameters({ MODE: String(named) });
}

const code: Code = (given, context) => modes.get(given.MODE ?? '')?.(given, context);

describe.each(['SQLite', 'PostgreSQL'])('the scheduler on %s', (engine) => {
  const isPostgres = engine === 'PostgreSQL';
  const inEngine = it.skipIf(isPostgres && !hasPostgres);
  const registry = registryOf('retry: { attempts: 2, first: 10 ms, longest: 10 ms }');
  let database: TestDatabase | undefined;
  let test: TestScheduler;

  beforeAll(async () => {
    if (isPostgres && !hasPostgres) return;
    database = isPostgres ? await createDatabase({ migrated: true }) : undefined;
    test = await openTestScheduler({ ...(database === undefined ? {} : { url: database.url }), registry, code });
    await (await test.store.tables()).schema
      .createTable('effect')
      .addColumn('instance', 'integer')
      .addColumn('attempt', 'integer')
      .execute();
  });
  afterAll(async () => {
    await test?.close();
    await database?.drop();
  });

  const effect = async (context: ProcessContext): Promise<void> =>
    context.complete(async (transaction) => {
      const values = { INSTANCE: context.instance, ATTEMPT: context.attempt };
      await transaction.execute('insert into effect (instance, attempt) values (:INSTANCE, :ATTEMPT)', values);
    });

  const effects = async (instance: number): Promise<number[]> => {
    const db = (await test.store.tables()).withTables<{ effect: { instance: number; attempt: number } }>();
    const rows = await db.selectFrom('effect').select('attempt').where('instance', '=', instance).execute();
    return rows.map(({ attempt }) => attempt);
  };

  inEngine('gives each request a number of its own, above every one that is there', async () => {
    const db = await test.store.tables();
    const [last] = await Promise.all([test.enter(), test.enter()]);
    await db
      .insertInto('psprcsrqst')
      .values({
        prcsinstance: last + 500,
        prcstype: 'COBOL SQL',
        prcsname: 'OLD',
        oprid: 'VP1',
        runstatus: '9',
      } as never)
      .execute();
    const instances = await Promise.all(Array.from({ length: 10 }, () => test.enter()));
    expect(instances.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, index) => last + 501 + index));
    for (const instance of instances) await test.reaches(instance, 'Success');
  });

  inEngine('takes the next number when another system has used one in the meantime', async () => {
    const db = await test.store.tables();
    // As soon as the first two numbers are reserved, the other system enters requests with them.
    const enters = `insert into psprcsrqst (prcsinstance, prcstype, prcsname, oprid, runstatus)
      select new.last, 'COBOL SQL', 'TAKEN', 'VP1', '9' where (select count(*) from psprcsrqst where prcsname = 'TAKEN') < 2;`;
    const triggered =
      test.store.kind === 'sqlite'
        ? [`create trigger other_system after update on signalbox_process_number begin ${enters} end`]
        : [
            `create function other_system() returns trigger language plpgsql as $$ begin ${enters} return null; end $$`,
            'create trigger other_system after update on signalbox_process_number for each row execute function other_system()',
          ];
    for (const statement of triggered) await sql.raw(statement).execute(db);
    const instance = await test.enter();
    const on = test.store.kind === 'sqlite' ? '' : ' on signalbox_process_number';
    await sql.raw(`drop trigger other_system${on}`).execute(db);
    await test.reaches(instance, 'Success');
    const taken = await db
      .selectFrom('psprcsrqst')
      .select('prcsinstance')
      .where('prcsname', '=', 'TAKEN')
      .orderBy('prcsinstance')
      .execute();
    expect(taken.map((row) => row.prcsinstance)).toEqual([instance - 2, instance - 1]);
  });

  inEngine('ends a request in the transaction of its effects: both, or neither', async () => {
    const done = await test.enter(doing((_, context) => effect(context)));
    await test.reaches(done, 'Success');
    expect(await effects(done)).toEqual([1]);
    const twice = await test.enter(
      doing(async (_, context) => {
        if (context.attempt === 2) return void (await effect(context));
        await context.complete(async (transaction) => {
          await transaction.execute('insert into effect (instance, attempt) values (:I, 1)', { I: context.instance });
          throw new Error('The line is engaged.');
        });
      }),
    );
    await test.reaches(twice, 'Success');
    expect(await effects(twice)).toEqual([2]);
    // What comes after the end changes nothing.
    const after = await test.enter(
      doing(async (_, context) => {
        await effect(context);
        throw new Error('too late');
      }),
    );
    await test.reaches(after, 'Success');
    await eventually('the report of what came after', () => test.errors.find((each) => each.message === 'too late'));
    expect(await test.status(after)).toBe('Success');
  });

  it.skipIf(!isPostgres || !hasPostgres)('lets no transaction that schedules wait for another to end', async () => {
    const { store, scheduler, demo } = test;
    const work = registry.processes.get('WORK')!;
    const inside = (tx: Parameters<typeof scheduler.scheduleInside>[0]) =>
      scheduler.scheduleInside(tx, work, { MODE: 'none' }, {}, demo);
    const first = gate();
    const entered = gate();
    const open = store.transaction(async (tx) => {
      const numbers = [await inside(tx), await inside(tx)];
      entered.open();
      await first.opened;
      return numbers;
    });
    await entered.opened;
    const second = await store.transaction(inside);
    first.open();
    const [one = 0, two = 0] = await open;
    expect([two, second]).toEqual([one + 1, one + 2]);
    for (const each of [one, two, second]) await test.reaches(each, 'Success');
  });

  inEngine('keeps nothing of a request that is cancelled before it completes', async () => {
    const running = gate();
    const cancelled = gate();
    const instance = await test.enter(
      doing(async (_, context) => {
        await context.report({ contentType: 'text/plain', stream: async function* () {} });
        running.open();
        await cancelled.opened;
        await effect(context);
      }),
    );
    await running.opened;
    await test.scheduler.update(instance, 'Cancelled', test.demo, 'demo');
    cancelled.open();
    await test.reaches(instance, 'Cancelled');
    expect(await effects(instance)).toEqual([]);
    expect(await test.scheduler.get(instance, test.demo)).toMatchObject({ distribution: 'None' });
  });

  inEngine('gives up code that ignores its signal, and takes nothing of it any more', async () => {
    const running = gate();
    const given = gate();
    const tried: unknown[] = [];
    const over = gate();
    const instance = await test.enter(
      doing(async (_, context) => {
        running.open();
        await given.opened;
        for (const attempt of [
          () => context.message('info', 'still here'),
          () => context.report({ contentType: 'text/plain', stream: async function* () {} }),
          () => effect(context),
        ])
          await Promise.resolve()
            .then(attempt)
            .catch((error: Error) => tried.push(error.message));
        over.open();
      }),
    );
    await running.opened;
    await test.scheduler.update(instance, 'Cancelled', test.demo, 'demo');
    await test.reaches(instance, 'Cancelled');
    given.open();
    await over.opened;
    expect(tried).toEqual(Array.from({ length: 3 }, () => `process request ${instance} was given up`));
    expect(await test.scheduler.messages(instance, { from: 1, count: 10 }, test.demo)).toEqual([]);
  });

  inEngine('shows what running code says of itself', async () => {
    const said = gate();
    const instance = await test.enter(
      doing(async (_, context) => {
        expect(() => context.progress(101)).toThrow(RangeError);
        context.progress(12.4, 'reading');
        context.message('info', 'begun\0');
        await said.opened;
        context.message('error', 'x'.repeat(3000));
      }),
    );
    await eventually('its progress', async () => {
      const { percent, progress } = await test.scheduler.get(instance, test.demo);
      return percent === 12 && progress === 'reading' ? true : undefined;
    });
    said.open();
    await test.reaches(instance, 'Success');
    const lines = await test.scheduler.messages(instance, { from: 1, count: 10 }, test.demo);
    expect(lines.map(({ sequence, level, text }) => [sequence, level, text.length])).toEqual([
      [1, 'info', 5],
      [2, 'error', 2000],
    ]);
  });

  inEngine('keeps words of a database from its callers', async () => {
    const instance = await test.enter(
      doing(async (_, context) =>
        context.complete(async (tx) => void (await tx.execute('select nothing from nowhere'))),
      ),
    );
    await test.reaches(instance, 'Error');
    const lines = await test.scheduler.messages(instance, { from: 1, count: 10 }, test.demo);
    for (const { text } of lines) {
      expect(text).not.toMatch(/nowhere|nothing from/);
      expect(text).toMatch(/the gateway's log says more/);
    }
  });

  inEngine('removes reports that are older than they are kept', async () => {
    const report = {
      contentType: 'text/plain',
      stream: async function* () {
        yield Buffer.from('report');
      },
    };
    const instance = await test.enter(doing((_, context) => context.report(report)));
    await test.reaches(instance, 'Success');
    await openRetention({ store: test.store, kinds: test.scheduler.retained }).sweep();
    const { content } = await test.scheduler.report(instance, test.demo);
    expect(content.length).toBe(6);
    const db = await test.store.tables();
    const old = new Date(Date.now() - 8 * 86_400_000).toISOString();
    await db.updateTable('signalbox_process_request').set({ ended: old }).where('instance', '=', instance).execute();
    await openRetention({ store: test.store, kinds: test.scheduler.retained }).sweep();
    expect((await test.scheduler.get(instance, test.demo)).distribution).toBe('Delete');
    await expect(test.scheduler.report(instance, test.demo)).rejects.toThrow(/its distribution Delete/);
  });

  inEngine('keeps the report of a request that runs for longer than reports are kept', async () => {
    const { opened: reported, open: say } = gate();
    const { opened: ending, open: end } = gate();
    const instance = await test.enter(
      doing(async (_, context) => {
        await context.report({
          contentType: 'text/plain',
          stream: async function* () {
            yield Buffer.from('early');
          },
        });
        say();
        await ending;
      }),
    );
    await reported;
    const blobs = test.blobs.scope('process reports');
    await blobs.put('given up', { contentType: 'text/plain', stream: async function* () {} });
    const db = await test.store.tables();
    // As if it had begun, and reported, a month ago.
    const old = '2020-01-01T00:00:00.000Z';
    const { report } = await db
      .updateTable('signalbox_process_request')
      .set({ began: old })
      .where('instance', '=', instance)
      .returning('report')
      .executeTakeFirstOrThrow();
    await db
      .updateTable('signalbox_blob')
      .set({ stored: '2020-01-02T00:00:00.000Z' })
      .where('key', '=', report as string)
      .execute();
    await db
      .updateTable('signalbox_blob')
      .set({ stored: '2019-12-31T00:00:00.000Z' })
      .where('key', '=', 'given up')
      .execute();
    await openRetention({ store: test.store, kinds: test.scheduler.retained }).sweep();
    expect(await blobs.get('given up')).toBeUndefined();
    end();
    await test.reaches(instance, 'Success');
    expect((await test.scheduler.report(instance, test.demo)).content.length).toBe(5);
  });

  inEngine('ends what was asked to end when its gateway has gone', async () => {
    const { endForgotten } = await import('../../src/process/steps.ts');
    const { createClock } = await import('../../src/process/clock.ts');
    const instance = await test.enter({ runDateTime: '2199-01-01T00:00:00Z' });
    const db = await test.store.tables();
    await db.updateTable('psprcsrqst').set({ runstatus: '1' }).where('prcsinstance', '=', instance).execute();
    const cancelled = '2026-01-01T00:00:00.000Z';
    await db.updateTable('signalbox_process_request').set({ cancelled }).where('instance', '=', instance).execute();
    const clock = createClock('UTC', Date.now);
    await test.store.transaction((tx) => endForgotten(tx, clock, Date.parse(cancelled)));
    expect(await test.status(instance)).toBe('Cancel');
    await test.store.transaction((tx) => endForgotten(tx, clock, Date.parse(cancelled) + 1));
    expect(await test.status(instance)).toBe('Cancelled');
  });

  inEngine('shares the work with a second one over the same database, each request once', async () => {
    const url = database?.url ?? `sqlite:${test.store.location}`;
    const ran = new Map<number, string[]>();
    const note = (who: string): Code => {
      return (_, { instance }) => void ran.set(instance, [...(ran.get(instance) ?? []), who]);
    };
    const theirs = await openTestScheduler({ url, registry, code: note('theirs') });
    try {
      const ours = doing(note('ours'));
      const instances = await Promise.all(Array.from({ length: 20 }, () => test.enter(ours)));
      for (const instance of instances) await test.reaches(instance, 'Success');
      for (const instance of instances) expect(ran.get(instance)).toHaveLength(1);
    } finally {
      await theirs.close();
    }
  });
});
