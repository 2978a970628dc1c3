import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { gatewayText, USERS } from '../../support/project.ts';
import { project, type Running, repository, start } from '../support.ts';

const ORDERS = `service: Orders.v1
operations:
  ORDER_PLACED: { post: orders, request: ORDER, queue: ORDERS, permission: EVERYTHING }
  ORDER_GET: { get: "orders/{N}", request: { fields: { N: { type: integer, required: true } } }, response: ORDER, permission: EVERYTHING, handler: order-get }
---
document: ORDER
fields: { N: { type: integer, required: true } }
---
queue: ORDERS
---
subscription: TO_STORE
operation: ORDER_PLACED
handler: to-store
retry: { attempts: 2, first: 50 ms, longest: 50 ms }
---
process: COUNT_ORDERS
type: Application Engine
permission: EVERYTHING
---
permission-list: SCHEDULING
operations: [PROCESSREQUEST.*]
---
role: PLANNER
permission-lists: [EVERYTHING, SCHEDULING]
`;

const HANDLER = `import { defineHandler } from '../../generated/handlers.ts';
export default defineHandler('ORDER_GET', { onRequest: ({ N }) => ({ N }) });
`;

const orders = (): Promise<string> =>
  project({
    'definitions/gateway.yaml': gatewayText('requires: basic\ndelivered: [PROCESSREQUEST.v1]'),
    'definitions/users.yaml': USERS.replace('roles: [ALL]', 'roles: [ALL, PLANNER]'),
    'definitions/orders.yaml': ORDERS,
    'src/handlers/order-get.ts': HANDLER,
    'src/handlers/to-store.ts': `import { defineSubscription } from '../../generated/handlers.ts';
export default defineSubscription('TO_STORE', {
  onMessage({ N }) {
    if (N > 1) throw new Error('no room for ' + N);
  },
});
`,
    'src/handlers/count-orders.ts': `import { defineProcess } from '../../generated/handlers.ts';
export default defineProcess('COUNT_ORDERS', { async run() {} });
`,
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        ...{ target: 'ES2023', module: 'NodeNext', strict: true, noEmit: true, skipLibCheck: true, types: [] },
        ...{ allowImportingTsExtensions: true, erasableSyntaxOnly: true },
      },
      include: ['src', 'generated'],
    }),
  });

async function develop(cwd: string): Promise<{ dev: Running; url: string }> {
  const dev = start(['dev'], { cwd, env: { PORT: '0' } });
  const [, address = ''] = await dev.until(/^Signalbox is ready on (http:\/\/127\.0\.0\.1:\d+) .*$/m);
  return { dev, url: `${address}/gateway/RESTListeningConnector` };
}

const basic = (user: string, password = user): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  'Content-Type': 'application/json',
});

describe('dev prints', () => {
  test('messages delivered, processes run, retries and dead letters, in a line each', async () => {
    const { dev, url } = await develop(await orders());
    const post = async (path: string, body: object): Promise<void> => {
      const reply = await fetch(`${url}/${path}`, {
        method: 'POST',
        headers: basic('demo'),
        body: JSON.stringify(body),
      });
      expect(reply.status, await reply.text()).toBeLessThan(300);
    };
    await post('Orders.v1/orders', { N: 1 });
    const [, id = ''] = await dev.until(/^[\d:]{8} message TO_STORE (\S+) done \d+\.\d ms$/m);
    await post('Orders.v1/orders', { N: 2 });
    const failed = await dev.until(/^[\d:]{8} message TO_STORE (\S+) attempt 1 INTERNAL \d+\.\d ms$/m);
    expect(failed[1]).not.toBe(id);
    const of = `^[\\d:]{8} message TO_STORE ${failed[1]}`;
    await dev.until(new RegExp(`${of} is tried again at [\\d:]{8}: Error: no room for 2\\n +at .*to-store\\.ts:`, 'm'));
    await dev.until(new RegExp(`${of} attempt 2 INTERNAL \\d+\\.\\d ms$`, 'm'));
    await dev.until(new RegExp(`${of} is given up: Error: no room for 2$`, 'm'));
    await post('ProcessRequest.v1/requests', {
      ...{ RunControlId: 'T', ProcessType: 'Application Engine', ProcessName: 'COUNT_ORDERS' },
    });
    await dev.until(/^[\d:]{8} process COUNT_ORDERS \d+ done \d+\.\d ms$/m);
    // None of it as JSON.
    expect(dev.output()).not.toMatch(/"decision"|"attempt"/);
  });

  test('why a caller was refused, which no reply says', async () => {
    const { dev, url } = await develop(await orders());
    const refused = async (headers: Record<string, string>): Promise<[number, string]> => {
      const reply = await fetch(`${url}/Orders.v1/orders/1`, { headers });
      return [reply.status, await reply.text()];
    };
    const path = '/gateway/RESTListeningConnector/Orders\\.v1/orders/1';
    const line = (rest: string): RegExp => new RegExp(`^[\\d:]{8} GET ${path} ${rest} \\d+\\.\\d ms$`, 'm');
    const replies = [await refused({}), await refused(basic('demo', 'wrong')), await refused(basic('nobody'))];
    await dev.until(line('401 UNAUTHENTICATED \\(no credentials; ORDER_GET takes basic \\(basic\\)\\)'));
    await dev.until(line('401 UNAUTHENTICATED \\(basic: wrong password; ORDER_GET takes .*\\)'));
    await dev.until(line('401 UNAUTHENTICATED \\(basic: unknown or disabled user; ORDER_GET takes .*\\)'));
    expect(new Set(replies.map(([status, body]) => `${status} ${body.replace(/[0-9a-f-]{36}/g, 'ID')}`)).size).toBe(1);
    const [status, text] = await refused(basic('guest'));
    expect(status).toBe(403);
    await dev.until(line('403 FORBIDDEN \\(basic: user guest: no grant; ORDER_GET is granted by EVERYTHING\\)'));
    for (const each of [...replies.map(([, body]) => body), text])
      expect(each).not.toMatch(/EVERYTHING|wrong password|disabled user|no credentials|no grant/);
  });

  test('errors of types after a save, once the save is served, and that they are gone', async () => {
    const cwd = await orders();
    await symlink(join(repository, 'node_modules/typescript'), join(cwd, 'node_modules/typescript'), 'dir');
    const { dev, url } = await develop(cwd);
    const file = join(cwd, 'src/handlers/order-get.ts');
    await writeFile(file, HANDLER.replace('=> ({ N })', "=> ({ N, M: 'more' })"));
    const reloaded = await dev.until(/^Reloaded in .*$/m);
    const printed = await dev.until(
      /^src\/handlers\/order-get\.ts:2:\d+: error TS\d+: .*\bM\b.*\n.*Types: 1 error\. The gateway runs on\.$/m,
    );
    expect(printed.index).toBeGreaterThan(reloaded.index);
    expect((await fetch(`${url}/Orders.v1/orders/1`, { headers: basic('demo') })).status).toBe(500);
    const from = dev.output().length;
    await writeFile(file, HANDLER);
    await dev.until(/^Types: no errors\.$/m, from);
    expect(await (await fetch(`${url}/Orders.v1/orders/1`, { headers: basic('demo') })).json()).toEqual({ N: 1 });
    expect(await dev.stop()).toMatchObject({ code: 0 });
  });

  test('nothing of types where the project has no compiler', async () => {
    const { dev } = await develop(await orders());
    onTestFinished(() => expect(dev.output()).not.toMatch(/Types|compiler/));
  });
});
