import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../../src/invoke/index.ts';
import { loadProject, registryOf } from '../../../src/load/index.ts';
import { createSpool } from '../../../src/store/index.ts';
import { PARTNER } from '../../attacks/support/signers.ts';
import { ENV, PROJECT, SECRET } from '../../attacks/support/wss.ts';
import { cleanEnvironment } from '../../cli/support.ts';
import { SERVICES } from '../../serve/soap-client.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { run } from '../support.ts';
import { classPath } from './generators.ts';
import { hasMaven, JVM, needsMaven } from './maven.ts';

// Spring-WS with its Wss4jSecurityInterceptor, in one JVM: endpoints that are called, and a client that calls the gateway.

const folder = mkdtempSync(join(tmpdir(), 'signalbox-spring-'));
let gateway: TestGateway;
let server: ChildProcess | undefined;
let address = '';
/** What the calls of the client returned. */
let printed: readonly string[] = [];
beforeAll(async () => {
  if (!hasMaven) return;
  writeFileSync(join(folder, 'partner.pem'), PARTNER.certificate);
  writeFileSync(join(folder, 'partner.key'), PARTNER.key);
  const [started, path] = await Promise.all([
    startTestGateway({ files: PROJECT, env: ENV }),
    classPath('Spring'),
    createServerKey(),
  ]);
  gateway = started;
  const source = fileURLToPath(new URL('Spring.java', import.meta.url));
  const own = [source, folder, `${gateway.gateway.address}${SERVICES}`, 'urn:test:Safe.v1', SECRET];
  const args = [...JVM, '-Dfile.encoding=UTF-8', '-cp', path, ...own];
  server = spawn('java', args, { env: cleanEnvironment({ no_proxy: '*' }) });
  const output = await new Promise<string>((resolve, reject) => {
    let [text, errors] = ['', ''];
    server?.stderr?.setEncoding('utf8').on('data', (more: string) => {
      errors += more;
    });
    server?.stdout?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      if (/listening at \S+\n/.test(text)) resolve(text);
    });
    server?.once('close', () => reject(new Error(text + errors)));
  });
  const lines = output.trim().split('\n');
  address = lines.at(-1)?.replace('listening at ', '') ?? '';
  printed = lines.slice(0, -1);
}, 120_000);
afterAll(async () => {
  server?.kill('SIGKILL');
  await gateway?.stop();
  rmSync(folder, { recursive: true });
});

async function createServerKey(): Promise<void> {
  const store = ['-keystore', join(folder, 'server.p12'), '-storetype', 'PKCS12', '-storepass', 'changeit'];
  const of = ['-alias', 'server', ...store];
  await run('keytool', ['-genkeypair', '-keyalg', 'RSA', '-keysize', '2048', '-dname', 'CN=server', ...of]);
  writeFileSync(join(folder, 'server.pem'), (await run('keytool', ['-exportcert', '-rfc', ...of])).stdout);
}

const project = (credential: string): string => `permission-list: EVERYTHING
---
node: SPRING
base: \${env:SPRING_URL}
credential: ${credential}
---
document: ECHO
fields: { text: string }
---
service: Policies.v1
target: SPRING
permission: EVERYTHING
namespace: urn:signalbox:test:policies
operations:
  Echo: { soap: { reply-element: EchoReply }, request: ECHO, response: ECHO }
`;

/** Calls the endpoint at a path with a credential. */
async function called(path: string, credential: string, password = 's3cret'): Promise<unknown> {
  const root = mkdtempSync(join(folder, 'project-'));
  mkdirSync(join(root, 'definitions'));
  writeFileSync(join(root, 'definitions/all.yaml'), project(credential));
  writeFileSync(join(root, 'definitions/gateway.yaml'), 'gateway: LOCAL\n');
  const env = { SPRING_URL: `${address}/${path}`, PASSWORD: password };
  const spool = createSpool({ folder: join(root, 'spool') });
  const client = createClient(registryOf(loadProject({ root })), { env, folder, spool });
  try {
    return (await client.call('Echo', { text: 'Grüße & <b>' })).value;
  } finally {
    await client.close();
  }
}

const TEXT = 'username-token: { user: demo, password: "${secret:PASSWORD}" }';
const DIGEST = 'username-token: { user: demo, password: "${secret:PASSWORD}", digest: true }';
const SIGNED =
  'signature: { file: partner.pem, key-file: partner.key }, reply-signature: { certificate: server.pem, max-age: 5 m }';

test.skipIf(!hasMaven).each([
  ['text', `{ ${TEXT} }`],
  ['digest', `{ ${DIGEST} }`],
  ['time', '{ timestamp: 1 m }'],
  ['signed', `{ ${SIGNED} }`],
  ['signed', `{ ${SIGNED.replace('.key }', '.key, algorithm: rsa-sha1, digest: sha1 }')} }`],
  ['all', `{ timestamp: 1 m, ${DIGEST}, ${SIGNED} }`],
])(`Spring-WS takes a call that it demands at /%s, with %s (${needsMaven})`, async (path, credential) => {
  expect(await called(path, credential)).toEqual({ text: 'taken' });
});

const REFUSED = /could not be authenticated or authorized/;

test.skipIf(!hasMaven)(
  `Spring-WS refuses wrong passwords, and messages without what it demands (${needsMaven})`,
  async () => {
    await expect(called('text', `{ ${TEXT} }`, 'wrong')).rejects.toThrow(REFUSED);
    await expect(called('digest', `{ ${DIGEST} }`, 'wrong')).rejects.toThrow(REFUSED);
    await expect(called('signed', '{ timestamp: 1 m }')).rejects.toThrow(/actions mismatch/);
  },
);

test.skipIf(!hasMaven)(`a client of Spring-WS calls the gateway with a signature and a digest (${needsMaven})`, () => {
  expect(printed).toEqual([
    'signed: partner Gr\u00fc\u00dfe',
    'digest: demo Gr\u00fc\u00dfe',
    'wrong: Credentials are missing or wrong.',
  ]);
});
