import { join } from 'node:path';
import Database from 'better-sqlite3';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres.ts';
import { gatewayText } from '../support/project.ts';

const DEFINITIONS = `document: VEHICLE
fields:
  PLATE: { type: string(20), required: true }
  KM: { type: integer, required: true }
  PRICE: decimal(12.2)
  SEEN: datetime
---
{ component: VEHICLES, table: vehicle, shape: VEHICLE, keys: [PLATE], permission: EVERYTHING, events: [{ event: SavePostChange, service: AUDIT }] }
---
{ related-content: AUDIT, class: audit, public: true }
---
query: VEHICLE_LIST
public: true
prompts: { LEAST: integer }
columns: { PLATE: string(20), KM: integer, PRICE: decimal(12.2), SEEN: datetime }
sql: |
  select plate, km, price, seen from vehicle where :LEAST is null or km >= :LEAST
  order by km desc -- the newest first
---
query: CAPPED
public: true
rows: 2
columns: { KM: integer }
sql: select km from vehicle order by km;
---
{ datasource: OTHER, url: 'sqlite:test.db' }
---
{ query: ELSEWHERE, public: true, datasource: OTHER, columns: { N: integer }, sql: select 1 as n }
---
process: TOLD
type: Application Engine
public: true
parameters: { PLATE: { type: string(20), required: true }, KM: integer }
---
service: Vehicles.v1
permission: EVERYTHING
operations:
  TRY: { post: "try/{KIND}", request: { fields: { KIND: string } }, response: json }
  ANYONE: { post: anyone, response: json, public: true }
`;

/** Each kind is a transaction, and what the caller gets of it. */
const TRY = `
let arrived = 0;
const { promise: all, resolve: meet } = Promise.withResolvers();
/** Resolves once two have called it. */
const barrier = () => {
  arrived += 1;
  if (arrived === 2) meet();
  return all;
};
export default {
  async onRequest({ KIND }, context) {
    const save = (tx, KM, more = {}) => tx.saveComponent('VEHICLES', { PLATE: KIND, KM, ...more });
    const text = (value) => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? each + 'n' : each));
    switch (KIND) {
      case 'commit': return text(await context.transaction(async (tx) => {
        const { created } = await save(tx, 9007199254740993n, { PRICE: '12.50', SEEN: '2026-01-31T10:00:00Z' });
        const inserted = await tx.execute('insert into vehicle (plate, km) values (:plate, :km)', { plate: 'second', km: 7 });
        const { rows } = await tx.execute('select km from vehicle where plate = :plate', { plate: 'second' });
        const { record } = await tx.readComponent('VEHICLES', { PLATE: 'second' });
        return {
          created, changed: inserted.changed, rows, record,
          inside: await tx.query('VEHICLE_LIST', { LEAST: 5 }),
          outside: (await context.query('VEHICLE_LIST', { LEAST: 5 })).length,
          instance: await tx.schedule('TOLD', { PLATE: KIND, KM: 7 }, { runControl: 'mine' }),
        };
      }));
      case 'rollback': return context.transaction(async (tx) => {
        await save(tx, 1);
        await tx.schedule('TOLD', { PLATE: KIND });
        throw Object.assign(new Error('not today'), {});
      });
      case 'capped': return text(await context.transaction(async (tx) => {
        for (const each of [11, 12, 13]) await tx.execute('insert into vehicle (plate, km) values (:plate, :each)', { plate: 'c' + each, each });
        return [(await tx.query('CAPPED')).length, (await tx.query('VEHICLE_LIST', {}, { maxrows: 1 })).length];
      }));
      case 'together': return text(await context.transaction(async (tx) =>
        (await Promise.all([tx.query('CAPPED'), save(tx, 21), tx.query('CAPPED'), save(tx, 22)])).length));
      case 'conflict': return context.transaction((tx) => tx.saveComponent('VEHICLES', { PLATE: 'second', KM: 1 }, { action: 'create' }));
      case 'nested': return context.transaction(() => context.transaction(() => 1));
      case 'nested-save': return context.transaction(() => context.saveComponent('VEHICLES', { PLATE: KIND, KM: 1 }));
      case 'datasource': return context.transaction((tx) => tx.query('ELSEWHERE'));
      case 'undeclared': return context.transaction((tx) => tx.schedule('TODL', {}));
      case 'unnamed': return context.transaction((tx) => tx.query(undefined));
      case 'parameter': return context.transaction((tx) => tx.schedule('TOLD', {}));
      case 'not-awaited': await context.transaction((tx) => void save(tx, 31)); return '1';
      case 'late': {
        let kept;
        await context.transaction((tx) => { kept = tx; });
        return text(await kept.execute('select 1').then(() => 'ran', (error) => error.message));
      }
      case 'caught': return text(await context.transaction(async (tx) => {
        await save(tx, 41);
        return tx.query('VEHICLE_LIST', { LEAST: 'x' }).catch((fault) => fault.code);
      }));
      case 'hangs': return context.transaction(async (tx) => { await save(tx, 51); await new Promise(() => {}); });
      case 'gives-way': {
        let runs = 0;
        await context.transaction(async (tx) => {
          runs += 1;
          await save(tx, 80 + runs);
          await tx.schedule('TOLD', { PLATE: KIND, KM: runs });
          // As the database does when two transactions wait for each other, and when they can't be put into an order.
          const state = [, '40P01', '40001'][runs];
          if (state !== undefined) await tx.execute("do $$ begin raise exception 'gave way' using errcode = '" + state + "'; end $$");
        });
        return text(runs);
      }
      case 'deadlock': {
        const both = await Promise.all([['left', 'right'], ['right', 'left']].map(async ([first, second]) => {
          let runs = 0;
          await context.transaction(async (tx) => {
            runs += 1;
            // Longer than the server's deadlock_timeout of a second.
            await tx.execute("set local lock_timeout = '3s'");
            await tx.execute('update vehicle set km = km + 1 where plate = :first', { first });
            if (runs === 1) await barrier();
            await tx.execute('update vehicle set km = km + 1 where plate = :second', { second });
          });
          return runs;
        }));
        return text(both.toSorted());
      }
      case 'read': return text((await context.readComponent('VEHICLES', { PLATE: 'second' })).record);
      case 'read-none': return context.readComponent('VEHICLES', { PLATE: 'none' });
      case 'event': return text(await context.saveComponent('VEHICLES', { PLATE: 'event', KM: 61 }));
      case 'killed': return context.transaction(async (tx) => {
        await save(tx, 71);
        await tx.schedule('TOLD', { PLATE: KIND });
        process.kill(process.pid, 'SIGKILL');
        await new Promise(() => {});
      });
    }
  },
};
`;

