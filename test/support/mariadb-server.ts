import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';

/** A MariaDB server with its own folder, which listens on a free TCP port. */
export interface MariadbServer {
  /** `mysql://root@127.0.0.1:<port>/mysql`. */
  readonly url: string;
  /** Ends it: with SIGTERM like the system, or with SIGKILL like a crash. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts it after a stop, on the same port and with the same data. */
  start(): Promise<void>;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
}

const INSTALL = '/usr/bin/mariadb-install-db';
const SERVER = '/usr/sbin/mariadbd';
/** Maximum time to start, in milliseconds. */
const PATIENCE = 60_000;

export const hasMariadb = existsSync(INSTALL) && existsSync(SERVER);

/** MariaDB refuses to run as root; root starts it as the user `mysql`. */
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? ['--user=mysql'] : [];

/** @param settings in addition to those that make it fast and private */
export async function startMariadb(port: number, settings: readonly string[] = []): Promise<MariadbServer> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-maria-'));
  const data = join(folder, 'data');
  const log = join(folder, 'log');
  // A starting server deletes the temporary tables that it finds, so that two servers can't share their folder.
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  if (isRoot) {
    const ids = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'mysql'], { encoding: 'utf8' })));
    for (const owned of [folder, temporary]) chownSync(owned, ids[0] as number, ids[1] as number);
  }
  const plain = ['--no-defaults', ...asUser, `--datadir=${data}`, `--tmpdir=${temporary}`];
  const made = spawnSync(
    INSTALL,
    [...plain, '--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve'],
    { encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`${INSTALL} ended with ${made.status}: ${made.stderr}${made.stdout}`);
  const url = `mysql://root@127.0.0.1:${port}/mysql`;
  const options = [
    `--socket=${join(folder, 'socket')}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    '--skip-name-resolve',
    '--innodb-flush-log-at-trx-commit=0',
    '--innodb-buffer-pool-size=64M',
    ...settings,
  ];
  let server: ReturnType<typeof spawn> | undefined;
  const start = async (): Promise<void> => {
    const output = openSync(log, 'a');
    server = spawn(SERVER, [...plain, ...options], { stdio: ['ignore', output, output] });
    const until = Date.now() + PATIENCE;
    while (!(await answers(url))) {
      if (server.exitCode !== null || Date.now() > until)
        throw new Error(`MariaDB did not start: ${readFileSync(log, 'utf8').slice(-2000)}`);
      await pause(50);
    }
  };
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server?.once('exit', resolve));
    server.kill(signal);
    await ended;
  };
  await start();
  const keeper = keep(folder);
  return {
    url,
    start,
    stop,
    async remove() {
      await stop('SIGKILL');
      keeper.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    const connection = await createConnection(url);
    await connection.end();
    return true;
  } catch {
    return false;
  }
}

/**
 * Ends a server whose owner was killed, and removes its folder. This is a separate process, whose input ends when its owner
 * dies for whatever reason.
 */
function keep(folder: string): ReturnType<typeof spawn> {
  const script = 'cat >/dev/null; kill -KILL "$(cat "$0/pid")"; sleep 1; rm -rf "$0"';
  const keeper = spawn('sh', ['-c', script, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  keeper.unref();
  (keeper.stdin as unknown as { unref(): void } | null)?.unref();
  return keeper;
}
