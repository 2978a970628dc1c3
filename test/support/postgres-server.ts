import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A PostgreSQL server with its own folder, which listens on a socket there and on a free TCP port. */
export interface PostgresServer {
  /** `postgres://postgres@127.0.0.1:<port>/postgres`. */
  readonly url: string;
  /** The process id of its postmaster. */
  readonly pid: () => number;
  stop(mode?: 'fast' | 'immediate'): void;
  /** Starts it after a stop, on the same port and with the same data. */
  start(): void;
  /** Ends it as a crash does. */
  kill(): void;
  /** Makes a standby the primary. */
  promote(): void;
  /** Stops it and removes its folder. */
  remove(): void;
}

/** The folder of PostgreSQL's programs; `undefined` if it is not installed. */
export function postgresPrograms(): string | undefined {
  const folder = '/usr/lib/postgresql';
  if (!existsSync(folder)) return undefined;
  const versions = readdirSync(folder).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(folder, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

/** PostgreSQL refuses to run as root; root starts it as the user `postgres`. */
function command(program: string, args: readonly string[]): [string, string[]] {
  const isRoot = process.getuid?.() === 0;
  return isRoot ? ['runuser', ['-u', 'postgres', '--', program, ...args]] : [program, [...args]];
}

function run(program: string, args: readonly string[]): void {
  const [file, all] = command(program, args);
  const done = spawnSync(file, all, { stdio: ['ignore', 'pipe', 'pipe'], cwd: '/', encoding: 'utf8' });
  if (done.status !== 0)
    throw new Error(`${program} ${args.join(' ')} ended with ${done.status}: ${done.stderr}${done.stdout}`);
}

/**
 * @param settings in addition to those that make it fast and private
 * @param primary address of the server that it replicates; without one it has data of its own
 */
export function startPostgres(
  port: number,
  settings: Readonly<Record<string, string>> = {},
  primary?: string,
): PostgresServer {
  const bin = postgresPrograms();
  if (bin === undefined) throw new Error('PostgreSQL is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-pg-'));
  if (process.getuid?.() === 0) {
    const ids = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })));
    chownSync(folder, ids[0] as number, ids[1] as number);
  }
  const data = join(folder, 'data');
  if (primary === undefined)
    run(join(bin, 'initdb'), [
      ...['-D', data, '-A', 'trust', '-U', 'postgres'],
      ...['--no-sync', '-E', 'UTF8', '--locale=C.UTF-8'],
    ]);
  else run(join(bin, 'pg_basebackup'), ['-d', primary, '-D', data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']);
  const given = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    fsync: 'off',
    max_connections: '300',
    log_min_messages: 'fatal',
    ...settings,
  };
  const options = Object.entries(given)
    .map(([name, value]) => `-c ${name}=${value === '' ? "''" : value}`)
    .join(' ');
  const control = (args: readonly string[]): void =>
    run(join(bin, 'pg_ctl'), ['-D', data, '-s', '-w', '-t', '60', ...args]);
  const start = (): void => control(['-l', join(folder, 'log'), '-o', options, 'start']);
  const pid = (): number =>
    Number(execFileSync(...command('head', ['-n', '1', join(data, 'postmaster.pid')]), { encoding: 'utf8' }));
  const stop = (mode: 'fast' | 'immediate' = 'fast'): void => control(['-m', mode, 'stop']);
  start();
  const keeper = keep(folder, data);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    pid,
    start,
    kill: () => void process.kill(pid(), 'SIGKILL'),
    promote: () => control(['promote']),
    stop,
    remove() {
      try {
        stop('immediate');
      } catch {
        // It is already stopped.
      }
      keeper.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Ends a server whose owner was killed, and removes its folder. This is a separate process, whose input ends when its owner
 * dies for whatever reason.
 */
function keep(folder: string, data: string): ReturnType<typeof spawn> {
  const script = 'cat >/dev/null; kill -QUIT "$(head -n 1 "$1/postmaster.pid")"; sleep 1; rm -rf "$0"';
  const keeper = spawn('sh', ['-c', script, folder, data], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  keeper.unref();
  (keeper.stdin as unknown as { unref(): void } | null)?.unref();
  return keeper;
}
