import { afterEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText, USERS } from '../support/project.ts';

const SERVICE = `service: Hello.v1
operations:
  HELLO: { get: hello, public: true, handler: hello, request: none, response: { fields: { TEXT: string } } }
`;

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

const start = async (line: string): Promise<TestGateway> => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(line),
      'definitions/users.yaml': USERS,
      'definitions/hello.yaml': SERVICE,
      'src/handlers/hello.ts': 'export default { onRequest: () => ({ TEXT: "hello" }) };',
    },
  });
  return gateway;
};

const statusOf = async (url: string): Promise<number> => (await fetch(url, { redirect: 'manual' })).status;

describe('the address of the console', () => {
  it('is that of the gateway, whose catalogue links to it', async () => {
    const { gateway: running, call } = await start('');
    expect(running.console).toBe(`${running.address}/console`);
    expect(await statusOf(running.console as string)).toBe(303);
    expect((await call('/', { anonymous: true })).text).toContain('href="/console"');
  });

  it('is nowhere when it is off', async () => {
    const { gateway: running, call } = await start('console: off');
    expect(running.console).toBe(undefined);
    for (const path of ['/console', '/console/sign-in', '/console/assets/console.js'])
      expect((await call(path, { anonymous: true })).status, path).toBe(404);
    expect((await call('/', { anonymous: true })).text).not.toContain('/console');
  });

  it('can be one of its own, at which nothing else is, and then not that of the gateway', async () => {
    const { gateway: running, call } = await start('console: { listen: "127.0.0.1:0" }');
    const own = running.console as string;
    expect(new URL(own).origin).not.toBe(running.address);
    expect(await statusOf(own)).toBe(303);
    expect(await statusOf(`${own}/sign-in`)).toBe(200);
    expect(await statusOf(new URL('/', own).href)).toBe(303);
    expect(await statusOf(new URL('/gateway/RESTListeningConnector/Hello.v1/hello', own).href)).toBe(404);
    expect(await statusOf(new URL('/metrics', own).href)).toBe(404);
    expect((await call('/console', { anonymous: true })).status).toBe(404);
    await running.close();
    await expect(statusOf(own)).rejects.toThrow();
  });
});
