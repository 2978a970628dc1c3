import { project } from './support.ts';

/** A small project: one operation answered by a query, one by code, and a table with three rows. */
export const files = {
  'definitions/gateway.yaml': `gateway: LOCAL
context: gateway
listen: 127.0.0.1:8080
database: \${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}
sample-data: sample/*.sql
namespace: urn:signalbox:test
`,
  'definitions/sample/staff.sql': `create table employee_tbl (emplid integer, name text, deptname text, salary numeric);
insert into employee_tbl values (7, 'Ada', 'SALES', 1000.50), (8, 'Åke, the "b"', 'SALES', 90), (9, 'Cy', 'IT', null);
`,
  'definitions/staff/service.yaml': `service: Staff.v1
description: Who works where.
operations:
  EMPLOYEES_GET:
    get: Employees/{DEPTNAME}{?maxrows}
    query: EMPLOYEES_BY_DEPT
    public: true
  HELLO_GET:
    get: Hello/{NAME}
    public: true
    request: { fields: { NAME: { type: string(20), required: true } } }
    response: { fields: { GREETING: string } }
`,
  'definitions/staff/queries.yaml': `query: EMPLOYEES_BY_DEPT
public: true
prompts:
  DEPTNAME: { type: string(10), required: true }
  LOWEST: integer
columns: { EMPLID: integer, NAME: string, SALARY: decimal(10.2) }
sql: |
  select emplid, name, salary from employee_tbl
  where deptname = :DEPTNAME and (:LOWEST is null or emplid >= :LOWEST)
  order by emplid
`,
  'src/handlers/hello-get.ts': `import { defineHandler } from '../../generated/handlers.ts';
import { greet } from '../greet.ts';

export default defineHandler('HELLO_GET', {
  onRequest: ({ NAME }) => ({ GREETING: greet(NAME) }),
});
`,
  'src/greet.ts': "export const greet = (name: string): string => ['Hello', name].join(', ');\n",
  'generated/handlers.ts': 'export const defineHandler = (_: unknown, handler: unknown): unknown => handler;\n',
} as const;

/** The project in a folder of its own; `changes` replaces files, or leaves one out where undefined. */
export function staffProject(changes: Readonly<Record<string, string | undefined>> = {}): Promise<string> {
  const all: [string, string | undefined][] = Object.entries({ ...files, ...changes });
  return project(Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined)));
}

/** Where its paths begin. */
export const staffPath = '/gateway/RESTListeningConnector/Staff.v1';
