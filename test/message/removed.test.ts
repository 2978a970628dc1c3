import { describe, expect, it } from 'vitest';
import { eventually } from '../support/project.ts';
import { openBeside, operatedFiles, startOperated } from './operated.ts';
import { ENGINES, type EngineKind } from './project.ts';

const FILES = operatedFiles(`{ queue: PLACE_EVENTS, order: [PLACE] }
---
service: Places.v1
permission: EVERYTHING
operations:
  PLACE_CHANGED: { post: changed, request: { fields: { PLACE: { type: string(10), required: true } } }, queue: PLACE_EVENTS }
---
{ subscription: TO_ERP, operation: PLACE_CHANGED, call: ERP_PUT, retry: { attempts: 1 } }
`);

/** What an operator has once the subscription of two held messages is not defined any more. */
async function start(kind: EngineKind) {
  const box = await startOperated(kind, FILES);
  box.erp.status = () => 400;
  const ids = [
    await box.publish('Places.v1/changed', { PLACE: 'A' }),
    await box.publish('Places.v1/changed', { PLACE: 'B' }),
  ];
  await box.deliveries('TO_ERP', 'Hold', 2);
  const registry = { ...box.gateway.registry, subscriptions: new Map() };
  return { ids: ids as [string, string], ...(await openBeside(box, registry)) };
}

describe.each(ENGINES)('deliveries of a subscription that was removed, on %s', (kind) => {
  it('are shown among the queues, found, and ended', async () => {
    const { ids, messages, queues } = await start(kind);
    const [first, second] = ids;
    expect(
      await eventually('the queue', async () => (await queues.overview()).find((each) => each.queue === 'TO_ERP')),
    ).toMatchObject({
      ...{ held: 2, defined: false },
    });
    expect((await queues.overview()).find(({ queue }) => queue === 'events')).not.toHaveProperty('defined');
    const { jobs } = await queues.list('TO_ERP', { state: 'held', limit: 10 });
    expect(jobs.map(({ key }) => key)).toEqual([expect.stringMatching(/^\*\*\* /), expect.stringMatching(/^\*\*\* /)]);
    expect(jobs).toHaveLength(2);
    const found = await messages.list({ subscription: 'TO_ERP' }, { limit: 10 });
    expect(found.messages.map(({ id, status }) => [id, status])).toEqual([
      [second, 'Hold'],
      [first, 'Hold'],
    ]);
    expect((await messages.act('resubmit', first, 'me')).refused).toMatchObject([
      { reason: 'subscription TO_ERP is not defined' },
    ]);
    await expect(queues.resubmit(jobs[0]?.id ?? '', 'me')).rejects.toThrow('subscription TO_ERP is not defined');
    await queues.cancel(jobs[0]?.id ?? '', 'me');
    expect(await messages.get(first)).toMatchObject({ status: 'Cancelled', ended: expect.any(String) });
    const all = await messages.actAll('cancel', { subscription: 'TO_ERP' }, { most: 10 }, 'me');
    expect(all.done.map(({ message }) => message)).toEqual([second]);
    expect((await queues.overview()).map(({ queue }) => queue)).not.toContain('TO_ERP');
    await expect(messages.list({ subscription: 'NONE' }, { limit: 10 })).rejects.toThrow(
      'There is no subscription NONE.',
    );
    await expect(queues.list('NONE', { state: 'held', limit: 10 })).rejects.toThrow('There is no queue NONE.');
  });
});
