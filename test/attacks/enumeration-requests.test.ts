import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROCESS_PROJECT, REST } from '../serve/process-project.ts';
import { envelope, send, TYPES } from '../serve/soap-client.ts';
import { DEMO, GUEST, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { expectAlike } from './support/alike.ts';

// `guest` may use every operation of the scheduler, and no process but OPEN.
const NS = 'urn:test:PROCESSREQUEST.v1';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ files: PROCESS_PROJECT });
});
afterAll(() => gateway.stop());

const call = (path: string, method = 'GET', body?: object, authorization = GUEST) =>
  gateway.call(`${REST}/${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const soap = (operation: string, fields: string) =>
  send(gateway, {
    headers: { 'content-type': TYPES['1.1'] },
    authorization: GUEST,
    body: envelope(`<${operation} xmlns="${NS}">${fields}</${operation}>`),
  });

/** A request of demo's that waits for a time to come. */
async function requestOfDemo(ProcessType: string, ProcessName: string, parameters: object[] = []): Promise<string> {
  const body = { RunControlId: 'RC', ProcessType, ProcessName, RunDateTime: '2199-01-01T00:00:00', parameters };
  const { text } = await call('requests', 'POST', body, DEMO);
  return String((JSON.parse(text) as { ProcessInstance: number }).ProcessInstance);
}

/** Asks in every way for a request that is there, and for one that is not. */
async function expectUnknown(instance: string): Promise<void> {
  const absent = String(Number(instance) === 9 ? 8 : 9).padStart(instance.length, '9');
  for (const path of ['', '/report', '/report/content', '/messages', '/messages?MessageFrom=2'])
    expect(await expectAlike((id) => call(`requests/${id}${path}`), instance, absent, path)).toBe(404);
  for (const RunStatus of ['Deleted', 'Cancelled', 'Hold', 'Restart'])
    expect(await expectAlike((id) => call(`requests/${id}`, 'PATCH', { RunStatus }), instance, absent, RunStatus)).toBe(
      404,
    );
  for (const [operation, more] of [
    ['PRCS_GETREQUEST', ''],
    ['PRCS_GETREPORT', ''],
    ['PRCS_GETMESSAGES', ''],
    ['PRCS_UPDATEREQUEST', '<RunStatus>Cancelled</RunStatus>'],
  ] as const) {
    const ask = (id: string) => soap(operation, `<ProcessInstance>${id}</ProcessInstance>${more}`);
    expect(await expectAlike(ask, instance, absent, operation)).toBe(500);
    expect((await ask(instance)).text).toContain(`There is no process request ${instance}.`);
  }
  const listed = await call(`requests?ProcessInstanceFrom=${instance}&ProcessInstanceTo=${instance}`);
  expect(JSON.parse(listed.text)).toEqual({ requests: [] });
}

describe('a process that the caller may not run', () => {
  it.each([
    ['Application Engine', 'EXTRACT', 'ABSENTS', 'process'],
    ['COBOL SQL', 'EXTRACT', 'ABSENTS', 'process'],
    ['PSQuery', 'EXTRACT', 'ABSENTS', 'query'],
    ['PSQuery', 'NUMBERS', 'ABSENTS', 'query'],
    ['Crystal', 'NUMBERS_LIST', 'ABSENTS_LIST', 'process'],
  ])('answers as one that does not exist: %s %s', async (ProcessType, hidden, absent, word) => {
    const body = (ProcessName: string) => ({ RunControlId: 'RC', ProcessType, ProcessName });
    for (const more of [{}, { parameters: [{ Name: 'NO' }] }, { Recurrence: 'NO' }, { TimeZone: 'NO' }]) {
      const ask = (name: string) => call('requests', 'POST', { ...body(name), ...more });
      expect(await expectAlike(ask, hidden, absent, JSON.stringify(more))).toBe(404);
    }
    const { text } = await call('requests', 'POST', body(hidden));
    expect(JSON.parse(text).error.message).toBe(`There is no ${word} ${hidden} that you may run.`);
    const fields = (name: string) =>
      `<RunControlId>RC</RunControlId><ProcessType>${ProcessType}</ProcessType><ProcessName>${name}</ProcessName>`;
    expect(await expectAlike((name) => soap('PRCS_SCHEDULE', fields(name)), hidden, absent, 'SOAP')).toBe(500);
  });

  it('answers as one that does not exist where a query alone is meant', async () => {
    const fields = (name: string) => `<RunControlId>RC</RunControlId><ProcessName>${name}</ProcessName>`;
    const ask = (name: string) => soap('PRCS_SCHEDULE_PSQUERY', fields(name));
    expect(await expectAlike(ask, 'NUMBERS', 'ABSENTS', 'PRCS_SCHEDULE_PSQUERY')).toBe(500);
    expect((await ask('NUMBERS')).text).toContain('There is no query NUMBERS that you may run.');
  });

  it('is no name of any list', async () => {
    expect((await call('processes')).text).toContain('OPEN');
    for (const type of ['', '?ProcessType=PSQuery', '?ProcessType=Crystal', '?ProcessType=Application%20Engine'])
      expect((await call(`processes${type}`)).text).not.toMatch(/EXTRACT|SLOW|NUMBERS|FLAKY|MONITOR/);
  });
});

describe('a request of somebody else', () => {
  it('answers as one that does not exist', async () => {
    await expectUnknown(await requestOfDemo('Application Engine', 'SLOW'));
  });

  it('that runs a declared query does, too', async () => {
    await expectUnknown(await requestOfDemo('PSQuery', 'NUMBERS', [{ Name: 'LAST', Value: '1' }]));
  });

  it('that runs a query which its operator has saved does, too', async () => {
    const query = { query: 'MINE', columns: { N: 'integer' }, sql: 'select 1 as n' };
    const saved = await gateway.call('/gateway/RESTListeningConnector/QuerySave.v1/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(query),
    });
    expect(saved.status).toBe(200);
    await expectUnknown(await requestOfDemo('PSQuery', 'MINE'));
  });
});
