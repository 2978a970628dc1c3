import { describe, expect, it, onTestFinished } from 'vitest';
import { openStatistics, openStore } from '../../src/store/index.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { project, type Ran, signalbox } from './support.ts';

const FILES = {
  'definitions/gateway.yaml': 'gateway: LOCAL\nnamespace: urn:test\ndatabase: ${env:DATABASE_URL}\n',
  'definitions/notes.yaml': `permission-list: NOTES
---
service: Notes.v1
permission: NOTES
operations:
  NOTE_GET: { get: "notes/{ID}", request: { fields: { ID: integer } }, response: json, handler: note }
  NOTE_LIST: { get: notes, response: json, handler: note }
---
{ node: ERP, base: https://erp.example.org/ }
---
service: Erp.v1
target: ERP
permission: NOTES
operations:
  ERP_NOTE: { get: note, response: json }
`,
  'src/handlers/note.ts': 'export default { onRequest: () => ({}) };\n',
};

for (const engine of ['SQLite', 'PostgreSQL'] as const)
  describe.skipIf(engine === 'PostgreSQL' && !hasPostgres)(`signalbox stats on ${engine}`, () => {
    async function start() {
      const cwd = await project(FILES);
      const database = engine === 'PostgreSQL' ? await createDatabase({ migrated: true }) : undefined;
      onTestFinished(async () => database?.drop());
      const url = database?.url ?? `sqlite:${cwd}/test.db`;
      const store = await openStore({ url, root: cwd });
      await store.migrate();
      onTestFinished(() => store.close());
      const stats = (...args: string[]): Promise<Ran> =>
        signalbox(['stats', ...args], { cwd, env: { DATABASE_URL: url } });
      return { store, stats };
    }

    async function startWithCalls() {
      const { store, stats } = await start();
      // Two hours ago, so that no minute of the test is the one of the calls.
      const at = Date.now() - 2 * 3_600_000;
      const clock = { now: () => at, elapsed: () => at };
      const statistics = openStatistics({ store, clock, onError: (error) => expect.unreachable(error.message) });
      const get = statistics.counter('served', 'NOTE_GET');
      for (const status of [200, 200, 404, 500]) get.count(status, true, 10);
      statistics.counter('called', 'ERP_NOTE').count(200, true, 250);
      await statistics.close();
      const hour = `${new Date(at).toISOString().slice(0, 13)}:00Z`;
      return { stats, hour };
    }

    it('shows the operations with most calls first, and with --json the period', async () => {
      const { stats } = await startWithCalls();
      const { stdout, code, stderr } = await stats();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(
        stdout
          .trimEnd()
          .split('\n')
          .map((line) => line.split(/ {2,}/).map((cell) => cell.trim())),
      ).toEqual([
        ['OPERATION', 'KIND', 'CALLS', 'FAILURES', 'REFUSALS', 'P50 MS', 'P95 MS', 'P99 MS'],
        ['NOTE_GET', 'served', '4', '1', '1', ...Array(3).fill(expect.stringMatching(/^(9\.\d+|10(\.\d)?)$/))],
        ['ERP_NOTE', 'called', '1', '0', '0', ...Array(3).fill(expect.stringMatching(/^2[3-6]\d$/))],
      ]);
      const json = JSON.parse((await stats('--json', '--limit', '1')).stdout);
      expect(json).toEqual({
        ...{ since: expect.stringMatching(/T\d\d:00Z$/), until: expect.stringMatching(/T\d\d:00Z$/) },
        operations: [expect.objectContaining({ operation: 'NOTE_GET', kind: 'served', calls: 4 })],
      });
    });

    it('shows an operation step by step, served or called', async () => {
      const { stats, hour } = await startWithCalls();
      const lines = (await stats('Notes.v1.NOTE_GET', '--since', '5h')).stdout.trimEnd().split('\n');
      expect(lines[0]).toMatch(/^AT +CALLS +FAILURES +REFUSALS +P50 MS +P95 MS +P99 MS$/);
      expect(lines).toHaveLength(7);
      expect(lines.filter((line) => / 4 +1 +1 /.test(line))).toEqual([expect.stringMatching(`^${hour} `)]);
      const { kind, series } = JSON.parse((await stats('ERP_NOTE', '--since', '5h', '--step', '1m', '--json')).stdout);
      expect(kind).toBe('called');
      expect(series.length).toBeGreaterThanOrEqual(300);
      expect(series.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0)).toBe(1);
    });

    it('reports that there were no calls', async () => {
      const { stats } = await start();
      expect(await stats('--since', '1h')).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/^No call has been/),
      });
    });

    it.each([
      [['NOTE_GIT'], 'there is no operation NOTE_GIT', 'Did you mean NOTE_GET?'],
      [['NOTE_GET', '--step', '90s'], '--step', 'It takes whole minutes'],
      [['--step', '1h'], '--step needs an operation', 'signalbox stats OPERATION'],
      [['NOTE_GET', '--limit', '5'], '--limit is for all operations', 'Leave out --limit'],
      [['NOTE_GET', '--since', '90d', '--step', '1m'], 'more than 10080 steps', 'a longer --step'],
      [['--since', 'yesterday'], '--since', 'It takes a time'],
    ])('refuses %j', async (args, what, hint) => {
      const { stats } = await start();
      const { code, stderr } = await stats(...args);
      expect(code).toBe(2);
      expect(stderr).toContain(what);
      expect(stderr).toContain(hint);
    });
  });
