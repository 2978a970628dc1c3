import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { poll } from '../cli/poll.ts';
import { project, type Running, signalboxProcess, start } from '../cli/support.ts';
import { QUEUE_PROJECT } from '../serve/queue-project.ts';
import { DEMO } from '../support/gateway.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';

const PROCESSES = '/gateway/RESTListeningConnector/ProcessRequest.v1';

/** A process that runs until a file exists. */
const FILES = {
  ...QUEUE_PROJECT,
  'definitions/slow.yaml':
    'process: SLOW\ntype: Application Engine\npermission: EVERYTHING\nretry: { attempts: 3, first: 10 ms, longest: 10 ms }\n',
  'src/handlers/slow.ts': `import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
export default {
  async run() {
    while (!existsSync('open')) await setTimeout(20);
  },
};
`,
};

describe.each(['SQLite', 'PostgreSQL'] as const)('a job whose gateway was killed, on %s', (engine) => {
  test.skipIf(engine === 'PostgreSQL' && !hasPostgres)('shows the attempt that ended with it', async () => {
    const cwd = await project(FILES);
    const database = engine === 'PostgreSQL' ? await createDatabase({ migrated: true }) : undefined;
    if (database !== undefined) onTestFinished(() => database.drop());
    const env = { DATABASE_URL: database?.url ?? `sqlite:${cwd}/test.db`, PORT: '0', NO_COLOR: '1' };
    const queue = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await signalboxProcess(['queue', ...args], { cwd, env });
      expect([code, stderr]).toEqual([0, '']);
      return stdout;
    };
    const attemptsOf = async (id: string): Promise<readonly unknown[]> =>
      JSON.parse(await queue('show', id, '--json')).tried;
    const serve = async (): Promise<readonly [gateway: Running, address: string, name: string]> => {
      const gateway = start(['serve'], { cwd, env });
      const [, address = ''] = await gateway.until(/^Signalbox is ready on (http:\S+?):? /m);
      return [gateway, address, `${hostname()}:${gateway.process.pid}`];
    };

    const [victim, first, killed] = await serve();
    const headers = { authorization: DEMO, 'content-type': 'application/json' };
    const body = JSON.stringify({
      ...{ RunControlId: 'RC', ProcessType: 'Application Engine', ProcessName: 'SLOW', parameters: [] },
    });
    const scheduled = await fetch(`${first}${PROCESSES}/requests`, { method: 'POST', headers, body });
    const { ProcessInstance } = (await scheduled.json()) as { ProcessInstance: number };
    const id = await poll('the running job', async (): Promise<string | undefined> => {
      const { jobs } = JSON.parse(await queue('list', 'processes', '--state', 'running', '--json'));
      return jobs[0]?.id;
    });
    expect(await attemptsOf(id)).toEqual([{ attempt: 1, gateway: killed, began: expect.any(String) }]);
    await victim.stop('SIGKILL');

    const [, second, other] = await serve();
    const reason = 'the gateway that ran it ended, or lost the database';
    // On PostgreSQL another gateway takes the job when the heartbeat has been missing for ten seconds.
    await expect
      .poll(() => attemptsOf(id), { timeout: 40_000, interval: 100 })
      .toEqual([
        { attempt: 1, gateway: killed, began: expect.any(String), ended: expect.any(String), reason },
        { attempt: 2, gateway: other, began: expect.any(String) },
      ]);
    const shown = await queue('show', id);
    expect(shown).toMatch(new RegExp(`^ *1 +${killed} +\\S+Z +\\S+Z +${reason}$`, 'm'));
    expect(shown).toMatch(new RegExp(`^ *2 +${other} +\\S+Z +running *$`, 'm'));

    writeFileSync(join(cwd, 'open'), '');
    await poll('its success', async () => {
      const reply = await fetch(`${second}${PROCESSES}/requests/${ProcessInstance}`, { headers });
      return ((await reply.json()) as { RunStatus: string }).RunStatus === 'Success' || undefined;
    });
  });
});
