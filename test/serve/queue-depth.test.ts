import { expect, it } from 'vitest';
import { openUsers } from '../../src/security/users/open-users.ts';
import { openStore } from '../../src/store/index.ts';
import { DEMO, type Reply, startTestGateway } from '../support/gateway.ts';
import { eventually, gatewayText, USERS } from '../support/project.ts';
import { PROCESS_PROJECT, REST } from './process-project.ts';

it('a process request that would be one too many to wait is refused, and entered once there is room', async () => {
  const definitions = PROCESS_PROJECT['definitions/gateway.yaml'];
  const test = await startTestGateway({
    files: {
      ...PROCESS_PROJECT,
      'definitions/gateway.yaml': `${definitions}limits: { processes: 1, queued: 1 }\n`,
    },
  });
  const send = (method: string, path: string, body: object): Promise<Reply> =>
    test.call(`${REST}/requests${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const schedule = (): Promise<Reply> =>
    send('POST', '', { RunControlId: 'RC', ProcessType: 'Application Engine', ProcessName: 'SLOW' });
  const instanceOf = ({ text }: Reply): number => (JSON.parse(text) as { ProcessInstance: number }).ProcessInstance;
  try {
    const running = instanceOf(await schedule());
    await eventually('its begin', async () => {
      const { text } = await test.call(`${REST}/requests/${running}`);
      return (JSON.parse(text) as { RunStatus: string }).RunStatus === 'Processing' ? true : undefined;
    });
    const waiting = instanceOf(await schedule());
    const refused = await schedule();
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    expect(refused.text).toContain('too many process requests are waiting');
    expect(test.log().at(-1)).toMatchObject({ decision: 'refused', reason: 'queue depth of processes', status: 503 });
    await send('PATCH', `/${waiting}`, { RunStatus: 'Cancelled' });
    const entered = await schedule();
    expect(entered.status).toBe(201);
    for (const each of [instanceOf(entered), running]) await send('PATCH', `/${each}`, { RunStatus: 'Cancelled' });
  } finally {
    await test.stop();
  }
});

/** Two of these keep a gateway's workers busy. */
const ENDLESS = `query: ENDLESS
permission: EVERYTHING
columns: { N: integer }
sql: with recursive c(n) as (select 1 union all select n + 1 from c) select max(n) as n from c
---
query: ONE
permission: EVERYTHING
columns: { N: integer }
sql: select 1 as n
`;

it('a run of a query that would be one too many to wait is refused; one that waits does not run for who is disabled', async () => {
  const delivered = 'delivered: [QAS_QRY_SERVICE.v1]\nlimits: { queued: 1 }\n';
  const users = USERS.replace('EVERYTHING\n', "EVERYTHING\noperations: ['QAS_QRY_SERVICE.*']\n");
  const test = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(delivered),
      'definitions/users.yaml': users,
      'definitions/queries.yaml': ENDLESS,
    },
    usersWithin: 0,
  });
  const store = await openStore({ url: 'sqlite:test.db', root: test.folder });
  const kept = openUsers({ store, actor: 'test' });
  const call = (path: string, who = DEMO): Promise<Reply> =>
    test.call(`/gateway/RESTListeningConnector/${path}`, { headers: { authorization: who } });
  const enter = (query: string, who?: string): Promise<Reply> =>
    call(`ExecuteQueryPoll.v1/PUBLIC/${query}/JSON/NONFILE?isconnectedquery=N&maxrows=1&json_resp=true`, who);
  const idOf = ({ text }: Reply): string => /[0-9a-f-]{36}/.exec(text)?.[0] ?? text;
  try {
    const [, hash = ''] = /password: (\$scrypt\S+)/.exec(USERS) ?? [];
    for (const id of ['alice', 'bob']) await kept.add({ id, password: hash, roles: ['ALL'] });
    const alice = `Basic ${btoa('alice:demo')}`;
    const running: { readonly id: string; readonly who: string }[] = [];
    // Two of each owner run at the same time, and four of all.
    for (const who of [DEMO, alice, DEMO, alice]) {
      const id = idOf(await enter('ENDLESS', who));
      running.push({ id, who });
      await eventually('its begin', async () => {
        const { text } = await call(`QueryStatus.v1/getstatus?instanceid=${id}`, who);
        return text.includes('"queued"') ? undefined : true;
      });
    }
    const waiting = idOf(await enter('ONE', `Basic ${btoa('bob:demo')}`));
    const refused = await enter('ONE');
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    expect(test.log().at(-1)).toMatchObject({ decision: 'refused', reason: 'queue depth of query-runs', status: 503 });
    await kept.setDisabled('bob', true);
    for (const { id, who } of running) await call(`CancelQuery.v1/cancelquery?instanceid=${id}`, who);
    const line = await eventually('the end of what waited', async () =>
      test.log().find((each) => (each as { id?: string }).id === waiting),
    );
    expect(line).toMatchObject({ work: 'query', name: 'ONE', user: 'bob', decision: 'refused', fault: 'FORBIDDEN' });
  } finally {
    await store.close();
    await test.stop();
  }
});
