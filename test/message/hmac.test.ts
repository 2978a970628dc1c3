import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USERS } from '../support/project.ts';
import { ENGINES, type MessageGateway, startMessages, Target } from './project.ts';

const SECRET = 'shared with the partner';
const FILES = {
  'definitions/users.yaml': USERS,
  'definitions/data/0001.sql': 'select 1;\n',
  'definitions/hooks.yaml': `queue: NEWS
---
node: HOOKS
base: \${env:HOOKS_URL}
credential:
  hmac:
    secrets: "\${secret:HOOKS_SECRET}"
    header: X-Signature
    form: "t={timestamp},v1={hex}"
    id: X-Event
    signed: "{id}.{timestamp}.{body}"
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

describe.each(ENGINES)('messages to a partner that verifies HMAC on %s', (kind) => {
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
    expect(taken.map(({ headers }) => headers['x-event'])).toEqual([delivery.id, delivery.id]);
    for (const { headers } of taken) {
      const [, time, signature] = /^t=(\d+),v1=(\w+)$/.exec(String(headers['x-signature'])) ?? [];
      expect(signature).toBe(createHmac('sha256', SECRET).update(`${delivery.id}.${time}.`).digest('hex'));
    }
  });
});
