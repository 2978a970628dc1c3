import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { PROCESS_PROJECT } from './process-project.ts';
import { envelope, SERVICES, type SoapReply, send, TYPES, type Version } from './soap-client.ts';

const NS = 'urn:test:PROCESSREQUEST.v1';

let test: TestGateway;
beforeAll(async () => {
  test = await startTestGateway({ files: PROCESS_PROJECT });
});
afterAll(() => test.stop());

function call(operation: string, fields: string, version: Version = '1.1'): Promise<SoapReply> {
  const body = envelope(`<${operation} xmlns="${NS}">${fields}</${operation}>`, version);
  return send(test, { path: SERVICES, headers: { 'content-type': TYPES[version] }, body });
}

/** Text of an element, wherever it stands. */
const textOf = (reply: SoapReply, element: string): string | undefined =>
  new RegExp(`<${element}(?: [^>]*)?>([^<]*)</${element}>`).exec(reply.text)?.[1];

const parameters = (values: Record<string, string>): string =>
  `<parameters>${Object.entries(values)
    .map(([name, value]) => `<parameter><Name>${name}</Name><Value>${value}</Value></parameter>`)
    .join('')}</parameters>`;

const schedule = (name: string, more = ''): Promise<SoapReply> =>
  call(
    'PRCS_SCHEDULE',
    `<RunControlId>RC</RunControlId><ProcessType>Application Engine</ProcessType><ProcessName>${name}</ProcessName>${more}`,
  );

const ended = (instance: string): Promise<SoapReply> =>
  eventually(`the end of ${instance}`, async () => {
    const reply = await call('PRCS_GETREQUEST', `<ProcessInstance>${instance}</ProcessInstance>`);
    const status = textOf(reply, 'RunStatus') ?? '';
    return ['Queued', 'Initiated', 'Processing', 'Cancel'].includes(status) ? undefined : reply;
  });

describe('the scheduler over SOAP', () => {
  it('schedules a process, tells of it, and gives the address of its report', async () => {
    const reply = await schedule('EXTRACT', parameters({ REGION: 'N' }));
    expect([reply.status, textOf(reply, 'faultstring')]).toEqual([200, undefined]);
    expect(reply.text).toContain(`<PRCS_SCHEDULEResponse xmlns="${NS}">`);
    const instance = textOf(reply, 'ProcessInstance') ?? '';
    const request = await ended(instance);
    expect(['RunStatus', 'DistributionStatus', 'OperatorID'].map((each) => textOf(request, each))).toEqual([
      'Success',
      'Posted',
      'demo',
    ]);
    const report = await call('PRCS_GETREPORT', `<ProcessInstance>${instance}</ProcessInstance>`);
    expect(textOf(report, 'ContentID')).toBe(textOf(request, 'ContentId'));
    expect((await test.call(new URL(textOf(report, 'ReportURL') ?? '').pathname)).text).toBe('region N\n');
    const log = await call('PRCS_GETMESSAGES', `<ProcessInstance>${instance}</ProcessInstance>`);
    expect(textOf(log, 'Text')).toBe('Region N, copies 1.');
  });

  it('schedules a stored query without its type being said', async () => {
    const fields = `<RunControlId>RC</RunControlId><ProcessName>NUMBERS</ProcessName><OutputDestinationFormat>XMLP</OutputDestinationFormat>${parameters({ LAST: '2' })}`;
    const instance = textOf(await call('PRCS_SCHEDULE_PSQUERY', fields, '1.2'), 'ProcessInstance') ?? '';
    const request = await ended(instance);
    expect(['ProcessType', 'ProcessName', 'RunStatus'].map((each) => textOf(request, each))).toEqual([
      'PSQuery',
      'NUMBERS',
      'Success',
    ]);
    const report = await call('PRCS_GETREPORT', `<ProcessInstance>${instance}</ProcessInstance>`);
    const file = await test.call(new URL(textOf(report, 'ReportURL') ?? '').pathname);
    expect(file.text).toContain('<query numrows="2" queryname="NUMBERS">');
  });

  it('finds requests, changes them, and names processes', async () => {
    const later = '<RunDateTime>2199-01-01T00:00:00</RunDateTime>';
    const instance = textOf(await schedule('SLOW', later), 'ProcessInstance') ?? '';
    const found = await call(
      'PRCS_FINDREQUESTS',
      `<ProcessInstanceFrom>${instance}</ProcessInstanceFrom><RunStatus>5</RunStatus>`,
    );
    expect([textOf(found, 'ProcessInstance'), textOf(found, 'RunStatus')]).toEqual([instance, 'Queued']);
    const change = `<ProcessInstance>${instance}</ProcessInstance><RunStatus>Cancelled</RunStatus>`;
    expect(textOf(await call('PRCS_UPDATEREQUEST', change), 'RunStatus')).toBe('Cancelled');
    const names = await call('PRCS_GETPROCESSNAMES', '<ProcessType>SQR Report</ProcessType>');
    expect(names.text).toMatch(/<names>\s*<[a-z]+>OPEN<\/[a-z]+>\s*<\/names>/);
  });

  it('answers what is wrong with a fault that names it', async () => {
    const unknown = await schedule('EXTRAKT');
    expect([unknown.status, textOf(unknown, 'faultstring')]).toEqual([
      500,
      'There is no process EXTRAKT that you may run.',
    ]);
    expect(unknown.text).toContain('<detail><PRQ_FAILURE><status>failure</status>');
    const instance = textOf(await schedule('EXTRACT', parameters({ REGION: 'S' })), 'ProcessInstance') ?? '';
    await ended(instance);
    const change = `<ProcessInstance>${instance}</ProcessInstance><RunStatus>Cancelled</RunStatus>`;
    expect(textOf(await call('PRCS_UPDATEREQUEST', change), 'faultstring')).toBe(
      `Process request ${instance} is Success and can't be cancelled.`,
    );
  });
});
