import { describe, expect, it } from 'vitest';
import type { MessageControl } from '../../src/messaging/run/index.ts';
import { eventually } from '../support/project.ts';
import { type OperatedGateway, openBeside, operatedFiles, startOperated } from './operated.ts';
import { ENGINES, type EngineKind } from './project.ts';

const FILES = operatedFiles(
  `queue: PLACE_EVENTS
order: [PLACE]
search: [PLACE]
---
queue: LOOSE_EVENTS
---
document: PLACE_CHANGE
fields:
  PLACE: { type: string(10), required: true }
  N: integer
  SUM: decimal(20.2)
  PIN: { type: string, sensitive: true }
  KEYS: { list: { fields: { NAME: string, CODE: { type: string, sensitive: true } } } }
  FILE: binary
---
service: Places.v1
permission: EVERYTHING
operations:
  PLACE_CHANGED: { post: changed, request: PLACE_CHANGE, queue: PLACE_EVENTS }
  LOOSE: { post: loose, request: PLACE_CHANGE, queue: LOOSE_EVENTS }
---
{ subscription: TO_ERP, operation: PLACE_CHANGED, call: ERP_PUT, retry: { attempts: 1 } }
---
{ subscription: LOOSE_TO_ERP, operation: LOOSE, call: ERP_PUT, retry: { attempts: 1 } }
---
{ subscription: BIG_TO_ERP, operation: LOOSE, when: { N: 100 }, call: ERP_PUT, retry: { attempts: 1 } }
`,
  'PLACE_CHANGE',
);

interface Box extends OperatedGateway {
  readonly messages: MessageControl;
}

async function start(kind: EngineKind): Promise<Box> {
  const box = await startOperated(kind, FILES);
  return { ...box, ...(await openBeside(box)) };
}

/** What was taken: the place and number of each. */
const taken = ({ erp }: Box): readonly string[] => erp.taken.map(({ path, body }) => `${path.slice(5)} ${body.N}`);

/** A message that failed and is held, with two others behind it in its partition. */
async function heldUp(box: Box): Promise<readonly string[]> {
  box.erp.status = ({ body }) => (body.N === 1 ? 400 : 200);
  const ids: string[] = [];
  for (const N of [1, 2, 3]) ids.push(await box.publish('Places.v1/changed', { PLACE: 'A', N, PIN: 'c4n4ry' }));
  await box.deliveries('TO_ERP', 'Hold');
  return ids;
}

const done = (box: Box, id: string) =>
  eventually(`message ${id} to be Done`, async () => {
    const shown = await box.messages.get(id);
    return shown.status === 'Done' ? shown : undefined;
  });

