import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { databaseCatalogue, loadProject, renderDiagnostics } from '../../src/load/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import { checkConnected } from '../../src/serve/start/database-check.ts';
import { openStore } from '../../src/store/index.ts';
import { diagnosticSample } from '../load/samples.ts';
import { migration } from '../store/migrations.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { type TestProject, writeProject } from '../support/project.ts';

const TABLES = `create table orders (number integer, note varchar(30));
create table place (id varchar(5) primary key, name varchar(30), rank integer)`;

const KEPT_USER = "insert into signalbox_user (id, roles, created, changed) values ('kept', '[]', '', '')";

const KEPT_MIGRATION = migration('0003-kept.sql', 'create table kept (number integer);');

/** A project whose database is migrated and has the tables; the files are those of the test, `#file PATH` starts another one. */
async function projectOf(text: string): Promise<TestProject> {
  const [queries = '', ...others] = text.split(/^#file (\S+)\n/m);
  const gateway = 'gateway: LOCAL\nnamespace: urn:test\ndatabase: ${env:DATABASE_URL:-sqlite:test.db}\n';
  const project = writeProject({
    'definitions/gateway.yaml': /^gateway:/m.test(queries) ? '# none\n' : gateway,
    'definitions/queries.yaml': queries,
    ...(others[0] === undefined ? {} : { [others[0]]: others[1] ?? '' }),
  });
  onTestFinished(project.remove);
  const name = /^database: sqlite:(.*)$/m.exec(queries)?.[1] ?? 'test.db';
  await prepare(`sqlite:${name}`, project.root);
  const file = new Database(join(project.root, name));
  file.exec(`${TABLES}; ${KEPT_USER}`);
  file.close();
  return project;
}

async function prepare(url: string, root: string): Promise<void> {
  const store = await openStore({ url, root });
  await store.migrate();
  await store.migrateProject([KEPT_MIGRATION]);
  await store.close();
}

async function said({ root }: TestProject, env: Record<string, string> = {}): Promise<string> {
  const loaded = loadProject({ root });
  expect(loaded.diagnostics).toEqual([]);
  const diagnostics = await checkConnected(loaded.registry as Registry, { root, env });
  return renderDiagnostics({ ...loaded, diagnostics }, { colour: false });
}

const ORDERS = `query: ORDERS
public: true
prompts: { NUMBER: integer }
columns:
  NUMBER: integer
  NOTE: string(10)
  PRICE: decimal(10.2)
sql: |
  select number, note from orders
  where :NUMBER is null
     or nmber = :NUMBER
`;

describe('checking queries on their databases', () => {
  it('shows the column that is missing or narrow, and nothing of one that is sound', async () => {
    const project = await projectOf(ORDERS.replace('nmber', 'number'));
    expect(
      await said(project),
    ).toBe(`definitions/queries.yaml:6:3: warning column-narrow: A type of query ORDERS is too narrow: column NOTE may be longer: it is varchar(30) in the database.
  6 |   NOTE: string(10)
    |   ^^^^

definitions/queries.yaml:7:3: error column-missing: The result of query ORDERS does not fit: column PRICE is not in the result, which has number, note.
  7 |   PRICE: decimal(10.2)
    |   ^^^^^
`);
    const sound = ORDERS.replace('nmber', 'number')
      .replace('string(10)', 'string(30)')
      .replace('  PRICE: decimal(10.2)\n', '');
    expect(await said(await projectOf(sound))).toBe('');
  });

  it('says which datasource can not be read, what is not set, and goes on with the others', async () => {
    const project = await projectOf(`datasource: AWAY
url: sqlite:away.db
---
datasource: SECRET
url: postgres://reader@localhost/x
password: \${secret:NOT_SET}
---
query: A
public: true
datasource: AWAY
columns: { N: integer }
sql: select 1 as n
---
query: B
public: true
datasource: SECRET
columns: { N: integer }
sql: select 1 as n
---
query: C
public: true
columns: { N: integer }
sql: select 1 as m
`);
    const lines = (await said(project)).split('\n').filter((line) => / error /.test(line));
    expect(lines).toEqual([
      "definitions/queries.yaml:1:13: error database-unreachable: The datasource AWAY can't be read: unable to open database file.",
      "definitions/queries.yaml:4:13: error database-unreachable: The datasource SECRET can't be read: NOT_SET is not set, and neither is NOT_SET_FILE.",
      'definitions/queries.yaml:22:12: error column-missing: The result of query C does not fit: column N is not in the result, which has m.',
    ]);
  });

  it('makes no database and changes none: one that is not migrated is told', async () => {
    const project = writeProject({
      'definitions/queries.yaml': 'query: A\npublic: true\ncolumns: { N: integer }\nsql: select 1 as n\n',
    });
    onTestFinished(project.remove);
    expect(await said(project)).toMatch(/warning database-outdated: .*test\.db still needs 0001-schema, /);
    expect(await said(project)).toContain('database-outdated');
  });

  it.each(
    Object.entries(databaseCatalogue),
  )('raises %s for its wrong example, and nothing for its right one', async (code, entry) => {
    if (['database-outdated', 'database-setup', 'replica-setup', 'column-local', 'component-column'].includes(code))
      return;
    const sample = diagnosticSample(code);
    const codes = async (text: string): Promise<unknown[][]> => {
      const { root } = await projectOf(text);
      const { registry } = loadProject({ root });
      return (await checkConnected(registry as Registry, { root, env: {} })).map((each) => [each.code, each.severity]);
    };
    expect(await codes(sample.wrong)).toContainEqual([code, entry.severity]);
    const others = (found: readonly unknown[][]) => found.filter(([each]) => each !== 'database-outdated');
    expect(others(await codes(sample.wrong))).toEqual([[code, entry.severity]]);
    expect(others(await codes(sample.right))).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)('checking queries on PostgreSQL', async () => {
  const database = hasPostgres ? await createDatabase() : (undefined as never);
  afterAll(() => database?.drop());

  it('shows where in the SQL the mistake stands', async () => {
    const project = await projectOf(ORDERS);
    await prepare(database.url, project.root);
    await database.run(TABLES);
    expect(
      await said(project, { DATABASE_URL: database.url }),
    ).toBe(`definitions/queries.yaml:11:9: error query-refused: The database rejects query ORDERS: column "nmber" does not exist.
  11 |      or nmber = :NUMBER
     |         ^^^^^
`);
    const reason = 'several rows of orders may have the same number: make it the primary key, or unique';
    const kept = await projectOf(diagnosticSample('component-table').wrong);
    expect(await said(kept, { DATABASE_URL: database.url })).toContain(
      `definitions/queries.yaml:4:12: error component-table: The table of component KEPT does not fit: ${reason}.`,
    );
  });

  it.each([
    'column-local',
    'component-column',
    'column-nullable',
  ] as const)('raises %s for its wrong example, and not for its right one', async (code) => {
    const { wrong, right } = diagnosticSample(code);
    const of = async (text: string) => said(await projectOf(text), { DATABASE_URL: database.url });
    expect(await of(wrong)).toMatch(new RegExp(`^definitions/queries\\.yaml:\\d+:\\d+: \\w+ ${code}: `, 'm'));
    expect(await of(right)).not.toContain(code);
  });

  it('names the column, its type and what it should be', async () => {
    const text = await said(await projectOf(diagnosticSample('component-column').wrong), {
      DATABASE_URL: database.url,
    });
    expect(text).toContain('id of place is varchar(5): the field has up to 50 characters; make it varchar(50).');
  });
});

describe('checking definitions on the database as it will be', () => {
  const gateway =
    'gateway: LOCAL\ndatabase: { url: "${env:DATABASE_URL:-sqlite:empty.db}"SCHEMA }\nmigrations: migrations\n';
  const definitions = `document: PART
fields: { NUMBER: { type: integer, required: true }, NAME: string(30) }
---
component: PARTS
table: part
shape: PART
keys: [NUMBER]
---
query: PART_NAMES
public: true
columns: { NUMBER: integer, NAME: string(30) }
sql: select number, name from part
---
query: WRONG
public: true
columns: { NUMBER: integer }
sql: select numbr as number from part
`;
  const files = (schema = '') => ({
    'definitions/gateway.yaml': gateway.replace('SCHEMA', schema),
    'definitions/parts.yaml': definitions,
    'migrations/0001-part.sql': 'create table part (number bigint primary key);\ninsert into part values (1);\n',
    'migrations/0002-name.sql': 'alter table part add column name varchar(30);\n',
    'migrations/0003-index.postgres.sql':
      '-- signalbox: no transaction\ncreate index concurrently part_name on part (name);\n',
  });
  const codesOf = (text: string): string[] =>
    [...text.matchAll(/^(\S+): (?:error|warning) (\S+):/gm)].map((found) => `${found[1]} ${found[2]}`);

  it('finds on SQLite what is wrong before anything is migrated, and after a part', async () => {
    const project = writeProject(files());
    onTestFinished(project.remove);
    const expected = ['definitions/gateway.yaml:1:10 database-outdated', 'definitions/parts.yaml:17:13 query-refused'];
    expect(codesOf(await said(project))).toEqual(expected);
    expect(existsSync(join(project.root, 'empty.db'))).toBe(false);
    const store = await openStore({ url: 'sqlite:empty.db', root: project.root });
    await store.migrate();
    await store.migrateProject([migration('0001-part.sql', files()['migrations/0001-part.sql'])]);
    await store.close();
    expect(codesOf(await said(project))).toEqual(expected);
    writeFileSync(join(project.root, 'migrations/0002-name.sql'), '\nalter tabel part add column name varchar(30);\n');
    expect(codesOf(await said(project))).toEqual([expected[0], 'migrations/0002-name.sql:2:7 migration-failed']);
  });

  it.skipIf(!hasPostgres)('finds on PostgreSQL what is wrong, and leaves nothing there', async () => {
    const database = await createDatabase();
    onTestFinished(database.drop);
    const everything = async (): Promise<unknown[]> =>
      (
        await database.run(
          "select nspname || '.' || relname from pg_class c join pg_namespace n on n.oid = relnamespace where nspname !~ '^(pg_|information_schema)'",
        )
      ).rows;
    const project = writeProject(files(', schema: hr'));
    onTestFinished(project.remove);
    const env = { DATABASE_URL: database.url };
    expect(codesOf(await said(project, env))).toEqual([
      'definitions/gateway.yaml:1:10 database-outdated',
      'definitions/parts.yaml:17:13 query-refused',
    ]);
    expect(await everything()).toEqual([]);
    writeFileSync(
      join(project.root, 'migrations/0002-name.sql'),
      'select 1;\ncommit;\nalter tabel part add column name varchar(30);\n',
    );
    const loaded = loadProject({ root: project.root });
    expect(loaded.diagnostics.map(({ code }) => code)).toEqual(['migration-sql']);
    writeFileSync(
      join(project.root, 'migrations/0002-name.sql'),
      'select 1;\nalter tabel part add column name varchar(30);\n',
    );
    expect(codesOf(await said(project, env))).toContain('migrations/0002-name.sql:2:7 migration-failed');
    expect(await everything()).toEqual([]);
  });
});
