import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, GUEST, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { PROCESS_PROJECT, REST } from './process-project.ts';

/** Credentials of a user whose password is demo's. */
const as = (user: string): string => `Basic ${Buffer.from(`${user}:demo`).toString('base64')}`;

const JSON_BODY = { 'content-type': 'application/json' };

let test: TestGateway;
beforeAll(async () => {
  test = await startTestGateway({ files: PROCESS_PROJECT });
});
afterAll(() => test.stop());

const asked = (body: object, headers: Record<string, string> = {}): Promise<Reply> =>
  test.call(`${REST}/requests`, {
    method: 'POST',
    headers: { ...JSON_BODY, ...headers },
    body: JSON.stringify({ RunControlId: 'RC', ProcessType: 'Application Engine', ...body }),
  });

const given = (values: Record<string, string>): object[] =>
  Object.entries(values).map(([Name, Value]) => ({ Name, Value }));

async function scheduled(body: object, headers: Record<string, string> = {}): Promise<number> {
  const reply = await asked(body, headers);
  expect(reply.text).toMatch(/^\{"ProcessInstance":\d+\}$/);
  return (JSON.parse(reply.text) as { ProcessInstance: number }).ProcessInstance;
}

async function request(instance: number, authorization = DEMO): Promise<Record<string, unknown>> {
  const { text } = await test.call(`${REST}/requests/${instance}`, { headers: { authorization } });
  return JSON.parse(text) as Record<string, unknown>;
}

async function ended(instance: number, authorization = DEMO): Promise<Record<string, unknown>> {
  return eventually(`the end of ${instance}`, async () => {
    const found = await request(instance, authorization);
    return ['Queued', 'Initiated', 'Processing', 'Cancel'].includes(found.RunStatus as string) ? undefined : found;
  });
}

const inStatus = (instance: number, status: string): Promise<unknown> =>
  eventually(`${status} of ${instance}`, async () =>
    (await request(instance)).RunStatus === status ? true : undefined,
  );

const update = (instance: number, status: string, headers: Record<string, string> = {}): Promise<Reply> =>
  test.call(`${REST}/requests/${instance}`, {
    method: 'PATCH',
    headers: { ...JSON_BODY, ...headers },
    body: JSON.stringify({ RunStatus: status }),
  });

async function messages(instance: number): Promise<{ Level: string; Text: string }[]> {
  const { text } = await test.call(`${REST}/requests/${instance}/messages`);
  return (JSON.parse(text) as { messages: { Level: string; Text: string }[] }).messages;
}

const failure = (message: string): object => ({ status: 'failure', error: { message, detail: '' } });

