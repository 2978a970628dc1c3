import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { callerOf, startFailing } from './failure-project.ts';

async function started(url: string): Promise<TestGateway> {
  const gateway = await startFailing(url);
  onTestFinished(() => gateway.stop());
  return gateway;
}

/** What a log says beside the requests. */
function complaints({ log }: TestGateway): unknown[] {
  return log().filter(({ level }) => level !== 'info');
}

describe.skipIf(!hasPostgres)('a gateway that is stopped while it works', () => {
  it('gives what does not end in time to the next one, without an attempt less, and complains of nothing', async () => {
    const database = await createDatabase({ migrated: true });
    onTestFinished(() => database.drop());
    const first = await started(database.url);
    const { scheduled, untilProcess, poll, untilRun, note } = callerOf(first);
    const door = join(first.folder, 'door');
    const instances = await Promise.all(['a', 'b', 'c'].map((item) => scheduled(item, door)));
    for (const instance of instances) await untilProcess(instance, 'Processing');
    const run = await poll('ENDLESS');
    await untilRun(run, 'running');
    const saves = await Promise.all(Array.from({ length: 10 }, (_, at) => note(`n${at}`)));
    expect(saves.map(({ status }) => status)).toEqual(saves.map(() => 201));
    await first.gateway.close({ timeoutMs: 100 });
    expect(complaints(first)).toEqual([]);

    const second = await started(database.url);
    const next = callerOf(second);
    for (const instance of instances) await next.untilProcess(instance, 'Processing');
    await next.untilRun(run, 'running');
    expect((await next.get(`CancelQuery.v1/cancelquery?instanceid=${run}&json_resp=true`)).text).toContain('success');
    writeFileSync(door, '');
    for (const instance of instances) await next.untilProcess(instance, 'Success');
    // A process that has no attempts beside the first would have failed.
    const { rows } = await database.run('select item, attempt from effect order by item');
    const after = Array.from({ length: 10 }, (_, at) => ({ item: `after n${at}`, attempt: 1 }));
    expect(rows).toEqual([{ item: 'a', attempt: 1 }, ...after, { item: 'b', attempt: 1 }, { item: 'c', attempt: 1 }]);
    await second.gateway.close();
    expect(complaints(second)).toEqual([]);
  });
});
