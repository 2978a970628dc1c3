import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { bin, cleanEnvironment } from '../cli/support.ts';
import { eventually, writeProject } from '../support/project.ts';

// Standard output is the audit log, and nobody reads it: a pipe holds 64 KiB.

const FILES = {
  'definitions/gateway.yaml': 'gateway: LOCAL\n',
  'definitions/echo.yaml': `service: Echo.v1
public: true
operations:
  ECHO: { get: "echo/{N}", request: { fields: { N: string } }, response: { fields: { N: string } } }
`,
  'src/handlers/echo.ts': 'export default { onRequest: ({ N }) => ({ N }) };\n',
};

test('a reader of standard output that stalls holds up the gateway, and no line of an answered call is lost', async () => {
  const { root, remove } = writeProject(FILES);
  const child = spawn(process.execPath, [bin, 'serve'], {
    cwd: root,
    env: cleanEnvironment({ PORT: '0', DATABASE_URL: 'sqlite:stalled.db' }),
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
    remove();
  });
  let read = '';
  const onData = (chunk: Buffer): void => {
    read += chunk.toString();
  };
  child.stdout.on('data', onData);
  child.stderr.resume();
  const port = await eventually('the address', () => /http:\/\/127\.0\.0\.1:(\d+)/.exec(read)?.[1]);
  child.stdout.off('data', onData).pause();

  const answered: string[] = [];
  const ask = async (id: string): Promise<boolean> => {
    const url = `http://127.0.0.1:${port}/gateway/RESTListeningConnector/Echo.v1/echo/${id}`;
    const reply = await fetch(url, { headers: { 'x-request-id': id }, signal: AbortSignal.timeout(3_000) }).catch(
      () => undefined,
    );
    if (reply === undefined) return false;
    expect(await reply.json()).toEqual({ N: id });
    answered.push(id);
    return true;
  };
  let number = 0;
  while (number < 5_000 && (await ask(`stalled-${number}`))) number += 1;
  expect(number).toBeGreaterThan(50);
  expect(number).toBeLessThan(5_000);

  child.stdout.on('data', onData).resume();
  await eventually('a call that is answered', async () => (await ask('again')) || undefined);
  await eventually('all lines', () => answered.every((id) => read.includes(`"requestId":"${id}"`)) || undefined);
});
