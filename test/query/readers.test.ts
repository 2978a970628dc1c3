import { readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { QueryPort } from '../../src/query/index.ts';
import { databaseOf, endless, gone, one, pids, query, quick, readersOf } from './support.ts';

/** The reader that runs the only busy query. */
async function busyPid(port: QueryPort): Promise<number> {
  return vi.waitFor(() => {
    const busy = port.status().readers.filter((reader) => reader.busy);
    expect(busy).toHaveLength(1);
    return busy[0]?.pid ?? 0;
  }, 15_000);
}

/** A query that takes about as long as a reader needs for hundreds of quick ones. */
const slowish = query(
  'with recursive c(x) as (select 1 union all select x + 1 from c where x < 300000) select count(*) as n from c',
  { N: 'integer' },
);

/** Waits until a second reader has started: a quick query overtakes another. */
async function bothAnswer(port: QueryPort): Promise<void> {
  let overtaken = false;
  while (!overtaken) {
    let isOver = false;
    const before = port.rows({ query: slowish, prompts: {} }).then(() => {
      isOver = true;
    });
    await quick(port);
    overtaken = !isOver;
    await before;
  }
}

/** The threads of a process, from /proc. */
const threads = (pid: number | undefined): number => readdirSync(`/proc/${pid}/task`).length;

describe('before the first query', () => {
  it('one reader is enough', async () => {
    const port = readersOf(await databaseOf(''), { readers: 3 });
    await port.ready();
    const [first] = pids(port);
    expect(pids(port)).toEqual([first]);
    await quick(port);
    expect(pids(port)).toHaveLength(3);
    expect(pids(port)[0]).toBe(first);
  });

  it.skipIf(process.platform !== 'linux')('a reader has no thread that watches the gateway', async () => {
    const port = readersOf(await databaseOf(''), { readers: 1, maxReaders: 1 });
    await port.ready();
    const [pid] = pids(port);
    const before = threads(pid);
    await quick(port);
    expect(threads(pid)).toBe(before + 1);
  });
});

describe('a timeout', () => {
  it('ends the query, its reader and no other call', async () => {
    const port = readersOf(await databaseOf(''));
    await port.ready();
    await bothAnswer(port);
    const slow = port.run({ query: { ...endless, timeout: 1500 }, prompts: {}, format: 'json' });
    const failed = expect(slow).rejects.toMatchObject({
      code: 'TIMEOUT',
      status: 504,
      message: 'Query A_QUERY took longer than 1500 ms and was stopped.',
    });
    const pid = await busyPid(port);
    let answered = 0;
    while (pids(port).includes(pid)) {
      await quick(port);
      answered += 1;
    }
    await failed;
    await gone(pid);
    // One call behind the slow one would have been the only one.
    expect(answered).toBeGreaterThan(10);
    expect(port.status().readers).toHaveLength(2);
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
  });

  it("is the gateway's where the query has none", async () => {
    const port = readersOf(await databaseOf(''), { limits: { rows: 10, timeout: 50 } });
    await port.ready();
    await expect(port.rows({ query: endless, prompts: {} })).rejects.toMatchObject({ code: 'TIMEOUT' });
  });
});

describe('without declared queries', () => {
  it('no reader runs, and the database counts as ready; the first query starts one', async () => {
    const port = readersOf(await databaseOf(''), { declared: false });
    await port.ready();
    expect(pids(port)).toEqual([]);
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
    expect(pids(port)).toHaveLength(2);
    await port.close();
    expect(pids(port)).toEqual([]);
  });

  it('closes where no query ever ran', async () => {
    const port = readersOf(await databaseOf(''), { declared: false });
    await expect(port.close()).resolves.toBeUndefined();
  });
});

describe('slow queries', () => {
  it('hold up no call that its reader was told meanwhile', async () => {
    const port = readersOf(await databaseOf(''), { readers: 1, maxReaders: 2 });
    await quick(port);
    const stop = new AbortController();
    const slow = port.run({ query: endless, prompts: {}, format: 'json', signal: stop.signal });
    const ended = expect(slow).rejects.toMatchObject({ name: 'AbortError' });
    await Promise.all([quick(port), quick(port), quick(port)]);
    expect(port.status().readers.filter((reader) => reader.busy)).toHaveLength(1);
    stop.abort();
    await ended;
  });

  it('never hold all readers: more are started up to the bound, and end when they are idle', async () => {
    const port = readersOf(await databaseOf(''), { readers: 2, maxReaders: 4, idleTimeout: 100 });
    await port.ready();
    const stop = new AbortController();
    const slow = [1, 2, 3].map(() => port.run({ query: endless, prompts: {}, format: 'json', signal: stop.signal }));
    const ended = Promise.allSettled(slow);
    await vi.waitFor(() => expect(port.status().readers.filter((reader) => reader.busy)).toHaveLength(3), {
      timeout: 15_000,
    });
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
    expect(pids(port)).toHaveLength(4);
    stop.abort();
    await ended;
    await vi.waitFor(() => expect(pids(port)).toHaveLength(2), { timeout: 15_000 });
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
  });

  it('beyond the bound leave calls waiting, as many as are allowed', async () => {
    const port = readersOf(await databaseOf(''), { readers: 1, maxReaders: 1, maxWaiting: 2 });
    await port.ready();
    const stop = new AbortController();
    const slow = port.run({ query: endless, prompts: {}, format: 'json', signal: stop.signal });
    const ended = Promise.allSettled([slow]);
    const waiting = [quick(port), quick(port)];
    expect(port.status().waiting).toBe(2);
    await expect(quick(port)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      status: 503,
      headers: { 'Retry-After': '1' },
    });
    stop.abort();
    await ended;
    await expect(Promise.all(waiting)).resolves.toEqual([[{ N: 1 }], [{ N: 1 }]]);
  });

  it('let a call that waited for its whole time know that no reader was free', async () => {
    const port = readersOf(await databaseOf(''), { readers: 1, maxReaders: 1 });
    await port.ready();
    const stop = new AbortController();
    const slow = Promise.allSettled([port.run({ query: endless, prompts: {}, format: 'json', signal: stop.signal })]);
    const late = port.rows({ query: { ...one, timeout: 50 }, prompts: {} });
    await expect(late).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'Temporarily unavailable: no reader was free in time.',
    });
    stop.abort();
    await slow;
  });
});