describe('a request that is entered over REST', () => {
  it('answers its instance and its address, runs, and says what became of it', async () => {
    const reply = await asked({ ProcessName: 'EXTRACT', parameters: given({ REGION: 'N', COPIES: '2' }) });
    const { ProcessInstance: instance } = JSON.parse(reply.text) as { ProcessInstance: number };
    expect(reply.status).toBe(201);
    expect(reply.headers.location).toBe(`http://127.0.0.1:${test.port}${REST}/requests/${instance}`);
    const found = await ended(instance);
    expect(found).toMatchObject({
      ProcessInstance: instance,
      ProcessName: 'EXTRACT',
      ProcessType: 'Application Engine',
      RunControlID: 'RC',
      OperatorID: 'demo',
      OutputDestinationType: 'WEB',
      RunStatus: 'Success',
      DistributionStatus: 'Posted',
      Attempt: 1,
      ProgressPercent: 100,
    });
    for (const key of ['RequestDateTime', 'RunDateTime', 'BeginDateTime', 'EndDateTime'])
      expect(found[key]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00$/);
    expect(await messages(instance)).toMatchObject([{ Level: 'info', Text: 'Region N, copies 2.' }]);
  });

  it('keeps its report, which is fetched from its URL', async () => {
    const instance = await scheduled({ ProcessName: 'EXTRACT', parameters: given({ REGION: 'S' }) });
    const { ContentId } = await ended(instance);
    const reply = await test.call(`${REST}/requests/${instance}/report`);
    const report = JSON.parse(reply.text) as { ContentID: number; ReportURL: string };
    expect(report.ContentID).toBe(ContentId);
    const file = await test.call(new URL(report.ReportURL).pathname);
    expect([file.status, file.text, file.headers['content-type']]).toEqual([
      200,
      'region S\n',
      'text/plain; charset=utf-8',
    ]);
    expect(file.headers['content-disposition']).toBe('attachment; filename="extract.txt"');
    const csv = await test.call(new URL(report.ReportURL).pathname, { headers: { accept: 'text/csv' } });
    expect([csv.status, csv.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    const other = await test.call(new URL(report.ReportURL).pathname, { headers: { authorization: GUEST } });
    expect(other.status).toBe(404);
  });

  it('runs a stored query to a file, and the monitor query shows it', async () => {
    const instance = await scheduled({
      ProcessType: 'PSQuery',
      ProcessName: 'NUMBERS',
      OutputDestinationFormat: 'csv',
      parameters: given({ LAST: '3' }),
    });
    expect(await ended(instance)).toMatchObject({ RunStatus: 'Success', OutputDestinationFormat: 'CSV' });
    const file = await test.call(`${REST}/requests/${instance}/report/content`);
    expect([file.text, file.headers['content-disposition']]).toEqual([
      'N\r\n1\r\n2\r\n3\r\n',
      'attachment; filename="NUMBERS.csv"',
    ]);
    expect(await monitored(instance)).toMatchObject({
      PRCSNAME: 'NUMBERS',
      OPRID: 'demo',
      RUNSTATUS: '9',
      DISTSTATUS: '5',
    });
  });

  it('runs a query that the caller has saved, for nobody else, and no longer than it is there', async () => {
    const query = { query: 'MINE', prompts: { N: 'integer' }, columns: { N: 'integer' }, sql: 'select :N as n' };
    const saves = '/gateway/RESTListeningConnector';
    const saved = await test.call(`${saves}/QuerySave.v1/`, {
      method: 'POST',
      headers: JSON_BODY,
      body: JSON.stringify(query),
    });
    expect(saved.status).toBe(200);
    const body = { ProcessType: 'PSQuery', ProcessName: 'MINE', parameters: given({ N: '7' }) };
    const instance = await scheduled(body);
    expect(await ended(instance)).toMatchObject({ RunStatus: 'Success', ProcessName: 'MINE' });
    const content = `${REST}/requests/${instance}/report/content`;
    expect((await test.call(content)).text).toBe('N\r\n7\r\n');
    const guest = { headers: { authorization: GUEST } };
    for (const path of ['', '/messages', '/report', '/report/content'])
      expect((await test.call(`${REST}/requests/${instance}${path}`, guest)).status).toBe(404);
    expect(instancesOf((await test.call(`${REST}/requests?ProcessName=MINE`, guest)).text)).toEqual([]);
    expect(instancesOf((await test.call(`${REST}/requests?ProcessName=MINE`)).text)).toEqual([instance]);
    expect((await test.call(`${REST}/processes?ProcessType=PSQuery`)).text).toContain('"MINE"');
    const wrong = await asked({ ...body, parameters: given({ M: '7' }) });
    expect([wrong.status, JSON.parse(wrong.text).error.message]).toEqual([
      400,
      'parameters names "M", which MINE does not have; it has: N.',
    ]);
    const reply = await asked(body, { authorization: GUEST });
    expect([reply.status, JSON.parse(reply.text)]).toEqual([404, failure('There is no query MINE that you may run.')]);
    await test.call(`${saves}/QueryDelete.v1/MINE`, { method: 'DELETE' });
    expect((await asked(body)).status).toBe(404);
  });

  it('runs a process that a stored query is the program of', async () => {
    const body = { ProcessType: 'Crystal', ProcessName: 'NUMBERS_LIST', parameters: given({ LAST: '1' }) };
    const instance = await scheduled({ ...body, OutputDestinationFormat: 'JSON' });
    await ended(instance);
    const { text } = await test.call(`${REST}/requests/${instance}/report/content`);
    expect(JSON.parse(text)).toMatchObject({ data: { query: { numrows: 1 } } });
  });

  it('waits for its time, in the zone that it names', async () => {
    const times = { RunDateTime: '2199-07-01T06:00:00', TimeZone: 'America/New_York' };
    const instance = await scheduled({ ProcessName: 'SLOW', ...times });
    // The gateway's zone is Berlin's.
    expect(await request(instance)).toMatchObject({ RunStatus: 'Queued', RunDateTime: '2199-07-01T12:00:00+02:00' });
    expect(await monitored(instance)).toMatchObject({ RUNSTATUS: '5', RUNDTTM: '2199-07-01T12:00:00+0200' });
    expect((await update(instance, 'Hold')).status).toBe(200);
    expect((await request(instance)).RunStatus).toBe('Hold');
    expect(JSON.parse((await update(instance, 'Restart')).text)).toMatchObject({
      RunStatus: 'Queued',
      RunDateTime: '2199-07-01T12:00:00+02:00',
    });
    expect(JSON.parse((await update(instance, 'cancelled')).text)).toMatchObject({ RunStatus: 'Cancelled' });
    expect(JSON.parse((await update(instance, 'Deleted')).text)).toMatchObject({ RunStatus: 'Delete' });
    const gone = await update(instance, 'Restart');
    expect([gone.status, JSON.parse(gone.text)]).toEqual([
      409,
      failure(`Process request ${instance} is Delete and can't be restarted.`),
    ]);
  });

  it('is cancelled while it runs, shown all the while, and can be restarted', async () => {
    const instance = await scheduled({ ProcessName: 'SLOW' });
    await inStatus(instance, 'Processing');
    expect(await monitored(instance)).toMatchObject({ RUNSTATUS: '7', DISTSTATUS: '2' });
    const running = await update(instance, 'Restart');
    expect([running.status, JSON.parse(running.text)]).toEqual([
      409,
      failure(`Process request ${instance} is Processing and can't be restarted.`),
    ]);
    expect(JSON.parse((await update(instance, 'Cancelled')).text)).toMatchObject({ RunStatus: 'Cancel' });
    expect(await ended(instance)).toMatchObject({ RunStatus: 'Cancelled', DistributionStatus: 'None' });
    const again = await update(instance, 'Cancelled');
    expect([again.status, JSON.parse(again.text)]).toEqual([
      409,
      failure(`Process request ${instance} is Cancelled and can't be cancelled.`),
    ]);
    expect((await update(instance, 'Restart')).status).toBe(200);
    await inStatus(instance, 'Processing');
    expect((await update(instance, 'Cancelled')).status).toBe(200);
    expect(await ended(instance)).toMatchObject({ RunStatus: 'Cancelled' });
    expect(await messages(instance)).toMatchObject([{ Text: 'begun' }, { Text: 'begun' }]);
  });

  it('is tried again, and tells of each attempt', async () => {
    const instance = await scheduled({ ProcessName: 'FLAKY', parameters: given({ MODE: 'once' }) });
    expect(await ended(instance)).toMatchObject({ RunStatus: 'Success', Attempt: 2 });
    const [line] = await messages(instance);
    expect(line).toMatchObject({ Level: 'warning' });
    expect(line?.Text).toMatch(/^Attempt 1 failed: The line is engaged\. The next begins at /);
  });

  it.each([
    ['always', 'Error', 'Attempt 2 failed and no other follows: The line is engaged.'],
    ['hang', 'Error', 'Attempt 2 failed and no other follows: FLAKY took longer than 200 ms and was stopped.'],
    ['refuse', 'Not Successful', 'Prompt LAST is missing.'],
    ['undeclared', 'Error', expect.stringContaining("It failed with UndeclaredName; the gateway's log says more")],
  ])('ends as it should: %s', async (mode, status, last) => {
    const instance = await scheduled({ ProcessName: 'FLAKY', parameters: given({ MODE: mode }) });
    expect(await ended(instance)).toMatchObject({ RunStatus: status, DistributionStatus: 'Not Posted' });
    expect((await messages(instance)).at(-1)).toMatchObject({ Level: 'error', Text: last });
    const report = await test.call(`${REST}/requests/${instance}/report`);
    expect([report.status, JSON.parse(report.text)]).toEqual([
      404,
      failure(`There is no report of process request ${instance}, which is ${status}, its distribution Not Posted.`),
    ]);
  });

  it('may end with a warning', async () => {
    const instance = await scheduled({ ProcessName: 'FLAKY', parameters: given({ MODE: 'warn' }) });
    expect(await ended(instance)).toMatchObject({ RunStatus: 'Success With Warning' });
  });
});

describe('a request that is wrong', () => {
  it.each([
    [{ ProcessName: 'EXTRAKT' }, 404, 'There is no process EXTRAKT that you may run.'],
    [
      { ProcessName: 'EXTRACT', ProcessType: 'COBOL SQL' },
      400,
      'ProcessType is "COBOL SQL", and EXTRACT is of the type "Application Engine".',
    ],
    [{ ProcessName: 'EXTRACT' }, 400, 'Parameter REGION is missing.'],
    [
      { ProcessName: 'EXTRACT', parameters: given({ REGION: 'NORTH' }) },
      400,
      'Parameter REGION is longer than 1 character.',
    ],
    [
      { ProcessName: 'EXTRACT', parameters: given({ REGION: 'N', YEAR: '2026' }) },
      400,
      'parameters names "YEAR", which EXTRACT does not have; it has: REGION, COPIES.',
    ],
    [
      { ProcessName: 'EXTRACT', parameters: [...given({ REGION: 'N' }), ...given({ REGION: 'S' })] },
      400,
      'parameters names "REGION" twice.',
    ],
    [
      { ProcessName: 'SLOW', Recurrence: 'HOURLY' },
      400,
      'Recurrence is "HOURLY", which is not a declared recurrence; declared: EVERY_MINUTE.',
    ],
    [
      { ProcessName: 'SLOW', TimeZone: 'Berlin' },
      400,
      'TimeZone is "Berlin", which is neither a time zone of the IANA database nor an offset such as +02:00.',
    ],
    [
      { ProcessName: 'SLOW', OutputDestinationType: 'PRINTER' },
      400,
      'OutputDestinationType is "PRINTER"; allowed: WEB, FILE, WINDOW, NONE.',
    ],
    [
      {
        ProcessType: 'PSQuery',
        ProcessName: 'NUMBERS',
        OutputDestinationFormat: 'PDF',
        parameters: given({ LAST: '1' }),
      },
      400,
      'OutputDestinationFormat is "PDF"; allowed: CSV, TXT, XLS, XLSX, EXCEL, HTM, HTML, XML, XMLP, WEBROWSET, JSON.',
    ],
    [{ ProcessName: 'SLOW', RunControlId: ' ' }, 400, 'RunControlId is missing.'],
  ])('is refused with what is wrong: %j', async (body, status, message) => {
    const reply = await asked(body);
    expect([reply.status, JSON.parse(reply.text)]).toEqual([status, failure(message)]);
  });

  it('needs the grant of the process beside that of the operation', async () => {
    const reply = await asked({ ProcessName: 'SLOW' }, { authorization: GUEST });
    expect([reply.status, JSON.parse(reply.text)]).toEqual([
      404,
      failure('There is no process SLOW that you may run.'),
    ]);
    const query = { ProcessType: 'PSQuery', ProcessName: 'NUMBERS' };
    expect((await asked(query, { authorization: GUEST })).status).toBe(404);
  });

  it.each([
    ['0', 404],
    ['99999', 404],
    ['9223372036854775807', 404],
    ['99999999999999999999', 400],
    ['one', 400],
  ])('names an instance that there is not: %s', async (instance, status) => {
    for (const path of ['', '/report', '/report/content', '/messages'])
      expect((await test.call(`${REST}/requests/${instance}${path}`)).status).toBe(status);
  });
});

describe('requests of others', () => {
  it('are hidden, also from who may run the process', async () => {
    const ours = await scheduled({ ProcessName: 'EXTRACT', parameters: given({ REGION: 'N' }) });
    await ended(ours);
    const waits = await scheduled({ ProcessName: 'SLOW', RunDateTime: '2199-01-01T00:00:00' });
    for (const name of ['colleague', 'guest', 'clerk']) {
      const other = { headers: { authorization: name === 'guest' ? GUEST : as(name) } };
      for (const instance of [ours, waits]) {
        for (const path of ['', '/messages', '/report', '/report/content'])
          expect((await test.call(`${REST}/requests/${instance}${path}`, other)).status).toBe(404);
        for (const action of ['Hold', 'Cancelled', 'Restart', 'Deleted']) {
          const { status, text } = await update(instance, action, other.headers);
          expect([status, JSON.parse(text)]).toEqual([404, failure(`There is no process request ${instance}.`)]);
        }
      }
      const range = `ProcessInstanceFrom=${ours}&ProcessInstanceTo=${waits}`;
      expect(instancesOf((await test.call(`${REST}/requests?${range}`, other)).text)).toEqual([]);
      expect(instancesOf((await test.call(`${REST}/requests?${range}&OperatorId=demo`, other)).text)).toEqual([]);
    }
    expect((await update(waits, 'Cancelled')).status).toBe(200);
  });

  it('are open to `process-requests: all`, of processes that its users may run', async () => {
    const ours = await scheduled({ ProcessName: 'EXTRACT', parameters: given({ REGION: 'N' }) });
    await ended(ours);
    const waits = await scheduled({ ProcessName: 'SLOW', RunDateTime: '2199-01-01T00:00:00' });
    const admin = { headers: { authorization: as('admin') } };
    for (const path of ['', '/messages', '/report', '/report/content'])
      expect((await test.call(`${REST}/requests/${ours}${path}`, admin)).status).toBe(200);
    const range = `ProcessInstanceFrom=${ours}&ProcessInstanceTo=${waits}`;
    expect(instancesOf((await test.call(`${REST}/requests?${range}`, admin)).text)).toEqual([waits, ours]);
    for (const action of ['Hold', 'Cancelled', 'Deleted'])
      expect((await update(waits, action, admin.headers)).status).toBe(200);
    // What anybody may run.
    const open = { ProcessType: 'SQR Report', ProcessName: 'OPEN' };
    const theirs = await scheduled({ ...open, parameters: given({ WORDS: 'hello' }) }, { authorization: GUEST });
    await ended(theirs, GUEST);
    expect((await update(theirs, 'Deleted')).status).toBe(404);
    expect((await update(theirs, 'Deleted', { authorization: as('clerk') })).status).toBe(200);
  });

  it('are found by every filter', async () => {
    const [first, second] = [
      await scheduled({ ProcessName: 'EXTRACT', parameters: given({ REGION: 'N' }) }),
      await scheduled({ ProcessName: 'SLOW', RunDateTime: '2199-01-01T00:00:00' }),
    ];
    await ended(first);
    const range = `ProcessInstanceFrom=${first}&ProcessInstanceTo=${second}`;
    const found = async (more: string) => instancesOf((await test.call(`${REST}/requests?${range}${more}`)).text);
    expect(await found('')).toEqual([second, first]);
    expect(await found('&ProcessRequestCount=1')).toEqual([second]);
    expect(await found('&ProcessName=EXTRACT')).toEqual([first]);
    expect(await found('&ProcessType=Application%20Engine&OperatorId=demo')).toEqual([second, first]);
    expect(await found('&OperatorId=nobody')).toEqual([]);
    expect(await found('&RunStatus=success')).toEqual([first]);
    expect(await found('&RunStatus=5')).toEqual([second]);
    expect(await found('&DistributionStatus=Posted&RunStatus=')).toEqual([first]);
    const wrong = await test.call(`${REST}/requests?RunStatus=Done`);
    expect([wrong.status, wrong.text]).toEqual([
      400,
      expect.stringContaining('RunStatus is \\"Done\\", not one of Cancel, Delete'),
    ]);
    expect((await update(second, 'Cancelled')).status).toBe(200);
  });

  it('have names that a user may run', async () => {
    const names = async (query: string, headers = {}) =>
      (JSON.parse((await test.call(`${REST}/processes${query}`, { headers })).text) as { names: string[] }).names;
    expect(await names('')).toEqual(['EXTRACT', 'FLAKY', 'NUMBERS_LIST', 'OPEN', 'SLOW']);
    expect(await names('?ProcessType=SQR%20Report')).toEqual(['OPEN']);
    expect(await names('?ProcessType=PSQuery')).toEqual(['NUMBERS', 'PROCESS_MONITOR']);
    expect(await names('', { authorization: GUEST })).toEqual(['OPEN']);
  });
});

const instancesOf = (text: string): number[] =>
  (JSON.parse(text) as { requests: { ProcessInstance: number }[] }).requests.map((each) => each.ProcessInstance);

async function monitored(instance: number): Promise<Record<string, unknown> | undefined> {
  const path = '/gateway/RESTListeningConnector/ExecuteQuery.v1/PUBLIC/PROCESS_MONITOR/JSON/NONFILE';
  const { text } = await test.call(path);
  const { data } = JSON.parse(text) as { data: { query: { rows: Record<string, unknown>[] } } };
  return data.query.rows.find((row) => row.PRCSINSTANCE === instance);
}
