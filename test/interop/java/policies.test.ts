import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../../src/invoke/index.ts';
import { loadProject, registryOf } from '../../../src/load/index.ts';
import { createSpool } from '../../../src/store/index.ts';
import { PARTNER } from '../../attacks/support/signers.ts';
import { cleanEnvironment, signalbox } from '../../cli/support.ts';
import { run } from '../support.ts';
import { classPath } from './generators.ts';
import { hasMaven, JVM, needsMaven } from './maven.ts';
import { contractOf, POLICIES } from './policies.ts';

// Endpoints of CXF that enforce the policies of their WSDL, called by what is imported from it: nothing is added but secrets.
// Of endpoints that are set to RSA-SHA256 against their policy, the algorithms that are imported are removed.

const folder = mkdtempSync(join(tmpdir(), 'signalbox-policies-'));
const store = join(folder, 'server.p12');
let server: ChildProcess | undefined;
let address = '';
beforeAll(async () => {
  if (!hasMaven) return;
  writeFileSync(join(folder, 'partner.pem'), PARTNER.certificate);
  writeFileSync(join(folder, 'partner.key'), PARTNER.key);
  await keytool('-genkeypair', '-alias', 'server', '-keyalg', 'RSA', '-keysize', '2048', '-dname', 'CN=server');
  await keytool('-importcert', '-noprompt', '-alias', 'partner', '-file', join(folder, 'partner.pem'));
  writeFileSync(join(folder, 'server.pem'), await keytool('-exportcert', '-rfc', '-alias', 'server'));
  const files = Object.entries(POLICIES).map(([name, policy]) => {
    const file = join(folder, `${name}.wsdl`);
    writeFileSync(file, contractOf(policy, `http://127.0.0.1/${name}`));
    return file;
  });
  const source = fileURLToPath(new URL('Policies.java', import.meta.url));
  const args = [...JVM, '-cp', await classPath('Policies'), source, store, ...files];
  server = spawn('java', args, { env: cleanEnvironment({ no_proxy: '*' }) });
  address = await new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [server?.stdout, server?.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const [, found] = /listening at (\S+)/.exec(output) ?? [];
        if (found !== undefined) resolve(found);
      });
    server?.once('close', () => reject(new Error(output)));
  });
}, 240_000);
afterAll(async () => {
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function keytool(...args: readonly string[]): Promise<string> {
  const of = ['-keystore', store, '-storetype', 'PKCS12', '-storepass', 'changeit'];
  const { code, stdout } = await run('keytool', [...args, ...of]);
  if (code !== 0) throw new Error(stdout);
  return stdout;
}

/** Definitions without the algorithms of the suite. */
const sha256 = (yaml: string): string =>
  yaml.replace(/\n *algorithm: rsa-sha1/, '').replace(', algorithms: [ rsa-sha1 ]', '');

/**
 * Calls the endpoint of a policy.
 * @param changes settings other than the right ones
 * @param edit changes the imported definitions
 */
async function called(
  name: string,
  changes: Readonly<Record<string, string>> = {},
  edit = name.endsWith('256') ? sha256 : (yaml: string): string => yaml,
): Promise<unknown> {
  const root = mkdtempSync(join(folder, 'project-'));
  const contract = join(root, `${name}.wsdl`);
  writeFileSync(contract, contractOf(POLICIES[name] as string, `${address}/${name}`));
  const { code, stdout, stderr } = await signalbox(['import', contract, '--as', 'consumer'], { cwd: root });
  if (code !== 0) throw new Error(stdout + stderr);
  const definitions = join(root, 'definitions');
  for (const file of readdirSync(definitions, { recursive: true, encoding: 'utf8' }).filter((each) =>
    /\.yaml$/.test(each),
  ))
    writeFileSync(join(definitions, file), edit(readFileSync(join(definitions, file), 'utf8')));
  writeFileSync(join(definitions, 'gateway.yaml'), 'gateway: LOCAL\n');
  const node = name.toUpperCase();
  const env = {
    [`${node}_USER`]: 'demo',
    [`${node}_PASSWORD`]: 's3cret',
    [`${node}_CERTIFICATE_FILE`]: join(folder, 'partner.pem'),
    [`${node}_KEY_FILE`]: join(folder, 'partner.key'),
    [`${node}_REPLY_CERTIFICATE_FILE`]: join(folder, 'server.pem'),
    ...changes,
  };
  const registry = registryOf(loadProject({ root }));
  const client = createClient(registry, { env, folder: root, spool: createSpool({ folder: join(root, 'spool') }) });
  try {
    return (await client.call('Echo', { text: 'Grüße & <b>' })).value;
  } finally {
    await client.close();
  }
}

test.skipIf(!hasMaven).each(Object.keys(POLICIES))(
  `CXF takes a call by its policy: %s (${needsMaven})`,
  async (name) => {
    expect(await called(name)).toEqual({ text: 'taken' });
  },
  60_000,
);

test.skipIf(!hasMaven)(
  `CXF refuses a wrong password, and signatures by other algorithms than it is set to; its replies need the right certificate (${needsMaven})`,
  async () => {
    await expect(called('text', { TEXT_PASSWORD: 'wrong' })).rejects.toThrow(/security error/);
    await expect(called('usual', {}, sha256)).rejects.toThrow(/security error/);
    await expect(called('signed256', {}, (yaml) => yaml)).rejects.toThrow(/security error/);
    // What the policy of another endpoint demands of replies.
    const demanding = (yaml: string): string => yaml.replace(/algorithms: \[ rsa-sha1 \]/, '$&, confirmation: true');
    await expect(called('usual', {}, demanding)).rejects.toThrow(/it has no SignatureConfirmation/);
    const other = { SIGNED256_REPLY_CERTIFICATE_FILE: join(folder, 'partner.pem') };
    await expect(called('signed256', other)).rejects.toThrow(/is not signed as reply-signature of the node asks/);
  },
  60_000,
);
