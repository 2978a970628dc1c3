import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signalbox } from '../cli/support.ts';
import { AUTHORITY, CLIENT_CERTIFICATE, CLIENT_KEY } from '../invoke/authority.ts';
import { deadAddress, thrown } from '../invoke/support.ts';
import { large } from './servers/large.ts';
import { type Nginx, startNginx } from './servers/nginx.ts';
import { type RestProject, restProject } from './servers/rest-client.ts';
import { startTinyproxy, type Tinyproxy } from './servers/tinyproxy.ts';
import { has } from './support.ts';

const nodes = `node: PLAIN
base: http://\${env:PLAIN}
retry: { attempts: 1 }
---
node: SECURE
base: https://\${env:SECURE}
ca-file: authority.pem
certificate: { file: client.pem, key-file: client.key }
retry: { attempts: 1 }
`;

const service = (name: string): string => `service: ${name}.v1
public: true
target: ${name}
operations:
  ${name}_WHO_GET: { get: who, response: WHO }
  ${name}_FILE_PUT:
    put: files/{NAME}
    request: { fields: { NAME: text, CONTENT: binary } }
    body: CONTENT
`;

const documents = `document: WHO
fields: { host: text, client: text, via: text }
`;

const USER = { user: 'me', password: 'hu-sh_1' };
/** For what the proxy prints, which comes by another way than its answers. */
const PATIENCE = { timeout: 15_000 };
const isHere = has('nginx', '-v') && has('tinyproxy', '-v');

describe.skipIf(!isHere)('tinyproxy, before nginx (needs tinyproxy and nginx)', () => {
  let nginx: Nginx;
  let proxy: Tinyproxy;
  let project: RestProject;
  beforeAll(async () => {
    nginx = await startNginx('127.0.0.1:9');
    proxy = await startTinyproxy(USER);
    project = restProject({
      'definitions/nodes.yaml': nodes,
      'definitions/plain.yaml': service('PLAIN'),
      'definitions/secure.yaml': service('SECURE'),
      'definitions/documents.yaml': documents,
      'authority.pem': AUTHORITY,
      'client.pem': CLIENT_CERTIFICATE,
      'client.key': CLIENT_KEY,
    });
  });
  afterAll(async () => {
    await project?.close();
    await proxy?.stop();
    await nginx?.stop();
  });

  function env({ user, password } = USER) {
    const url = `http://${user}:${password}@${proxy.address}`;
    return { PLAIN: nginx.plain, SECURE: nginx.guarded, http_proxy: url, HTTPS_PROXY: url };
  }

  it('is asked for the whole address over http', async () => {
    const { value } = await project.clientIn(env()).call('PLAIN_WHO_GET', {});
    expect(value).toEqual({ host: nginx.plain, client: '', via: expect.stringContaining('tinyproxy') });
    await expect.poll(() => proxy.requests(), PATIENCE).toContain(`GET http://${nginx.plain}/who HTTP/1.1`);
  });

  it('is asked for a tunnel over https, in which nginx sees our certificate', async () => {
    const { value } = await project.clientIn(env()).call('SECURE_WHO_GET', {});
    expect(value).toEqual({ host: nginx.guarded, client: 'CN=caller', via: '' });
    await expect.poll(() => proxy.requests(), PATIENCE).toContain(`CONNECT ${nginx.guarded} HTTP/1.1`);
  });

  it('is used by the command line', async () => {
    const before = proxy.requests().length;
    const { code, stdout } = await signalbox(['invoke', 'SECURE_WHO_GET', '--json'], { cwd: project.root, env: env() });
    expect([code, JSON.parse(stdout)]).toEqual([0, { host: nginx.guarded, client: 'CN=caller', via: '' }]);
    const asked = [`CONNECT ${nginx.guarded} HTTP/1.1`];
    await expect.poll(() => proxy.requests().slice(before), PATIENCE).toEqual(asked);
  });

  it.each([
    ['PLAIN', true],
    ['PLAIN', false],
    ['SECURE', true],
    ['SECURE', false],
  ])('passes a large file on over %s, its length known: %s', async (name, isKnown) => {
    const NAME = `${name}-${isKnown}`;
    const { content, sha256, length } = large(isKnown);
    await project.clientIn(env()).call(`${name}_FILE_PUT`, { NAME, CONTENT: content });
    const kept = readFileSync(join(nginx.files, NAME));
    expect([kept.length, createHash('sha256').update(kept).digest('hex')]).toEqual([length, sha256]);
  });

  it.each(['PLAIN', 'SECURE'])('that is not shown who calls asks for it, for %s', async (name) => {
    const url = `http://${proxy.address}`;
    const client = project.clientIn({ ...env(), http_proxy: url, HTTPS_PROXY: url });
    expect(await thrown(client.call(`${name}_WHO_GET`, {}))).toMatchObject({
      code: 'CONNECTION',
      message: expect.stringContaining('the proxy answered with the status 407'),
      hint: expect.stringContaining('HTTPS_PROXY'),
    });
  });

  // Of who shows the wrong password it says 401, which over http is nothing but a reply.
  it.each([
    ['PLAIN', { code: 'HTTP_STATUS', httpResponseCode: 401, body: expect.stringContaining('of this proxy') }],
    ['SECURE', { code: 'CONNECTION', message: expect.stringContaining('the proxy answered with the status 401') }],
  ])('that does not know who calls says so, for %s', async (name, expected) => {
    const client = project.clientIn(env({ user: 'me', password: 'no-such-word' }));
    const error = await thrown(client.call(`${name}_WHO_GET`, {}));
    expect(error).toMatchObject(expected);
    expect(inspect(error, { depth: 9 })).not.toMatch(/no-such-word|bWU6bm8tc3VjaC13b3Jk/);
  });

  it('that reaches no target says so', async () => {
    const dead = new URL(await deadAddress()).host;
    const client = project.clientIn({ ...env(), PLAIN: dead, SECURE: dead });
    expect(await thrown(client.call('SECURE_WHO_GET', {}))).toMatchObject({
      code: 'CONNECTION',
      message: expect.stringContaining('the proxy answered with the status 500'),
    });
    // Over http nothing tells its answer from one of the target.
    expect(await thrown(client.call('PLAIN_WHO_GET', {}))).toMatchObject({
      code: 'HTTP_STATUS',
      httpResponseCode: 500,
      body: expect.stringContaining('tinyproxy'),
    });
  });

  it.each(['PLAIN', 'SECURE'])('is passed by for who NO_PROXY names, for %s', async (name) => {
    const url = await deadAddress();
    const client = project.clientIn({ ...env(), http_proxy: url, HTTPS_PROXY: url, NO_PROXY: 'a.example, 127.0.0.1' });
    expect((await client.call(`${name}_WHO_GET`, {})).value.via).toBe('');
  });
});