describe.each(ENGINES)('an edited message on %s', (kind) => {
  it('takes the place of the one that is held, keeps what is masked, and names it', async () => {
    const box = await start(kind);
    const [first = '', second = '', third = ''] = await heldUp(box);
    const { parts } = await box.messages.payload(first);
    expect(parts.request).toEqual({ PLACE: 'A', N: 1, PIN: '***' });
    const edited = await box.messages.edit(first, { PLACE: 'A', N: 10, PIN: '***' }, 'night shift');
    expect(edited).toMatchObject({
      editedFrom: first,
      replaced: [{ subscription: 'TO_ERP', was: 'Hold' }],
      subscriptions: ['TO_ERP'],
    });
    await done(box, third);
    expect(taken(box)).toEqual(['A 1', 'A 10', 'A 2', 'A 3']);
    expect(box.erp.taken.map(({ body }) => body.PIN)).toEqual(['c4n4ry', 'c4n4ry', 'c4n4ry', 'c4n4ry']);
    const copy = await done(box, edited.message);
    expect(copy).toMatchObject({
      editedFrom: first,
      connector: 'operator',
      trace: (await box.messages.get(first)).trace,
      actions: [{ actor: 'night shift', action: 'edit' }],
    });
    expect(await box.messages.get(first)).toMatchObject({
      status: 'Edited',
      editedBy: [edited.message],
      ended: expect.any(String),
      subscribers: [{ status: 'Edited', reason: `replaced by message ${edited.message}`, actor: 'night shift' }],
      actions: [{ actor: 'night shift', action: 'edit' }],
    });
    expect((await box.messages.payload(first)).parts.request).toEqual({ PLACE: 'A', N: 1, PIN: '***' });
    await expect(box.messages.edit(second, { PLACE: 'A' }, 'x')).rejects.toThrow(
      `Message ${second} has no delivery that is Error or Timeout or Hold.`,
    );
    expect((await box.messages.act('resubmit', edited.replaced[0]?.delivery ?? '', 'x')).refused).toMatchObject([
      { reason: 'was replaced by an edited message' },
    ]);
  });

  it('goes behind those of another partition, and the old one goes on', async () => {
    const box = await start(kind);
    const [first = '', , third = ''] = await heldUp(box);
    const { message } = await box.messages.edit(first, { PLACE: 'B', N: 10 }, 'me');
    await done(box, message);
    await done(box, third);
    expect(taken(box).filter((each) => each.startsWith('A'))).toEqual(['A 1', 'A 2', 'A 3']);
    expect(taken(box)).toContain('B 10');
    expect(await box.messages.get(message)).toMatchObject({ partition: '["B"]', fields: { PLACE: 'B' } });
  });

  it('is checked as a request is, and a refusal changes nothing', async () => {
    const box = await start(kind);
    const [first = ''] = await heldUp(box);
    const before = await box.messages.get(first);
    const refused = (payload: Parameters<MessageControl['edit']>[1]) =>
      expect(box.messages.edit(first, payload, 'me')).rejects;
    await refused({ PLACE: 'longer than ten' }).toThrow('PLACE is longer than 10 characters.');
    await refused({ N: 1 }).toThrow('PLACE is missing.');
    await refused([]).toThrow('Invalid request body');
    await refused({ PLACE: '***', N: 1 }).toThrow('the value at /PLACE contains ***');
    await refused({ PLACE: 'A', FILE: 'aGVsbG8=' }).toThrow("attachments can't be edited");
    expect(await box.messages.get(first)).toEqual(before);
    expect(await box.rows('select id from signalbox_message')).toHaveLength(3);
    await expect(box.messages.edit('0195a3f0-5d6c-7c8e-9d0a-2f6f0f6e7c11', {}, 'me')).rejects.toThrow(
      'There is no message',
    );
  });

  it('keeps digits, secrets of lists, and attachments that were left as they are shown', async () => {
    const box = await start(kind);
    box.erp.status = ({ body }) => (body.N === 1 ? 400 : 200);
    const id = await box.publish('Places.v1/loose', {
      ...{ PLACE: 'A', N: 1, SUM: '123456789012345678.91', FILE: 'aGVsbG8=' },
      KEYS: [
        { NAME: 'a', CODE: 'one' },
        { NAME: 'b', CODE: 'two' },
      ],
    });
    await box.deliveries('LOOSE_TO_ERP', 'Error');
    const { request } = (await box.messages.payload(id)).parts as { request: { KEYS: [object, object] } };
    const [a, b] = request.KEYS;
    await expect(box.messages.edit(id, { ...request, KEYS: [{ ...b, NAME: 'c' }] }, 'me')).rejects.toThrow(
      'the value at /KEYS/0/CODE contains ***',
    );
    const { message } = await box.messages.edit(id, { ...request, N: 2, KEYS: [b, a] } as never, 'me');
    await done(box, message);
    const [before, after] = box.erp.taken;
    expect(after?.body).toEqual({
      ...before?.body,
      N: 2,
      KEYS: [
        { NAME: 'b', CODE: 'two' },
        { NAME: 'a', CODE: 'one' },
      ],
    });
    expect(JSON.stringify(after?.body)).toContain('aGVsbG8=');
  });

  it('is delivered by `when` to subscriptions that the original was not for, and to none that had it', async () => {
    const box = await start(kind);
    box.erp.status = ({ body }) => (body.PLACE === undefined && body.N === 1 ? 400 : 200);
    const id = await box.publish('Places.v1/loose', { PLACE: 'A', N: 1 });
    await box.deliveries('LOOSE_TO_ERP', 'Error');
    const { subscriptions, message } = await box.messages.edit(id, { PLACE: 'A', N: 100 }, 'me');
    expect(subscriptions).toEqual(['BIG_TO_ERP', 'LOOSE_TO_ERP']);
    await done(box, message);
    box.erp.status = () => 400;
    const other = await box.publish('Places.v1/loose', { PLACE: 'A', N: 100 });
    await box.deliveries('BIG_TO_ERP', 'Error');
    const [big] = await box.deliveries('BIG_TO_ERP', 'Error');
    await expect(box.messages.edit(String(big?.id), { PLACE: 'A', N: 1 }, 'me')).rejects.toThrow(
      `Message ${other} can't be edited so: its edited payload meets "when" of no subscription that it was for.`,
    );
  });
});
