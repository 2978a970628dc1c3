import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { QUEUE_PROJECT } from '../serve/queue-project.ts';
import { eventually, writeProject } from '../support/project.ts';
import { hasXmllint, validateXml } from '../support/xmllint.ts';
import { messageSchema } from './soap-schema.ts';
import { type Answer, type Calls, demoSession, runSessions, type SessionResult, zeep } from './soap-support.ts';
import { type Served, serve } from './support.ts';

/** The service of the queues, as a program calls it over SOAP. */
describe.skipIf(!zeep.isHere)('the queues over SOAP, with zeep', () => {
  let gateway: Served;
  let dead: string;
  let calls: SessionResult;
  let wsdl: string;
  let remove: () => void;
  const authorization = `Basic ${Buffer.from('demo:demo').toString('base64')}`;
  const rest = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { authorization, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return (await (await fetch(`${gateway.connector}/${path}`, { headers, ...sent })).json()) as never;
  };
  const deadJobs = async () =>
    (await rest('Queues.v1/queues/processes/jobs?JobState=dead')).jobs as { JobId: string }[];
  const ask = async (asked: Calls): Promise<SessionResult> => {
    const session = { ...demoSession(gateway, 'QUEUES.v1', '1.1', asked), trace: true };
    wsdl = session.wsdl;
    return (await runSessions(zeep, { queues: session })).queues;
  };

  beforeAll(async () => {
    const { root, remove: end } = writeProject(QUEUE_PROJECT);
    remove = end;
    mkdirSync(join(root, 'node_modules'));
    symlinkSync(process.cwd(), join(root, 'node_modules/signalbox'));
    gateway = await serve(root);
    for (const REGION of ['N', 'S'])
      await rest('ProcessRequest.v1/requests', {
        ...{ RunControlId: 'RC', ProcessType: 'Application Engine', ProcessName: 'BILLING' },
        parameters: Object.entries({ REGION, PIN: 'c4n4ry' }).map(([Name, Value]) => ({ Name, Value })),
      });
    const jobs = await eventually('two dead letters', async () => {
      const found = await deadJobs();
      return found.length === 2 ? found : undefined;
    });
    dead = jobs[0]?.JobId ?? '';
    const QueueName = 'processes';
    calls = await ask({
      queues: { operation: 'QUE_FINDQUEUES', argument: {} },
      list: { operation: 'QUE_FINDJOBS', argument: { QueueName, JobState: 'dead', JobCount: 1 } },
      job: { operation: 'QUE_GETJOB', argument: { JobId: dead } },
      payload: { operation: 'QUE_GETPAYLOAD', argument: { JobId: dead } },
      pause: { operation: 'QUE_PAUSE', argument: { QueueName } },
      cancel: { operation: 'QUE_CANCELJOB', argument: { JobId: dead } },
      others: { operation: 'QUE_RESUBMITJOBS', argument: { QueueName, JobCount: 1 } },
      resume: { operation: 'QUE_RESUME', argument: { QueueName } },
      log: { operation: 'QUE_FINDACTIONS', argument: { ActionCount: 2 } },
      unknown: { operation: 'QUE_GETJOB', argument: { JobId: dead } },
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    remove?.();
  });
  // biome-ignore lint/suspicious/noExplicitAny: what a client makes of a reply, which is what the tests are about
  const reply = (call: string): any => (calls.answers[call] as Answer).reply;

  test('sees the queues, a dead letter with its attempts, and what it carries without its secrets', () => {
    expect(
      reply('queues').map(({ QueueName, Dead }: { QueueName: string; Dead: number }) => [QueueName, Dead]),
    ).toEqual([
      ['events', 0],
      ['processes', 2],
      ['query-runs', 0],
    ]);
    expect(reply('list')).toMatchObject({
      jobs: { QUE_JOB: [{ JobId: dead, JobState: 'dead' }] },
      Next: expect.any(String),
    });
    const { Attempts, tried } = reply('job');
    expect(Attempts).toBe(2);
    expect(tried.attempt.map(({ Attempt }: { Attempt: number }) => Attempt)).toEqual([1, 2]);
    expect(JSON.stringify([reply('job'), reply('payload')])).toContain('***');
    expect(JSON.stringify(calls)).not.toContain('c4n4ry');
  });

  test('pauses a queue, runs dead letters again, cancels one, and sees that in the trail', () => {
    expect(reply('pause')).toEqual({ QueueName: 'processes', Changed: true });
    expect(reply('others')).toMatchObject({ Resubmitted: 1, More: false });
    expect(reply('cancel')).toMatchObject({ JobId: dead, JobState: 'dead' });
    expect(reply('resume')).toEqual({ QueueName: 'processes', Changed: true });
    expect(reply('log').map(({ Actor, Action }: { Actor: string; Action: string }) => [Actor, Action])).toEqual([
      ['demo', 'resume'],
      ['demo', 'resubmit'],
    ]);
    expect((calls.answers.unknown as Answer).fault).toMatchObject({
      reason: `There is no job ${dead}.`,
      detail: { QUE_FAILURE: expect.anything() },
    });
  });

  test.skipIf(!hasXmllint)('sends and gets what the schemas of the WSDL allow (needs xmllint)', async () => {
    const messages = Object.values(calls.answers).flatMap(({ sent, received }) => [sent, received]);
    const known = messages.filter((each) => each !== undefined);
    expect(known.length).toBe(20);
    expect(validateXml(messageSchema('1.1', await (await fetch(wsdl)).text()), known)).toBe('');
  });
});
