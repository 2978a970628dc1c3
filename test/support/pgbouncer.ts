import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { eventually } from './project.ts';

/** Where Debian installs PgBouncer. In CI its tests run in any case, and fail without it. */
const PROGRAM = '/usr/sbin/pgbouncer';
export const hasPgBouncer = process.env.CI !== undefined || existsSync(PROGRAM);

/** A PgBouncer before a server of PostgreSQL. */
export interface PgBouncer {
  /** The address of a database through it. */
  through(url: string): string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer on a free port of 127.0.0.1.
 * @param server address of a database of the server behind it
 * @param settings of its section `[pgbouncer]`
 */
export async function startPgBouncer(
  server: string,
  settings: Readonly<Record<string, string | number>>,
): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-pgbouncer-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const { hostname, port: behind, username } = new URL(server);
  const section = {
    ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', auth_type: 'trust' },
    ...{ auth_file: join(folder, 'users.txt'), max_client_conn: 200, ...settings },
  };
  const lines = Object.entries(section).map(([name, value]) => `${name} = ${value}`);
  const ini = `[databases]\n* = host=${hostname} port=${behind}\n[pgbouncer]\n${lines.join('\n')}\n`;
  await writeFile(join(folder, 'pgbouncer.ini'), ini);
  await writeFile(section.auth_file, `"${username}" ""\n`);
  const child = run(join(folder, 'pgbouncer.ini'));
  let log = '';
  child.stderr?.on('data', (text: Buffer) => {
    log += text;
  });
  await eventually('PgBouncer to listen', () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${log}`);
    return log.includes('process up') || undefined;
  });
  return {
    through(url) {
      const address = new URL(url);
      address.port = String(port);
      return address.href;
    },
    async stop() {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PgBouncer refuses to run as root. */
function run(ini: string): ChildProcess {
  const isRoot = process.getuid?.() === 0;
  const [program, args] = isRoot ? ['setpriv', ['--reuid=nobody', '--clear-groups', PROGRAM, ini]] : [PROGRAM, [ini]];
  return spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
