import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { clientOf, startQueryServices } from './query-services-project.ts';

const MINE = {
  query: 'MINE',
  description: 'People of a grade.',
  prompts: { GRADE: { type: 'string(1)', required: true } },
  columns: { NAME: 'string(30)', SINCE: 'date' },
  sql: 'select name, since from person where grade = :GRADE order by name',
};

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe.skipIf(engine === 'PostgreSQL' && !hasPostgres)(`a private query on ${engine}`, () => {
    let database: TestDatabase | undefined;
    let gateway: TestGateway;
    beforeAll(async () => {
      database = engine === 'PostgreSQL' ? await createDatabase({ migrated: true }) : undefined;
      gateway = await startQueryServices(database?.url, 'limits: { rows: 3, timeout: 10 s }');
    });
    afterAll(async () => {
      await gateway.stop();
      await database?.drop();
    });

    const { get, json, fetch, save, ended } = clientOf(() => gateway);
    const rowsOf = async (path: string) => {
      const { body } = await json(`ExecuteQuery.v1/PRIVATE/${path}`);
      return body.data.query.rows;
    };
    const problems = async (change: object): Promise<string> => {
      const { status, body } = await save({ ...MINE, ...change });
      expect(status).toBe(400);
      return `${body.error.message}\n${body.error.detail}`;
    };

    it.each([
      ['a value that is not a number of its column', { N: 'date' }, "select 'soon' as n"],
      [
        'what the database computes',
        { N: 'integer' },
        engine === 'SQLite'
          ? "select json_extract(name, '$.x') as n from person"
          : 'select 1 / (select count(*) from person where dept is null) as n',
      ],
      [
        'a number that is too large',
        { N: 'integer' },
        engine === 'SQLite'
          ? 'select abs(min(-9223372036854775807 - 1)) as n from person'
          : 'select cast(min(name) as integer) as n from person',
      ],
    ])('that fails while it runs is its author to mend: %s', async (_, columns, sql) => {
      const unsound = { query: 'UNSOUND', columns, sql };
      if ((await save(unsound)).status !== 200) return expect(engine).toBe('PostgreSQL');
      for (const form of ['NONFILE', 'FILE']) {
        const { status, body } = await json(`ExecuteQuery.v1/PRIVATE/UNSOUND/JSON/${form}`);
        expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^Query UNSOUND failed: .+\.$/)]);
      }
      // Of a polled run values are read with its blocks.
      const id = (await json('ExecuteQueryPoll.v1/PRIVATE/UNSOUND/JSON/NONFILE')).body.QueryInstance;
      const run = await ended(id);
      const results = await json(`QueryResults.v1/getresults?instanceid=${id}`);
      expect(run.message ?? results.body.error.message).toMatch(/^Query UNSOUND failed: /);
      expect(results.status).toBe(run.status === 'error' ? 200 : 400);
      expect(gateway.log().filter(({ level }) => level === 'error')).toEqual([]);
      expect((await get('QueryDelete.v1/UNSOUND', 'demo', 'DELETE')).status).toBe(200);
    });

    it('is saved, listed, described, run and deleted by its owner', async () => {
      expect(await save(MINE)).toEqual({
        status: 200,
        body: { STATUS: 'Success', INFO_MESSAGE: 'Query MINE was saved.' },
      });
      expect((await json('ListQuery.v1/PRIVATE')).body.queries).toEqual([
        { QueryName: 'MINE', Descr: 'People of a grade.', OwnerType: 'PRIVATE', IsConnectedQuery: 'N' },
      ]);
      expect((await json('QueryPrompts.v1/PRIVATE/MINE')).body.prompts[0]).toMatchObject({
        UniquePromptName: 'GRADE',
        Required: 'Y',
      });
      const prompts = 'prompt_uniquepromptname=GRADE&prompt_fieldvalue=A';
      expect(await rowsOf(`MINE/JSON/NONFILE?${prompts}`)).toEqual([
        { 'attr:rownumber': 1, NAME: 'Ann & Bo', SINCE: '2020-01-31' },
        { 'attr:rownumber': 2, NAME: 'Cy', SINCE: '2021-02-28' },
      ]);
      const id = (await json(`ExecuteQueryPoll.v1/PRIVATE/MINE/JSON/NONFILE?${prompts}`)).body.QueryInstance;
      expect(await ended(id)).toMatchObject({ status: 'success', TotalRows: 2 });
      expect((await json(`QueryResults.v1/getresults?instanceid=${id}`)).body.data.query.numrows).toBe(2);
      expect(await json('QueryDelete.v1/MINE', 'demo', 'DELETE')).toEqual({
        status: 200,
        body: { STATUS: 'Success', INFO_MESSAGE: 'Query MINE was deleted.' },
      });
      expect((await json('QueryDelete.v1/MINE', 'demo', 'DELETE')).status).toBe(404);
      expect((await json(`ExecuteQuery.v1/PRIVATE/MINE/JSON/NONFILE?${prompts}`)).status).toBe(404);
      expect((await json(`QueryResults.v1/getresults?instanceid=${id}`)).status).toBe(404);
    });

    it('is replaced by one of the same name, which is run from then on', async () => {
      await save({ query: 'TWICE', columns: { N: 'integer' }, sql: 'select 1 as n' });
      expect(await rowsOf('TWICE/JSON/NONFILE')).toMatchObject([{ N: 1 }]);
      const again = await save({ query: 'TWICE', columns: { M: 'integer' }, sql: 'select 2 as m' });
      expect(again.body.INFO_MESSAGE).toBe('Query TWICE was replaced.');
      expect(await rowsOf('TWICE/JSON/NONFILE')).toEqual([{ 'attr:rownumber': 1, M: 2 }]);
    });

    it('may have the name of a public one, which it does not hide', async () => {
      await save({ query: 'PEOPLE', columns: { N: 'integer' }, sql: 'select 7 as n' });
      expect(await rowsOf('PEOPLE/JSON/NONFILE')).toMatchObject([{ N: 7 }]);
      expect((await json('ExecuteQuery.v1/PUBLIC/PEOPLE/JSON/NONFILE')).body.data.query.rows[0].DEPT).toBe('HR');
    });

    it('is nobody else’s, and its files neither', async () => {
      await save({ query: 'OWN', columns: { N: 'integer' }, sql: 'select 1 as n' });
      const { data } = (await json('ExecuteQuery.v1/PRIVATE/OWN/JSON/FILE')).body;
      expect((await fetch(data.fileurl)).status).toBe(200);
      expect((await fetch(data.fileurl, 'guest')).status).toBe(404);
      expect((await get('ExecuteQuery.v1/PRIVATE/OWN/JSON/NONFILE', 'guest')).status).toBe(404);
      expect((await json('ListQuery.v1/PRIVATE', 'guest')).body).toEqual({ queries: [] });
    });

    it('is saved under a grant of its own', async () => {
      expect((await save(MINE, 'guest')).status).toBe(403);
      expect((await get('QueryDelete.v1/MINE', 'guest', 'DELETE')).status).toBe(403);
    });

    it('keeps to the gateway’s row cap, whatever it says itself', async () => {
      const sql = 'select 1 as n union all select 2 union all select 3 union all select 4';
      await save({ query: 'MANY', columns: { N: 'integer' }, sql, rows: 1000 });
      const reply = await get('ExecuteQuery.v1/PRIVATE/MANY/JSON/NONFILE');
      expect([JSON.parse(reply.text).data.query.numrows, reply.headers['rows-truncated']]).toEqual([3, 'true']);
    });

    it('is refused with all that is wrong', async () => {
      expect(await problems({ sql: 'delete from person where grade = :GRADE' })).toContain('begins with delete');
      expect(await problems({ sql: 'select name, since from person where grade = :GRAD' })).toContain('GRAD');
      expect(await problems({ sql: 'select name from nowhere where grade = :GRADE' })).toContain('The database says');
      expect(await problems({ columns: { NAME: 'string', AGE: 'integer' } })).toMatch(/The database says: .*AGE/);
      const reaching = engine === 'SQLite' ? 'load_extension' : 'lo_import';
      expect(await problems({ sql: `select ${reaching}('/x') as name, null as since where :GRADE = ''` })).toContain(
        `The database says: the function ${reaching} does more than read.`,
      );
      expect(await problems({ columns: { NAME: 'sting' } })).toContain('sting');
      const two = await problems({ columns: { NAME: 'sting', SINCE: 'dat' } });
      expect(two).toMatch(/sting[\s\S]*dat/);
      expect(await problems({ permission: 'EVERYTHING', datasource: 'OTHER' })).toMatch(
        /the key "permission"[\s\S]*the key "datasource"/,
      );
      expect(
        await problems({ prompts: { GRADE: { type: 'string', pattern: '^(a+)+$' } } }),
        'one can be written that never ends',
      ).toContain('GRADE has a pattern');
      expect(await problems({ query: 'has space' })).toContain('has space');
      expect(await problems({ sql: `select '${'x'.repeat(70_000)}' as name, null as since, :GRADE` })).toContain(
        'larger than',
      );
      expect((await save([1])).body.error.message).toContain('an object with the key query');
      expect((await json('ListQuery.v1/PRIVATE?search=MINE')).body.queries, 'nothing of it is kept').toEqual([]);
    });

    it('can’t read what the gateway keeps for itself, however it is written', async () => {
      for (const table of [
        'signalbox_saved_query',
        '"SIGNALBOX_Saved_Query"',
        "'signalbox_blob'",
        'sqlite_master',
        'pg_catalog.pg_class',
        'information_schema.tables',
        'pragma_database_list',
        'dbstat',
        "(select current_setting('data_directory') as definition) as x",
      ])
        expect(
          await problems({ sql: `select definition as name, null as since from ${table} where :GRADE = ''` }),
        ).toMatch(/a private query can't reach the (gateway|database)'s own/);
      expect(await problems({ sql: `select 1 as name, U&"d\\0061ta" as since where :GRADE = ''` })).toContain(
        'escaped names',
      );
    });
  });
}