const TABLES = (kind: string): string =>
  `create table vehicle (plate varchar(20) primary key, km bigint not null, price ${kind === 'sqlite' ? 'text' : 'numeric(12,2)'}, seen ${kind === 'sqlite' ? 'text' : 'timestamptz'});
   create table told (plate varchar(20), what varchar(20), seen integer);`;

/** A project whose handler tries transactions. */
export const transactionFiles = (kind: string): Readonly<Record<string, string>> => ({
  'definitions/gateway.yaml': gatewayText('sample-data: sample/*.sql\nlimits: { timeout: 3 s }\n'),
  'definitions/vehicles.yaml': DEFINITIONS,
  'definitions/sample/tables.sql': TABLES(kind),
  'src/handlers/try.ts': TRY,
  'src/handlers/anyone.ts': `export default {
    onRequest: (_, context) => context.transaction((tx) => tx.schedule('TOLD', { PLATE: 'nobody' })),
  };`,
  'src/handlers/told.ts': `export default {
    async run({ PLATE, KM }, context) {
      await context.complete(async (tx) => {
        await tx.execute("insert into told values (:PLATE, 'process', :KM)", { PLATE, KM });
        const [row] = await tx.query('VEHICLE_LIST', {}, { maxrows: 1 });
        if (row === undefined) throw new Error('no vehicle');
      });
    },
  };`,
  'src/handlers/audit.ts': `import { ServiceInterface } from 'signalbox';
export default class extends ServiceInterface {
  async execute({ tx, execute, readComponent, after }) {
    await tx.execute("insert into vehicle (plate, km) values (:plate, 1000)", { plate: 'a' + after.KM });
    const seen = await tx.query('VEHICLE_LIST', { LEAST: 1000 });
    const { record } = await readComponent('VEHICLES', { PLATE: 'a' + after.KM });
    await execute("insert into told values (:plate, 'event', :seen)", { plate: after.PLATE, seen: seen.some(({ PLATE }) => PLATE === record.PLATE) ? 1 : 0 });
    await tx.execute("delete from vehicle where plate = :plate", { plate: 'a' + after.KM });
  }
}
`,
});

/** A gateway on one of the engines, with a way to read its tables. */
export interface TransactionGateway extends TestGateway {
  rows(sql: string): Promise<readonly Record<string, unknown>[]>;
}

export async function startTransactions(kind: 'sqlite' | 'postgres'): Promise<TransactionGateway> {
  const files = transactionFiles(kind);
  if (kind === 'sqlite') {
    const box = await startTestGateway({ files });
    const rows = async (sql: string): Promise<Record<string, unknown>[]> => {
      const database = new Database(join(box.folder, 'test.db'), { readonly: true });
      try {
        return database.prepare<[], Record<string, unknown>>(sql).all();
      } finally {
        database.close();
      }
    };
    return { ...box, rows };
  }
  const database = await createDatabase({ migrated: true });
  const box = await startTestGateway({ files, env: { DATABASE_URL: database.url } });
  return {
    ...box,
    rows: async (sql) => (await database.run(sql)).rows,
    async stop() {
      await box.stop();
      await database.drop();
    },
  };
}
