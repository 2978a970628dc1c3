import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mend, PIN } from '../serve/queue-project.ts';
import type { TestGateway } from '../support/gateway.ts';
import { hasPostgres } from '../support/postgres.ts';
import { eventually, gatewayText } from '../support/project.ts';
import { type Beside, startBeside } from './beside.ts';
import { bin, cleanEnvironment, finish, project, type Ran, signalbox } from './support.ts';

const QUERIES = '/gateway/RESTListeningConnector';
const PROCESSES = '/gateway/RESTListeningConnector/ProcessRequest.v1';

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe.skipIf(engine === 'PostgreSQL' && !hasPostgres)(`signalbox queue beside a gateway on ${engine}`, () => {
    let beside: Beside;
    let gateway: TestGateway;
    beforeAll(async () => {
      beside = await startBeside(engine);
      ({ gateway } = beside);
    });
    afterAll(() => beside?.stop());

    const queue = (...args: string[]): Promise<Ran> => beside.command('queue', ...args);
    const json = async (...args: string[]) => JSON.parse((await queue(...args, '--json')).stdout);
    const request = async (instance: number): Promise<Record<string, unknown>> =>
      JSON.parse((await gateway.call(`${PROCESSES}/requests/${instance}`)).text);
    const inStatus = (instance: number, status: string): Promise<true> =>
      eventually(`${status} of ${instance}`, async () => (await request(instance)).RunStatus === status || undefined);
    const schedule = async (name: string): Promise<number> => {
      const { text } = await gateway.call(`${PROCESSES}/requests`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ RunControlId: 'RC', ProcessType: 'Application Engine', ProcessName: name },
          ...(name === 'BILLING'
            ? {
                parameters: [
                  { Name: 'PIN', Value: PIN },
                  { Name: 'REGION', Value: 'NORTH' },
                ],
              }
            : {}),
        }),
      });
      return JSON.parse(text).ProcessInstance;
    };
    const failed = async (): Promise<{ readonly instance: number; readonly id: string }> => {
      const instance = await schedule('BILLING');
      await inStatus(instance, 'Error');
      const { jobs } = await json('list', 'processes');
      return { instance, id: jobs[0].id };
    };

    it('finds a dead letter, shows why it failed without its secrets, and runs it again', async () => {
      mend(false);
      const { instance, id } = await failed();
      const overview = await queue();
      expect(overview).toMatchObject({ code: 0, stderr: '' });
      expect(overview.stdout).toMatch(/^QUEUE +WAITING +RUNNING +DELAYED +HELD +DEAD +OLDEST +DONE\/MIN +STATE$/m);
      expect(overview.stdout).toMatch(/^processes +0 +0 +0 +0 +1 /m);
      const list = await queue('list', 'processes', '--state', 'dead');
      expect(list.stdout).toMatch(new RegExp(`^${id} .* The line to NORTH is engaged: \\*\\*\\*$`, 'm'));
      const show = await queue('show', id);
      expect(show.stdout).toContain('reason    The line to NORTH is engaged: ***');
      expect(show.stdout).toMatch(/^ +2 +\S+ +\S+Z +\S+Z +The line to NORTH is engaged: \*\*\*$/m);
      expect(show.stdout).toContain('"PIN": "***"');
      expect(await json('show', id)).toMatchObject({
        ...{ id, queue: 'processes', state: 'dead' },
        payload: { instance, name: 'BILLING', parameters: { PIN: '***', REGION: 'NORTH' } },
      });
      for (const { stdout } of [overview, list, show]) expect(stdout).not.toContain('c4n4ry');
      mend();
      expect(await queue('resubmit', id, '--actor', 'night shift')).toEqual({
        ...{ code: 0, signal: null, stderr: '' },
        stdout: `${id} of processes, which was dead, runs again.\n`,
      });
      await inStatus(instance, 'Success');
      expect((await queue('log', '--limit', '1')).stdout).toMatch(
        new RegExp(`^\\S+Z +night shift +resubmit +processes +${id} +${instance}$`, 'm'),
      );
      expect(await queue('resubmit', id)).toMatchObject({
        code: 1,
        stderr: `signalbox: there is no job ${id}\n  'signalbox queue list NAME --state dead' lists the jobs that have failed.\n`,
      });
    });

    it('runs all dead letters of a queue again since a time, and cancels several', async () => {
      mend(false);
      const jobs = [await failed(), await failed(), await failed()];
      expect(await queue('resubmit', '--all', '--queue', 'processes', '--since', '1ms')).toMatchObject({
        ...{ code: 0, stdout: '0 dead letters of processes run again.\n' },
      });
      const gone = 'a0a0a0a0-0000-4000-8000-000000000000';
      expect(await queue('cancel', jobs[0]?.id ?? '', gone)).toMatchObject({
        code: 1,
        stdout: `${jobs[0]?.id} of processes, which was dead, was cancelled.\n`,
        stderr: `2 jobs to cancel.\nThere is no job ${gone}.\n`,
      });
      mend();
      expect(await json('resubmit', '--all', '--queue', 'processes', '--since', '1h')).toEqual({
        resubmitted: 2,
        refused: [],
      });
      for (const { instance } of jobs.slice(1)) await inStatus(instance, 'Success');
      expect(await request(jobs[0]?.instance ?? 0)).toMatchObject({ RunStatus: 'Error' });
    });

    it('runs a polled query that has failed for good again, and its caller gets the rows', async () => {
      // Without it no result can be kept.
      await beside.sql('alter table signalbox_blob rename to signalbox_blob_away');
      const prompts = 'prompt_uniquepromptname=LAST,PIN&prompt_fieldvalue=7,1';
      const { text } = await gateway.call(`${QUERIES}/ExecuteQueryPoll.v1/PUBLIC/LONG/JSON/NONFILE?${prompts}`);
      const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0] ?? expect.fail(text);
      // An attempt that is delayed runs at once when it is resubmitted.
      await eventually('its dead letter', async () => {
        const { state } = await json('show', id);
        if (state === 'delayed') await queue('resubmit', id);
        return state === 'dead' || undefined;
      });
      expect((await queue('list', 'query-runs')).stdout).toMatch(new RegExp(`^${id} +6 `, 'm'));
      await beside.sql('alter table signalbox_blob_away rename to signalbox_blob');
      expect(await queue('resubmit', id)).toMatchObject({
        stdout: `${id} of query-runs, which was dead, runs again.\n`,
      });
      const results = await eventually('its rows', async () => {
        const reply = await gateway.call(`${QUERIES}/QueryResults.v1/getresults?instanceid=${id}&json_resp=true`);
        return reply.text.includes('finalBlockRetrieved') ? JSON.parse(reply.text) : undefined;
      });
      expect(results).toMatchObject({ data: { query: { numrows: 1, rows: [{ N: 7 }] } } });
    });

    it('pauses a queue of the running gateway, and resumes it', async () => {
      mend();
      expect(await queue('pause', 'processes')).toMatchObject({ code: 0, stdout: 'processes is paused.\n' });
      expect(await queue('pause', 'processes')).toMatchObject({ code: 0, stdout: 'processes is already paused.\n' });
      let waiting: number | undefined;
      await eventually('a request that is not taken', async () => {
        const { oldestSeconds = 0, waiting: count } = (await json()).find(
          (each: { queue: string }) => each.queue === 'processes',
        );
        if (count === 0) waiting = await schedule('BILLING');
        return oldestSeconds >= 1 || undefined;
      });
      expect((await queue()).stdout).toMatch(/^processes +1 +0 .* paused since \S+Z by \S+@\S+$/m);
      expect(await json('resume', 'processes')).toEqual({ queue: 'processes', changed: true });
      await inStatus(waiting ?? 0, 'Success');
    });
  });
}

