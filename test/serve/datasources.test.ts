import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createConnection } from 'mysql2/promise';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../src/serve/start.ts';
import { freePort } from '../support/free-port.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { hasMariadb, startMariadb } from '../support/mariadb-server.ts';
import { hasPostgres } from '../support/postgres.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { gatewayText, USERS, writeProject } from '../support/project.ts';

const rest = '/gateway/RESTListeningConnector';

async function start(options: TestGatewayOptions): Promise<TestGateway> {
  const box = await startTestGateway(options);
  onTestFinished(() => box.stop());
  return box;
}

/** A service whose operation is answered by a query of a datasource. */
const service = (url: string, more = ''): string => `datasource: OTHER
url: ${url}
${more}
---
query: STAFF
public: true
datasource: OTHER
prompts: { DEPT: string(10) }
columns: { ID: integer, NAME: string }
sql: select id, name from staff where :DEPT is null or dept = :DEPT order by id
---
query: HERE
public: true
columns: { N: integer }
sql: select 1 as n
---
service: Staff.v1
public: true
operations:
  STAFF_GET: { get: 'Staff{?DEPT}', query: STAFF }
  HERE_GET: { get: Here, query: HERE }
`;

const staff = `create table staff (id integer, name text, dept text);
insert into staff values (1, 'Ada', 'SALES'), (2, 'Åke', 'IT')`;

