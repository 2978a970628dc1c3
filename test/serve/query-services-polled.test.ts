import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';
import { clientOf, startQueryServices } from './query-services-project.ts';

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe.skipIf(engine === 'PostgreSQL' && !hasPostgres)(`a polled query on ${engine}`, () => {
    let database: TestDatabase | undefined;
    let gateway: TestGateway;
    beforeAll(async () => {
      database = engine === 'PostgreSQL' ? await createDatabase({ migrated: true }) : undefined;
      gateway = await startQueryServices(database?.url);
    });
    afterAll(async () => {
      await gateway.stop();
      await database?.drop();
    });

    const { get, json, fetch, ended, begun } = clientOf(() => gateway);
    const enter = async (path: string, as: 'demo' | 'guest' = 'demo'): Promise<string> =>
      /[0-9a-f-]{36}/.exec((await get(`ExecuteQueryPoll.v1/PUBLIC/${path}`, as)).text)?.[0] ?? '';
    const counted = (rows: number, type = 'JSON', more = ''): Promise<string> =>
      enter(`COUNTED/${type}/NONFILE?prompt_uniquepromptname=N&prompt_fieldvalue=${rows}&${more}`);
    const results = (id: string, more = '') => json(`QueryResults.v1/getresults?instanceid=${id}&${more}`);
    const cancel = (id: string, method = 'GET', as: 'demo' | 'guest' = 'demo') =>
      json(`CancelQuery.v1/cancelquery?instanceid=${id}`, as, method);

    it('answers an id at once, then its state and counts, then its rows block by block', async () => {
      const id = await counted(2500);
      expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      const status = await ended(id);
      expect(status).toEqual({
        status: 'success',
        NumCols: 2,
        NumColumns: 2,
        TotalRows: 2500,
        TotalBlocks: 3,
        TotalBytes: expect.any(Number),
        RowsTruncated: 'N',
      });
      expect(status.TotalBytes).toBeGreaterThan(2500 * 'row 1'.length);
      const blocks = [1, 2, 3].map((number) => results(id, `blocknumber=${number}`));
      const [first, second, last] = (await Promise.all(blocks)).map(({ body }) => body);
      expect([first, second, last].map((each) => [each.status, each.data.query.numrows])).toEqual([
        ['blockRetrieved', 1000],
        ['blockRetrieved', 1000],
        ['finalBlockRetrieved', 500],
      ]);
      expect(Object.keys(first)).toEqual(['status', 'data']);
      expect(first.data.query['queryname=']).toBe('COUNTED');
      const numbers = [first, second, last].flatMap((each) => each.data.query.rows).map((row) => row.N);
      expect(numbers).toEqual(Array.from({ length: 2500 }, (_, index) => index + 1));
      expect(second.data.query.rows[0]).toEqual({ 'attr:rownumber': 1001, N: 1001, NAME: 'row 1001' });
      expect((await results(id)).body, 'the first where none is named').toEqual(first);
    });

    it('has one block where there are no rows', async () => {
      const id = await counted(0);
      expect(await ended(id)).toMatchObject({ status: 'success', TotalRows: 0, TotalBlocks: 1 });
      expect((await results(id)).body).toEqual({
        status: 'finalBlockRetrieved',
        data: { query: { numrows: 0, 'queryname=': 'COUNTED', rows: [] } },
      });
    });

    it('returns each type that it was entered for, and json_resp decides between JSON and XML', async () => {
      const xml = await counted(1, 'XMLP');
      const csv = await counted(1, 'CSV', 'filterfields=NAME');
      await Promise.all([ended(xml), ended(csv)]);
      const asXml = await get(`QueryResults.v1/getresults?instanceid=${xml}`);
      expect([asXml.headers['content-type'], asXml.headers['query-status']]).toEqual([
        'application/xml',
        'finalBlockRetrieved',
      ]);
      expect(asXml.text).toBe(
        '<?xml version="1.0" encoding="UTF-8"?><QAS_GETQUERYRESULTS_RESP_MSG><query numrows="1" queryname="COUNTED"><row rownumber="1"><N>1</N><NAME><![CDATA[row 1]]></NAME></row></query><status>finalBlockRetrieved</status></QAS_GETQUERYRESULTS_RESP_MSG>',
      );
      expect((await results(xml, 'json_resp=true')).body.data.query.rows[0].NAME).toBe('row 1');
      const asCsv = await get(`QueryResults.v1/getresults?instanceid=${csv}`);
      expect([asCsv.text, asCsv.headers['query-status']]).toEqual(['NAME\r\nrow 1\r\n', 'finalBlockRetrieved']);
      expect(await ended(csv)).toMatchObject({ NumCols: 1 });
    });

    it('leaves a file where it was asked for, at getresults', async () => {
      const id = await enter('DEPARTMENTS/CSV/FILE?filterfields=DEPT');
      await ended(id);
      const { body } = await results(id);
      expect(body).toEqual({
        status: 'finalBlockRetrieved',
        data: { fileurl: expect.stringMatching(/DEPARTMENTS\.csv$/) },
      });
      expect((await fetch(body.data.fileurl)).text).toBe('DEPT\r\nHR\r\nIT\r\nNIL\r\n');
    });

    it('nests a connected query', async () => {
      const id = await enter('DEPARTMENTS/JSON/NONFILE?isconnectedquery=Y');
      expect(await ended(id)).toMatchObject({ status: 'success', TotalRows: 3 });
      const { rows } = (await results(id)).body.data.query;
      expect(rows[1].PEOPLE.map((row: Record<string, unknown>) => row['E.NAME'])).toEqual(['Cy']);
    });

    it('says that the row cap cut it', async () => {
      const id = await enter('CAPPED/JSON/NONFILE');
      expect(await ended(id)).toMatchObject({ TotalRows: 2, RowsTruncated: 'Y' });
      expect((await get(`QueryResults.v1/getresults?instanceid=${id}`)).headers['rows-truncated']).toBe('true');
      const file = await enter('CAPPED/CSV/FILE');
      await ended(file);
      expect((await get(`QueryResults.v1/getresults?instanceid=${file}`)).headers['rows-truncated']).toBe('true');
    });

    it('is checked before it is entered', async () => {
      const refused = async (path: string) => {
        const { status, body } = await json(`ExecuteQueryPoll.v1/PUBLIC/${path}`);
        return [status, body.error.message];
      };
      expect(await refused('COUNTED/JSON/NONFILE')).toEqual([400, expect.stringMatching(/\bN is missing/)]);
      expect(await refused('COUNTED/JSON/NONFILE?prompt_uniquepromptname=N&prompt_fieldvalue=x')).toEqual([
        400,
        'Prompt N is not an integer.',
      ]);
      expect(await refused('CAPPED/JSON/NONFILE?filterfields=X')).toEqual([
        400,
        expect.stringMatching(/^filterfields names "X"/),
      ]);
      expect(await refused('NONE/JSON/NONFILE')).toEqual([404, 'There is no query NONE that you may run.']);
      expect((await get('ExecuteQueryPoll.v1/PUBLIC/PEOPLE/JSON/NONFILE', 'guest')).status).toBe(404);
    });

    it('ends in error with the words that the caller would have got', async () => {
      const id = await enter('SLOW/JSON/NONFILE');
      const message = 'Query SLOW took longer than 100 ms and was stopped.';
      expect(await ended(id)).toMatchObject({ status: 'error', message, TotalRows: 0, TotalBlocks: 0 });
      expect((await results(id)).body).toEqual({ status: 'error', message });
    });

    it('names the blocks that there are where another is asked for', async () => {
      const id = await counted(1001);
      await ended(id);
      for (const number of [0, -1, 3]) {
        const { status, body } = await results(id, `blocknumber=${number}`);
        expect([status, body.error.message]).toEqual([400, `blocknumber is ${number}; there are blocks 1 to 2.`]);
      }
    });

    it('is really stopped in the database where it is cancelled', async () => {
      const id = await enter('ENDLESS/JSON/NONFILE');
      await begun(id);
      expect((await results(id)).body).toEqual({ status: 'queued' });
      expect((await cancel(id)).body).toEqual({ status: 'success' });
      expect(await ended(id)).toMatchObject({ status: 'killed', NumCols: 0 });
      expect((await results(id)).body).toEqual({ status: 'killed' });
      expect((await cancel(id)).body).toEqual({ status: 'fail' });
      // Two runs at a time: both places are free again.
      const after = await Promise.all([counted(1), counted(1)]);
      for (const each of after) expect(await ended(each)).toMatchObject({ status: 'success' });
      if (database !== undefined) {
        const { run } = database;
        const running =
          "select pid from pg_stat_activity where state = 'active' and query like '%recursive c(n)%' and pid <> pg_backend_pid()";
        await eventually('the end of the statement', async () =>
          (await run(running)).rowCount === 0 ? true : undefined,
        );
      }
    });

    it('never runs where it is cancelled while it waits', async () => {
      const holders = await Promise.all([enter('ENDLESS/JSON/NONFILE'), enter('ENDLESS/JSON/NONFILE')]);
      for (const each of holders) await begun(each);
      const waiting = await counted(1);
      expect((await cancel(waiting, 'DELETE')).body).toEqual({ status: 'success' });
      for (const each of holders) expect((await cancel(each)).body).toEqual({ status: 'success' });
      expect(await ended(await counted(1))).toMatchObject({ status: 'success' });
      expect(await ended(waiting)).toMatchObject({ status: 'killed' });
    });

    it('is not there for others, nor under an id that nobody has', async () => {
      const id = await counted(1);
      await ended(id);
      for (const other of ['00000000-0000-4000-8000-000000000000', 'x', 'x'.repeat(500)]) {
        expect((await json(`QueryStatus.v1/getstatus?instanceid=${other}`)).body.status).toBe('idNotFound');
        expect((await results(other)).body).toEqual({ status: 'idNotFound' });
        expect((await cancel(other)).body).toEqual({ status: 'idNotFound' });
      }
      expect((await json(`QueryStatus.v1/getstatus?instanceid=${id}`, 'guest')).body.status).toBe('idNotFound');
      expect((await json(`QueryResults.v1/getresults?instanceid=${id}`, 'guest')).body.status).toBe('idNotFound');
      expect((await cancel(id, 'GET', 'guest')).body.status).toBe('idNotFound');
      expect((await json('QueryStatus.v1/getstatus')).body.error.message).toBe('instanceid is missing.');
    });
  });
}
