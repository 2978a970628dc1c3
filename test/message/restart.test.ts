import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { createDatabase } from '../support/postgres.ts';
import { eventually, gatewayText, writeProject } from '../support/project.ts';
import { ENGINES, Target } from './project.ts';

const DEFINITIONS = `{ queue: EVENTS, order: all }
---
service: Places.v1
permission: EVERYTHING
operations:
  CHANGED: { post: changed, request: { fields: { PLACE: { type: string, required: true } } }, queue: EVENTS }
  SEEN: { get: seen, query: SEEN_ROWS }
---
query: SEEN_ROWS
public: true
columns: { PLACE: string }
sql: select place from seen order by place
---
node: SHOP
base: \${env:SHOP_URL}
credential: { webhook: "\${secret:SHOP_SECRET}" }
---
service: Shop.v1
target: SHOP
permission: EVERYTHING
operations:
  SHOP_HOOK: { post: hook, request: { fields: { PLACE: string } } }
---
{ subscription: SEEN, operation: CHANGED, handler: seen, retry: { first: 10 ms } }
---
{ subscription: SHOP, operation: CHANGED, call: SHOP_HOOK }
`;

const SEEN = `let hangs = true;
export default {
  async onMessage({ PLACE }, { execute, signal, log }) {
    await execute('insert into seen values (:place)', { place: PLACE });
    if (PLACE !== 'p2' || !hangs) return;
    hangs = false;
    log('info', 'It hangs.');
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  },
};
`;

describe.each(ENGINES)('messages on %s', (kind) => {
  it('outlive the gateway that delivers them: its effects are those of one attempt, and webhooks end with 410', async () => {
    const shop = await Target.start();
    onTestFinished(() => shop.stop());
    shop.status = () => 410;
    const project = writeProject({
      'definitions/gateway.yaml': gatewayText('sample-data: data/*.sql'),
      'definitions/places.yaml': DEFINITIONS,
      'definitions/data/tables.sql': 'create table seen (place varchar(10));',
      'src/handlers/seen.ts': SEEN,
    });
    onTestFinished(() => project.remove());
    const database = kind === 'sqlite' ? undefined : await createDatabase({ migrated: true });
    const env = {
      DATABASE_URL: database?.url ?? `sqlite:${project.root}/box.db`,
      SHOP_URL: shop.url,
      SHOP_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    };
    const first = await startTestGateway({ root: project.root, env });
    const publish = async (PLACE: string): Promise<void> => {
      const path = '/gateway/RESTListeningConnector/Places.v1/changed';
      const { status } = await first.call(path, { method: 'POST', body: JSON.stringify({ PLACE }) });
      expect(status).toBe(202);
    };
    await publish('p1');
    const paused = async () => (await first.gateway.background.queues.overview()).find(({ queue }) => queue === 'SHOP');
    const overview = await eventually('the pause', async () => {
      const found = await paused();
      return found?.paused === undefined || found.held !== 1 ? undefined : found;
    });
    expect(overview).toMatchObject({ held: 1, paused: { actor: 'the receiver (410 Gone)' } });
    await publish('p2');
    await eventually('the handler', () => first.log().find(({ msg }) => msg === 'It hangs.'));
    await first.gateway.close({ timeoutMs: 50 });
    const second = await startTestGateway({ root: project.root, env });
    onTestFinished(async () => {
      await second.stop();
      await first.stop();
      await database?.drop();
    });
    expect(shop.taken).toHaveLength(1);
    const rows = await eventually('both messages', async () => {
      const { text } = await second.call('/gateway/RESTListeningConnector/Places.v1/seen');
      const found = JSON.parse(text).rows;
      return found.length >= 2 ? found : undefined;
    });
    expect(rows).toEqual([{ PLACE: 'p1' }, { PLACE: 'p2' }]);
  });
});
