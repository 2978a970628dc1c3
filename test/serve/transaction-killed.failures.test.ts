import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { repository, start } from '../cli/support.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { writeProject } from '../support/project.ts';
import { transactionFiles } from './transaction-project.ts';

const ENGINES = hasPostgres ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const);
const COUNTS =
  "select (select count(*) from vehicle where plate = 'killed') as saved, (select count(*) from psprcsrqst) as queued, (select count(*) from signalbox_job) as jobs";

it.each(ENGINES)('a transaction of a gateway that is killed leaves nothing, on %s', async (kind) => {
  const project = writeProject(transactionFiles(kind));
  afterAll(() => rmSync(project.root, { recursive: true, force: true }));
  mkdirSync(join(project.root, 'node_modules'));
  symlinkSync(repository, join(project.root, 'node_modules/signalbox'), 'dir');
  const database = kind === 'postgres' ? await createDatabase({ migrated: true }) : undefined;
  if (database !== undefined) afterAll(() => database.drop());
  const url = database?.url ?? `sqlite:${join(project.root, 'killed.db')}`;
  const gateway = start(['serve'], { cwd: project.root, env: { PORT: '0', DATABASE_URL: url } });
  const [, address] = await gateway.until(/(http:\/\/127\.0\.0\.1:\d+)/);
  const call = fetch(`${address}/gateway/RESTListeningConnector/Vehicles.v1/try/killed`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` },
  });
  await expect(call).rejects.toThrow();
  const rows = async (): Promise<unknown> => {
    if (database !== undefined) return (await database.run(COUNTS)).rows[0];
    const file = new Database(join(project.root, 'killed.db'), { readonly: true });
    try {
      return file.prepare(COUNTS).get();
    } finally {
      file.close();
    }
  };
  expect(Object.values((await rows()) as object).map(Number)).toEqual([0, 0, 0]);
});
