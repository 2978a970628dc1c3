import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkComponents } from '../../src/event/index.ts';
import type { Component } from '../../src/model/component.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { document, field } from '../support/registry.ts';
import { openMigrated } from '../support/sqlite.ts';

const engines: readonly Store['kind'][] = hasPostgres ? ['sqlite', 'postgres'] : ['sqlite'];

/** A fresh database of an engine with tables of these statements. */
async function storeOf(kind: Store['kind'], statements: readonly string[]): Promise<Store> {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  const database = kind === 'postgres' ? await createDatabase({ migrated: true }) : undefined;
  const store = database === undefined ? await openMigrated(root) : await openStore({ url: database.url, root });
  onTestFinished(async () => {
    await store.close();
    await database?.drop();
    rmSync(root, { recursive: true, force: true });
  });
  await store.loadSampleData([{ name: 'tables.sql', sql: statements.join(';\n') }]);
  return store;
}

const key = field('ID', 'string(5)', { required: true });
function component(table: string, more: Partial<Component> = {}): Component {
  const shape = document('PLACE', [key, field('Name', 'string(10)'), field('PRICE', 'decimal(20.2)')]);
  return {
    id: 'PLACES',
    table,
    shape,
    keys: [key],
    events: [],
    publications: [],
    permissions: [],
    public: true,
    at: key.at,
    ...more,
  };
}

describe.each(engines)('components against their tables, on %s', (kind) => {
  it('says what is not there, and which keys two rows may have in common', async () => {
    const store = await storeOf(kind, [
      'create table place (id varchar(5) primary key, name text, price varchar(30), more integer)',
      'create table half (id varchar(5) primary key, name text)',
      'create table renamed (id varchar(5) primary key, name text, "Cost" varchar(30))',
      'create table doubled (id varchar(5), name varchar(10), price varchar(30))',
      "create unique index some_doubled on doubled (id) where name = 'x'",
      'create unique index two_doubled on doubled (id, name)',
      'create unique index computed_doubled on doubled (lower(id))',
      'create table unique_place (n integer primary key, id varchar(5) not null unique, name text, price varchar(30))',
    ]);
    const said = async (...given: Parameters<typeof component>): Promise<string[]> =>
      (await checkComponents(store, [component(...given)], 'UTC')).map(({ message }) => message);
    expect(await said('place')).toEqual([]);
    expect(await said(kind === 'sqlite' ? 'main.place' : 'public.place')).toEqual([]);
    expect(await said('unique_place')).toEqual([]);
    expect(await said('nowhere')).toEqual(['the table nowhere does not exist']);
    expect(await said('half')).toEqual(['the table half has no column price; it has id, name']);
    expect(await said('doubled')).toEqual([
      'several rows of doubled may have the same id: make it the primary key, or unique',
    ]);
    const columns = new Map([
      ['ID', 'id'],
      ['PRICE', 'Cost'],
    ]);
    expect(await said('half', { columns })).toEqual(['the table half has no column Cost; it has id, name']);
    expect(await said('renamed', { columns })).toEqual([]);
    const name = component('doubled').shape.fields[1]!;
    expect(await said('doubled', { keys: [key, name] })).toEqual([]);
  });
});

it('warns of a column in which SQLite would lose digits', async () => {
  const store = await storeOf('sqlite', ['create table place (id text primary key, name text, price numeric(20, 2))']);
  expect((await checkComponents(store, [component('place')], 'UTC')).map(({ message }) => message)).toEqual([
    'price of place may lose digits: SQLite keeps 15 digits in a column of the type numeric; make it text',
  ]);
});

describe.skipIf(!hasPostgres)('columns that do not hold the values of their fields, on PostgreSQL', () => {
  const problemsOf = async (columns: string, shape: ReturnType<typeof field>[], timezone = 'Europe/Berlin') => {
    const store = await storeOf('postgres', [`create table place (id varchar(5) primary key, ${columns})`]);
    const given = component('place', { shape: document('PLACE', [key, ...shape]) });
    return (await checkComponents(store, [given], timezone)).map((each) => `${each.is} ${each.message}`);
  };

  it('says which lose something, with the type that would not', async () => {
    const found = await problemsOf(
      'at timestamp, note varchar(10), cost numeric(6,1), rank smallint, size real, open text not null, day integer, flag boolean, code bigint',
      [
        field('AT', 'datetime'),
        field('NOTE', 'string(12)'),
        field('COST', 'decimal(6.2)'),
        field('RANK', 'int'),
        field('SIZE', 'decimal(9.2)'),
        field('OPEN', 'text'),
        field('DAY', 'date'),
        field('FLAG', 'flag'),
        field('CODE', 'string(9)'),
      ],
    );
    expect(found).toEqual([
      'loses at of place is timestamp: it loses the offset, so that two instants in the hour of a clock change become one; make it timestamptz',
      'loses note of place is varchar(10): the field has up to 12 characters; make it varchar(12)',
      'loses cost of place is numeric(6,1): it has 5 digits before the point and 1 after it; make it numeric(6,2)',
      'loses rank of place is smallint: it holds up to 32767; make it bigint',
      'loses size of place is real: it keeps 6 digits; make it numeric(9,2)',
      'may open of place may not be NULL: make the field required',
      'loses day of place is integer: it is not made for date; make it date',
      'loses flag of place is boolean: it is not made for flag; make it text',
      'may code of place is bigint: it takes only values of bigint, in a form of its own; make it varchar(9)',
    ]);
  });

  it('says less of what has no bounds, and nothing of what fits', async () => {
    expect(
      await problemsOf('note varchar(10), cost numeric(6,1), rank integer', [
        field('NOTE', 'text'),
        field('COST', 'decimal'),
        field('RANK', 'integer'),
      ]),
    ).toEqual([
      expect.stringMatching(/^may note of place is varchar\(10\)/),
      expect.stringMatching(/^may cost of place is numeric\(6,1\)/),
      expect.stringMatching(/^may rank of place is integer/),
    ]);
    const columns =
      "at timestamptz, note varchar(10), cost numeric(8,2), rank integer, open text not null default '', day date, flag char(1), code uuid, more jsonb, yes boolean, no smallint, done varchar(1), hour time, count numeric(20)";
    expect(
      await problemsOf(columns, [
        field('AT', 'datetime'),
        field('NOTE', 'string(10)'),
        field('COST', 'decimal(6.2)'),
        field('RANK', 'integer', { range: { maximum: '100' } }),
        field('OPEN', 'text'),
        field('DAY', 'date'),
        field('FLAG', 'flag'),
        field('CODE', 'uuid'),
        field('MORE', 'json'),
        field('YES', 'boolean'),
        field('HOUR', 'time'),
        field('NO', 'boolean'),
        field('DONE', 'boolean'),
        field('COUNT', 'integer'),
      ]),
    ).toEqual([]);
  });

  it('says of a local time in a zone without clock changes only that it has no offset', async () => {
    expect(await problemsOf('at timestamp', [field('AT', 'datetime')], 'UTC')).toEqual([
      'may at of place is timestamp: it has no offset, so that its instants change with `timezone:` of the gateway; make it timestamptz',
    ]);
  });
});

it('warns of a column in which SQLite would make numbers of texts', async () => {
  const store = await storeOf('sqlite', ['create table place (id text primary key, code integer, at datetime)']);
  const shape = document('PLACE', [key, field('CODE', 'string(5)'), field('AT', 'datetime')]);
  expect((await checkComponents(store, [component('place', { shape })], 'UTC')).map((each) => each.message)).toEqual([
    'code of place is integer: it turns a text that looks like a number into one; make it text',
  ]);
});
