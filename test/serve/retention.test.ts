import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { PROCESS_PROJECT, REST } from './process-project.ts';

it('a gateway removes what has expired, and logs how much; callers with dead letters stay', async () => {
  const definitions = PROCESS_PROJECT['definitions/gateway.yaml'];
  const retention = 'retention: { process-requests: 1 d, failed-jobs: forever, callers: 1 d, audit: 1 d }\n';
  const test = await startTestGateway({
    files: { ...PROCESS_PROJECT, 'definitions/gateway.yaml': `${definitions}${retention}` },
  });
  const database = new Database(`${test.folder}/test.db`);
  try {
    const body = JSON.stringify({ RunControlId: 'RC', ProcessType: 'Application Engine', ProcessName: 'SLOW' });
    const headers = { 'content-type': 'application/json' };
    const { text } = await test.call(`${REST}/requests`, { method: 'POST', headers, body });
    const { ProcessInstance: instance } = JSON.parse(text) as { ProcessInstance: number };
    const cancelled = { method: 'PATCH', headers, body: JSON.stringify({ RunStatus: 'Cancelled' }) };
    await test.call(`${REST}/requests/${instance}`, cancelled);
    const row = database.prepare('select ended from signalbox_process_request where instance = ?');
    await eventually('its end', async () => (row.get(instance) as { ended: string | null }).ended ?? undefined);
    const old = '2020-01-01T00:00:00.000Z';
    database.exec(`
      update signalbox_process_request set ended = '${old}';
      insert into signalbox_caller values ('IDP:gone', '[]', '${old}'), ('IDP:dead', '[]', '${old}');
      insert into signalbox_dead_letter (queue, id, data, attempts, error, died)
        values ('events', 'one', '{"user":"IDP:dead"}', 1, 'no', '${old}');
      insert into signalbox_user_audit values (1, '${old}', 'test', 'add', 'gone', '{}');
      update signalbox_recurring set next = '${old}' where name = 'sweep';
    `);
    await eventually('the sweep', async () =>
      test.log().some(({ retention }) => retention === 'audit') ? true : undefined,
    );
    const removed = test.log().filter(({ msg }) => msg === 'Expired data was removed.');
    expect(removed.map((line) => [line.retention, line.count])).toEqual([
      ['process-logs', 1],
      ['process-requests', 1],
      ['callers', 1],
      ['audit', 1],
    ]);
    expect((await test.call(`${REST}/requests/${instance}`)).status).toBe(404);
    expect(database.prepare('select id from signalbox_caller').all()).toEqual([{ id: 'IDP:dead' }]);
    expect(database.prepare('select id from signalbox_dead_letter').all()).toEqual([{ id: 'one' }]);
  } finally {
    database.close();
    await test.stop();
  }
});
