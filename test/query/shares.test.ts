import { describe, expect, it, vi } from 'vitest';
import type { QueryPort } from '../../src/query/index.ts';
import { hasPostgres } from '../support/postgres.ts';
import { postgresOf } from './postgres/support.ts';
import { databaseOf, endless, one, readersOf } from './support.ts';

const LIMITS = { rows: 10, timeout: 20_000 };

/** A port on one of the engines, and what ends a reader or a connection from outside. */
interface Opened {
  readonly port: QueryPort;
  kill(pid: number): Promise<void>;
}
interface Bounds {
  /** Readers, or connections for queries. */
  readonly most: number;
  readonly queries?: number;
  readonly maxWaiting?: number;
}

async function openSqlite({ most, queries, ...more }: Bounds): Promise<Opened> {
  const options = { readers: most, maxReaders: most, limits: { ...LIMITS, queries }, ...more };
  const port = readersOf(await databaseOf(''), options);
  await port.ready();
  return { port, kill: async (pid) => void process.kill(pid, 'SIGKILL') };
}

async function openPostgres({ most, queries, ...more }: Bounds): Promise<Opened> {
  const database = await postgresOf('');
  const port = await database.open({ connections: most + 1, limits: { ...LIMITS, queries }, ...more });
  return { port, kill: async (pid) => void (await database.run('select pg_terminate_backend($1)', [pid])) };
}

const busy = (port: QueryPort): number[] =>
  port
    .status()
    .readers.filter((reader) => reader.busy)
    .map(({ pid }) => pid);
const seen = (look: () => void): Promise<void> => vi.waitFor(look, { timeout: 15_000, interval: 5 });

function suite(open: (bounds: Bounds) => Promise<Opened>): void {
  const lookUp = (port: QueryPort, caller?: string) => port.rows({ query: one, prompts: {}, caller });
  /** Starts queries that do not end before they are stopped. */
  function hold(port: QueryPort, caller: string, count: number) {
    const stop = new AbortController();
    const call = { query: endless, prompts: {}, caller, signal: stop.signal };
    const all = Promise.allSettled(Array.from({ length: count }, () => port.rows(call)));
    return async (): Promise<unknown> => {
      stop.abort();
      return all;
    };
  }

  it('a caller holds as many as its share, and the others are answered', async () => {
    const { port } = await open({ most: 3, queries: 2 });
    const stop = hold(port, 'a', 5);
    await seen(() => expect([busy(port).length, port.status().waiting]).toEqual([2, 3]));
    for (let n = 1; n <= 20; n += 1) expect(await lookUp(port, 'b')).toEqual([{ N: 1 }]);
    expect(await lookUp(port)).toEqual([{ N: 1 }]);
    expect([busy(port).length, port.status().waiting]).toEqual([2, 3]);
    await stop();
  });

  it('never holds all of them, whatever is declared', async () => {
    const { port } = await open({ most: 2, queries: 100 });
    const stop = hold(port, 'a', 4);
    await seen(() => expect([busy(port).length, port.status().waiting]).toEqual([1, 3]));
    expect(await lookUp(port, 'b')).toEqual([{ N: 1 }]);
    await stop();
  });

  it('callers who wait take turns', async () => {
    const { port } = await open({ most: 1 });
    const stop = hold(port, 'c', 1);
    await seen(() => expect(busy(port)).toHaveLength(1));
    const answered: string[] = [];
    const waiting = ['a1', 'a2', 'a3', 'b1', 'b2', 'd1'].map(async (name) => {
      await lookUp(port, name.slice(0, 1));
      answered.push(name);
    });
    expect(port.status().waiting).toBe(6);
    await stop();
    await Promise.all(waiting);
    expect(answered).toEqual(['a1', 'b1', 'd1', 'a2', 'b2', 'a3']);
  });

  it('what waits for a share goes on when one of its own has ended, however that came', async () => {
    const { port, kill } = await open({ most: 3, queries: 1 });
    const stop = hold(port, 'a', 1);
    await seen(() => expect(busy(port)).toHaveLength(1));
    // Another one is there, and has nothing to do.
    await lookUp(port, 'b');
    const waiting = lookUp(port, 'a');
    expect(port.status().waiting).toBe(1);
    const [pid = 0] = busy(port);
    await kill(pid);
    expect(await waiting).toEqual([{ N: 1 }]);
    await stop();
    const again = hold(port, 'a', 1);
    await seen(() => expect(busy(port)).toHaveLength(1));
    const next = lookUp(port, 'a');
    await again();
    expect(await next).toEqual([{ N: 1 }]);
  });

  it('of one caller half as many wait as may wait in all', async () => {
    const { port } = await open({ most: 2, queries: 1, maxWaiting: 4 });
    const first = hold(port, 'a', 1);
    await seen(() => expect(busy(port)).toHaveLength(1));
    const others = hold(port, 'a', 2);
    expect(port.status().waiting).toBe(2);
    await expect(lookUp(port, 'a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await lookUp(port, 'b')).toEqual([{ N: 1 }]);
    await Promise.all([first(), others()]);
  });
}

describe('shares of readers, over SQLite', () => suite(openSqlite));
describe.skipIf(!hasPostgres)('shares of connections to PostgreSQL', () => suite(openPostgres));