it('what can not be done is said, with what can', async () => {
  const cwd = await project({ 'definitions/gateway.yaml': gatewayText() });
  await signalbox(['migrate'], { cwd });
  const said = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await signalbox(['queue', ...args], { cwd });
    expect(stdout).toBe('');
    return `${code} ${stderr}`;
  };
  const ID = 'a0a0a0a0-0000-4000-8000-000000000000';
  expect([
    await said('lst'),
    await said('list', 'proceses'),
    await said('list', 'processes', '--limit', '0'),
    await said('list', 'processes', '--after', 'here'),
    await said('pause', 'evens'),
    await said('resubmit'),
    await said('resubmit', ID, '--all'),
    await said('resubmit', ID, '--since', '1h'),
    await said('resubmit', '--all'),
    await said('resubmit', '--all', '--queue', 'proceses'),
    await said('resubmit', '--all', '--queue', 'events', '--since', 'noon'),
    await said('cancel', ID),
  ]).toEqual([
    '2 signalbox: queue has no command lst\n  Did you mean list?\n',
    '2 signalbox: there is no queue proceses\n  Did you mean processes?\n',
    "2 signalbox: --limit can't be '0'\n  It takes an integer from 1 to 1000.\n  'signalbox queue list --help' shows the usage.\n",
    '1 signalbox: After is not the end of a part of this list; repeat the text that came with that part\n',
    '2 signalbox: there is no queue evens\n  Did you mean events?\n',
    "2 signalbox: resubmit takes ids of jobs, or --all with --queue\n  'signalbox queue resubmit --help' shows both.\n",
    "2 signalbox: resubmit takes ids of jobs, or --all with --queue\n  'signalbox queue resubmit --help' shows both.\n",
    '2 signalbox: --queue and --since need --all\n',
    "2 signalbox: --all needs --queue\n  'signalbox queue' lists the queues.\n",
    '2 signalbox: there is no queue proceses\n  Did you mean processes?\n',
    "2 signalbox: --since can't be 'noon'\n  It takes a time such as '90 d', '12 h' or '30 m', from 1 ms to 36500 d.\n  'signalbox queue resubmit --help' shows the usage.\n",
    `1 signalbox: there is no job ${ID}\n  'signalbox queue list NAME --state dead' lists the jobs that have failed.\n`,
  ]);
});

it('asks on a terminal before it acts on many jobs, and does nothing without a yes', async () => {
  const cwd = await project({ 'definitions/gateway.yaml': gatewayText() });
  await signalbox(['migrate'], { cwd });
  const ids = ['a0a0a0a0-0000-4000-8000-000000000000', 'a0a0a0a0-0000-4000-8000-000000000001'];
  const command = [process.execPath, bin, 'queue', 'cancel', ...ids].join(' ');
  // A terminal, as script(1) makes one.
  const on = (answer: string, more = ''): Promise<Ran> => {
    const child = spawn('script', ['-qec', `${command} ${more}`, '/dev/null'], {
      cwd,
      env: cleanEnvironment({ NO_COLOR: '1' }),
    });
    child.stdin.end(answer);
    return finish(child);
  };
  const asked = await on('n\n');
  expect(asked.stdout).toContain('Cancel 2 jobs for good? [y/N]');
  expect(asked.stdout).toContain('signalbox: nothing was done');
  expect((await on('y\n')).stdout).toContain(`There is no job ${ids[0]}.`);
  const unasked = await on('', '--yes');
  expect(unasked.stdout).not.toContain('for good?');
  expect(unasked.stdout).toContain(`There is no job ${ids[1]}.`);
});
