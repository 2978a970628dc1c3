import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/project.ts';
import { PROJECT } from './process-project.ts';
import { ENDED, followTopics, OPENED, type Stream } from './stream.ts';
import { type ConsoleGateway, startConsole, type Visitor } from './support.ts';

/** Streams that one user may have. */
const MOST = 12;
const CHANGED = 'event: changed\ndata: queues\n\n';

describe('the events of live pages', () => {
  let gateway: ConsoleGateway;
  let demo: Visitor;
  let opened: Stream[];
  beforeAll(async () => {
    gateway = await startConsole({ files: PROJECT });
    demo = await gateway.signIn();
    opened = [];
  });
  afterAll(async () => {
    await Promise.all(opened.map((each) => each.close()));
    await gateway?.stop();
  });

  const follow = async (visitor: Pick<Visitor, 'cookie'>, topics = 'queues'): Promise<Stream> => {
    const stream = await followTopics(gateway, visitor, topics);
    opened.push(stream);
    return stream;
  };
  const turn = async (action: 'pause' | 'resume'): Promise<void> => {
    expect((await demo.post(`/queues/processes/${action}`)).status).toBe(303);
  };

  it('need a session', async () => {
    for (const headers of [{}, { Cookie: `__Host-signalbox=${'A'.repeat(43)}` }]) {
      const { status, text, headers: given } = await gateway.ask('/live?topics=queues', { headers });
      expect(status).toBe(401);
      expect(given['content-type']).toBe('text/html; charset=utf-8');
      expect(text).not.toContain('retry:');
    }
  });

  it('name what has changed, and end when the session has ended, without a word of what changed since', async () => {
    const other = await gateway.signIn();
    const stream = await follow(other);
    expect(stream.reply.status).toBe(200);
    expect(stream.reply.headers.get('content-type')).toBe('text/event-stream');
    expect(stream.reply.headers.get('cache-control')).toBe('no-store');
    await stream.until(OPENED);
    await turn('pause');
    await stream.until(CHANGED);
    expect((await other.post('/sign-out')).status).toBe(303);
    await turn('resume');
    expect(await stream.toEnd()).toBe(OPENED + CHANGED + ENDED);
  });

  it('of unknown subjects are none, and those of known ones beside them come', async () => {
    const unknown = await follow(demo, 'nonsense __proto__ <b> constructor');
    const mixed = await follow(demo, `nonsense queues ${'x '.repeat(100)}`);
    await Promise.all([unknown.until(OPENED), mixed.until(OPENED)]);
    await turn('pause');
    await mixed.until(CHANGED);
    await turn('resume');
    expect(mixed.text).toBe(OPENED + CHANGED);
    expect(unknown.text).toBe(OPENED);
    await Promise.all([unknown.close(), mixed.close()]);
  });

  it('are bounded for each user, however fast they are asked for, and closing one makes room', async () => {
    const user = await gateway.signIn('reader', 'demo');
    // Who asks for the headers alone does not follow.
    for (let count = 0; count < MOST + 1; count += 1)
      expect(
        (await gateway.ask('/live?topics=queues', { method: 'HEAD', headers: { Cookie: user.cookie } })).status,
      ).toBe(200);
    const streams = await Promise.all(Array.from({ length: MOST + 1 }, () => follow(user)));
    const [refused, ...others] = streams.filter(({ reply }) => reply.status !== 200) as [Stream, ...Stream[]];
    expect(others).toEqual([]);
    expect(refused.reply.status).toBe(429);
    expect(refused.reply.headers.get('retry-after')).toBe('30');
    expect(await refused.toEnd()).toContain('Too many requests');
    const allowed = streams.filter((each) => each !== refused);
    await Promise.all(allowed.map((each) => each.until(OPENED)));
    const another = await follow(demo);
    expect(another.reply.status).toBe(200);
    await allowed[0]?.close();
    await eventually('room for one more', async () => {
      const one = await follow(user);
      return one.reply.status === 200 ? one : undefined;
    });
  });
});
