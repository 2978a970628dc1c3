import { readFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AUTHORITY, SERVER } from '../support/certificates.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { files, staffPath, staffProject } from './fixture.ts';
import { start, writeFiles } from './support.ts';

const ready = /^Signalbox is ready on (https:\/\/\S+)/m;
const secured = {
  'definitions/gateway.yaml': `${files['definitions/gateway.yaml']}tls: { certificate: tls/server.pem, key: tls/server.key }\n`,
  'tls/server.pem': SERVER.certificate,
  'tls/server.key': SERVER.key,
};

/** Calls over a connection that is kept. */
async function greeting(address: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(`${address}${staffPath}/Hello/Ada`, { agent, ca: AUTHORITY }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      reply.on('error', reject).on('end', () => resolve(text));
    }).on('error', reject);
  });
}

function agentOf(keepAlive: boolean): Agent {
  const agent = new Agent({ keepAlive, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

test('dev speaks TLS, and a connection from before an edit gets what holds since', async () => {
  const cwd = await staffProject(secured);
  const dev = start(['dev'], { cwd, env: { PORT: '0' } });
  const [, address = ''] = await dev.until(/(https:\/\/127\.0\.0\.1:\d+)/);
  const kept = agentOf(true);
  expect(await greeting(address, kept)).toBe('{"GREETING":"Hello, Ada"}');
  const greet = await readFile(join(cwd, 'src/greet.ts'), 'utf8');
  await writeFiles(cwd, { 'src/greet.ts': greet.replace('Hello', 'Good day') });
  await dev.until(/greet\.ts/);
  expect(await greeting(address, kept)).toBe('{"GREETING":"Good day, Ada"}');
  expect(await greeting(address, agentOf(false))).toBe('{"GREETING":"Good day, Ada"}');
  await dev.stop('SIGINT');
});

describe.skipIf(!hasPostgres)('several workers (needs PostgreSQL)', () => {
  test('all speak TLS on the port that they share', async () => {
    const database = await createDatabase({ migrated: true });
    onTestFinished(() => database.drop());
    const cwd = await staffProject({ ...secured, 'src/greet.ts': 'export const greet = () => String(process.pid);\n' });
    const env = { PORT: '0', DATABASE_URL: database.url };
    const gateway = start(['serve', '--workers', '2'], { cwd, env });
    const [, address = ''] = await gateway.until(ready);
    const replies = new Set<string>();
    for (let call = 0; call < 8; call++) replies.add(await greeting(address, agentOf(false)));
    expect(replies.size).toBe(2);
    expect(await gateway.stop()).toMatchObject({ code: 0 });
  });
});
