import { describe, expect, it, test } from 'vitest';
import { ruleSample, rulesWithSample } from '../diff/samples.ts';
import { contractOf } from '../import/wsdl/policies.ts';
import { signalbox, temporaryFolder, writeFiles } from './support.ts';

interface Found {
  readonly rule: string;
  readonly at: string;
  readonly verdict: string;
  readonly message: string;
}

/** Compares two contracts. */
async function changesOf(before: string, after: string): Promise<readonly Found[]> {
  const cwd = await temporaryFolder();
  const ending = before.startsWith('<') ? 'wsdl' : 'yaml';
  const [a, b] = [`a.${ending}`, `b.${ending}`];
  await writeFiles(cwd, { [a]: before, [b]: after });
  const { stdout, stderr, code } = await signalbox(['diff', a, b, '--json'], { cwd });
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return (JSON.parse(stdout) as { changes: Found[] }).changes;
}

describe('what contracts state and definitions do not', () => {
  it.concurrent.each(rulesWithSample('contract'))('is reported: %s', async (id) => {
    const { before, after } = ruleSample(id);
    expect((await changesOf(before, after)).map(({ rule }) => rule)).toContain(id);
    expect(await changesOf(after, after)).toEqual([]);
  });
});

const pets = (more: string, servers = 'https://api.example.org/v1'): string =>
  `openapi: 3.0.3
info: { title: Pets, version: "1" }
servers: [{ url: "${servers}" }]
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
    login: { type: http, scheme: basic }
  schemas:
    Pet: { type: object, properties: { name: { type: string } } }
    Animal: { type: object, properties: { name: { type: string } } }
paths:
  /pets:
    get:
      operationId: listPets
${more.replace(/^(?=.)/gm, '      ')}
`;
const reply = (schema: string, security = ''): string =>
  `${security}responses:\n  "200":\n    description: All.\n    content: { application/json: { schema: { $ref: "#/components/schemas/${schema}" } } }`;

const lines = (changes: readonly Found[]): string[] =>
  changes.map(({ verdict, rule, message }) => `${verdict} ${rule}: ${message}`);

test('the address and ways to authenticate are compared as contracts state them', async () => {
  expect(lines(await changesOf(pets(reply('Pet')), pets(reply('Pet'), 'https://api.example.org/v2')))).toEqual([
    'may-break address-changed: The address in contracts is https://api.example.org/v2, no longer https://api.example.org/v1.',
  ]);
  const keyed = pets(reply('Pet', 'security: [{ key: [] }]\n'));
  expect(lines(await changesOf(pets(reply('Pet')), keyed))).toEqual([
    'breaking public-ended: Callers need credentials and a permission.',
  ]);
  expect(lines(await changesOf(keyed, pets(reply('Pet', 'security: [{ login: [] }]\n'))))).toEqual([
    'breaking scheme-removed: Credentials of the scheme api-key (header X-Key) are no longer accepted.',
    'compatible scheme-added: Credentials of the scheme basic are accepted too.',
  ]);
});

test('what policies ask of a token or a signature is compared', async () => {
  const user = (inside: string): string =>
    contractOf(
      {
        binding: `<wsp:Policy><sp:SupportingTokens><wsp:Policy><sp:UsernameToken><wsp:Policy>${inside}</wsp:Policy></sp:UsernameToken></wsp:Policy></sp:SupportingTokens></wsp:Policy>`,
      },
      'https://partner.example.org/',
    );
  expect(lines(await changesOf(user(''), user('<sp:HashPassword/>')))).toEqual([
    'breaking scheme-removed: Credentials of the scheme username-token are no longer accepted.',
    'compatible scheme-added: Credentials of the scheme username-token (password digest) are accepted too.',
  ]);
});

test('versions of a contract are compared whatever their service is called', async () => {
  const renamed = pets(reply('Pet')).replace('title: Pets', 'title: Pets of version 2');
  expect(lines(await changesOf(pets(reply('Pet')), renamed))).toEqual([
    'may-break service-renamed: The service is called Pets_of_version_2.v1, no longer Pets.v1.',
  ]);
});

test('XML does not count where a contract has none', async () => {
  expect(lines(await changesOf(pets(reply('Pet')), pets(reply('Animal'))))).toEqual([
    'may-break document-renamed: The document of the reply is called Animal, no longer Pet.',
  ]);
});
