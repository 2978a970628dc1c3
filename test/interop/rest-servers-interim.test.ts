import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RestProject, restProject } from './servers/rest-client.ts';
import { type StartedServer, startServer } from './servers/start.ts';
import { hasPython, python } from './soap-support.ts';

const definitions = `permission-list: PARTNERS
---
node: IIS
base: \${env:IIS_URL}
---
service: Iis.v1
target: IIS
public: true
operations:
  TAKE: { post: "take/{WAY}", request: { fields: { WAY: string, NAME: string } }, response: { fields: { TAKEN: boolean } } }
`;

describe.skipIf(!hasPython)('a partner that sends interim replies nobody asked for (needs python3)', () => {
  let server: StartedServer;
  let project: RestProject;
  beforeAll(async () => {
    project = restProject({ 'definitions/iis.yaml': definitions });
    server = await startServer([python, fileURLToPath(new URL('servers/interim.py', import.meta.url))]);
  });
  afterAll(async () => {
    await server?.stop();
    await project?.close();
  });

  it.each([
    'continue',
    'continue-apart',
    'hints',
    'hints-apart',
    'several',
    'several-apart',
  ])('is called once: %s', async (WAY) => {
    const { value, attempts } = await project.clientIn({ IIS_URL: server.url }).call('TAKE', { WAY, NAME: 'one' });
    expect([value, attempts]).toEqual([{ TAKEN: true }, 1]);
  });
});
