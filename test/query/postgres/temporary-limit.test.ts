import { describe, expect, it, onTestFinished } from 'vitest';
import { reachDatabase, unboundedFiles } from '../../../src/query/index.ts';
import { createDatabase, hasPostgres } from '../../support/postgres.ts';

const MIB = 1024 ** 2;

/** What is said of a database whose queries a role runs, and how to change that as a superuser. */
async function open() {
  const database = await createDatabase();
  const role = `plain_${database.url.slice(-12)}`;
  await database.run(`create role ${role} login`);
  onTestFinished(async () => {
    await database.run(`drop owned by ${role}`);
    await database.run(`drop role ${role}`);
    await database.drop();
  });
  const as = async (user: string | undefined): Promise<string | undefined> => {
    const url = new URL(database.url);
    if (user !== undefined) url.username = user;
    return unboundedFiles(await reachDatabase(url.href, '/'), 512 * MIB);
  };
  return { role, said: () => as(role), saidToSuperuser: () => as(undefined), run: database.run };
}

describe.skipIf(!hasPostgres)('temporary files on PostgreSQL', () => {
  it('are bounded for a superuser, and for a role that has a lower bound of its own', async () => {
    const { role, said, saidToSuperuser, run } = await open();
    expect(await saidToSuperuser()).toBeUndefined();
    expect(await said()).toMatch(
      new RegExp(
        `because ${role} may not set temp_file_limit\\. Run as a superuser: ALTER ROLE "${role}" SET temp_file_limit = '524288kB'$`,
      ),
    );
    await run(`alter role "${role}" set temp_file_limit = '524288kB'`);
    expect(await said()).toBeUndefined();
    await run(`alter role "${role}" set temp_file_limit = '1GB'`);
    expect(await said()).toContain('temp_file_limit');
    await run(`alter role "${role}" reset temp_file_limit`);
    const { rows } = await run('show server_version_num');
    if (Number(rows[0].server_version_num) < 150_000) return;
    await run(`grant set on parameter temp_file_limit to "${role}"`);
    expect(await said()).toBeUndefined();
  });
});
