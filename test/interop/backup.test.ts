// The commands of docs/operating.md that back a gateway's data up and restore it, run as they stand there.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { repository } from '../cli/support.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { readBlocks } from '../support/markdown.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { has } from './support.ts';

const page = readFileSync(join(repository, 'docs/operating.md'), 'utf8');

/** The commands under a heading: those that back up, and those that restore. */
function commandsOf(section: string): [backUp: string, restore: string] {
  const found = readBlocks(page, 'docs/operating.md').filter((block) => block.section === section);
  expect(found.map(({ language }) => language)).toEqual(['sh', 'sh']);
  return found.map(({ text }) => text) as [string, string];
}

async function run(script: string, cwd: string, env: Record<string, string> = {}): Promise<void> {
  await promisify(execFile)('sh', ['-eu', '-c', script], { cwd, env: { ...process.env, ...env } });
}

/** A gateway of the sample, ended with the test where nobody has done so before. */
async function start(url: string): Promise<TestGateway> {
  const gateway = await startTestGateway({ env: { DATABASE_URL: url } });
  onTestFinished(() => gateway.stop());
  return gateway;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const REST = '/gateway/RESTListeningConnector';
const LOCATION = `${REST}/LocationSetup.v1/Locations/N/NYC01`;
const RESULT = `${REST}/ExecuteQuery.v1/PUBLIC/PROCESS_MONITOR/CSV/FILE?json_resp=true`;

/** What a gateway holds: a record that was changed, and a file. */
interface Held {
  readonly phone: string;
  readonly file: { readonly path: string; readonly text: string };
}

async function fill(gateway: TestGateway): Promise<Held> {
  const [headers, phone] = [{ 'content-type': 'application/json' }, '555-0199'];
  await gateway.call(LOCATION, { method: 'PATCH', headers, body: JSON.stringify({ PHONE: phone }) });
  const { data } = JSON.parse((await gateway.call(RESULT)).text) as { data: { fileurl: string } };
  const path = new URL(data.fileurl).pathname;
  return { phone, file: { path, text: (await gateway.call(path)).text } };
}

async function expectHeld(gateway: TestGateway, { phone, file: { path, text } }: Held): Promise<void> {
  expect(text).toContain(',LOCATION_EXTRACT,');
  expect(JSON.parse((await gateway.call(LOCATION)).text)).toMatchObject({ PHONE: phone });
  expect(await gateway.call(path)).toMatchObject({ status: 200, text });
}

test.skipIf(!has('sqlite3'))('SQLite, while the gateway runs (needs sqlite3)', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.signalbox'));
  const url = `sqlite:${join(folder, '.signalbox/signalbox.db')}`;
  const [backUp, restore] = commandsOf('SQLite');
  const first = await start(url);
  const held = await fill(first);
  await run(backUp, folder);
  await first.stop();

  renameSync(join(folder, '.signalbox'), join(folder, 'old'));
  await run(restore, folder);
  await expectHeld(await start(url), held);
});

describe.skipIf(!hasPostgres || !has('pg_dump'))('PostgreSQL (needs postgresql-client)', () => {
  test('into another database', async () => {
    const folder = temporaryFolder();
    const [from, to] = await Promise.all([createDatabase(), createDatabase()]);
    onTestFinished(async () => void (await Promise.all([from.drop(), to.drop()])));
    const [backUp, restore] = commandsOf('PostgreSQL');
    const first = await start(from.url);
    const held = await fill(first);
    await run(backUp, folder, { DATABASE_URL: from.url });
    await first.stop();

    await run(restore, folder, { DATABASE_URL: to.url });
    await expectHeld(await start(to.url), held);
  });
});
