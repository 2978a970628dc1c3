import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import type { TestGateway } from '../support/gateway.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../support/postgres-server.ts';
import { eventually } from '../support/project.ts';
import { callerOf, startFailing } from './failure-project.ts';

describe.skipIf(postgresPrograms() === undefined)('a database that goes away', () => {
  let server: PostgresServer;
  let gateway: TestGateway;
  beforeAll(async () => {
    server = startPostgres(await freePort());
    gateway = await startFailing(server.url);
  }, 30_000);
  afterAll(async () => {
    await gateway.stop();
    server.remove();
  });

  it.each([
    'fast',
    'immediate',
  ] as const)('is told to callers and in the log, and all goes on when it is back (%s stop)', async (mode) => {
    const caller = callerOf(gateway);
    const { get, schedule, scheduled, note, poll, untilProcess, untilRun, effects } = caller;
    const door = join(gateway.folder, `${mode}-door`);
    const running = await scheduled(`${mode}-running`, door);
    await untilProcess(running, 'Processing');
    const run = await poll('ENDLESS');
    await untilRun(run, 'running');
    const later = new Date(Date.now() + 1_000).toISOString();
    const waiting = await scheduled(`${mode}-waiting`, door, { RunDateTime: later });
    const before = gateway.log().length;

    server.stop(mode);
    const asked = {
      ready: () => gateway.call('/health/ready'),
      query: () => get('ExecuteQuery.v1/PUBLIC/COUNTED/JSON/NONFILE?prompt_uniquepromptname=N&prompt_fieldvalue=3'),
      poll: () => get('ExecuteQueryPoll.v1/PUBLIC/COUNTED/JSON/NONFILE?prompt_uniquepromptname=N&prompt_fieldvalue=3'),
      status: () => get(`QueryStatus.v1/getstatus?instanceid=${run}&json_resp=true`),
      cancel: () => get(`CancelQuery.v1/cancelquery?instanceid=${run}&json_resp=true`),
      file: () => get('ExecuteQuery.v1/PUBLIC/COUNTED/CSV/FILE?prompt_uniquepromptname=N&prompt_fieldvalue=3'),
      schedule: () => schedule(`${mode}-refused`, door),
      find: () => get('ProcessRequest.v1/requests'),
      save: () => note(`${mode}-refused`),
      read: () => get('Notes.v1/Notes/none'),
    };
    for (const [what, ask] of Object.entries(asked)) {
      const { status, headers, text } = await ask();
      expect([what, status, headers['retry-after']], text).toEqual([what, 503, '1']);
      expect(text).not.toMatch(/127\.0\.0\.1|ECONNREFUSED|select|insert|terminat/i);
    }
    expect((await gateway.call('/health/live')).status).toBe(200);
    const basic = `Basic ${Buffer.from('somebody:else').toString('base64')}`;
    const path = '/gateway/RESTListeningConnector/Notes.v1/Notes/none';
    const unknown = await gateway.call(path, { headers: { authorization: basic, 'x-request-id': `${mode}-unknown` } });
    expect(unknown.status).toBe(503);
    const line = gateway.log().find(({ requestId, status }) => requestId === `${mode}-unknown` && status === 503);
    expect(line, 'nobody was let in').toMatchObject({ decision: 'refused', reason: 'unavailable' });
    // The log names the database, whichever connection found out first; callers are not told.
    const said = gateway
      .log()
      .slice(before)
      .map((line) => JSON.stringify(line));
    expect(said).toContainEqual(expect.stringMatching(/127\.0\.0\.1:\d+\/postgres (?:was lost|does not answer)/));

    server.start();
    await eventually('the database', async () =>
      (await gateway.call('/health/ready')).status === 200 ? true : undefined,
    );
    const { ready: _, cancel, status: __, read, ...changing } = asked;
    for (const [what, ask] of Object.entries(changing)) {
      const reply = await ask();
      expect([what, Math.floor(reply.status / 100)], reply.text).toEqual([what, 2]);
    }
    expect((await read()).status).toBe(404);
    expect(JSON.parse((await cancel()).text)).toMatchObject({ status: 'success' });
    writeFileSync(door, '');
    for (const instance of [running, waiting]) await untilProcess(instance, 'Success');
    const names = ['after {}-refused', '{}-refused', '{}-running', '{}-waiting'];
    const expected = names.map((name) => name.replace('{}', mode)).sort();
    await eventually('every effect', async () => ((await itsOf(mode, effects)).length >= 4 ? true : undefined));
    expect(await itsOf(mode, effects)).toEqual(expected);
  }, 30_000);
});

async function itsOf(mode: string, effects: ReturnType<typeof callerOf>['effects']): Promise<string[]> {
  return (await effects())
    .map(({ ITEM }) => ITEM)
    .filter((item) => item.includes(mode))
    .sort();
}
