import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MessageConsole, startMessageConsole } from './messages.ts';
import type { Visitor } from './support.ts';

/** The text of a page without its markup. */
const plain = (markup: string): string =>
  markup
    .replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replace(/\s+/g, ' ');

const followed = async (
  visitor: Visitor,
  { headers }: { headers: Readonly<Record<string, unknown>> },
): Promise<string> => plain((await visitor.get(String(headers.location).replace('/console', ''))).text);

describe('messages in the console', () => {
  let box: MessageConsole;
  let demo: Visitor;
  let reader: Visitor;
  let actor: Visitor;
  beforeAll(async () => {
    box = await startMessageConsole();
    [demo, reader, actor] = await Promise.all([
      box.signIn('demo'),
      box.signIn('reader', 'demo'),
      box.signIn('actor', 'demo'),
    ]);
  });
  afterAll(() => box.stop());

  /** The ids of the messages that a list shows. */
  const listed = async (query: string, visitor = demo): Promise<readonly string[]> => {
    const { text } = await visitor.get(`/messages?${query}`);
    return [...text.matchAll(/<td class="mono"[^>]*><a href="\/console\/messages\/([^"]+)"/g)].map(
      ([, id]) => id as string,
    );
  };

  it('are listed with their status and error, and narrowed by what the address says', async () => {
    const failed = await box.publish('loose', { PLACE: 'list', N: 1, NOTE: 'n' });
    await box.shows(failed, 'is Error');
    const done = await box.publish('changed', { PLACE: 'list', N: 2 });
    await box.shows(done, 'attempt 1 succeeded');
    const all = await demo.get('/messages');
    expect(all.status).toBe(200);
    expect(all.text).toContain(`href="/console/messages/${failed}"`);
    expect(plain(all.text)).toContain('1 Error');
    expect(await listed('field.PLACE=list&queue=PLACE_EVENTS')).toEqual([done]);
    expect(await listed(`text=${failed}`)).toEqual([failed]);
    expect(await listed('status=Error&subscription=LOOSE_TO_ERP&since=1h')).toContain(failed);
    expect(await listed('until=2020-01-01')).toEqual([]);
    expect(await listed('kind=call&user=nobody')).toEqual([]);
  });

  it('have ids that are seen without their middle, and are there as a whole', async () => {
    const id = await box.publish('changed', { PLACE: 'id', N: 2 });
    const { text } = await demo.get(`/messages?text=${id}`);
    const [, seen = ''] = /<code class="id" title="[^"]+">(.*?)<\/code>/.exec(text) ?? [];
    expect(text).toContain(`<code class="id" title="${id}">`);
    expect(plain(seen)).toBe(id);
    expect(seen.replace(/<span>.*<\/span>/, '…')).toBe(`${id.slice(0, 8)}…${id.slice(-6)}`);
  });

  it('that come later are on the next page of the list, from the newest on', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 51; n++) ids.push(await box.publish('changed', { PLACE: 'pages', N: 2 }));
    const first = await demo.get('/messages?field.PLACE=pages&queue=PLACE_EVENTS');
    expect(plain(first.text)).toContain('51 messages');
    const [, older] = /<nav class="pager"[^>]*><a href="\/console([^"]+)"/.exec(first.text) ?? [];
    expect(await listed('field.PLACE=pages')).toEqual(ids.slice(1).toReversed());
    expect(await listed(String(older).replaceAll('&amp;', '&').replace('/messages?', ''))).toEqual(ids.slice(0, 1));
  });

  it('are not found by a filter that is wrong, which is reported and stays in the form', async () => {
    for (const [query, wrong] of [
      ['status=Lost', 'There is no status Lost.'],
      ['since=yesterday', '“since” takes how long ago it was'],
      ['since=10+min', 'such as 10 m'],
      ['since=2026-02-30', '“since” takes how long ago it was'],
      ['queue=NONE', 'There is no queue NONE.'],
      ['field.COLOUR=red', 'COLOUR is not a field by which these messages are found'],
    ] as const) {
      const { status, text } = await demo.get(`/messages?${query}&user=ada`);
      expect(status, query).toBe(400);
      expect(plain(text)).toContain(wrong);
      expect(text).toContain('value="ada"');
    }
  });

  it('have a timeline, and are told apart by what blocks them, on both sides', async () => {
    const first = await box.publish('changed', { PLACE: 'way', N: 1, SECRET: 'geheim' });
    await box.shows(first, 'is Hold');
    const second = await box.publish('changed', { PLACE: 'way', N: 2 });
    await box.publish('changed', { PLACE: 'way', N: 3 });
    const behind = await box.shows(second, 'is blocked behind');
    expect(behind).toContain(`href="/console/messages/${first}"`);
    const { text } = await demo.get(`/messages/${first}`);
    expect(plain(text)).toContain('2 messages are blocked behind this one');
    expect(text).toContain(`href="/console/messages/${second}"`);
    expect(plain(text)).toMatch(/entered over rest by demo, for TO_ERP.*TO_ERP attempt 1 failed.*status 500.*held/);
    expect(text).not.toContain('geheim');
  });

  it('have a payload that only its grant shows: masked, as it came and as it left, what differs, and as a file', async () => {
    const id = await box.publish('changed', { PLACE: 'payload', N: 2, SECRET: 'geheim', NOTE: '<b>hi</b>' });
    await box.shows(id, 'succeeded');
    const { text } = await demo.get(`/messages/${id}/payload`);
    expect(text).toContain('&lt;b&gt;hi&lt;/b&gt;');
    expect(text).not.toContain('<b>hi');
    expect(plain(text)).toContain('"SECRET": "***"');
    expect(plain(text)).toContain('sent.TO_ERP');
    expect(plain(text)).toContain('"NOTE": "from payload"');
    const { text: diff } = await demo.get(`/messages/${id}/payload?left=request&right=sent.TO_ERP&view=diff`);
    expect(plain(diff)).toMatch(/removed: "SECRET".*added: "NOTE": "from payload"/);
    const file = await demo.get(`/messages/${id}/payload/request`);
    expect(file.headers['content-disposition']).toContain(`attachment; filename*=UTF-8''${id}.request.json`);
    expect(JSON.parse(file.text)).toMatchObject({ PLACE: 'payload', SECRET: '***' });
    expect((await demo.get(`/messages/${id}/payload/none`)).status).toBe(404);
    for (const visitor of [reader, actor]) {
      expect((await visitor.get(`/messages/${id}`)).text).not.toContain('/payload');
      expect((await visitor.get(`/messages/${id}/payload`)).status).toBe(403);
      expect((await visitor.get(`/messages/${id}/payload/request`)).status).toBe(403);
      expect((await visitor.get(`/messages/${id}/edit`)).status).toBe(403);
      expect((await visitor.post(`/messages/${id}/edit`, { as: 'json', json: '{}' })).status).toBe(403);
    }
  });

  it('larger than 256 KiB are shown in part, and downloaded whole', async () => {
    const id = await box.publish('changed', { PLACE: 'large', N: 2, NOTE: 'x'.repeat(300_000) });
    const { text } = await demo.get(`/messages/${id}/payload?left=request`);
    expect(text).toContain('The first 256 KiB are shown');
    expect(text.length).toBeLessThan(300_000);
    expect((await demo.get(`/messages/${id}/payload/request`)).text).toContain('x'.repeat(300_000));
  });

  it('are cancelled, which is reported, in the trail and in the audit log', async () => {
    const id = await box.publish('changed', { PLACE: 'act', N: 1 });
    await box.shows(id, 'is Hold');
    const cancelled = await demo.post(`/messages/${id}/cancel`);
    expect(cancelled.status).toBe(303);
    expect(await followed(demo, cancelled)).toContain('The delivery to TO_ERP is cancelled.');
    expect(await box.shows(id, 'cancel</strong> by console:demo')).toContain('Cancelled');
    expect(box.log()).toContainEqual(expect.objectContaining({ action: 'message.cancel', target: id, user: 'demo' }));
    const refused = await actor.post(`/messages/${id}/cancel`);
    expect(await followed(actor, refused)).toContain('has no delivery that is New or Working or Retry or Hold');
  });

  it('are acted on by a single delivery', async () => {
    const id = await box.publish('changed', { PLACE: 'single', N: 1 });
    const page = await box.shows(id, 'is Hold');
    const [, delivery = ''] = /name="delivery" value="([^"]+)"/.exec(page) ?? [];
    await demo.post(`/messages/${id}/cancel`, { delivery });
    await box.shows(id, 'cancelled by an operator');
    const again = await demo.post(`/messages/${id}/resubmit`, { delivery });
    expect(await followed(demo, again)).toContain('The delivery to TO_ERP is sent again.');
    expect(box.log()).toContainEqual(
      expect.objectContaining({ action: 'message.resubmit', target: `${id} ${delivery}` }),
    );
  });

  it('can only be read without the grant for actions', async () => {
    const id = await box.publish('changed', { PLACE: 'reader', N: 1 });
    await box.shows(id, 'is Hold');
    const { text } = await reader.get(`/messages/${id}`);
    expect(text).not.toContain('<form method="post" action="/console/messages');
    expect((await reader.get('/messages?status=Hold')).text).not.toContain('All that match');
    expect((await reader.get('/messages/held')).text).not.toContain('>Hold</button>');
    for (const action of ['resubmit', 'cancel', 'hold', 'release']) {
      expect((await reader.post(`/messages/${id}/${action}`)).status, action).toBe(403);
      expect((await reader.post(`/messages/all/${action}`)).status, action).toBe(403);
      expect((await reader.get(`/messages/all/${action}`)).status, action).toBe(403);
    }
    for (const path of ['/messages/held/hold', '/messages/held/release', '/messages/held/hold-partition'])
      expect((await reader.post(path, { kind: 'node', id: 'ERP' })).status, path).toBe(403);
  });

  it('that many are sent again by a filter: with a preview, a report of what was refused, and lines of the trail', async () => {
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push(await box.publish('loose', { PLACE: 'many', N: 1 }));
    for (const id of ids) await box.shows(id, 'is Error');
    box.erp.status = () => 200;
    try {
      const filter = { text: 'LOOSE', status: 'Error', subscription: 'LOOSE_TO_ERP' };
      const { text } = await demo.get(`/messages/all/resubmit?${new URLSearchParams(filter)}`);
      const [, many] = /Resubmit (\d+) deliveries/.exec(plain(text)) ?? [];
      expect(Number(many)).toBeGreaterThanOrEqual(3);
      const report = await demo.post('/messages/all/resubmit', filter);
      expect(plain(report.text)).toContain(`${many} deliveries are sent again. Nothing is left.`);
      for (const id of ids) await box.shows(id, 'succeeded');
      const trail = plain((await demo.get('/queues')).text);
      expect(trail).toContain('resubmit many: begins');
      expect(trail).toContain(`resubmit many: complete, ${many} done, 0 refused`);
      expect(box.log()).toContainEqual(
        expect.objectContaining({
          action: 'message.resubmit-all',
          target: `resubmit text=LOOSE status=Error subscription=LOOSE_TO_ERP: ${many} done, 0 refused`,
        }),
      );
      const wrong = await demo.post('/messages/all/cancel', { status: 'Done' });
      expect(wrong.status).toBe(400);
    } finally {
      box.erp.status = ({ body }) => (body.N === 1 ? 500 : 200);
    }
  });

  it('of a node, a queue, a subscription or a partition are held and released as a whole', async () => {
    const held = await demo.post('/messages/held/hold', { kind: 'node', id: 'ERP' });
    expect(await followed(demo, held)).toContain('The node ERP is held.');
    try {
      const id = await box.publish('changed', { PLACE: 'whole', N: 2 });
      expect(plain(await box.shows(id, 'is held since'))).toContain('The node ERP is held since');
      expect(box.log()).toContainEqual(expect.objectContaining({ action: 'message.hold-whole', target: 'node ERP' }));
    } finally {
      const released = await demo.post('/messages/held/release', { kind: 'node', id: 'ERP' });
      expect(await followed(demo, released)).toContain('The node ERP is released.');
    }
    const none = await demo.post('/messages/held/hold-partition', {
      queue: 'PLACE_EVENTS',
      'PLACE_EVENTS.PLACE': 'none',
    });
    expect(none.status).toBe(409);
    expect(plain(none.text)).toContain('has no delivery that waits');
    expect((await demo.post('/messages/held/hold', { kind: 'moon', id: 'ERP' })).status).toBe(400);
  });
});
