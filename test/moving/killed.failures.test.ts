import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBlobs, openStore } from '../../src/store/index.ts';
import { bin, cleanEnvironment, finish, type Ran, type Running, signalboxProcess, start } from '../cli/support.ts';
import { Target } from '../message/project.ts';
import { call } from '../support/gateway.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { eventually, writeProject } from '../support/project.ts';
import { contentOf, FILES, fillEmpty, ROWS } from './project.ts';

const ITEMS = 10_000;
const BLOBS = 40;

/** A database file with many rows, stored files, and a row in every table. */
async function filledProject(): Promise<string> {
  const project = writeProject(FILES);
  onTestFinished(() => project.remove());
  const { root } = project;
  expect(await signalboxProcess(['migrate'], { cwd: root })).toMatchObject({ code: 0 });
  const file = new Database(join(root, 'test.db'));
  file.exec(ROWS);
  const insert = file.prepare("insert into item (kind, name, note) values ('a', ?, ?)");
  file.transaction(() => {
    for (let n = 0; n < ITEMS; n++) insert.run(`item ${n}`, 'x'.repeat(n % 200));
  })();
  file.close();
  const store = await openStore({ url: 'sqlite:test.db', root });
  const blobs = await openBlobs(store);
  for (let n = 0; n < BLOBS; n++) {
    const content = createHash('sha256').update(String(n)).digest('hex').repeat(2000);
    await blobs.scope('test').put(`blob ${n}`, {
      ...{ contentType: 'text/plain', length: content.length },
      async *stream() {
        yield Buffer.from(content);
      },
    });
  }
  await blobs.close();
  await store.close();
  fillEmpty(join(root, 'test.db'));
  return root;
}

/** Moments of a move at which it is ended, each seen in its target. */
const moments = (target: TestDatabase): Readonly<Record<string, () => Promise<boolean>>> => {
  const holds = (condition: string) => async (): Promise<boolean> =>
    (await target.run(`select ${condition} as holds`)).rows[0].holds === true;
  return {
    'while it makes tables': holds("to_regclass('signalbox_migration') is not null"),
    'while it copies files': async () =>
      (await holds("to_regclass('signalbox_blob') is not null")()) &&
      (await holds(`(select count(*) from signalbox_blob) between 1 and ${BLOBS}`)()),
    'while it writes rows': holds(
      "exists (select from pg_locks where mode = 'ExclusiveLock' and relation = to_regclass('item'))",
    ),
  };
};

/** The number of messages and items. */
async function rowsIn({ run }: TestDatabase): Promise<number> {
  let found = 0;
  for (const table of ['signalbox_message', 'item']) {
    const { rows } = await run('select to_regclass($1) is not null as found', [table]);
    if (rows[0].found) found += (await run(`select count(*)::int as rows from ${table}`)).rows[0].rows;
  }
  return found;
}

const startMove = (root: string, ...args: string[]): ChildProcess =>
  spawn(process.execPath, [bin, 'data', 'move', ...args], { cwd: root, env: cleanEnvironment() });

const move = (root: string, ...args: string[]): Promise<Ran> =>
  signalboxProcess(['data', 'move', ...args], { cwd: root });

