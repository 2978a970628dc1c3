import { expect, it } from 'vitest';
import { type Reply, startTestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
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
    expect(refused.text).toContain('as many process requests wait as may');
    expect(test.log().at(-1)).toMatchObject({ decision: 'refused', reason: 'queue depth of processes', status: 503 });
    await send('PATCH', `/${waiting}`, { RunStatus: 'Cancelled' });
    const entered = await schedule();
    expect(entered.status).toBe(201);
    for (const each of [instanceOf(entered), running]) await send('PATCH', `/${each}`, { RunStatus: 'Cancelled' });
  } finally {
    await test.stop();
  }
});
