import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkComponents } from '../../src/event/index.ts';
import type { Component } from '../../src/model/component.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { document, field } from '../support/registry.ts';

const engines: readonly Store['kind'][] = hasPostgres ? ['sqlite', 'postgres'] : ['sqlite'];

/** A fresh database of an engine with tables of these statements. */
async function storeOf(kind: Store['kind'], statements: readonly string[]): Promise<Store> {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  const database = kind === 'postgres' ? await createDatabase() : undefined;
  const store = await openStore({ url: database?.url ?? 'sqlite:box.db', root });
  onTestFinished(async () => {
    await store.close();
    await database?.drop();
    rmSync(root, { recursive: true, force: true });
  });
  await store.migrate();
  await store.loadSampleData([{ name: 'tables.sql', sql: statements.join(';\n') }]);
  return store;
}

const key = field('ID', 'string(5)', { required: true });
function component(table: string, more: Partial<Component> = {}): Component {
  const shape = document('PLACE', [key, field('Name', 'string(10)'), field('PRICE', 'decimal(20.2)')]);
  return { id: 'PLACES', table, shape, keys: [key], events: [], permissions: [], public: true, at: key.at, ...more };
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
      (await checkComponents(store, [component(...given)])).map(({ message }) => message);
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
  expect((await checkComponents(store, [component('place')])).map(({ message }) => message)).toEqual([
    'price of place may lose digits: SQLite keeps 15 digits in a column of the type numeric; make it text',
  ]);
});
