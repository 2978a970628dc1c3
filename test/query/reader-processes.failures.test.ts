import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { databaseOf, endless, gone, lives, one, pids, query, quick, readersOf } from './support.ts';

const module = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

/** A gateway that runs one query, or none, and prints its readers; it waits, or blocks its event loop, until it is killed. */
const gatewayScript = `
  const { openStore } = await import(${module('../../src/store/index.ts')});
  const { openQueries } = await import(${module('../../src/query/index.ts')});
  const [, location, call, then] = process.argv;
  const store = await openStore({ url: 'sqlite:' + location, root: '/' });
  const queries = openQueries({ store, timezone: 'UTC', limits: { rows: 10, timeout: 60000 } });
  await queries.ready();
  if (call !== '') void queries.run(JSON.parse(call)).catch(() => {});
  await new Promise((resolve) => process.stdout.write(JSON.stringify(queries.status().readers), resolve));
  if (then === 'block') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  else setInterval(() => {}, 1000);`;

/** A gateway that has no file descriptor left when its only reader dies, and has some again later. */
const starvedScript = `
  const { closeSync, openSync } = await import('node:fs');
  const { openStore } = await import(${module('../../src/store/index.ts')});
  const { openQueries } = await import(${module('../../src/query/index.ts')});
  const [, location, call] = process.argv;
  const store = await openStore({ url: 'sqlite:' + location, root: '/' });
  const limits = { rows: 10, timeout: 60000 };
  const queries = openQueries({ store, timezone: 'UTC', limits, readers: 1, maxReaders: 1 });
  await queries.ready();
  const outcome = () => queries.run(JSON.parse(call)).then(({ rows }) => rows, ({ code }) => code);
  const until = async (wanted) => {
    while ((await outcome()) !== wanted) await new Promise((resolve) => setTimeout(resolve, 5));
    process.stdout.write(wanted + ' ');
  };
  await until(1);
  const held = [];
  try {
    for (;;) held.push(openSync('/dev/null'));
  } catch {}
  process.kill(queries.status().readers[0].pid, 'SIGKILL');
  await until('UNAVAILABLE');
  for (const file of held) closeSync(file);
  await until(1);
  await queries.close();
  await store.close();`;