describe.skipIf(!hasPostgres)('signalbox data move', () => {
  it.each([
    ['SIGKILL', 'while it makes tables'],
    ['SIGKILL', 'while it copies files'],
    ['SIGKILL', 'while it writes rows'],
    ['SIGINT', 'while it copies files'],
    ['SIGINT', 'while it writes rows'],
  ] as const)('that gets %s %s leaves no rows, and is completed by the same command', async (signal, moment) => {
    const root = await filledProject();
    const target = await createDatabase();
    onTestFinished(() => target.drop());
    const args = ['sqlite:test.db', target.url];
    const child = startMove(root, ...args);
    const ended = finish(child);
    await eventually(moment, async () => (await moments(target)[moment]?.()) || undefined);
    child.kill(signal);
    const { code, signal: by, stderr } = await ended;
    if (signal === 'SIGKILL') expect(by).toBe('SIGKILL');
    else
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('interrupted: nothing was moved') });
    expect(await rowsIn(target)).toBe(0);
    expect(await move(root, ...args)).toMatchObject({ code: 0 });
    expect(await rowsIn(target)).toBe(ITEMS + 5);
  });

  it('after gateways that were killed during a delivery: those that follow repeat it, in order, on both engines', async () => {
    const erp = await Target.start();
    onTestFinished(() => erp.stop());
    const project = writeProject({
      ...FILES,
      'definitions/gateway.yaml': FILES['definitions/gateway.yaml']?.replace(
        /database: (.*)/,
        'database: { url: "$1", schema: moved }',
      ) as string,
    });
    onTestFinished(() => project.remove());
    const { root } = project;
    const target = await createDatabase();
    onTestFinished(() => target.drop());
    const urls = ['sqlite:one.db', target.url, 'sqlite:two.db'];
    const serve = async (at: number): Promise<{ gateway: Running; port: number }> => {
      const env = { DATABASE_URL: urls[at], ERP_URL: erp.url, PORT: '0' };
      const gateway = start(['serve'], { cwd: root, env });
      const [, port] = await gateway.until(/ready on \S+:(\d+)/);
      return { gateway, port: Number(port) };
    };
    erp.status = () => new Promise(() => {});
    for (const at of [0, 1]) {
      const { gateway, port } = await serve(at);
      if (at === 0)
        for (const N of [1, 2, 3])
          expect(
            await call(port, '/gateway/RESTListeningConnector/Places.v1/changed', {
              method: 'POST',
              body: JSON.stringify({ PLACE: 'p', N }),
            }),
          ).toMatchObject({ status: 202 });
      await eventually('the delivery', () => erp.taken.length > at || undefined);
      await gateway.stop('SIGKILL');
      expect(await move(root, urls[at] as string, urls[at + 1] as string)).toMatchObject({ code: 0 });
    }
    erp.status = () => 200;
    await serve(2);
    await eventually('all deliveries', () => erp.taken.length >= 5 || undefined);
    expect(erp.taken.map(({ body }) => body.N)).toEqual([1, 1, 1, 2, 3]);
  });

  it('to SQLite that is killed again and again has each row once when it is completed', async () => {
    const root = await filledProject();
    const before = contentOf(join(root, 'test.db'));
    const target = await createDatabase();
    onTestFinished(() => target.drop());
    expect(await move(root, 'sqlite:test.db', target.url)).toMatchObject({ code: 0 });
    const back = join(root, 'back/box.db');
    for (const most of [100, 300, 600, 900]) {
      const child = startMove(root, target.url, 'sqlite:back/box.db');
      const ended = once(child, 'exit');
      await eventually('the file', () => (existsSync(back) && statSync(back).size > 0) || undefined);
      await pause(Math.random() * most);
      child.kill('SIGKILL');
      // One may end before.
      if ((await ended)[1] !== 'SIGKILL') break;
    }
    const completed = await move(root, target.url, 'sqlite:back/box.db');
    if (completed.code !== 0) expect(completed.stderr).toContain('is not empty');
    const after = contentOf(back);
    for (const [table, rows] of before) expect({ table, rows: after.get(table) }).toEqual({ table, rows });
  });

  it('from another database does not go on with what a move has left', async () => {
    const root = await filledProject();
    const target = await createDatabase();
    onTestFinished(() => target.drop());
    const child = startMove(root, 'sqlite:test.db', target.url);
    const ended = finish(child);
    await eventually('files', async () => (await moments(target)['while it copies files']?.()) || undefined);
    child.kill('SIGKILL');
    await ended;
    expect(await signalboxProcess(['migrate'], { cwd: root, env: { DATABASE_URL: 'sqlite:other.db' } })).toMatchObject({
      code: 0,
    });
    const refused = await move(root, 'sqlite:other.db', target.url);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/has what a move from \S+test\.db left, which did not end/),
    });
  });
});
