import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { openStore, pendingMigrations, type Store } from '../../src/store/index.ts';
import { migrations } from '../../src/store/schema/schema.ts';
import { describeEngines, type Engine } from './engines.ts';

const names = migrations.map((migration) => migration.name);

describeEngines('transactions', transactionContract);
describeEngines('migrations', migrationContract);

const table = 'signalbox_sample_data';

async function entries(store: Store): Promise<string[]> {
  const rows = await (await store.tables()).selectFrom(table).select('name').orderBy('name').execute();
  return rows.map((row) => row.name);
}

function transactionContract({ place, kind }: Engine): void {
  const opened = async (): Promise<Store> => (await place()).migrated();
  const enter = (name: string) => ({ name, loaded: '' });

  it('keep all of what was done, and return what the work does', async () => {
    const store = await opened();
    const done = await store.transaction(async (tx) => {
      await tx.insertInto(table).values(enter('a')).execute();
      await tx.insertInto(table).values(enter('b')).execute();
      return 'done';
    });
    expect([done, await entries(store)]).toEqual(['done', ['a', 'b']]);
  });

  it('keep nothing where the work fails, and tell its error', async () => {
    const store = await opened();
    const failing = store.transaction(async (tx) => {
      await tx.insertInto(table).values(enter('a')).execute();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const collision = store.transaction(async (tx) => {
      await tx.insertInto(table).values(enter('b')).execute();
      await tx.insertInto(table).values(enter('b')).execute();
    });
    await expect(collision).rejects.toThrow(/unique/i);
    expect(await entries(store)).toEqual([]);
  });

  it('are not seen by others before they end', async () => {
    const store = await opened();
    const [entered, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const running = store.transaction(async (tx) => {
      await tx.insertInto(table).values(enter('a')).execute();
      entered.resolve();
      await go.promise;
    });
    await entered.promise;
    // On SQLite the look waits for the transaction; on PostgreSQL it does not.
    const seen = entries(store);
    if (kind === 'postgres') expect(await seen).toEqual([]);
    go.resolve();
    await running;
    expect(await seen).toEqual(kind === 'postgres' ? [] : ['a']);
  });

  it('that run at the same time each count', async () => {
    const place_ = await place();
    const stores = [await place_.migrated(), await place_.open()];
    await (await stores[0]!.tables()).insertInto(table).values(enter('')).execute();
    const add = (store: Store) =>
      store.transaction(async (tx) => {
        await tx.updateTable(table).set({ loaded: sql<string>`loaded || 'x'` }).execute();
      });
    await Promise.all(Array.from({ length: 20 }, (_, at) => add(stores[at % 2]!)));
    expect(await place_.run(`select length(loaded) as n from ${table}`)).toEqual([{ n: 20 }]);
  });

  it('are done again where they gave way to another, a bounded number of times', async () => {
    const store = await opened();
    const gaveWay = () => Object.assign(new Error('could not serialize'), { code: '40001' });
    let runs = 0;
    const work = store.transaction(async (tx) => {
      runs += 1;
      await tx.insertInto(table).values(enter('a')).execute();
      if (runs < 3) throw new Error('wrapped', { cause: gaveWay() });
    });
    if (kind === 'sqlite') return expect(work).rejects.toThrow('wrapped');
    await work;
    expect([runs, await entries(store)]).toEqual([3, ['a']]);
    runs = 0;
    const never = store.transaction(async () => {
      runs += 1;
      throw gaveWay();
    });
    await expect(never).rejects.toThrow('could not serialize');
    expect(runs).toBe(8);
  });

  // PostgreSQL has another connection for it.
  if (kind === 'postgres') return;

  it('that wait for themselves are told so', async () => {
    const store = await opened();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const outer = store.transaction(() => store.transaction(async () => {}));
      const told = expect(outer).rejects.toThrow('must use the transaction it was given');
      await vi.advanceTimersByTimeAsync(5000);
      await told;
      // Code that is only started there gets its turn.
      let beside: Promise<string[]> | undefined;
      await store.transaction(async (tx) => {
        beside = entries(store);
        await tx.insertInto(table).values(enter('a')).execute();
      });
      expect(await beside).toEqual(['a']);
    } finally {
      vi.useRealTimers();
    }
  });
}

function migrationContract({ empty, kind }: Engine): void {
  /** All that a new database needs: on PostgreSQL also the schema of a queue. */
  const all = [...names, ...(kind === 'postgres' ? ['queue signalbox_queue'] : [])];

  it('make the tables once where four stores start together', async () => {
    const { open } = await empty();
    const stores = await Promise.all([open(), open(), open(), open()]);
    const steps: string[] = [];
    await Promise.all(stores.map((store) => store.migrate((name) => steps.push(name))));
    expect(steps).toEqual(all);
    expect(await stores[0]?.pending()).toEqual([]);
  });

  it('make them once where two processes start together', async () => {
    const { options, open } = await empty();
    const module = JSON.stringify(new URL('../../src/store/index.ts', import.meta.url).href);
    const script = `
      const { openStore } = await import(${module});
      const store = await openStore(JSON.parse(process.argv[1]));
      await store.migrate();
      await store.close();`;
    const run = promisify(execFile);
    const start = () => run(process.execPath, ['--input-type=module', '-e', script, JSON.stringify(options)]);
    await expect(Promise.all([start(), start()])).resolves.toHaveLength(2);
    expect(await (await open()).pending()).toEqual([]);
  });

  it('change nothing when they are run again', async () => {
    const { migrated, open, run } = await empty();
    const [first, second] = [await migrated(), await open()];
    const steps: string[] = [];
    await second.migrate((name) => steps.push(name));
    await first.migrate((name) => steps.push(name));
    expect(steps).toEqual([]);
    const rows = await run('select name from signalbox_migration order by name');
    expect(rows.map((row) => row.name)).toEqual(names);
  });

  it('are told before they are run, in the words of the engine, and those words make the same tables', async () => {
    const { options, open, run } = await empty();
    const planned = await pendingMigrations(options);
    expect(planned.map((step) => step.name)).toEqual(all);
    for (const { name, statements } of planned) {
      for (const statement of statements) {
        if (names.includes(name)) expect(statement).toMatch(/^(create|alter|insert|delete|drop) [^\n]*;( -- \[.*\])?$/);
        else expect(statement).toMatch(/^[^\n]*;$/);
        if (!statement.includes(' -- ')) await run(statement);
      }
    }
    const made = await run(schemaSql[kind]);
    const other = await empty();
    await other.migrated();
    expect(made.length).toBeGreaterThan(30);
    expect(made).toEqual(await other.run(schemaSql[kind]));
    // Only the records of the steps are missing.
    expect(await (await open()).pending()).toEqual(planned.slice(0, names.length));
  });

  it('give the process request table every documented column, as text or as whole numbers', async () => {
    const { migrated, run } = await empty();
    await migrated();
    const rows = await run(`select * from (${schemaSql[kind]}) as s where "table" = 'psprcsrqst'`);
    const documented =
      'PRCSINSTANCE JOBINSTANCE MAINJOBINSTANCE PRCSJOBSEQ PRCSJOBNAME PRCSTYPE PRCSNAME MAINJOBNAME RUNLOCATION OPSYS ' +
      'SERVERNAMERQST SERVERNAMERUN RUNDTTM RECURNAME OPRID RUNCNTLID RUNSTATUS DISTSTATUS RQSTDTTM BEGINDTTM ENDDTTM';
    expect(rows.map((row) => String(row.column).toUpperCase()).toSorted()).toEqual(documented.split(' ').toSorted());
    expect(new Set(rows.map((row) => String(row.type).toLowerCase()))).toEqual(new Set(['text', 'integer']));
  });

  it('keep nothing of a run that fails', async () => {
    const { open, run } = await empty();
    const store = await open();
    await run('create table signalbox_sample_data (of_somebody_else text)');
    await expect(store.migrate()).rejects.toThrow(/brought up to date: migration 0001-schema failed: /);
    await expect(store.migrate()).rejects.toMatchObject({ name: 'StoreError', location: store.location });
    const rows = await run(schemaSql[kind]);
    const made = new Set(rows.map((row) => row.table));
    expect([made.has('signalbox_sample_data'), made.has('psprcsrqst'), made.has('signalbox_blob')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await store.pending()).toHaveLength(all.length);
  });

  it('accept the steps of a newer version that this version goes on working with', async () => {
    const { migrated, options, run } = await empty();
    const store = await migrated();
    const last = names.at(-1);
    await run(`insert into signalbox_migration values ('9998-additive', '', '${last}'), ('9999-too', '', '${last}')`);
    await expect(store.migrate()).resolves.toBeUndefined();
    expect(await pendingMigrations(options)).toEqual([]);
  });

  it('say which version goes on working with each, also where an older one made the table of steps', async () => {
    const { migrated, run } = await empty();
    await run('create table signalbox_migration (name text primary key, applied text not null)');
    await migrated();
    const rows = await run('select name, compatible_with from signalbox_migration order by name');
    expect(rows).toEqual(names.map((name) => ({ name, compatible_with: '0001-schema' })));
  });

  it('refuse a database of a newer version', async () => {
    const { migrated, options, run } = await empty();
    const store = await migrated();
    await run(`insert into signalbox_migration values ('9999-from-the-future', '', '9998-later')`);
    const newer = /was written by a newer version.*9999-from-the-future/;
    await expect(store.migrate()).rejects.toThrow(newer);
    await expect(store.pending()).rejects.toThrow(newer);
    await expect(pendingMigrations(options)).rejects.toThrow(newer);
    expect(String(await store.migrate().catch(String))).toContain(store.location);
  });

  it('refuse a database from before the first release, and say what to do with it', async () => {
    const { migrated, options, run } = await empty();
    const store = await migrated();
    await run('delete from signalbox_migration');
    await run(
      `insert into signalbox_migration (name, applied) values ('0001-process-requests', ''), ('0010-rates', '')`,
    );
    const older =
      `${store.location} holds the tables of a signalbox from before its first release (steps 0001-process-requests to 0010-rates), ` +
      "which this version can't bring up to date; dump what you want to keep of it, and name an empty database";
    await expect(store.migrate()).rejects.toThrow(older);
    await expect(pendingMigrations(options)).rejects.toThrow(older);
  });

  it('are wanted by a store that was only opened', async () => {
    const { options } = await empty();
    const store = await openStore(options);
    expect((await store.pending()).map((step) => step.name)).toEqual(all);
    await store.close();
    await store.close();
  });
}

/** Own tables with their columns and types. */
const schemaSql = {
  sqlite: `select t.name as "table", c.name as "column", c.type as type from sqlite_schema as t, pragma_table_info(t.name) as c
    where t.type = 'table' and t.name <> 'signalbox_migration' order by 1, 2`,
  postgres: `select table_name as "table", column_name as "column", data_type as type from information_schema.columns
    where table_schema in ('public', 'signalbox_queue') and table_name not like 'signalbox_migration%' order by 1, 2`,
} as const;