describe('a datasource', () => {
  it('of SQLite is read, never written and never made', async () => {
    const project = writeProject({ 'definitions/staff.yaml': service('sqlite:data.db') });
    onTestFinished(project.remove);
    const file = new Database(join(project.root, 'data.db'));
    file.exec(staff);
    file.close();
    const box = await start({ root: project.root });
    expect((await box.call(`${rest}/Staff.v1/Staff?DEPT=IT`)).text).toBe('{"rows":[{"ID":2,"NAME":"Åke"}]}');
    expect((await box.call(`${rest}/Staff.v1/Here`)).text).toBe('{"rows":[{"N":1}]}');
  });

  it('that can not be reached keeps nothing from starting: its queries alone are unavailable', async () => {
    const box = await start({ files: { 'definitions/staff.yaml': service('sqlite:missing.db') } });
    expect(box.log().map((line) => line.msg)).toContain(
      "The datasource OTHER can't be reached: unable to open database file.",
    );
    const refused = await box.call(`${rest}/Staff.v1/Staff`);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect((await box.call(`${rest}/Staff.v1/Here`)).status).toBe(200);
    await expect.poll(async () => (await box.call('/health/ready')).status).toBe(200);
  });

  it.skipIf(!hasMariadb)(
    'of MariaDB answers as others do, and is named while it is away',
    { timeout: 90_000 },
    async () => {
      const server = await startMariadb(await freePort());
      onTestFinished(() => server.remove());
      const root = new URL(server.url);
      const connection = await createConnection({ uri: root.href, multipleStatements: true });
      await connection.query(
        `create database hr; use hr; ${staff}; create user reader identified by 'p%w'; grant select on hr.* to reader`,
      );
      await connection.end();
      const url = `mysql://reader@${root.host}/hr`;
      const files = { 'definitions/staff.yaml': service(url, 'password: ${secret:STAFF_PASSWORD}') };
      const box = await start({ files, env: { STAFF_PASSWORD: 'p%w' } });
      expect((await box.call(`${rest}/Staff.v1/Staff?DEPT=IT`)).text).toBe('{"rows":[{"ID":2,"NAME":"Åke"}]}');
      expect((await box.call(`${rest}/Staff.v1/Staff`)).text).toBe(
        '{"rows":[{"ID":1,"NAME":"Ada"},{"ID":2,"NAME":"Åke"}]}',
      );
      await server.stop('SIGKILL');
      expect((await box.call(`${rest}/Staff.v1/Staff`)).status).toBe(503);
      expect((await box.call(`${rest}/Staff.v1/Here`)).status).toBe(200);
      await server.start();
      expect((await box.call(`${rest}/Staff.v1/Staff?DEPT=IT`)).status).toBe(200);
      const other = await start({ files, env: { STAFF_PASSWORD: 'hunter2' } });
      const warned = other
        .log()
        .map((line) => String(line.msg))
        .find((line) => line.startsWith('The datasource OTHER'));
      expect(warned).toMatch(/can't be used: Access denied for user 'reader'/);
      expect(JSON.stringify(other.log())).not.toContain('hunter2');
    },
  );

  it('whose configuration is not set is told at the start, together with all else that is not', async () => {
    const project = writeProject({
      'definitions/gateway.yaml': 'gateway: LOCAL\ndatabase: ${env:NO_URL}\n',
      'definitions/staff.yaml': service('postgres://reader@${env:NO_HOST}/hr', 'password: ${secret:NO_PASSWORD}'),
    });
    onTestFinished(project.remove);
    await expect(startGateway({ root: project.root, env: { PORT: '0' } })).rejects.toThrow(
      'NO_URL is not set; NO_HOST is not set; NO_PASSWORD is not set, and neither is NO_PASSWORD_FILE',
    );
  });

  it('whose SQL is refused keeps the gateway from starting', async () => {
    const project = writeProject({
      'definitions/staff.yaml': service('sqlite:data.db').replace('name from', 'nme from'),
    });
    onTestFinished(project.remove);
    const file = new Database(join(project.root, 'data.db'));
    file.exec(staff);
    file.close();
    await expect(startGateway({ root: project.root, env: { PORT: '0' } })).rejects.toThrow(
      /definitions\/staff\.yaml:\d+:\d+: The database rejects query STAFF: no such column: nme/,
    );
  });
});

describe.skipIf(!hasPostgres)('PostgreSQL', async () => {
  const server = hasPostgres ? startPostgres(await freePort()) : (undefined as never);
  afterAll(() => server?.remove());

  it('as a datasource answers by a role with a password, goes away and comes back', async () => {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`${staff}; create role reader login password 'p%ss w/rd@'; grant select on staff to reader`);
    await client.end();
    const box = await start({
      files: {
        'definitions/staff.yaml': service(
          `postgres://reader@127.0.0.1:${new URL(server.url).port}/postgres`,
          'password: ${secret:READER}',
        ),
      },
      env: { READER: 'p%ss w/rd@' },
    });
    const both = '{"rows":[{"ID":1,"NAME":"Ada"},{"ID":2,"NAME":"Åke"}]}';
    expect((await box.call(`${rest}/Staff.v1/Staff`)).text).toBe(both);
    server.stop();
    expect((await box.call(`${rest}/Staff.v1/Staff`)).status).toBe(503);
    expect((await box.call(`${rest}/Staff.v1/Here`)).status).toBe(200);
    server.start();
    expect((await box.call(`${rest}/Staff.v1/Staff`)).text).toBe(both);
    expect(JSON.stringify(box.log())).not.toContain('p%ss');
  });

  it("as the gateway's own database answers the sample's queries as SQLite does", async () => {
    const own = (path: string): string => readFileSync(new URL(`../../definitions/${path}`, import.meta.url), 'utf8');
    const samples = [
      'locations/queries.yaml',
      'processes/monitor.yaml',
      'sample/010-locations.sql',
      'sample/020-process-requests.sql',
    ];
    const files = {
      ...Object.fromEntries(samples.map((path) => [`definitions/${path}`, own(path)])),
      'definitions/gateway.yaml': gatewayText('sample-data: sample/*.sql\ndelivered: [QAS_QRY_SERVICE.v1]'),
      'definitions/lists.yaml': `permission-list: LOCATIONS
---
permission-list: QUERY_USER
operations: [QAS_QRY_SERVICE.*]
---
role: ALL
permission-lists: [LOCATIONS, QUERY_USER]
`,
      'definitions/users.yaml': USERS.replace(/^[\s\S]*?(?=user: demo)/, ''),
    };
    const other = await start({ files });
    const box = await start({ files, env: { DATABASE_URL: server.url } });
    const query = `${rest}/LOCAL/ExecuteQuery.v1/PUBLIC`;
    const paths = [
      ...['JSON', 'XMLP', 'CSV'].map(
        (type) =>
          `${query}/EMPLOYEES_BY_LOCATION/${type}/NONFILE?prompt_uniquepromptname=REGION,LOCATION&prompt_fieldvalue=N,HQ`,
      ),
      `${query}/PROCESS_MONITOR/JSON/NONFILE?isconnectedquery=N&maxrows=100&prompt_uniquepromptname=&json_resp=true`,
      `${query}/PROCESS_MONITOR/JSON/NONFILE?maxrows=2&prompt_uniquepromptname=OPRID&prompt_fieldvalue=VP1`,
    ];
    for (const path of paths) {
      const [one, same] = await Promise.all([box.call(path), other.call(path)]);
      expect([path, one.status, one.text]).toEqual([path, same.status, same.text]);
      expect(one.status).toBe(200);
    }
  });
});
