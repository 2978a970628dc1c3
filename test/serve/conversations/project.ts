import { gatewayText, USERS } from '../../support/project.ts';

/** What the clients of the conversations call: the delivered services, and two operations of a project's own. */
export function conversationProject(): Record<string, string> {
  const more = `context: PSIGW
delivered: [QAS_QRY_SERVICE.v1, PROCESSREQUEST.v1]
requires: [basic, TOKEN]
sample-data: sample/*.sql
---
scheme: TOKEN
username-token: { passwords: [text] }`;
  return {
    'definitions/gateway.yaml': gatewayText(more),
    'definitions/users.yaml': USERS.replace(
      'permission-list: EVERYTHING',
      'permission-list: EVERYTHING\noperations: [QAS_QRY_SERVICE.*, PROCESSREQUEST.*]',
    ),
    'definitions/queries.yaml': QUERIES,
    'definitions/processes.yaml': PROCESSES,
    'definitions/services.yaml': SERVICES,
    'definitions/sample/010.sql': DATA,
    'src/handlers/get-enrollments.ts': `export default {
  onRequest: ({ service, emplid }) => ({ SERVICE: service, EMPLID: emplid }),
};
`,
    'src/handlers/lease-update.ts': 'export default { onRequest: () => ({}) };\n',
  };
}

const QUERIES = `query: COURSES
description: Courses of a campus
permission: EVERYTHING
prompts: { INSTITUTION: string(5), STRM: string(4) }
columns:
  A.CRSE_ID: { type: string(6), description: Course }
  A.UNITS: decimal(5.2)
  A.START_DT: date
  EXPR4_4: string
sql: |
  select crse_id as "A.CRSE_ID", units as "A.UNITS", start_dt as "A.START_DT", note as "EXPR4_4" from course
  where (:INSTITUTION is null or institution = :INSTITUTION) and (:STRM is null or strm = :STRM) order by crse_id
---
query: NO_ROWS
permission: EVERYTHING
columns: { A.CRSE_ID: string(6) }
sql: select crse_id as "A.CRSE_ID" from course where 1 = 0
`;

const PROCESSES = `process: COURSE_FILE
type: Course
query: COURSES
permission: EVERYTHING
`;

const SERVICES = `service: Student.v1
permission: EVERYTHING
namespace: http://xmlns.oracle.com/Enterprise/Tools/schemas/STUDENT.v1
operations:
  GET_ENROLLMENTS:
    soap: true
    request: { fields: { service: string(20), emplid: string(11) } }
    response: { fields: { SERVICE: string, EMPLID: string } }
  LEASE_UPDATE:
    soap: true
    request: { fields: { LEASE: string(10) } }
`;

const DATA = `create table course (institution varchar(5), strm varchar(4), crse_id varchar(6), units numeric(5,2), start_dt date, note varchar(30));
insert into course values ('UMNTC', '1199', '001234', 3.5, '2014-09-02', 'R & D'), ('UMNTC', '1199', '005678', 4, '2014-09-03', null);
`;
