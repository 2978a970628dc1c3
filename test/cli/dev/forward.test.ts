import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { forwardTo } from '../../../src/cli/dev/handover.ts';

async function listening(server: Server): Promise<{ host: string; port: number }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

test('a reply that breaks off on its way breaks off for the caller too', async () => {
  const behind = await listening(
    createServer((_, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy());
    }),
  );
  const front = await listening(createServer(forwardTo(`http://${behind.host}:${behind.port}`)));
  const outcome = await new Promise<string>((resolve) => {
    request(front, (reply) => {
      reply.resume().once('error', () => resolve('broken off'));
      reply.once('end', () => resolve('whole'));
    })
      .once('error', () => resolve('broken off'))
      .end();
  });
  expect(outcome).toBe('broken off');
});
