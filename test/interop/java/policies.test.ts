import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../../src/invoke/index.ts';
import { loadProject, registryOf } from '../../../src/load/index.ts';
import { createSpool } from '../../../src/store/index.ts';
import { PARTNER } from '../../attacks/support/signers.ts';
import { cleanEnvironment, signalbox } from '../../cli/support.ts';
import { type Attached, contractOf, corpusContracts, hasCorpus, outcomeOf } from '../../import/wsdl/policies.ts';
import { run } from '../support.ts';
import { classPath } from './generators.ts';
import { hasMaven, JVM, needsMaven } from './maven.ts';
import { POLICIES } from './policies.ts';

// Endpoints of CXF that enforce the policies of their WSDL, called by what is imported from it: nothing is added but secrets, and over
// TLS whom to trust. Of endpoints that are set to RSA-SHA256 against their policy, the algorithms that are imported are removed.

const OWN = Object.entries(POLICIES).map(
  ([name, policy]) =>
    [
      name,
      { binding: `<wsp:Policy><wsp:ExactlyOne><wsp:All>${policy}</wsp:All></wsp:ExactlyOne></wsp:Policy>` },
    ] as const,
);
/** The policies of the corpus of which nothing is lacking: test/import/wsdl/corpus-policies.test.ts has the others. */
const OTHERS: (readonly [name: string, attached: Attached])[] = [];
for (const { file, bindings = [] } of hasCorpus && hasMaven ? corpusContracts() : [])
  for (const { name, attached } of bindings)
    if ((await outcomeOf(attached)) === 'carried')
      OTHERS.push([`${OTHERS.length}-${basename(file, '.wsdl')}-${name}`, attached]);
const ENDPOINTS = new Map<string, Attached>([...OWN, ...OTHERS]);

/** Policies without a binding are used over TLS by their suites, too. */
const isProtected = (name: string): boolean => POLICIES[name]?.includes('TransportBinding') ?? true;

const folder = mkdtempSync(join(tmpdir(), 'signalbox-policies-'));
const store = join(folder, 'server.p12');
let server: ChildProcess | undefined;
let addresses: readonly string[] = [];
beforeAll(async () => {
  if (!hasMaven) return;
  writeFileSync(join(folder, 'partner.pem'), PARTNER.certificate);
  writeFileSync(join(folder, 'partner.key'), PARTNER.key);
  await keytool(
    '-genkeypair',
    '-alias',
    'server',
    '-keyalg',
    'RSA',
    '-keysize',
    '2048',
    '-dname',
    'CN=server',
    '-ext',
    'SAN=ip:127.0.0.1',
  );
  await keytool('-importcert', '-noprompt', '-alias', 'partner', '-file', join(folder, 'partner.pem'));
  writeFileSync(join(folder, 'server.pem'), await keytool('-exportcert', '-rfc', '-alias', 'server'));
  const files = [...ENDPOINTS].map(([name, attached]) => {
    const file = join(folder, `${name}.wsdl`);
    writeFileSync(file, contractOf(attached, `${isProtected(name) ? 'https' : 'http'}://127.0.0.1/${name}`));
    return file;
  });
  const source = fileURLToPath(new URL('Policies.java', import.meta.url));
  const args = [...JVM, '-cp', await classPath('Policies'), source, store, ...files];
  server = spawn('java', args, { env: cleanEnvironment({ no_proxy: '*' }) });
  addresses = await new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [server?.stdout, server?.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const [, ...found] = /listening at (\S+) and (\S+)/.exec(output) ?? [];
        if (found.length > 0) resolve(found);
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
  const contract = join(root, 'partner.wsdl');
  const address = addresses[isProtected(name) ? 1 : 0];
  writeFileSync(contract, contractOf(ENDPOINTS.get(name) as Attached, `${address}/${name}`));
  const { code, stdout, stderr } = await signalbox(['import', contract, '--as', 'consumer'], { cwd: root });
  if (code !== 0) throw new Error(stdout + stderr);
  expect(stdout).not.toContain("can't be met");
  const definitions = join(root, 'definitions');
  const trusting = (yaml: string): string => yaml.replace(/^node: .*$/m, `$&\nca-file: ${join(folder, 'server.pem')}`);
  for (const file of readdirSync(definitions, { recursive: true, encoding: 'utf8' }).filter((each) =>
    /\.yaml$/.test(each),
  ))
    writeFileSync(join(definitions, file), trusting(edit(readFileSync(join(definitions, file), 'utf8'))));
  writeFileSync(join(definitions, 'gateway.yaml'), 'gateway: LOCAL\n');
  const [own, key] = [join(folder, 'partner.pem'), join(folder, 'partner.key')];
  const env = {
    PARTNER_USER: 'demo',
    PARTNER_PASSWORD: 's3cret',
    PARTNER_CERTIFICATE_FILE: own,
    PARTNER_KEY_FILE: key,
    PARTNER_TLS_CERTIFICATE_FILE: own,
    PARTNER_TLS_KEY_FILE: key,
    PARTNER_REPLY_CERTIFICATE_FILE: join(folder, 'server.pem'),
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

test.skipIf(!hasMaven).each([...ENDPOINTS.keys()])(
  `CXF takes a call by its policy: %s (${needsMaven})`,
  async (name) => {
    expect(await called(name)).toEqual({ text: 'taken' });
  },
  60_000,
);

test.skipIf(!hasMaven)(
  `CXF refuses a wrong password, and signatures by other algorithms than it is set to; its replies need the right certificate (${needsMaven})`,
  async () => {
    await expect(called('text', { PARTNER_PASSWORD: 'wrong' })).rejects.toThrow(/security error/);
    await expect(called('usual', {}, sha256)).rejects.toThrow(/security error/);
    await expect(called('signed256', {}, (yaml) => yaml)).rejects.toThrow(/security error/);
    // What the policy of another endpoint demands of replies.
    const demanding = (yaml: string): string => yaml.replace(/algorithms: \[ rsa-sha1 \]/, '$&, confirmation: true');
    await expect(called('usual', {}, demanding)).rejects.toThrow(/it has no SignatureConfirmation/);
    const other = { PARTNER_REPLY_CERTIFICATE_FILE: join(folder, 'partner.pem') };
    await expect(called('signed256', other)).rejects.toThrow(/is not signed as reply-signature of the node asks/);
  },
  60_000,
);
