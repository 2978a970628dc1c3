import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../store/support.ts';
import { freePort } from '../support/free-port.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';
import { accountProcesses, accountRuns, accountSaves } from '../trials/fleet/account.ts';
import { createClient } from '../trials/fleet/client.ts';
import { createTables, readHeld, unfinished } from '../trials/fleet/database.ts';
import { FleetGateway } from '../trials/fleet/gateway.ts';
import { createLedger } from '../trials/fleet/ledger.ts';
import { pollQueries, saveRecord, scheduleProcesses } from '../trials/fleet/load.ts';
import { createProject } from '../trials/fleet/project.ts';
import { createRandom } from '../trials/fleet/random.ts';
import { type Receiver, startReceiver } from '../trials/fleet/receiver.ts';
import { buildVersionBefore } from '../trials/fleet/version-before.ts';

let before: string;
let receiver: Receiver;
beforeAll(async () => {
  before = buildVersionBefore();
  receiver = await startReceiver(1);
});
afterAll(async () => {
  await receiver?.close();
});

/** A gateway of this version, or of the one before, on a database that need not be a PostgreSQL. */
async function gatewayOf(product: string | undefined, database: string): Promise<FleetGateway> {
  const project = createProject({ product });
  if (database.startsWith('sqlite:')) withoutQuery(join(project.root, 'definitions/work.yaml'));
  const gateway = new FleetGateway({ project, port: await freePort(), database, receiver, workers: 1 }, new Map());
  onTestFinished(async ({ task }) => {
    await gateway.kill();
    if (task.result?.state === 'fail') console.error(readFileSync(project.log, 'utf8'));
    project.remove();
  });
  return gateway;
}

/** Removes the query whose SQL is that of PostgreSQL. */
function withoutQuery(file: string): void {
  const documents = readFileSync(file, 'utf8').split('---\n');
  writeFileSync(file, documents.filter((each) => !each.startsWith('query:')).join('---\n'));
}

describe.skipIf(!hasPostgres)('gateways of the version before and of this one, over one PostgreSQL', () => {
  test('take each other’s work, and all of it ends right once, also when the old one restarts', async () => {
    const { url, drop } = await createDatabase();
    onTestFinished(drop);
    await createTables(url);
    const old = await gatewayOf(before, url);
    const young = await gatewayOf(undefined, url);
    const limit = AbortSignal.timeout(60_000);
    await old.start(limit);

    const ledger = createLedger();
    const over = new AbortController();
    const clients = [scheduleProcesses, saveRecord, pollQueries].flatMap((kind, which) =>
      [1, 2].map((index) => {
        const random = createRandom(which * 2 + index);
        const client = createClient([old, young], random);
        return kind(`${'psq'[which]}${index}`, {
          client,
          ledger,
          random,
          over: over.signal,
          limit,
          rollout: { some: false, all: false, before: false },
        });
      }),
    );
    const entered = async (more: number): Promise<void> => {
      const count = () => Math.min(ledger.schedules.accepted.size, ledger.saves.accepted.size, ledger.runs.accepted);
      const target = count() + more;
      while (count() < target && !limit.aborted) await setTimeout(20);
    };
    await entered(3);
    // It migrates the database under the old one.
    await young.start(limit);
    await entered(8);
    expect(await old.stop()).toBe('code 0');
    await old.start(limit);
    await entered(8);
    over.abort();
    await Promise.all(clients);
    while ((await unfinished(url)) > 0 && !limit.aborted) await setTimeout(50);

    const held = await readHeld(url);
    const accounts = [accountProcesses(ledger, held), accountSaves(ledger, held), accountRuns(ledger)];
    expect([...accounts.flatMap(({ wrong }) => wrong), ...ledger.refused]).toEqual([]);
    for (const { accepted } of accounts) expect(accepted).toBeGreaterThanOrEqual(19);
    expect([await old.stop(), await young.stop()]).toEqual(['code 0', 'code 0']);
  }, 90_000);
});

test('gateways of both versions work on one SQLite file in turn, and each ends what the one before left', async () => {
  const file = join(temporaryFolder(), 'box.db');
  const database = new Database(file);
  onTestFinished(() => void database.close());
  database.exec(`create table fleet_effect (item text, instance integer);
    create table fleet_record (id text primary key, step integer);
    create table fleet_audit (class integer, id text, step integer)`);
  const limit = AbortSignal.timeout(60_000);
  const items = ['old', 'young', 'old again'];
  for (const [at, item] of items.entries()) {
    const gateway = await gatewayOf(at % 2 === 0 ? before : undefined, `sqlite:${file}`);
    await gateway.start(limit);
    const client = createClient([gateway], createRandom(at));
    const parameters = Object.entries({ ITEM: item, PAUSE: '50' }).map(([Name, Value]) => ({ Name, Value }));
    const schedule = { RunControlId: item, ProcessType: 'Application Engine', ProcessName: 'FLEET_WORK', parameters };
    expect(await client({ method: 'POST', path: 'ProcessRequest.v1/requests', body: schedule })).toMatchObject({
      status: 201,
    });
    const save = await client({ method: 'PUT', path: `Fleet.v1/Records/${at}`, body: { STEP: 1 } });
    expect(save).toMatchObject({ kind: 'answered' });
    if (at < items.length - 1) await gateway.kill();
  }
  const column = (sql: string): unknown[] => database.prepare(sql).pluck().all();
  const done = () => [
    column('select item from fleet_effect order by 1'),
    column('select id from fleet_audit order by 1'),
  ];
  await eventually('the end of all of it', () => (done().flat().length >= 3 * items.length ? true : undefined));
  expect(done()).toEqual([items.toSorted(), items.flatMap((_, at) => [`${at}`, `${at}`])]);
}, 60_000);
