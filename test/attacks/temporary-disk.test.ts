import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, startQueryServices } from '../serve/query-services-project.ts';
import type { TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';

// A private query sorts more rows than the disk has room for. It ends, with a word for its author, and others go on.

const ROWS = 'with recursive c(n) as (select 1 union all select n + 1 from c where n <';
const sorting = (rows: number, filler: string) => ({
  query: 'SORTS',
  columns: { N: 'integer', FILLER: 'string' },
  sql: `${ROWS} ${rows}) select n, ${filler} as filler from c order by n % 1000, n desc`,
});
/** What the row cap has no bearing on. */
const counting = (rows: number, filler: string) => ({
  query: 'SORTS',
  columns: { N: 'integer' },
  sql: `${ROWS} ${rows}) select count(distinct ${filler}) as n from c`,
});

for (const engine of ['SQLite', 'PostgreSQL'] as const)
  describe.skipIf(engine === 'PostgreSQL' && !hasPostgres)(`a private query on ${engine}`, () => {
    let database: TestDatabase | undefined;
    let gateway: TestGateway;
    const { save, json } = clientOf(() => gateway);
    // Not to be compressed, or made of less.
    const filler = engine === 'SQLite' ? 'hex(randomblob(200))' : 'repeat(md5(n::text), 12)';
    beforeAll(async () => {
      database = engine === 'PostgreSQL' ? await createDatabase({ migrated: true }) : undefined;
      const limits = 'limits: { timeout: 60 s, rows: 200000, temporary: 128 MiB }';
      gateway = await startQueryServices(database?.url, limits);
    });
    afterAll(async () => {
      await gateway.stop();
      await database?.drop();
    });

    it.each(['NONFILE', 'FILE'])('that sorts too much is refused, asked for as %s', async (form) => {
      expect((await save(counting(5_000_000, filler))).status).toBe(200);
      const { status, body } = await json(`ExecuteQuery.v1/PRIVATE/SORTS/JSON/${form}`);
      expect([status, body.error.message]).toEqual([
        400,
        expect.stringMatching(/^Query SORTS needs more temporary space than a query may take \(`limits\.temporary`\)/),
      ]);
      expect((await json('ExecuteQuery.v1/PUBLIC/DEPARTMENTS/JSON/NONFILE', 'guest')).status).toBe(200);
    });

    it('that sorts 200,000 rows is answered', async () => {
      expect((await save(sorting(200_000, filler.replace('200', '100').replace('12', '6')))).status).toBe(200);
      const { status, body } = await json('ExecuteQuery.v1/PRIVATE/SORTS/JSON/NONFILE?filterfields=N');
      expect([status, body.data.query.numrows]).toEqual([200, 200_000]);
    });
  });
