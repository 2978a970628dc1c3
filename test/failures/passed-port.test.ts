import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { staffPath, staffProject } from '../cli/fixture.ts';
import { bin, type Running, startProcess } from '../cli/support.ts';
import { freePort } from '../support/free-port.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { USERS } from '../support/project.ts';
import { passed } from '../support/restarted.ts';

/** Nobody knows yet who reaches a port that is passed. */
const OFF = { SIGNALBOX_SAMPLE_USERS: 'off' };
const serve = [process.execPath, bin, 'serve'];

/** Its tests run where it is installed, and in CI in any case. */
const hasSystemd = process.env.CI !== undefined || existsSync('/usr/bin/systemd-socket-activate');

/** Starts the gateway by systemd-socket-activate(1), with its first connection. */
async function activate(at: string, env: Readonly<Record<string, string>> = OFF): Promise<Running> {
  const cwd = await staffProject({ 'definitions/users.yaml': USERS });
  const set = Object.entries(env).flatMap(([name, value]) => ['-E', `${name}=${value}`]);
  const running = startProcess('systemd-socket-activate', ['-l', at.replace('./', `${cwd}/`), ...set, ...serve], {
    cwd,
  });
  await running.until(/^Listening on /m);
  const [host = '', port] = at.split(':');
  const socket = port === undefined ? connect(join(cwd, host)) : connect(Number(port), host);
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return running;
}

describe('a port that a service manager passes', () => {
  test.skipIf(!hasSystemd)('is served, whatever PORT says (needs systemd)', async () => {
    const port = await freePort();
    const gateway = await activate(`127.0.0.1:${port}`, { ...OFF, PORT: '1' });
    await gateway.until(new RegExp(`^Signalbox is ready on http://127\\.0\\.0\\.1:${port}\\b`, 'm'));
    const reply = await fetch(`http://127.0.0.1:${port}${staffPath}/Hello/Ada`);
    expect([reply.status, await reply.json()]).toEqual([200, expect.anything()]);
    expect(await gateway.stop('SIGTERM')).toMatchObject({ code: 0 });
  });

  test.skipIf(!hasPostgres)('is shared by workers, and open while they are away (needs PostgreSQL)', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const port = await freePort();
    const env = { ...OFF, DATABASE_URL: database.url };
    const gateway = passed({ cwd: await staffProject(), port, args: ['--workers', '2'], env });
    const ask = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}${staffPath}/Hello/Ada`)).status;
    await gateway.start();
    expect(await ask()).toBe(200);
    expect(await gateway.stop()).toBe(0);
    const meanwhile = ask();
    await gateway.start();
    expect(await meanwhile).toBe(200);
    expect(await gateway.stop()).toBe(0);
  });

  test.skipIf(!hasSystemd)('does not serve sample users, whom everybody knows (needs systemd)', async () => {
    const gateway = await activate(`127.0.0.1:${await freePort()}`, {});
    await gateway.until(
      /The port of the service manager may be reached by others, and the users .* well-known passwords/,
    );
  });

  test.skipIf(!hasSystemd)('is refused when it is none (needs systemd)', async () => {
    const gateway = await activate('./gateway.sock');
    await gateway.until(/the socket that the service manager passes is not a TCP port[\s\S]*ListenStream= /);
  });

  test('is refused when there are several', async () => {
    const cwd = await staffProject();
    const several = 'LISTEN_PID=$$ LISTEN_FDS=2 exec "$@"';
    const gateway = startProcess('sh', ['-c', several, 'sh', ...serve], { cwd });
    await gateway.until(/passes 2 sockets \(LISTEN_FDS\)[\s\S]*Keep one ListenStream=/);
  });

  test('to another process is not meant', async () => {
    const port = await freePort();
    const env = { LISTEN_PID: String(process.pid), LISTEN_FDS: '1', PORT: String(port) };
    const gateway = startProcess(process.execPath, [bin, 'serve'], { cwd: await staffProject(), env });
    await gateway.until(new RegExp(`^Signalbox is ready on http://127\\.0\\.0\\.1:${port}\\b`, 'm'));
  });
});
