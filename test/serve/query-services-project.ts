import { DEMO, GUEST, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';
import { envelope, post, type SoapReply } from './soap-client.ts';

/** A project with the query services: `demo` may do everything, `guest` runs what READER grants, and saves nothing. */

const SALT = '$scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg';

const USERS = `permission-list: EVERYTHING
operations: [QAS_QRY_SERVICE.*]
---
permission-list: READER
operations:
  - QAS_LISTQUERY_REST_GET
  - QAS_EXECUTEQRY_REST_GET
  - QAS_EXECUTEQRYPOLL_REST_GET
  - QAS_QUERYSTATUS_REST_GET
  - QAS_GETQUERYRESULTS_REST_GET
  - QAS_CANCELQUERY_REST_GET
  - QAS_QUERYFILE_REST_GET
---
role: ALL
permission-lists: [EVERYTHING]
---
role: READS
permission-lists: [READER]
---
user: demo
password: ${SALT}$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ
roles: [ALL]
sample: true
---
user: guest
password: ${SALT}$omzwekRZhK7H14WBx2uNfQdcBMmSmpudUeBNrb/md2A
roles: [READS]
sample: true
`;

const QUERIES = `query: DEPARTMENTS
description: Departments and who works there.
permission: [EVERYTHING, READER]
columns: { DEPT: string(10), BUDGET: { type: decimal(8.2), description: Yearly budget } }
connects: { PEOPLE: { DEPT: DEPT } }
sql: select dept, budget from department order by dept
---
query: PEOPLE
permission: EVERYTHING
prompts:
  GRADE: { type: string(1), enum: [A, B], default: A, description: Grade of pay }
  SINCE: { type: date }
columns: { DEPT: string(10), E.NAME: string(30), SINCE: date }
sql: |
  select dept, name as "E.NAME", since from person
  where grade = :GRADE and (:SINCE is null or since >= :SINCE) order by dept, name
---
query: COUNTED
permission: [EVERYTHING, READER]
prompts: { N: { type: integer, required: true } }
columns: { N: integer, NAME: string }
sql: |
  with recursive counted(n) as (select 1 union all select n + 1 from counted where n < :N)
  select n, 'row ' || n as name from counted where n <= :N
---
query: CAPPED
permission: EVERYTHING
rows: 2
columns: { N: integer }
sql: select 1 as n union all select 2 union all select 3
---
query: ENDLESS
permission: EVERYTHING
columns: { N: integer }
sql: with recursive c(n) as (select 1 union all select n + 1 from c) select max(n) as n from c
---
query: SLOW
permission: EVERYTHING
timeout: 100 ms
columns: { N: integer }
sql: with recursive c(n) as (select 1 union all select n + 1 from c) select max(n) as n from c
`;

const DATA = `create table department (dept varchar(10), budget numeric(8,2));
insert into department values ('HR', 10.50), ('IT', 20), ('NIL', null);
create table person (dept varchar(10), name varchar(30), grade varchar(1), since date);
insert into person values ('HR', 'Ann & Bo', 'A', '2020-01-31'), ('IT', 'Cy', 'A', '2021-02-28'), ('IT', 'Di', 'B', '2022-03-31');
`;

export const NS = 'urn:test:QAS_QRY_SERVICE.v1';

/** @param url of the database; a file of its own where it is left out */
export function startQueryServices(url?: string, more = ''): Promise<TestGateway> {
  return startTestGateway({
    ...(url === undefined ? {} : { env: { DATABASE_URL: url } }),
    files: {
      'definitions/gateway.yaml': gatewayText(`delivered: [QAS_QRY_SERVICE.v1]\nsample-data: sample/*.sql\n${more}`),
      'definitions/users.yaml': USERS,
      'definitions/queries.yaml': QUERIES,
      'definitions/sample/010.sql': DATA,
    },
  });
}

const REST = '/gateway/RESTListeningConnector';

/** Callers of one gateway, over REST and SOAP. */
export function clientOf(gateway: () => TestGateway) {
  const get = (path: string, as: 'demo' | 'guest' = 'demo', method = 'GET'): Promise<Reply> =>
    gateway().call(`${REST}/${path}`, { method, headers: { authorization: as === 'demo' ? DEMO : GUEST } });
  const json = async (path: string, as: 'demo' | 'guest' = 'demo', method = 'GET') => {
    const { status, text } = await get(path, as, method);
    return { status, body: JSON.parse(text) };
  };
  return {
    get,
    json,
    /** Fetches an address that a reply names. */
    fetch: (url: string, as: 'demo' | 'guest' = 'demo'): Promise<Reply> =>
      gateway().call(new URL(url).pathname, { headers: { authorization: as === 'demo' ? DEMO : GUEST } }),
    save: async (definition: unknown, as: 'demo' | 'guest' = 'demo') => {
      const headers = { authorization: as === 'demo' ? DEMO : GUEST, 'content-type': 'application/json' };
      const body = JSON.stringify(definition);
      const { status, text } = await gateway().call(`${REST}/QuerySave.v1/`, { method: 'POST', headers, body });
      return { status, body: JSON.parse(text) };
    },
    soap: (operation: string, fields: string): Promise<SoapReply> =>
      post(
        gateway(),
        envelope(`<q:${operation} xmlns:q="${NS}">${fields.replaceAll(/<(\/?)(\w)/g, '<$1q:$2')}</q:${operation}>`),
      ),
    /** Waits until a run has ended, and returns what its status says then. */
    ended: (id: string) =>
      eventually(`the end of run ${id}`, async () => {
        const { body } = await json(`QueryStatus.v1/getstatus?instanceid=${id}`);
        return ['queued', 'running', 'posting'].includes(body.status) ? undefined : body;
      }),
    /** Waits until a run has begun. */
    begun: (id: string) =>
      eventually(`the start of run ${id}`, async () => {
        const { body } = await json(`QueryStatus.v1/getstatus?instanceid=${id}`);
        return body.status === 'queued' ? undefined : body;
      }),
  };
}
