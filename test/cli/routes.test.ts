import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { files, staffPath, staffProject } from './fixture.ts';
import { bin, cleanEnvironment, finish, signalbox, signalboxProcess } from './support.ts';

const soapService = `service: Files.v1
public: true
operations:
  FILE_PUT: { soap: true, handler: hello-get, request: { fields: { CONTENT: binary } }, response: text }
  FILE_GET: { get: "files/{DEPTNAME}", soap: FILE_READ, query: EMPLOYEES_BY_DEPT, active: false }
---
node: PARTNER
base: [https://a.example.org/soap, https://b.example.org/soap]
---
permission-list: PARTNERS
---
service: Partner.v2
target: PARTNER
permission: PARTNERS
operations:
  PARTNER_SEND: { soap: true, request: text }
  PARTNER_FETCH: { soap: true, properties: { PRIMARYURL: "https://me:\${secret:PARTNER_PASSWORD}@c.example.org" }, active: false }
`;

test.concurrent('--wide: a table of paths with routing, answer and permission', async () => {
  const { code, stdout, stderr } = await signalboxProcess(['routes', '--wide'], { cwd: await staffProject() });
  const [heading, ...lines] = stdout.trimEnd().split('\n');
  expect(heading).toMatch(/^OPERATION +METHOD +PATH +URI +ROUTING +FROM > TO +ACTIVE +ANSWER +PERMISSION$/);
  const cells = lines.map((line) => line.split(/ {2,}/));
  expect(cells).toEqual([
    [
      'EMPLOYEES_GET',
      'GET',
      `${staffPath}/Employees/{DEPTNAME}{?maxrows}`,
      '1',
      '~GENERATED~EMPLOYEES_GET',
      'ANY > LOCAL',
      'yes',
      'query EMPLOYEES_BY_DEPT',
      'public',
    ],
    [
      'HELLO_GET',
      'GET',
      `${staffPath}/Hello/{NAME}`,
      '1',
      '~GENERATED~HELLO_GET',
      'ANY > LOCAL',
      'yes',
      'code hello-get',
      'public',
    ],
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test.concurrent('an operation that publishes messages, with its queue and the subscriptions that get them', async () => {
  const cwd = await staffProject({
    'src/handlers/cache.ts': 'export default { onMessage() {} };\n',
    'definitions/events.yaml': `queue: EVENTS
---
service: Events.v1
public: true
operations:
  CHANGED: { post: changed, soap: true, queue: EVENTS }
  NOTED: { post: noted, queue: EVENTS }
  ASKED: { post: asked, soap: true, response: { fields: { N: integer } }, queue: EVENTS, reply-to: BACK }
---
{ node: BACK, base: "https://back.example.org" }
---
{ subscription: ANSWERS, operation: ASKED, handler: cache, gives-reply: true }
---
{ subscription: CACHE, operation: CHANGED, handler: cache }
---
{ subscription: AUDIT, operation: CHANGED, handler: cache }
---
{ subscription: OFF, operation: CHANGED, handler: cache, active: false }
`,
  });
  const { stdout } = await signalbox(['routes', 'Events.v1'], { cwd, env: { COLUMNS: '80' } });
  expect(stdout).toContain('  ASKED  queue EVENTS for ANSWERS, replies to BACK, public\n');
  expect(stdout).toContain(`  CHANGED  queue EVENTS for AUDIT, CACHE, public
    POST    Events.v1/changed
    SOAP    CHANGED.v1
  NOTED  queue EVENTS, public
    POST    Events.v1/noted
`);
});

test.concurrent('an operation that saves, with the code after it and what it publishes', async () => {
  const cwd = await staffProject({
    'src/handlers/job-saved.ts': 'export default { onSave() {} };\n',
    'definitions/jobs.yaml': `queue: JOB_EVENTS
---
document: JOB
fields: { ID: { type: integer, required: true } }
---
component: JOBS
table: job
shape: JOB
keys: [ID]
after-save: job-saved
publish: [JOB_CHANGED, { operation: JOB_CHANGED, on: deleted }]
---
service: Jobs.v1
public: true
operations:
  JOB_CHANGED: { post: changed, request: JOB, queue: JOB_EVENTS }
  JOB_GET: { get: "jobs/{ID}", read: JOBS }
  JOB_PUT: { put: "jobs/{ID}", save: JOBS }
`,
  });
  const { stdout } = await signalbox(['routes', 'Jobs.v1'], { cwd, env: { COLUMNS: '80' } });
  expect(stdout).toContain('  JOB_GET  read JOBS, public\n');
  expect(stdout).toContain('  JOB_PUT  save JOBS, then code job-saved, publishes JOB_CHANGED, public\n');
});

test.concurrent('operations by service, with the ways to call them, in lines that fit', async () => {
  const cwd = await staffProject({ 'definitions/files.yaml': soapService });
  const { code, stdout } = await signalbox(['routes'], { cwd, env: { COLUMNS: '60' } });
  expect(stdout).toBe(`GET and so on: below /gateway/RESTListeningConnector/
SOAP: at /gateway/PeopleSoftServiceListeningConnector

Staff.v1
  EMPLOYEES_GET  query EMPLOYEES_BY_DEPT, public
    GET     Staff.v1/Employees/{DEPTNAME}{?maxrows}
  HELLO_GET  code hello-get, public
    GET     Staff.v1/Hello/{NAME}

Files.v1
  FILE_GET  query EMPLOYEES_BY_DEPT, public, not active
    GET     Files.v1/files/{DEPTNAME}
    SOAP    FILE_READ.v1
  FILE_PUT  code hello-get, public
    SOAP    FILE_PUT.v1

Partner.v2
  PARTNER_FETCH  calls PARTNER, PARTNERS, not active
    SOAP    https://me:\${secret:PARTNER_…rg PARTNER_FETCH.v2
  PARTNER_SEND  calls PARTNER, PARTNERS
    SOAP    https://a.example.org/soap PARTNER_SEND.v2
`);
  expect(code).toBe(0);
});

test.concurrent('--json has the same facts', async () => {
  const { stdout } = await signalbox(['routes', 'Staff.v1', '--json'], { cwd: await staffProject() });
  const [first] = JSON.parse(stdout) as unknown[];
  expect(first).toEqual({
    operation: 'EMPLOYEES_GET',
    service: 'Staff.v1',
    method: 'GET',
    path: `${staffPath}/Employees/{DEPTNAME}{?maxrows}`,
    uriIndex: 1,
    routing: '~GENERATED~EMPLOYEES_GET',
    sender: 'ANY',
    receiver: 'LOCAL',
    active: true,
    answer: 'query EMPLOYEES_BY_DEPT',
    permission: ['public'],
  });
});

test.concurrent('an inactive operation is listed as such', async () => {
  const service = files['definitions/staff/service.yaml'].replace(
    '  HELLO_GET:\n',
    '  HELLO_GET:\n    active: false\n',
  );
  const cwd = await staffProject({ 'definitions/staff/service.yaml': service });
  const { stdout } = await signalbox(['routes', '--json'], { cwd });
  const routes = JSON.parse(stdout) as { operation: string; active: boolean }[];
  expect(routes.map(({ operation, active }) => [operation, active])).toEqual([
    ['EMPLOYEES_GET', true],
    ['HELLO_GET', false],
  ]);
});

test.concurrent('what is called over SOAP has its connector and action, what is called elsewhere its address', async () => {
  const cwd = await staffProject({ 'definitions/files.yaml': soapService });
  const { stdout, stderr } = await signalbox(['routes', '--json'], { cwd });
  expect(stderr).toBe('');
  const routes = JSON.parse(stdout) as { operation: string }[];
  const of = (id: string): unknown[] => routes.filter(({ operation }) => operation === id);
  const services = '/gateway/PeopleSoftServiceListeningConnector';
  expect(of('FILE_PUT')).toEqual([
    {
      operation: 'FILE_PUT',
      service: 'Files.v1',
      method: 'SOAP',
      path: services,
      action: 'FILE_PUT.v1',
      routing: '~GENERATED~FILE_PUT',
      sender: 'ANY',
      receiver: 'LOCAL',
      active: true,
      answer: 'code hello-get',
      permission: ['public'],
    },
  ]);
  expect(of('FILE_GET')).toMatchObject([
    { method: 'GET', uriIndex: 1, active: false },
    { method: 'SOAP', path: services, action: 'FILE_READ.v1', active: false },
  ]);
  expect(of('PARTNER_SEND')).toEqual([
    {
      operation: 'PARTNER_SEND',
      service: 'Partner.v2',
      method: 'SOAP',
      path: 'https://a.example.org/soap',
      action: 'PARTNER_SEND.v2',
      routing: '',
      sender: 'LOCAL',
      receiver: 'PARTNER',
      active: true,
      answer: '',
      permission: ['PARTNERS'],
    },
  ]);
  // A reference stays one: it may be a secret.
  expect(of('PARTNER_FETCH')).toMatchObject([
    { path: 'https://me:${secret:PARTNER_PASSWORD}@c.example.org', active: false },
  ]);
});

test.concurrent('the table has them in the same columns, those of one service where it is named', async () => {
  const cwd = await staffProject({ 'definitions/files.yaml': soapService });
  const lines = async (name: string): Promise<string[][]> => {
    const { stdout } = await signalbox(['routes', name, '--wide'], { cwd });
    const [, ...rest] = stdout.trimEnd().split('\n');
    return rest.map((line) => line.split(/ {2,}/));
  };
  const connector = '/gateway/PeopleSoftServiceListeningConnector';
  expect((await lines('Files.v1'))[0]?.slice(0, 3)).toEqual(['FILE_PUT', 'SOAP', `${connector} FILE_PUT.v1`]);
  const address = 'https://a.example.org/soap PARTNER_SEND.v2';
  expect((await lines('Partner'))[0]).toEqual(['PARTNER_SEND', 'SOAP', address, 'LOCAL > PARTNER', 'yes', 'PARTNERS']);
});

test.concurrent('warnings are counted: what they are is for check to say', async () => {
  const queries = files['definitions/staff/queries.yaml'].replace('  LOWEST: integer\n', '$&  HIGHEST: integer\n');
  const cwd = await staffProject({ 'definitions/staff/queries.yaml': queries });
  const { code, stderr } = await signalbox(['routes'], { cwd });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'The definitions have 1 warning. Run signalbox check for details.\n',
  });
});

test.concurrent('a service that is not there: what was probably meant', async () => {
  const { code, stderr } = await signalbox(['routes', 'Stafff.v1'], { cwd: await staffProject() });
  expect(stderr).toBe('signalbox: there is no service Stafff.v1\n  Did you mean Staff.v1?\n');
  expect(code).toBe(2);
});

test.concurrent('a service is found by its name alone, and by its name in paths, with those paths only', async () => {
  const service = files['definitions/staff/service.yaml'].replace(
    '  HELLO_GET:\n',
    '  HELLO_GET:\n    alias: Greeting\n',
  );
  const cwd = await staffProject({ 'definitions/staff/service.yaml': service });
  const operations = async (name: string): Promise<string[]> => {
    const { stdout } = await signalbox(['routes', name, '--json'], { cwd });
    return (JSON.parse(stdout) as { operation: string }[]).map(({ operation }) => operation);
  };
  expect(await operations('Staff')).toEqual(['EMPLOYEES_GET', 'HELLO_GET']);
  expect(await operations('Greeting.v1')).toEqual(['HELLO_GET']);
});

test.concurrent('definitions with mistakes: the diagnostics on standard error, exit code 1', async () => {
  const cwd = await staffProject({ 'definitions/staff/queries.yaml': 'query: 7\n' });
  const { code, stdout, stderr } = await signalbox(['routes'], { cwd });
  expect(stderr).toMatch(/^definitions\/staff\/.*: error /m);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

test.concurrent('a reader that goes away early is no error', async () => {
  const cwd = await staffProject();
  const child = spawn(process.execPath, [bin, 'routes', '--json'], { cwd, env: cleanEnvironment() });
  child.stdout.destroy();
  expect(await finish(child)).toMatchObject({ code: 0, stderr: '' });
});
