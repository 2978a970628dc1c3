import { availableParallelism } from 'node:os';
import type { Registry } from '../../model/registry.ts';
import { resolveSetting } from '../../serve/start/settings.ts';
import { CliFailure, wrongUsage } from '../failure.ts';

/** As many as the log tells apart at a glance; a machine with more processors runs several gateways. */
const MOST = 256;

/** What `--workers` says. @throws CliFailure for what is neither a number from 1 nor `auto` */
export function readWorkers(text: string): number | 'auto' {
  if (text === 'auto') return text;
  const number = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MOST) return number;
  throw wrongUsage(
    `--workers takes a number from 1 to ${MOST}, or auto, not '${text}'`,
    'auto is one for each processor on PostgreSQL, and one on SQLite.',
  );
}

/** How many workers there are to be. @throws CliFailure where the database serves one gateway only */
export function countWorkers(wanted: number | 'auto', { gateway }: Registry, env: NodeJS.ProcessEnv): number {
  if (wanted === 1) return 1;
  const isSqlite = /^sqlite:/i.test(resolveSetting(gateway.database.url, env));
  if (wanted === 'auto') return isSqlite ? 1 : Math.min(availableParallelism(), MOST);
  if (!isSqlite) return wanted;
  throw new CliFailure(`--workers ${wanted} needs PostgreSQL: a SQLite database serves one gateway`, {
    hint: 'Set DATABASE_URL=postgres://user:password@host/database, or leave --workers out.',
  });
}
