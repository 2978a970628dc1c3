import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mend, PIN, QUEUE_PROJECT } from '../serve/queue-project.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { eventually, type TestProject, writeProject } from '../support/project.ts';
import { type Ran, signalbox } from './support.ts';

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

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe.skipIf(engine === 'PostgreSQL' && !hasPostgres)(`signalbox process beside a gateway on ${engine}`, () => {
    let files: TestProject;
    let database: TestDatabase | undefined;
    let gateway: TestGateway;
    let env: Record<string, string>;
    beforeAll(async () => {
      files = writeProject({
        ...QUEUE_PROJECT,
        'definitions/more.yaml': MORE,
        'src/handlers/nightly.ts': 'export default { run() {} };\n',
      });
      database = engine === 'PostgreSQL' ? await createDatabase({ migrated: true }) : undefined;
      env = { DATABASE_URL: database?.url ?? `sqlite:${files.root}/test.db` };
      gateway = await startTestGateway({ root: files.root, env });
    });
    afterAll(async () => {
      await gateway.stop();
      await database?.drop();
      files.remove();
      mend(false);
    });

    const command = (...args: string[]): Promise<Ran> => signalbox(['process', ...args], { cwd: files.root, env });
    const json = async (...args: string[]) => JSON.parse((await command(...args, '--json')).stdout);
    const schedule = async (...args: string[]): Promise<string> =>
      String((await json('schedule', ...args, '--user', 'demo')).instance);
    const reaches = (instance: string, status: string): Promise<true> =>
      eventually(
        `${status} of ${instance}`,
        async () => (await json('show', instance)).request.runStatus === status || undefined,
      );

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

    it('writes a report to a file or to standard output', async () => {
      const instance = await schedule('PLACES_LIST', '--format', 'CSV');
      await reaches(instance, 'Success');
      const path = join(files.root, 'places.csv');
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