describe('a caller who goes away', () => {
  it('ends its query and the reader that runs it', async () => {
    const port = readersOf(await databaseOf(''));
    await port.ready();
    const stop = new AbortController();
    const slow = port.run({ query: endless, prompts: {}, format: 'json', signal: stop.signal });
    const failed = expect(slow).rejects.toMatchObject({ name: 'AbortError' });
    const pid = await busyPid(port);
    stop.abort(new Error('closed'));
    await failed;
    await gone(pid);
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
  });

  it('costs no reader where the query is short', async () => {
    const port = readersOf(await databaseOf(''), { readers: 1, maxReaders: 1 });
    await quick(port);
    const readers = new Set(pids(port));
    for (let count = 0; count < 20; count += 1) {
      const stop = new AbortController();
      const call = port.rows({ query: one, prompts: {}, signal: stop.signal });
      stop.abort();
      await expect(call).rejects.toMatchObject({ name: 'AbortError' });
      await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
      for (const pid of pids(port)) readers.add(pid);
    }
    // A reader that a busy machine keeps from finishing in time is replaced; otherwise each of the twenty would be.
    expect(readers.size).toBeLessThan(5);
  });

  it('costs no reader where the gateway was busy when the answer came', async () => {
    const port = readersOf(await databaseOf(''), { readers: 1, maxReaders: 1 });
    await quick(port);
    const before = pids(port);
    const stop = new AbortController();
    const call = port.rows({ query: one, prompts: {}, signal: stop.signal });
    expect(port.status().readers).toMatchObject([{ busy: true }]);
    stop.abort();
    // Longer than a reader is given to finish: that time is over when the gateway reads the answer.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
    expect(pids(port)).toEqual(before);
  });

  it('takes back a call that waits, and one that had not begun', async () => {
    const port = readersOf(await databaseOf(''), { readers: 1, maxReaders: 1 });
    const stop = new AbortController();
    const waiting = port.rows({ query: one, prompts: {}, signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect(port.status().waiting).toBe(0);
    await expect(port.rows({ query: one, prompts: {}, signal: stop.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
  });
});

describe('a reader that dies', () => {
  it('fails its call alone, and is replaced', async () => {
    const port = readersOf(await databaseOf(''));
    await port.ready();
    const slow = port.run({ query: endless, prompts: {}, format: 'json' });
    const failed = expect(slow).rejects.toMatchObject({
      code: 'INTERNAL',
      status: 500,
      message: 'Query A_QUERY failed because of an internal error.',
    });
    const pid = await busyPid(port);
    process.kill(pid, 'SIGKILL');
    await failed;
    await vi.waitFor(() => expect(pids(port).filter((other) => other !== pid)).toHaveLength(2), { timeout: 15_000 });
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
  });

  it('without work is replaced after a while', async () => {
    const port = readersOf(await databaseOf(''), { readers: 1, maxReaders: 1 });
    await quick(port);
    const [pid = 0] = pids(port);
    process.kill(pid, 'SIGKILL');
    await gone(pid);
    await vi.waitFor(() => expect(pids(port).filter((other) => other !== pid)).toHaveLength(1), { timeout: 15_000 });
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
  });

  it("because it can't start is tried less and less often, and calls are refused at once", async () => {
    const store = await databaseOf('');
    const port = readersOf({ ...store, location: `${store.location}.missing` });
    await expect(port.ready()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      cause: { message: 'unable to open database file' },
    });
    await expect(quick(port)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      status: 503,
      headers: { 'Retry-After': '1' },
    });
    const tried = new Set(pids(port));
    for (const end = performance.now() + 1000; performance.now() < end || tried.size === 0; await setTimeout(5)) {
      for (const pid of pids(port)) tried.add(pid);
    }
    // Every tenth of a second would be ten at least.
    expect(tried.size).toBeLessThanOrEqual(6);
  });
});

describe('errors of SQLite', () => {
  it('are told to the log, and keep SQL from the caller', async () => {
    const port = readersOf(await databaseOf('create table secret_table (a)'));
    const broken = query('select abs(-9223372036854775807 - 1) as n, secret_column from secret_table', {
      N: 'integer',
    });
    const error = await port.rows({ query: broken, prompts: {} }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'INTERNAL', message: 'Query A_QUERY failed because of an internal error.' });
    expect(error).toHaveProperty('cause.message', 'query A_QUERY: SQLITE_ERROR: no such column: secret_column');
    const overflow = query('select abs(-9223372036854775807 - 1) as n', { N: 'integer' });
    await expect(port.rows({ query: overflow, prompts: {} })).rejects.toMatchObject({
      cause: { message: 'query A_QUERY: SQLITE_ERROR: integer overflow' },
    });
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
  });

  it('include every attempt to write', async () => {
    const port = readersOf(await databaseOf('create table t (a)'));
    for (const sql of ['insert into t values (1) returning a', 'with x as (select 1) update t set a = 1 returning a']) {
      await expect(port.rows({ query: query(sql, { A: 'text' }), prompts: {} })).rejects.toMatchObject({
        code: 'INTERNAL',
      });
    }
    expect(await port.rows({ query: query('select count(*) as n from t', { N: 'integer' }), prompts: {} })).toEqual([
      { N: 0 },
    ]);
  });
});
