import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashPassword } from '../../src/security/password.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const WHO = '/gateway/RESTListeningConnector/Timed.v1/who';
const ROUNDS = 8;
let gateway: TestGateway;

beforeAll(async () => {
  const password = await hashPassword('right');
  gateway = await startTestGateway({
    env: { SIGNALBOX_SAMPLE_USERS: 'off' },
    files: {
      'definitions/users.yaml': `user: known
password: ${password}
---
user: sample
password: ${password}
sample: true
---
user: keyed
api-keys: ["sha256:${'a'.repeat(64)}"]
`,
      'definitions/timed.yaml': `scheme: keys
api-key: { header: X-Api-Key }
---
permission-list: CALLING
---
service: Timed.v1
permission: CALLING
requires: [basic, keys]
operations:
  WHO: { get: who, request: { fields: {} }, response: { fields: { ID: string } } }
`,
      'src/handlers/who.ts': `export default { onRequest: () => ({ ID: '' }) };`,
    },
  });
});
afterAll(() => gateway.stop());

async function refusal(user: string, password: string) {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const { status, headers, text } = await gateway.call(WHO, { headers: { authorization } });
  return [status, headers['www-authenticate'], text.replaceAll(String(headers['x-request-id']), 'ID')].join('\n');
}

it('who exists can be told neither from the reply to a sign-in nor from its cost', async () => {
  const users = ['known', 'unknown', 'sample', 'keyed', 'constructor'];
  const costs = new Map(users.map((user) => [user, 0]));
  const replies = new Set<string>();
  await refusal('warm', 'up');
  for (let round = 0; round < ROUNDS; round++) {
    for (const user of users) {
      // Processor time of all threads: what else the machine does is not in it.
      const before = process.cpuUsage();
      replies.add(await refusal(user, `wrong ${round}`));
      const { user: spent } = process.cpuUsage(before);
      costs.set(user, (costs.get(user) as number) + spent);
    }
  }
  expect([...replies]).toEqual([expect.stringMatching(/^401\n/)]);
  const all = [...costs.values()];
  // One derivation takes ten times and more of what the rest of a call does.
  expect(Math.max(...all) / Math.min(...all), JSON.stringify([...costs])).toBeLessThan(2);
  // And each is one: as much as deriving a key takes by itself.
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) await hashPassword('x');
  expect(Math.min(...all)).toBeGreaterThan(process.cpuUsage(before).user / 2);
});

it('nor can it be told of an API key how much of it is right', async () => {
  const reply = async (key: string): Promise<string> => {
    const { status, text, headers } = await gateway.call(WHO, { anonymous: true, headers: { 'x-api-key': key } });
    return `${status} ${text.replaceAll(String(headers['x-request-id']), 'ID')}`;
  };
  const keys = ['', 'a', 'a'.repeat(64), `sha256:${'a'.repeat(64)}`, 'a'.repeat(5000), "' OR 1=1 --", '__proto__'];
  expect([...new Set(await Promise.all(keys.map(reply)))]).toEqual([expect.stringMatching(/^401 /)]);
  const reasons = gateway.log().map(({ reason }) => reason);
  expect(reasons).toContain('credentials are too long');
});
