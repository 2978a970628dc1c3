import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalXml } from '../../src/wire/xml/canonical.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { PARTNER } from '../attacks/support/signers.ts';
import { ENV, PROJECT, SECRET } from '../attacks/support/wss.ts';
import { cleanEnvironment, finish } from '../cli/support.ts';
import { SERVICES } from '../serve/soap-client.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { hasXmllint } from '../support/xmllint.ts';
import { php, python } from './soap-support.ts';

let gateway: TestGateway;
let given: string;
beforeAll(async () => {
  gateway = await startTestGateway({ files: PROJECT, env: ENV });
  const key = join(gateway.folder, 'partner.key');
  const certificate = join(gateway.folder, 'partner.pem');
  writeFileSync(key, PARTNER.key);
  writeFileSync(certificate, PARTNER.certificate);
  const wsdl = `${gateway.gateway.address}${SERVICES}/Safe.v1?wsdl`;
  given = JSON.stringify({ wsdl, key, certificate, secret: SECRET });
});
afterAll(() => gateway.stop());

const script = (name: string): string => fileURLToPath(new URL(`clients/${name}`, import.meta.url));
const clients = [
  {
    name: "Python's zeep with xmlsec",
    needs: 'python3 with zeep and xmlsec',
    isHere: spawnSync(python, ['-c', 'import zeep, xmlsec']).status === 0,
    command: [python, script('wss.py')],
  },
  {
    name: 'the package soap',
    needs: 'only npm ci',
    isHere: true,
    command: [process.execPath, '--no-deprecation', script('wss.ts')],
  },
  { ...php, command: [...php.command.slice(0, -1), script('wss.php')] },
] as const;

const REFUSED = 'Credentials are missing or wrong.';
/** What each call that a client can make comes to. */
const EXPECTED: Readonly<Record<string, string>> = {
  text: 'demo Grüße & <b>',
  'wrong text': REFUSED,
  digest: 'demo Grüße & <b>',
  'wrong digest': REFUSED,
  once: 'demo Grüße & <b>',
  again: REFUSED,
  signature: 'partner Grüße & <b>',
  'signature with a token': 'partner Grüße & <b>',
  'signature with SHA-512': 'partner Grüße & <b>',
  'signature with SHA-1': REFUSED,
};

test.for(clients)('$name shows who it is inside its messages (needs $needs)', async ({ isHere, command }, { skip }) => {
  skip(!isHere);
  const [program, ...args] = command as readonly string[] as [string, ...string[]];
  const child = spawn(program, args, { env: cleanEnvironment({ no_proxy: '*' }) });
  child.stdin.end(given);
  const { code, stdout, stderr } = await finish(child);
  expect([code, stderr]).toEqual([0, '']);
  const answers = JSON.parse(stdout) as Record<string, string>;
  expect(Object.keys(answers).length).toBeGreaterThanOrEqual(4);
  for (const [name, answer] of Object.entries(answers)) expect([name, answer]).toEqual([name, EXPECTED[name]]);
});

describe.skipIf(!hasXmllint)('the canonical form is that of libxml2 (needs xmllint)', () => {
  test.each([
    '<a/>',
    '<a xmlns="urn:a"><b xmlns=""><c xmlns="urn:a"/></b><d xmlns="urn:a"/></a>',
    '<p:a xmlns:p="urn:p" xmlns:q="urn:q" xmlns="urn:d"><q:b/><b/><p:c q:x="1" x="2" p:a="3"/><q:d><q:e/></q:d></p:a>',
    '<p:a xmlns:p="urn:1"><p:b xmlns:p="urn:2"><p:c xmlns:p="urn:1"/><p:c/></p:b><p:d/></p:a>',
    '<a xmlns:z="urn:a" xmlns:y="urn:z" z:b="1" y:a="2" b="3" a="4" xml:lang="en"/>',
    '<a x="&amp;&lt;&gt;&quot;\'&#9;&#10;&#13; \t\n">&amp;&lt;&gt;"\'&#9;&#13;\r\n\t<![CDATA[<&]]>]]&gt;</a>',
    '<a é="ü" b="日本">🚂<é xmlns:ü="urn:u" ü:x=""/></a>',
    '<?xml version="1.0"?>\n<a  b = "1"\n c=\'2\' >\n <b  ></b >\n</a >\n',
    '<a xml:space="preserve"><b xmlns:xml="http://www.w3.org/XML/1998/namespace" xml:id="x"/></a>',
  ])('%s', (text) => {
    const { stdout } = spawnSync('xmllint', ['--exc-c14n', '-'], { input: text, encoding: 'utf8' });
    expect(canonicalXml(readXml(text))).toBe(stdout);
  });
});
