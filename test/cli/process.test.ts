import { readFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mend, PIN, QUEUES } from '../serve/queue-project.ts';
import { hasPostgres } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';
import { type Beside, startBeside } from './beside.ts';
import type { Ran } from './support.ts';

const MORE = `process: PLACES_LIST
type: SQR Report
permission: EVERYTHING
query: PLACES_LIST
---
query: PLACES_LIST
permission: EVERYTHING
columns: { N: integer }
sql: select 7 as n
---
process: NIGHTLY
type: Application Engine
permission: EVERYTHING
recurs: NIGHT
run-as: demo
---
{ recurrence: NIGHT, cron: "0 3 1 1 *", zone: UTC }
`;

const REQUESTS = '/gateway/RESTListeningConnector/ProcessRequest.v1/requests';
const AS_DEMO = { authorization: `Basic ${btoa('demo:demo')}` };
const JSON_TYPE = { 'content-type': 'application/json' };

interface Deed {
  readonly action: string;
  readonly actor: string;
}

/** What a command wrote with --json, an entry a line. */
const entriesOf = ({ stdout }: Ran): unknown[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe.skipIf(engine === 'PostgreSQL' && !hasPostgres)(`signalbox process beside a gateway on ${engine}`, () => {
    let beside: Beside;
    beforeAll(async () => {
      beside = await startBeside(engine, {
        'definitions/more.yaml': MORE,
        'src/handlers/nightly.ts': 'export default { run() {} };\n',
      });
    });
    afterAll(() => beside?.stop());

    const command = (...args: string[]): Promise<Ran> => beside.command('process', ...args);
    const json = async (...args: string[]) => JSON.parse((await command(...args, '--json')).stdout);
    const schedule = async (...args: string[]): Promise<string> =>
      String((await json('schedule', ...args, '--user', 'demo')).instance);
    const reaches = (instance: string, status: string): Promise<true> =>
      eventually(
        `${status} of ${instance}`,
        async () => (await json('show', instance)).request.runStatus === status || undefined,
      );

    it('shows that no request ran yet', async () => {
      expect(await command('load')).toMatchObject({ code: 0, stdout: 'No request ran in the last seven days.\n' });
    });

    it('schedules a request that a gateway runs, lists and shows it without its secrets, and restarts it', async () => {
      mend(false);
      const instance = await schedule('BILLING', `PIN=${PIN}`, 'REGION=NORTH');
      await reaches(instance, 'Error');
      const list = await command('list', '--user', 'demo', '--name', 'BILLING', '--status', 'error', '--since', '1h');
      expect(list).toMatchObject({ code: 0, stderr: '' });
      expect(list.stdout).toMatch(new RegExp(`^ *${instance} +Application Engine +BILLING +demo +Error `, 'm'));
      expect(await json('list', '--user', 'reader')).toEqual([]);
      const show = await command('show', instance);
      expect(show.stdout).toMatch(/^status +Error$/m);
      expect(show.stdout).toMatch(/^actions +restart, delete$/m);
      expect(show.stdout).toMatch(/^PIN=\*\*\*$/m);
      expect(show.stdout).toMatch(/^REGION=NORTH$/m);
      expect(show.stdout).toMatch(/ error +Attempt 2 failed.*: The line to NORTH is engaged: \*\*\*$/m);
      expect(show.stdout).not.toContain('c4n4ry');
      mend();
      expect(await command('restart', instance)).toMatchObject({
        ...{ code: 0, stderr: '', stdout: `Request ${instance} runs again.\n` },
      });
      await reaches(instance, 'Success');
      expect((await json('show', instance)).messages.at(-1)).toMatchObject({ level: 'info', text: 'done' });
    });

    it('holds, cancels and deletes requests, and does the others although one is refused', async () => {
      mend(false);
      // A request that waits for its next time.
      const first = await schedule('LATER', '--recurrence', 'NIGHT');
      const second = await schedule('LATER', '--recurrence', 'NIGHT');
      expect((await command('hold', first)).stdout).toBe(`Request ${first} is on hold.\n`);
      expect((await json('show', first)).request.runStatus).toBe('Hold');
      expect(await command('hold', first)).toMatchObject({
        ...{ code: 1, stdout: '' },
        stderr: `signalbox: process request ${first} is Hold and can't be put on hold\n`,
      });
      expect(await command('cancel', first, '999999', second)).toMatchObject({
        code: 1,
        stdout: `Request ${first} is cancelled.\nRequest ${second} is cancelled.\n`,
        stderr: '3 requests to cancel.\nThere is no process request 999999.\n',
      });
      expect((await json('delete', first, second)).map((each: { runStatus: string }) => each.runStatus)).toEqual([
        'Delete',
        'Delete',
      ]);
    });

    it('records who acted on a request in the trail, which stays when the request is deleted', async () => {
      mend(false);
      const instance = await schedule('LATER', '--recurrence', 'NIGHT', '--actor', 'ada@ops');
      await command('hold', instance, '--actor', 'night shift');
      expect((await command('hold', instance, '--actor', 'second')).code).toBe(1);
      await command('restart', instance);
      const { status } = await beside.gateway.call(`${REQUESTS}/${instance}`, {
        ...{ method: 'PATCH', headers: { ...JSON_TYPE, ...AS_DEMO } },
        body: JSON.stringify({ RunStatus: 'Cancelled' }),
      });
      expect(status).toBe(200);
      await command('delete', instance, '--actor', 'night shift');
      const self = `${userInfo().username}@${hostname()}`;
      const deeds = [
        ['schedule', 'ada@ops'],
        ['hold', 'night shift'],
        ['restart', self],
        ['cancel', 'demo'],
        ['delete', 'night shift'],
      ];
      const { trail, request } = await json('show', instance);
      expect(request.runStatus).toBe('Delete');
      expect(trail.map(({ action, actor }: Deed) => [action, actor])).toEqual(deeds);
      expect(Math.abs(Date.now() - Date.parse(trail[0].at))).toBeLessThan(60_000);
      const { stdout } = await command('show', instance);
      expect([...stdout.matchAll(/^\S+Z +action +(.*?) *$/gm)].map(([, text]) => text)).toEqual([
        'Scheduled by ada@ops.',
        'Put on hold by night shift.',
        `Restarted by ${self}.`,
        'Cancelled by demo.',
        'Deleted by night shift.',
      ]);
      const found = await beside.command('user', 'log', instance, '--all', '--json');
      expect(entriesOf(found)).toEqual(
        deeds.map(([action, actor]) =>
          expect.objectContaining({ action, actor, queue: 'processes', request: Number(instance) }),
        ),
      );
      const shown = await beside.command('user', 'log', '--by', 'ada@ops', '--all');
      expect(shown.stdout).toMatch(new RegExp(` ada@ops +schedule +processes +request ${instance}$`, 'm'));
      const log = await beside.command('queue', 'log', '--json');
      expect(entriesOf(log)[0]).toMatchObject({ action: 'delete', request: Number(instance) });
      const reply = await beside.gateway.call(`${QUEUES}/actions?ActionCount=1`, { headers: AS_DEMO });
      expect(JSON.parse(reply.text).actions).toEqual([
        expect.objectContaining({ Actor: 'night shift', Action: 'delete', ProcessInstance: Number(instance) }),
      ]);
    });

    it('records what was done to the jobs of a request, at their places in its log', async () => {
      mend(false);
      const instance = await schedule('BILLING', `PIN=${PIN}`, 'REGION=NORTH');
      await reaches(instance, 'Error');
      mend();
      await beside.command('queue', 'resubmit', (await json('show', instance)).job, '--actor', 'ops');
      await reaches(instance, 'Success');
      await command('delete', instance, '--actor', 'ops');
      const { trail } = await json('show', instance);
      expect(trail.map(({ action, actor }: Deed) => [action, actor])).toEqual([
        ['schedule', expect.any(String)],
        ['resubmit', 'ops'],
        ['delete', 'ops'],
      ]);
      const { stdout } = await command('show', instance);
      const log = [...stdout.matchAll(/^\S+Z +(action|info|warning|error) +(.*?) *$/gm)].map(([, , text]) => text);
      expect(log[0]).toMatch(/^Scheduled by /);
      expect(log[1]).toMatch(/^Attempt 1 failed/);
      expect(log.slice(3)).toEqual(['It is run again, on behalf of ops.', 'done', 'Deleted by ops.']);
    });

    it('shows the load by process and hour', async () => {
      mend();
      const instance = await schedule('PLACES_LIST', '--format', 'CSV');
      await reaches(instance, 'Success');
      const load = await json('load');
      const places = load.processes.find(({ name }: { name: string }) => name === 'PLACES_LIST');
      expect(places).toMatchObject({ type: 'SQR Report', hours: expect.any(Array) });
      expect(places.hours).toHaveLength(24);
      expect(places.total).toBe(places.hours.reduce((sum: number, each: number) => sum + each, 0));
      expect(load).toMatchObject({ truncated: false, since: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00/) });
      const { code, stdout, stderr } = await command('load');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`${load.total} requests since ${load.since}\n`);
      const [, heads = ''] = /^PROCESS +TYPE +(.*?) +ALL$/m.exec(stdout) ?? [];
      const counts = places.hours.flatMap((count: number) => (count === 0 ? [] : String(count))).join(' +');
      expect(heads).toMatch(/^\d\dh( +\d\dh)*$/);
      expect(stdout).toMatch(new RegExp(`^PLACES_LIST +SQR Report +${counts} +${places.total}$`, 'm'));
    });

    it('writes a report to a file or to standard output', async () => {
      const instance = await schedule('PLACES_LIST', '--format', 'CSV');
      await reaches(instance, 'Success');
      const path = join(beside.root, 'places.csv');
      expect(await command('report', instance, '--output', path)).toMatchObject({ code: 0, stdout: '', stderr: '' });
      const text = await readFile(path, 'utf8');
      expect(text).toMatch(/^\W*N\s+7\s*$/);
      expect((await command('report', instance, '--output', '-')).stdout).toBe(text);
    });

    it('lists recurrences with the processes that recur', async () => {
      expect(await json('recurrences')).toMatchObject([
        { id: 'NIGHT', cron: '0 3 1 1 *', processes: [{ name: 'NIGHTLY', runAs: 'demo' }] },
      ]);
      expect((await command('recurrences')).stdout).toMatch(/^NIGHT +0 3 1 1 \* +UTC +\S+Z +NIGHTLY as demo$/m);
    });

    it('schedules for a time in a zone, and finds requests by their numbers', async () => {
      const first = await schedule('PLACES_LIST', '--at', '2099-01-02T03:04', '--zone', 'Europe/Berlin');
      const at = ['--at', '2099-06-01T00:00:00+02:00', '--destination', 'FILE', '--format', 'XLS'];
      const second = await schedule('PLACES_LIST', ...at);
      expect((await json('show', first)).request.runs).toBe('2099-01-02T02:04:00+00:00');
      expect((await json('show', second)).request).toMatchObject({
        ...{ runs: '2099-05-31T22:00:00+00:00', destination: 'FILE', format: 'XLS' },
      });
      const instances = async (...args: string[]) =>
        (await json('list', ...args)).map(({ instance }: { instance: number }) => String(instance));
      expect(await instances('--from', first, '--to', second)).toEqual([second, first]);
      expect(await instances('--to', first, '--limit', '1')).toEqual([first]);
      for (const time of ['tomorrow', '2099-02-30T10:00', '2099-01-01']) {
        const refused = await command('schedule', 'PLACES_LIST', '--user', 'demo', '--at', time);
        expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("such as '2026-03-01T06:00'") });
      }
      const nowhere = await command('schedule', 'PLACES_LIST', '--user', 'demo', '--zone', 'Berlin');
      expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('TimeZone is "Berlin"') });
    });

    it('lists what can be scheduled, with parameters', async () => {
      const programs = await json('programs');
      const billing = programs.find(({ name }: { name: string }) => name === 'BILLING');
      expect(billing).toMatchObject({
        ...{
          type: 'Application Engine',
          parameters: expect.arrayContaining([
            { name: 'REGION', type: expect.any(String), required: expect.any(Boolean) },
          ]),
        },
      });
      const { stdout } = await command('programs');
      expect(stdout).toMatch(/^Application Engine +BILLING .*\bPIN\b.*\bREGION\b/m);
      expect(stdout).toMatch(/^PSQuery +PLACES_LIST\b/m);
    });

    it('refuses unknown requests, users, statuses and processes that the user may not run', async () => {
      expect(await command('show', '999999')).toMatchObject({
        code: 1,
        stderr: `signalbox: there is no process request 999999\n  'signalbox process list' lists the requests.\n`,
      });
      expect(await command('schedule', 'BILLING', '--user', 'demi')).toMatchObject({
        code: 2,
        stderr: 'signalbox: there is no active user demi\n  Did you mean demo?\n',
      });
      expect(await command('schedule', 'BILLING', '--user', 'reader')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('there is no process BILLING that you may run'),
      });
      expect(await command('list', '--status', 'Asleep')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('RunStatus is "Asleep"; allowed: '),
      });
      expect((await command('show', 'first')).code).toBe(2);
    });
  });
}
