import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openBlobs, openStore } from '../../src/store/index.ts';
import { signalbox } from '../cli/support.ts';
import { hasPostgres } from '../support/postgres.ts';
import { sides } from './sides.ts';

/** Stores files in the project's database, or deletes them. */
async function change(
  root: string,
  work: (blobs: ReturnType<Awaited<ReturnType<typeof openBlobs>>['scope']>) => Promise<unknown>,
): Promise<void> {
  const store = await openStore({ url: 'sqlite:test.db', root });
  const blobs = await openBlobs(store);
  await work(blobs.scope('test'));
  await blobs.close();
  await store.close();
}

const TEXT = {
  contentType: 'text/plain',
  length: 1,
  async *stream() {
    yield Buffer.from('x');
  },
};

/** A row that PostgreSQL refuses: files are copied, and the move fails after them. */
const WRONG = "insert into part values (1, 'too long', 1, null)";

describe.skipIf(!hasPostgres)('signalbox data move, after one that failed,', () => {
  it('removes stored files that the source has deleted since', async () => {
    const { root, target, sql, move } = await sides();
    await change(root, async (blobs) => {
      for (const key of ['kept', 'deleted']) await blobs.put(key, TEXT);
    });
    sql(WRONG);
    expect(await move()).toMatchObject({ code: 1 });
    await change(root, (blobs) => blobs.delete('deleted'));
    sql('delete from part');
    expect(await move()).toMatchObject({ code: 0 });
    expect((await target.run('select key from signalbox_blob')).rows).toEqual([{ key: 'kept' }]);
    expect((await target.run('select count(*)::int as chunks from signalbox_blob_chunk')).rows).toEqual([
      { chunks: 1 },
    ]);
  });

  it('is needed before a gateway starts on the target, on both engines', async () => {
    const { root, target, sql, move, back } = await sides();
    const serve = (url: string) => signalbox(['serve'], { cwd: root, env: { DATABASE_URL: url, PORT: '0' } });
    sql(WRONG);
    expect(await move()).toMatchObject({ code: 1 });
    expect(await serve(target.url)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/has what a move from \S+test\.db left, which did not end/),
    });
    sql('delete from part');
    expect(await move()).toMatchObject({ code: 0 });
    await target.run(
      'alter table part alter column price type numeric; insert into part values (3, null, 12345678901234567.25, null)',
    );
    expect(await back()).toMatchObject({ code: 1 });
    expect(await serve('sqlite:back.db')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('which did not end'),
    });
    const file = new Database(join(root, 'back.db'), { readonly: true });
    expect(file.prepare('select count(*) from signalbox_move').pluck().get()).toBe(1);
    file.close();
  });

  it('does not delete rows that others have written to the target since', async () => {
    const { target, sql, move } = await sides();
    sql(WRONG);
    expect(await move()).toMatchObject({ code: 1 });
    await target.run("insert into part values (5, 'mine', 1, null)");
    sql('delete from part');
    for (const args of [['--dry-run'], []])
      expect(await move(...args)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/ is not empty: part \(1 row\)/),
      });
    await target.run('delete from part');
    expect(await move()).toMatchObject({ code: 0 });
  });
});
