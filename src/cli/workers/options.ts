import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import type { Registry } from '../../model/registry.ts';
import { readAddress } from '../../serve/start/address.ts';
import { resolveSetting } from '../../serve/start/settings.ts';
import { CliFailure, wrongUsage } from '../failure.ts';

/** A machine with more processors runs several gateways. */
const MOST = 256;

/** The value of `--workers`. @throws CliFailure for a value that is neither a number from 1 on nor `auto` */
export function readWorkers(text: string): number | 'auto' {
  if (text === 'auto') return text;
  const number = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MOST) return number;
  throw wrongUsage(
    `--workers takes a number from 1 to ${MOST}, or auto, not '${text}'`,
    'auto starts one per processor on PostgreSQL, and one on SQLite.',
  );
}

/** The number of workers to run. @throws CliFailure for several workers on a database that serves one gateway only */
export function countWorkers(wanted: number | 'auto', { gateway }: Registry, env: NodeJS.ProcessEnv): number {
  if (wanted === 1) return 1;
  const isSqlite = /^sqlite:/i.test(resolveSetting(gateway.database.url, env));
  if (wanted === 'auto') return isSqlite ? 1 : Math.min(availableParallelism(), MOST);
  if (!isSqlite) return wanted;
  throw new CliFailure(`--workers ${wanted} needs PostgreSQL: a SQLite database serves one gateway`, {
    hint: 'Set DATABASE_URL=postgres://user:password@host/database, or omit --workers.',
  });
}

/**
 * The port that all workers share. Port 0 is replaced by a free port here, so that a worker that replaces another listens on
 * the same one.
 */
export function choosePort(registry: Registry, env: NodeJS.ProcessEnv): Promise<number> {
  const { host, port } = readAddress(registry, env);
  if (port !== 0) return Promise.resolve(port);
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
