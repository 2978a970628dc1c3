import { expect, it } from 'vitest';
import { openBeside, operatedFiles, startOperated } from './operated.ts';

const FILES = operatedFiles(`{ queue: CARD_EVENTS, order: [CARD], search: [CARD] }
---
{ queue: PLACE_EVENTS, order: [PLACE] }
---
document: CHANGE
fields: { PLACE: { type: string, required: true }, CARD: { type: string(30), required: true, sensitive: true } }
---
service: Places.v1
permission: EVERYTHING
operations:
  CARD_CHANGED: { post: card, request: CHANGE, queue: CARD_EVENTS }
  PLACE_CHANGED: { post: place, request: CHANGE, queue: PLACE_EVENTS }
---
{ subscription: CARD_TO_ERP, operation: CARD_CHANGED, call: ERP_PUT, retry: { attempts: 1 } }
---
{ subscription: PLACE_TO_ERP, operation: PLACE_CHANGED, call: ERP_PUT, retry: { attempts: 1 } }
`);

it('keeps a sensitive value that names a partition from the queues of an operator', async () => {
  const box = await startOperated('sqlite', FILES);
  box.erp.status = () => 400;
  await box.publish('Places.v1/card', { PLACE: 'A', CARD: 'c4n4ry' });
  await box.publish('Places.v1/place', { PLACE: 'A', CARD: 'c4n4ry' });
  await box.deliveries('CARD_TO_ERP', 'Hold');
  await box.deliveries('PLACE_TO_ERP', 'Hold');
  const { queues } = await openBeside(box);
  const list = (name: string) => queues.list(name, { state: 'held', limit: 10 });
  expect((await list('PLACE_TO_ERP')).jobs).toMatchObject([{ key: '["A"]' }]);
  const { jobs } = await list('CARD_TO_ERP');
  const id = jobs[0]?.id ?? '';
  const shown = [jobs, await queues.get(id), await queues.resubmit(id, 'me')];
  const key = expect.stringMatching(/^\*\*\* [0-9a-f]{8}$/);
  expect(shown).toMatchObject([[{ key }], { key }, { key }]);
  expect(JSON.stringify([shown, box.log()])).not.toContain('c4n4ry');
});
