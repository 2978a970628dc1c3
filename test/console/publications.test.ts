import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayText, USERS } from '../support/project.ts';
import { type ConsoleGateway, startConsole, type Visitor } from './support.ts';

const JOBS = `document: JOB
fields: { ID: { type: integer, required: true }, STATUS: { type: string(8), enum: [OPEN, CLOSED] } }
---
component: JOBS
table: job
shape: JOB
keys: [ID]
after-save: { handler: job-saved, on: [created, updated] }
publish:
  - JOB_CHANGED
  - { operation: JOB_CLOSED, when: { STATUS: CLOSED }, map: { NUMBER: "{ID}", WAS: "{before.STATUS}", SOURCE: jobs } }
---
queue: JOB_EVENTS
---
service: JobEvents.v1
public: true
operations:
  JOB_CHANGED: { post: changed, queue: JOB_EVENTS, request: JOB }
  JOB_CLOSED: { post: closed, queue: JOB_EVENTS, request: { fields: { NUMBER: integer, WAS: string, SOURCE: string } } }
---
service: Jobs.v1
public: true
operations:
  JOB_GET: { get: "jobs/{ID}", read: JOBS }
  JOB_PUT: { put: "jobs/{ID}", save: JOBS }
`;

describe('what saves publish, in the console', () => {
  let gateway: ConsoleGateway;
  let visitor: Visitor;
  beforeAll(async () => {
    gateway = await startConsole({
      files: {
        'definitions/gateway.yaml': gatewayText('console: { sign-in: [password] }\nsample-data: data/*.sql'),
        'definitions/users.yaml': USERS.replace('EVERYTHING\n', 'EVERYTHING\nconsole: [act]\n'),
        'definitions/jobs.yaml': JOBS,
        'definitions/data/0001.sql': 'create table job (id integer primary key, status varchar(8));',
        'src/handlers/job-saved.ts': 'export default { onSave() {} };',
      },
    });
    visitor = await gateway.signIn();
  });
  afterAll(() => gateway?.stop());

  it('is on the page of the component, with its saves and what fills the message', async () => {
    const { text } = await visitor.get('/registry/components/JOBS');
    expect(text).toContain('<code>src/handlers/job-saved.ts</code>');
    expect(text).toContain('created, updated');
    expect(text).toMatch(/operations\/JOB_CHANGED">JOB_CHANGED<\/a>.*?queues\/JOB_EVENTS.*?all<\/td>.*?>ID, STATUS</s);
    expect(text).toContain('all, when STATUS is CLOSED');
    expect(text).toContain('NUMBER: {ID}, WAS: {before.STATUS}, SOURCE: jobs');
  });

  it('is a use of the operation and of its queue', async () => {
    for (const path of ['operations/JOB_CLOSED', 'queues/JOB_EVENTS'])
      expect((await visitor.get(`/registry/${path}`)).text).toMatch(/registry\/components\/JOBS">JOBS<\/a>/);
  });

  it('leads from the service to the queue on the map', async () => {
    const { text } = await visitor.get('/map?service=Jobs.v1', { 'HX-Request': 'true' });
    const boxes = [...text.matchAll(/<title>([^<]*)<\/title><rect/g)].map(([, name]) => name?.trim());
    expect(boxes).toEqual(expect.arrayContaining(['service Jobs.v1', 'queue JOB_EVENTS']));
  });
});
