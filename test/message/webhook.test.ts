import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USERS } from '../support/project.ts';
import { ENGINES, type MessageGateway, startMessages, Target } from './project.ts';

const SECRET = `whsec_${Buffer.alloc(32, 'hook').toString('base64')}`;
const FILES = {
  'definitions/users.yaml': USERS,
  'definitions/data/0001.sql': 'select 1;\n',
  'definitions/hooks.yaml': `queue: NEWS
---
node: HOOKS
base: \${env:HOOKS_URL}
credential: { webhook: "\${secret:HOOKS_SECRET}" }
---
service: News.v1
permission: EVERYTHING
operations:
  PUBLISHED: { post: published, request: { fields: { NAME: { type: string, required: true } } }, queue: NEWS }
---
service: Hooks.v1
permission: EVERYTHING
target: HOOKS
operations:
  HOOK_POST: { post: "hook/{NAME}", request: { fields: { NAME: string } } }
---
subscription: NEWS_HOOK
operation: PUBLISHED
call: HOOK_POST
retry: { on: any, for: 1 h, first: 1 ms, longest: 1 ms }
`,
};

describe.each(ENGINES)('messages to a receiver of webhooks on %s', (kind) => {
  let box: MessageGateway;
  let hooks: Target;

  beforeAll(async () => {
    hooks = await Target.start();
    box = await startMessages(kind, FILES, { HOOKS_URL: hooks.url, HOOKS_SECRET: SECRET });
  });
  afterAll(async () => {
    await box?.stop();
    await hooks?.stop();
  });

  it('have the id of the delivery at each attempt, and are signed', async () => {
    let refused = 0;
    hooks.status = () => (++refused < 2 ? 503 : 200);
    const delivery = await box.delivered(await box.publish('News.v1/published', { NAME: 'later' }), 'NEWS_HOOK');
    const taken = hooks.at('/hook/later');
    expect(taken.map(({ headers }) => headers['webhook-id'])).toEqual([delivery.id, delivery.id]);
    for (const { headers } of taken) {
      const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
      const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
      expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(content).digest('base64')}`);
    }
  });

  it('are given up where it answers 410, whatever is retried', async () => {
    hooks.status = () => 410;
    const delivery = await box.delivered(
      await box.publish('News.v1/published', { NAME: 'gone' }),
      'NEWS_HOOK',
      'Error',
    );
    expect(hooks.at('/hook/gone')).toHaveLength(1);
    expect(delivery.reason).toContain('wants no more of them (410 Gone)');
  });
});
