import { afterAll, describe, expect, it } from 'vitest';
import type { QueryPort } from '../../src/query/index.ts';
import { SERVERS } from './servers/support.ts';
import { databaseOf, query, readersOf } from './support.ts';

const TABLES = `create table location (id integer primary key, region varchar(10));
  create index location_region on location (region); insert into location values (1, 'N'), (2, 'S')`;

const byRegion = query(
  'select id from location where region = :REGION',
  { ID: 'integer' },
  { REGION: 'string' },
  { id: 'BY_REGION' },
);
const prompts = { REGION: "N' or 1=1" };

/** What each database says of how it would find the rows. */
const ENGINES = [
  {
    name: 'SQLite',
    isThere: true,
    found: /^SEARCH location USING COVERING INDEX location_region \(region=\?\)$/,
    nested: 'select (select count(*) from location l where l.id >= o.id) as id from location o order by 1',
    below: /^ {2}SEARCH l USING/m,
    open: async (): Promise<QueryPort> => readersOf(await databaseOf(TABLES, afterAll), { readers: 1 }, afterAll),
  },
  ...SERVERS.filter(({ name }) => name === 'PostgreSQL').map(({ name, isThere, databaseOf: served }) => ({
    name,
    isThere,
    found: /cost=.*region.*'N'' or 1=1'/s,
    nested: 'select count(*) as id from location',
    below: /^ {2}->/m,
    open: async (): Promise<QueryPort> => (await served(TABLES, afterAll)).open(),
  })),
];

describe.each(ENGINES)('the plan of a query on $name', ({ isThere, open, found, nested, below }) => {
  let opened: Promise<QueryPort> | undefined;
  const port = (): Promise<QueryPort> => (opened ??= open());

  it.skipIf(!isThere)('is that for its prompts, and the query still runs', async () => {
    const queries = await port();
    for (let time = 0; time < 2; time += 1) expect(await queries.explain({ query: byRegion, prompts })).toMatch(found);
    expect(await queries.rows({ query: byRegion, prompts: { REGION: 'N' } })).toEqual([{ ID: 1 }]);
  });

  it.skipIf(!isThere)('has a line for each step, below the one that it belongs to', async () => {
    const queries = await port();
    expect(await queries.explain({ query: query(nested, { ID: 'integer' }), prompts: {} })).toMatch(below);
  });

  it.skipIf(!isThere)('is refused for what does more than read, as the query is', async () => {
    const queries = await port();
    const writing = query('delete from location', { ID: 'integer' }, {}, { id: 'WRITING' });
    await expect(queries.explain({ query: writing, prompts: {} })).rejects.toMatchObject({ code: 'INTERNAL' });
    const two = query('select 1 as id; delete from location', { ID: 'integer' }, {}, { id: 'TWO' });
    await expect(queries.explain({ query: two, prompts: {} })).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(await queries.rows({ query: byRegion, prompts: { REGION: 'S' } })).toEqual([{ ID: 2 }]);
  });

  it.skipIf(!isThere)('needs the prompts that the query needs', async () => {
    const queries = await port();
    const reason = { code: 'BAD_PARAMETER', message: 'OTHER is not a prompt of BY_REGION.' };
    await expect(queries.explain({ query: byRegion, prompts: { OTHER: 'x' } })).rejects.toMatchObject(reason);
  });
});