describe('a reader that can not be started', () => {
  it('for want of room for its arguments leaves the port without one', async () => {
    const store = await databaseOf('');
    const port = readersOf({ ...store, location: 'x'.repeat(4_000_000) });
    await expect(port.ready()).rejects.toMatchObject({ code: 'UNAVAILABLE', cause: expect.any(Error) });
    await expect(quick(port)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it.skipIf(process.platform === 'win32')('for want of file descriptors is tried again, and ends nothing', async () => {
    const store = await databaseOf('');
    const call = JSON.stringify({ query: one, prompts: {}, format: 'json' });
    const node = [process.execPath, '--input-type=module', '-e', starvedScript, store.location, call];
    const gateway = spawn('sh', ['-c', 'ulimit -n 128; exec "$@"', 'sh', ...node], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [told, [code]] = await Promise.all([Array.fromAsync(gateway.stdout), once(gateway, 'exit')]);
    expect([Buffer.concat(told).toString(), code]).toEqual(['1 UNAVAILABLE 1 ', 0]);
  });
});

it.skipIf(process.platform !== 'linux')('a reader is ended before its gateway where memory runs out', async () => {
  const port = readersOf(await databaseOf(''), { readers: 1, maxReaders: 1 });
  await port.ready();
  expect(readFileSync(`/proc/${pids(port)[0]}/oom_score_adj`, 'utf8')).toBe('800\n');
});

describe('the end', () => {
  it('of the port lets running queries end, refuses new ones, and ends the readers', async () => {
    const port = readersOf(await databaseOf(''), { readers: 1, maxReaders: 1 });
    await quick(port);
    const readers = pids(port);
    const counting = query(
      'with recursive c(x) as (select 1 union all select x + 1 from c where x < 300000) select count(*) as n from c',
      {
        N: 'integer',
      },
    );
    const running = port.rows({ query: counting, prompts: {} });
    const waiting = quick(port);
    const closed = port.close();
    await expect(quick(port)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'Temporarily unavailable: the gateway is stopping.',
    });
    await expect(running).resolves.toEqual([{ N: 300_000 }]);
    await expect(waiting).resolves.toEqual([{ N: 1 }]);
    await closed;
    for (const pid of readers) expect(lives(pid)).toBe(false);
    await port.close();
  });

  it('of the port holds up no call that its reader was told behind a slow query', async () => {
    const port = readersOf(await databaseOf(''), { readers: 1, maxReaders: 2 });
    await quick(port);
    const stop = new AbortController();
    const slow = port.run({ query: endless, prompts: {}, format: 'json', signal: stop.signal });
    const ended = expect(slow).rejects.toMatchObject({ name: 'AbortError' });
    const behind = [quick(port), quick(port)];
    const closed = port.close();
    await expect(Promise.all(behind)).resolves.toEqual([[{ N: 1 }], [{ N: 1 }]]);
    stop.abort();
    await ended;
    await closed;
    expect(port.status()).toEqual({ readers: [], waiting: 0 });
  });

  it('of the port ends readers that had not started yet', async () => {
    const port = readersOf(await databaseOf(''));
    const stop = new AbortController();
    const call = port.rows({ query: one, prompts: {}, signal: stop.signal });
    const readers = pids(port);
    stop.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    await port.close();
    expect(readers).toHaveLength(2);
    for (const pid of readers) expect(lives(pid)).toBe(false);
  });

  it('of the gateway, however it comes, ends its readers, also in the middle of a query', async () => {
    const store = await databaseOf('');
    const call = JSON.stringify({ query: endless, prompts: {}, format: 'json' });
    const gateway = spawn(
      process.execPath,
      ['--input-type=module', '-e', gatewayScript, store.location, call, 'wait'],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [line] = await once(gateway.stdout, 'data');
    const readers: { pid: number; busy: boolean }[] = JSON.parse(String(line));
    expect(readers.map((reader) => reader.busy).toSorted()).toEqual([false, true]);
    expect(readers.every((reader) => lives(reader.pid))).toBe(true);
    gateway.kill('SIGKILL');
    for (const { pid } of readers) await gone(pid);
  });

  it('of the gateway ends a reader that was never used', async () => {
    const store = await databaseOf('');
    const gateway = spawn(process.execPath, ['--input-type=module', '-e', gatewayScript, store.location, '', 'wait'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(gateway.stdout, 'data');
    const readers: { pid: number }[] = JSON.parse(String(line));
    expect(readers.map(({ pid }) => lives(pid))).toEqual([true]);
    gateway.kill('SIGKILL');
    for (const { pid } of readers) await gone(pid);
  });

  it('of a gateway that is busy while a large result is written leaves no file behind', async () => {
    const store = await databaseOf('');
    const many = query(
      'with recursive c(x) as (select 1 union all select x + 1 from c) select x from c',
      { X: 'integer' },
      {},
      { rows: 1e9 },
    );
    const call = JSON.stringify({ query: many, prompts: {}, format: 'json' });
    const gateway = spawn(
      process.execPath,
      ['--input-type=module', '-e', gatewayScript, store.location, call, 'block'],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [line] = await once(gateway.stdout, 'data');
    const readers: { pid: number }[] = JSON.parse(String(line));
    const folder = `${store.location}-results`;
    await vi.waitFor(() => expect(readdirSync(folder)).toHaveLength(1), { timeout: 15_000, interval: 5 });
    gateway.kill('SIGKILL');
    for (const { pid } of readers) await gone(pid);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a reader process', () => {
  it.each([
    'SIGINT',
    'SIGTERM',
    'SIGHUP',
  ] as const)('outlives %s, which reaches all of a terminal or a service', async (signal) => {
    const port = readersOf(await databaseOf(''), { readers: 1, maxReaders: 1 });
    await quick(port);
    const [pid = 0] = pids(port);
    const counting = query(
      'with recursive c(x) as (select 1 union all select x + 1 from c where x < 1000000) select count(*) as n from c',
      { N: 'integer' },
    );
    const running = port.rows({ query: counting, prompts: {} });
    for (let count = 0; count < 5; count += 1) {
      process.kill(pid, signal);
      await setTimeout(10);
    }
    await expect(running).resolves.toEqual([{ N: 1_000_000 }]);
    process.kill(pid, signal);
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
    expect(pids(port)).toEqual([pid]);
  });

  it.skipIf(process.platform !== 'linux')("is started without the gateway's own flags (read from /proc)", async () => {
    const port = readersOf(await databaseOf(''), { readers: 1, maxReaders: 1 });
    await quick(port);
    const [pid = 0] = pids(port);
    const [, script, options, ...more] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    expect(script).toMatch(/src\/query\/sqlite\/reader\.ts$/);
    expect(Object.keys(JSON.parse(options ?? ''))).toEqual([
      'location',
      'timezone',
      'temporary',
      'largestFile',
      'prefix',
    ]);
    expect(more).toEqual(['']);
  });
});
