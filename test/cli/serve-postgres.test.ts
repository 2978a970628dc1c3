import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { staffProject } from './fixture.ts';
import { signalbox } from './support.ts';

describe.skipIf(!hasPostgres)('signalbox serve on a PostgreSQL that it can not use', () => {
  let database: TestDatabase;
  const role = `poor_${process.pid}_${Date.now()}`;
  beforeAll(async () => {
    database = await createDatabase();
    await database.run(`create role ${role} login`);
    await database.run(`grant create on schema public to ${role}`);
  });
  afterAll(async () => {
    await database.run(`drop owned by ${role}`);
    await database.run(`drop role ${role}`);
    await database.drop();
  });

  const urlOf = (change: (url: URL) => void): string => {
    const url = new URL(database.url);
    url.password = 'hunter2';
    change(url);
    return url.href;
  };

  it.each([
    [
      'no such role',
      (url: URL) => (url.username = 'nobody_known'),
      /role "nobody_known" does not exist; check the user/,
    ],
    ['no such database', (url: URL) => (url.pathname = '/missing'), /\/missing can't be used: .*; create the database/],
    [
      'no right to make its schema',
      (url: URL) => (url.username = role),
      /may not create the schema "signalbox_queue"; run as an administrator: CREATE SCHEMA "signalbox_queue" AUTHORIZATION poor_\d+_\d+\n/,
    ],
    [
      'no such host',
      (url: URL) => (url.hostname = 'no-such-host.invalid'),
      /^signalbox: no-such-host\.invalid:\d+\/.* does not answer/,
    ],
  ])('%s: one line that names the place and what to do, and never the password', async (_, change, words) => {
    const env = { PORT: '0', DATABASE_URL: urlOf(change) };
    const { code, stdout, stderr } = await signalbox(['serve'], { cwd: await staffProject(), env });
    expect(stderr).toMatch(words);
    expect(stderr).toMatch(/^signalbox: [^ ]+:\d+\/[^\n]*\n$/);
    expect(stdout + stderr).not.toContain('hunter2');
    expect(code).toBe(1);
  });

  it('nobody there: the same', async () => {
    const port = String(await freePort());
    const env = { PORT: '0', DATABASE_URL: urlOf((url) => (url.port = port)) };
    const { code, stderr } = await signalbox(['serve'], { cwd: await staffProject(), env });
    expect(stderr).toMatch(
      new RegExp(`^signalbox: [^ ]+:${port}/[^ ]+ does not answer: .*ECONNREFUSED.*; check that it runs`),
    );
    expect([code, stderr.includes('hunter2')]).toEqual([1, false]);
  });
});
