import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { removedJobs } from '../../src/messaging/run/index.ts';
import { jobOwners } from '../../src/serve/start/queues.ts';
import { openStore, readQueues } from '../../src/store/index.ts';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { mend, PIN, QUEUE_PROJECT, QUEUES } from './queue-project.ts';

const PROCESSES = '/gateway/RESTListeningConnector/ProcessRequest.v1';
const QUERIES = '/gateway/RESTListeningConnector';

type Json = Record<string, unknown>;

let test: TestGateway;
beforeAll(async () => {
  test = await startTestGateway({ files: QUEUE_PROJECT });
});
afterEach(() => mend(false));
afterAll(() => test.stop());

/** Credentials of a user whose password is demo's. */
const as = (user: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:demo`).toString('base64')}`,
});

async function call(path: string, method = 'GET', user = 'demo'): Promise<{ status: number; body: Json }> {
  const reply: Reply = await test.call(`${QUEUES}/${path}`, { method, headers: as(user) });
  return { status: reply.status, body: reply.text === '' ? {} : (JSON.parse(reply.text) as Json) };
}

const messageOf = (body: Json): unknown => (body.error as Json | undefined)?.message;

async function schedule(name: string, parameters: Readonly<Record<string, string>> = {}): Promise<number> {
  const { text } = await test.call(`${PROCESSES}/requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ RunControlId: 'RC', ProcessType: 'Application Engine', ProcessName: name },
      parameters: Object.entries(parameters).map(([Name, Value]) => ({ Name, Value })),
    }),
  });
  return (JSON.parse(text) as { ProcessInstance: number }).ProcessInstance;
}

const request = async (instance: number): Promise<Json> =>
  JSON.parse((await test.call(`${PROCESSES}/requests/${instance}`)).text) as Json;

const inStatus = (instance: number, status: string): Promise<true> =>
  eventually(`${status} of ${instance}`, async () => (await request(instance)).RunStatus === status || undefined);

async function messages(instance: number): Promise<string[]> {
  const { text } = await test.call(`${PROCESSES}/requests/${instance}/messages`);
  return (JSON.parse(text) as { messages: { Text: string }[] }).messages.map(({ Text }) => Text);
}

/** The newest job of a queue in a state. */
const newest = (queue: string, state: string): Promise<Json> =>
  eventually(`a job of ${queue} that is ${state}`, async () => {
    const { body } = await call(`queues/${queue}/jobs?JobState=${state}&JobOrder=newest&JobCount=1`);
    return (body.jobs as Json[])[0];
  });

/** A process request that has failed for good, and its dead letter. */
async function failed(): Promise<{ instance: number; id: string }> {
  const instance = await schedule('BILLING', { PIN, REGION: 'NORTH' });
  await inStatus(instance, 'Error');
  return { instance, id: String((await newest('processes', 'dead')).JobId) };
}

describe('an operator over REST', () => {
  it('sees the queues, those that are empty too', async () => {
    const { status, body } = await call('queues');
    expect(status).toBe(200);
    expect((body.queues as Json[]).map(({ QueueName }) => QueueName)).toEqual(['events', 'processes', 'query-runs']);
    expect((body.queues as Json[])[0]).toMatchObject({
      Waiting: 0,
      Running: 0,
      Delayed: 0,
      Held: 0,
      Dead: 0,
      DonePerMinute: 0,
    });
    const unknown = await call('queues/processs/jobs');
    expect([unknown.status, messageOf(unknown.body)]).toEqual([404, 'There is no queue processs.']);
  });

  it('finds a dead letter, sees why each attempt failed and what it carries, and none of its secrets', async () => {
    const { instance, id } = await failed();
    const listed = await call('queues/processes/jobs?JobState=dead');
    expect((listed.body.jobs as Json[])[0]).toMatchObject({
      JobId: id,
      QueueName: 'processes',
      JobState: 'dead',
      Attempts: expect.any(Number),
    });
    const { body } = await call(`jobs/${id.toUpperCase()}`);
    const reason = 'The line to NORTH is engaged: ***';
    const attempt = { Reason: reason, BeginDateTime: expect.any(String), EndDateTime: expect.any(String) };
    expect(body).toMatchObject({ JobId: id, JobState: 'dead', Reason: reason, DiedDateTime: expect.any(String) });
    const tried = Array.from({ length: Number(body.Attempts) }, (_, n) => ({ Attempt: n + 1, ...attempt }));
    expect(tried.length).toBeGreaterThan(1);
    expect(body.tried).toMatchObject(tried);
    expect(body.Gateway).toEqual(expect.any(String));
    const payload = await call(`jobs/${id}/payload`);
    expect(payload.body).toMatchObject({
      JobId: id,
      Payload: {
        ...{ instance, type: 'Application Engine', name: 'BILLING', operator: 'demo' },
        parameters: { PIN: '***', REGION: 'NORTH' },
      },
    });
    for (const each of [listed, { body }, payload]) expect(JSON.stringify(each)).not.toContain('c4n4ry');
    expect((await call('jobs/not-an-id')).status).toBe(404);
  });

  it('masks all that a job carries where the definitions do not have what it runs', async () => {
    const { id } = await failed();
    const { registry } = test.gateway;
    const store = await openStore({ url: `sqlite:${test.folder}/test.db`, root: test.folder });
    const owners = jobOwners({ ...registry, processes: new Map() });
    const { payload } = await readQueues({ store, owners, removed: removedJobs, redactor: createRedactor() }).get(id);
    await store.close();
    expect(payload).toMatchObject({ name: 'BILLING', parameters: { PIN: '***', REGION: '***' } });
  });

  it('runs it again, and its request goes from Error to Success, with all its attempts and a line of who did it', async () => {
    const { instance, id } = await failed();
    mend();
    expect((await call(`jobs/${id}/resubmit`, 'POST', 'keeper')).status).toBe(200);
    await inStatus(instance, 'Success');
    expect((await messages(instance)).slice(-3)).toEqual([
      expect.stringContaining('failed and no other follows: The line to NORTH is engaged: ***'),
      'It is run again, on behalf of keeper.',
      'done',
    ]);
    expect(await request(instance)).toMatchObject({ Attempt: 1 });
    const gone = await call(`jobs/${id}/resubmit`, 'POST');
    expect([gone.status, messageOf(gone.body)]).toEqual([404, `There is no job ${id}.`]);
  });

  it('runs no dead letter again whose request was restarted: that has taken it away', async () => {
    const { instance, id } = await failed();
    mend();
    await test.call(`${PROCESSES}/requests/${instance}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ RunStatus: 'Restart' }),
    });
    await inStatus(instance, 'Success');
    expect((await call(`jobs/${id}`)).status).toBe(404);
  });

  it('runs the dead letters of a queue again since a time, and says which can not be', async () => {
    const { id: before } = await failed();
    const since = new Date(Date.now() + 1).toISOString();
    await eventually('a later time', () => new Date().toISOString() > since || undefined);
    const [one, two] = [await failed(), await failed()];
    // As by hand.
    const db = new Database(`${test.folder}/test.db`);
    db.prepare("update psprcsrqst set runstatus = '9' where prcsinstance = ?").run(two.instance);
    db.close();
    mend();
    const { body } = await call(`queues/processes/resubmit?Since=${encodeURIComponent(since)}`, 'POST', 'keeper');
    const reason = `process request ${two.instance} is Success`;
    expect(body).toEqual({ Resubmitted: 1, refused: [{ JobId: two.id, Reason: reason }], More: false });
    await inStatus(one.instance, 'Success');
    expect((await call(`jobs/${before}`)).body).toMatchObject({ JobState: 'dead' });
    const refused = await call(`jobs/${two.id}/resubmit`, 'POST');
    expect([refused.status, messageOf(refused.body)]).toEqual([
      409,
      `Job ${two.id} of processes can't run again: ${reason}.`,
    ]);
  });

  it('cancels a dead letter, whose request stays in Error with a line', async () => {
    const { instance, id } = await failed();
    expect((await call(`jobs/${id}`, 'DELETE')).body).toMatchObject({ JobId: id, JobState: 'dead' });
    expect(await request(instance)).toMatchObject({ RunStatus: 'Error' });
    expect((await messages(instance)).at(-1)).toBe("Its job was cancelled by demo, and can't be run again.");
    expect((await call(`jobs/${id}`)).status).toBe(404);
  });

  it('cancels a delayed job, whose request is Cancelled, or runs it now', async () => {
    const [cancelled, hastened] = [await schedule('LATER'), await schedule('LATER')];
    const delayed = (instance: number): Promise<string> =>
      eventually(`the pause of ${instance}`, async () => {
        const { body } = await call('queues/processes/jobs?JobState=delayed');
        for (const { JobId } of body.jobs as Json[]) {
          const { body: carried } = await call(`jobs/${JobId}/payload`);
          if ((carried.Payload as Json).instance === instance) return String(JobId);
        }
        return undefined;
      });
    await call(`jobs/${await delayed(cancelled)}`, 'DELETE', 'keeper');
    expect(await request(cancelled)).toMatchObject({ RunStatus: 'Cancelled' });
    expect((await messages(cancelled)).at(-1)).toBe('It was cancelled in the queue by keeper.');
    const id = await delayed(hastened);
    mend();
    expect((await call(`jobs/${id}/resubmit`, 'POST')).body).toMatchObject({ JobState: 'delayed' });
    await inStatus(hastened, 'Success');
  });

  it('pauses a queue, cancels a polled query that waits, and resumes it', async () => {
    expect((await call('queues/query-runs/pause', 'POST', 'keeper')).body).toEqual({
      ...{ QueueName: 'query-runs', Changed: true },
    });
    expect((await call('queues/query-runs/pause', 'POST')).body).toMatchObject({ Changed: false });
    const { body } = await call('queues');
    expect((body.queues as Json[]).at(-1)).toMatchObject({ PausedBy: 'keeper', PausedSince: expect.any(String) });
    // The gateway notices within two seconds; a run that it has taken until then is run.
    const prompts = new URLSearchParams({ prompt_uniquepromptname: 'LAST,PIN', prompt_fieldvalue: `7,${PIN}` });
    const start = async (): Promise<string> => {
      const { text } = await test.call(`${QUERIES}/ExecuteQueryPoll.v1/PUBLIC/LONG/JSON/NONFILE?${prompts}`);
      return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0] ?? text;
    };
    expect(await start()).toMatch(/^[0-9a-f-]{36}$/);
    const waiting = await eventually('a run that waits for a second', async () => {
      const found = ((await call('queues')).body.queues as Json[]).at(-1);
      if (found?.Waiting === 0) await start();
      return Number(found?.OldestSeconds ?? 0) >= 1 || undefined;
    });
    expect(waiting).toBe(true);
    const { JobId } = await newest('query-runs', 'waiting');
    const payload = (await call(`jobs/${JobId}/payload`)).body.Payload as Json;
    expect(payload).toMatchObject({ query: 'LONG', owner: 'demo', input: { prompts: { LAST: '7', PIN: '***' } } });
    const early = await call(`jobs/${JobId}/resubmit`, 'POST');
    expect([early.status, messageOf(early.body)]).toEqual([
      409,
      `Job ${JobId} of query-runs is due already, and runs as soon as a gateway takes it.`,
    ]);
    await call(`jobs/${JobId}`, 'DELETE');
    const { text } = await test.call(`${QUERIES}/QueryStatus.v1/getstatus?instanceid=${JobId}&json_resp=true`);
    expect(JSON.parse(text)).toMatchObject({ status: 'killed', message: 'It was cancelled in the queue.' });
    expect((await call('queues/query-runs/resume', 'POST')).body).toMatchObject({ Changed: true });
  });

  it('runs a polled query that has failed for good again, and its caller gets the rows', async () => {
    const prompts = new URLSearchParams({ prompt_uniquepromptname: 'LAST,PIN', prompt_fieldvalue: `7,${PIN}` });
    const query = async (path: string): Promise<Json> => JSON.parse((await test.call(`${QUERIES}/${path}`)).text);
    const stateOf = (id: string) => query(`QueryStatus.v1/getstatus?instanceid=${id}&json_resp=true`);
    // Without it no result can be kept.
    const rename = (from: string, to: string): void => {
      const db = new Database(`${test.folder}/test.db`);
      db.exec(`alter table ${from} rename to ${to}`);
      db.close();
    };
    rename('signalbox_blob', 'signalbox_blob_away');
    const { text } = await test.call(`${QUERIES}/ExecuteQueryPoll.v1/PUBLIC/LONG/JSON/NONFILE?${prompts}`);
    const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0] ?? expect.fail(text);
    // An attempt that is delayed runs at once when it is resubmitted.
    const dead = await eventually('its dead letter', async () => {
      const { body } = await call(`jobs/${id}`);
      if (body.JobState === 'delayed') await call(`jobs/${id}/resubmit`, 'POST', 'keeper');
      return body.JobState === 'dead' ? body : undefined;
    });
    expect(dead).toMatchObject({ QueueName: 'query-runs', Attempts: 6, Reason: expect.stringContaining('blob') });
    expect(await stateOf(id)).toMatchObject({ status: 'error', message: expect.stringContaining('The run failed') });
    rename('signalbox_blob_away', 'signalbox_blob');
    expect((await call(`jobs/${id}/resubmit`, 'POST', 'keeper')).body).toMatchObject({ JobId: id, JobState: 'dead' });
    const ended = await eventually('its result', async () => {
      const state = await stateOf(id);
      return state.status === 'success' ? state : undefined;
    });
    expect(ended).toMatchObject({ TotalRows: 1 });
    expect(ended).not.toHaveProperty('message');
    expect(await query(`QueryResults.v1/getresults?instanceid=${id}&json_resp=true`)).toMatchObject({
      status: 'finalBlockRetrieved',
      data: { query: { numrows: 1, rows: [{ N: 7 }] } },
    });
    expect((await call(`jobs/${id}`)).status).toBe(404);
  });

  it('sees the record that a class after a save works on, without what is sensitive in it', async () => {
    await test.call('/gateway/RESTListeningConnector/Places.v1/places/A1', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ NAME: 'here', PIN }),
    });
    const { JobId } = await newest('events', 'delayed');
    const { body } = await call(`jobs/${JobId}/payload`);
    expect(body.Payload).toMatchObject({ component: 'PLACES', after: { ID: 'A1', NAME: 'here', PIN: '***' } });
    const job = await call(`jobs/${JobId}`);
    expect(job.body.tried).toMatchObject([{ Attempt: 1, Reason: 'not for ***' }]);
    expect(JSON.stringify([body, job])).not.toContain('c4n4ry');
    expect((await call(`jobs/${JobId}`, 'DELETE')).status).toBe(200);
  });

  it('refuses what no queue can take, and names it', async () => {
    const refused = async (path: string, method = 'GET'): Promise<string> => {
      const { status, body } = await call(path, method);
      return `${status} ${messageOf(body)}`;
    };
    expect([
      await refused('queues/processes/jobs?JobState=gone'),
      await refused('queues/processes/jobs?JobOrder=best'),
      await refused('queues/processes/jobs?JobCount=0'),
      await refused('queues/processes/jobs?JobCount=1001'),
      await refused('queues/processes/jobs?After=here'),
      await refused('queues/processes/resubmit?Since=noon', 'POST'),
      await refused('queues/processes/resubmit?After=here', 'POST'),
      await refused('queues/processs/resubmit', 'POST'),
      await refused('queues/processs/pause', 'POST'),
      await refused('queues/processs/resume', 'POST'),
      await refused('jobs/not-an-id/resubmit', 'POST'),
      await refused('jobs/not-an-id', 'DELETE'),
    ]).toEqual([
      '400 JobState is "gone", not one of waiting, running, delayed, held, dead.',
      '400 JobOrder is "best", not one of oldest, newest.',
      '400 JobCount is less than 1.',
      '400 JobCount is greater than 1000.',
      '400 After is not the end of a part of this list; repeat the text that came with that part.',
      '400 Since is not a datetime (yyyy-MM-ddTHH:mm:ss, optionally Z or +hh:mm).',
      '400 After is not the end of a part of this list; repeat the text that came with that part.',
      '404 There is no queue processs.',
      '404 There is no queue processs.',
      '404 There is no queue processs.',
      '404 There is no job not-an-id.',
      '404 There is no job not-an-id.',
    ]);
  });

  it('needs the grant of each operation: to read, to see what a job carries, to act', async () => {
    const { id } = await failed();
    const statuses = async (user: string): Promise<number[]> => [
      (await call('queues', 'GET', user)).status,
      (await call(`jobs/${id}`, 'GET', user)).status,
      (await call(`jobs/${id}/payload`, 'GET', user)).status,
      (await call('queues/processes/pause', 'POST', user)).status,
      (await call('queues/processes/resume', 'POST', user)).status,
    ];
    expect(await statuses('reader')).toEqual([200, 200, 403, 403, 403]);
    expect(await statuses('keeper')).toEqual([403, 403, 403, 200, 200]);
    const anonymous = await test.call(`${QUEUES}/queues`, { anonymous: true });
    expect(anonymous.status).toBe(401);
  });

  it('leaves a line of the audit log and of the trail for each action', async () => {
    const { id } = await failed();
    await call(`jobs/${id}`, 'DELETE', 'keeper');
    const lines = test
      .log()
      .filter(({ operation, path }) => operation === 'QUE_CANCELJOB' && String(path).includes(id));
    expect(lines).toMatchObject([{ decision: 'allowed', user: 'keeper', service: 'QUEUES.v1', status: 200 }]);
    const { body } = await call('actions?ActionCount=1', 'GET', 'reader');
    expect(body.actions).toEqual([
      {
        DateTime: expect.any(String),
        Actor: 'keeper',
        Action: 'cancel',
        QueueName: 'processes',
        JobId: id,
        ProcessInstance: expect.any(Number),
      },
    ]);
  });
});
