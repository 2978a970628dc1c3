import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { SERVER } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { files, staffProject } from './fixture.ts';
import { signalbox, start } from './support.ts';

const ready = /^Signalbox is ready on (\S+)/m;

let cwd: string;
beforeAll(async () => {
  cwd = await staffProject();
});

test('a gateway that runs is live and ready, at its own address or at one that is named', async () => {
  const PORT = String(await freePort());
  const gateway = start(['serve'], { cwd, env: { PORT } });
  const [, address = ''] = await gateway.until(ready);
  const said = (state: string): object => ({ code: 0, stdout: `${address} is ${state}\n`, stderr: '' });
  expect(await signalbox(['health'], { cwd, env: { PORT, HOST: '0.0.0.0' } })).toMatchObject(said('live'));
  expect(await signalbox(['health', '--ready', address])).toMatchObject(said('ready'));
});

test('an address is asked whatever the definitions look like', async () => {
  const broken = await staffProject();
  const gateway = start(['serve'], { cwd: broken, env: { PORT: '0' } });
  const [, address = ''] = await gateway.until(ready);
  await writeFile(`${broken}/definitions/more.yaml`, 'query: 7\n');
  expect(await signalbox(['health'], { cwd: broken })).toMatchObject({ code: 1 });
  expect(await signalbox(['health', address], { cwd: broken })).toMatchObject({ code: 0 });
});

test('over TLS at a loopback address, for which the certificate need not be', async () => {
  const secure = await staffProject({
    'definitions/gateway.yaml': `${files['definitions/gateway.yaml']}tls: { certificate: a.pem, key: a.key }\n`,
    'a.pem': SERVER.certificate,
    'a.key': SERVER.key,
  });
  const PORT = String(await freePort());
  const gateway = start(['serve'], { cwd: secure, env: { PORT } });
  await gateway.until(ready);
  const { code, stdout } = await signalbox(['health', '--ready'], { cwd: secure, env: { PORT } });
  expect({ code, stdout }).toEqual({ code: 0, stdout: `https://127.0.0.1:${PORT} is ready\n` });
});

test('nobody at the address: exit code 1 and the reason', async () => {
  const address = `http://127.0.0.1:${await freePort()}`;
  const { code, stdout, stderr } = await signalbox(['health', address]);
  expect(stderr).toMatch(/^signalbox: the gateway at http:\S+ is not live: .*ECONNREFUSED/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

test('what is not ready says why, and is waited for as long as one likes', async () => {
  let asked = 0;
  const server = createServer((request, reply) => {
    expect(request.url).toBe('/health/ready');
    if (++asked > 3) return reply.end('{"status":"ready"}');
    return reply.writeHead(503, { 'content-type': 'application/problem+json' }).end('{"detail":"it is draining"}');
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stderr } = await signalbox(['health', '--ready', address]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `signalbox: the gateway at ${address} is not ready: 503 it is draining\n`,
  });
  expect(await signalbox(['health', '--ready', '--within', '30s', address])).toMatchObject({ code: 0, stderr: '' });
});
