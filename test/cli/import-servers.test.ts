import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from '../import/support.ts';
import { signalbox, temporaryFolder } from './support.ts';

/** A server that notes what it is asked. */
async function noting(): Promise<{ readonly address: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    asked.push(`${method} ${url} ${headers.authorization}`);
    response.writeHead(204).end();
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test('an operation with servers of its own is called there, with the credential of the others', async () => {
  const [usual, upload] = await Promise.all([noting(), noting()]);
  const contract = `openapi: 3.0.3
info: { title: Parts, version: '1' }
servers: [{ url: '${usual.address}/api' }]
security: [{ token: [] }]
components: { securitySchemes: { token: { type: http, scheme: bearer } } }
paths:
  /parts: { servers: [{ url: '${usual.address}/api' }], get: { operationId: listParts, responses: { '204': { description: ok } } } }
  /files:
    servers: [{ url: '${upload.address}/content' }]
    get: { operationId: listFiles, responses: { '204': { description: ok } } }
    delete: { operationId: dropFiles, servers: [{ url: /v2 }], responses: { '204': { description: ok } } }
`;
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'depot.yaml'), contract);
  const { code, stdout } = await signalbox(['import', 'depot.yaml'], { cwd });
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(/the servers of the operation "listFiles".*called as the node DEPOT_\w+, with the credential/);
  expect(stdout).not.toContain('listParts');
  const env = { DEPOT_TOKEN: 's3cret' };
  for (const operation of ['listParts', 'listFiles', 'dropFiles']) {
    const invoked = await signalbox(['invoke', operation], { cwd, env });
    expect(invoked.code, invoked.stderr).toBe(0);
  }
  expect(usual.asked).toEqual(['GET /api/parts Bearer s3cret', 'DELETE /v2/files Bearer s3cret']);
  expect(upload.asked).toEqual(['GET /content/files Bearer s3cret']);
  expect((await readFile(join(cwd, 'definitions/depot/setup.yaml'), 'utf8')).match(/^node: .*/gm)).toHaveLength(3);
});

const get = (id: string, servers = '') =>
  `{ get: { operationId: ${id}, ${servers} responses: { '204': { description: ok } } } }`;
const at = (url: string) => `servers: [{ url: '${url}' }],`;

test('nodes are named after what their addresses have that the others have not', async () => {
  const { declared, losses } = await declaredOf({
    'box.yaml': `openapi: 3.0.3
info: { title: Box, version: '1' }
servers: [{ url: 'https://api.box.com/2.0' }]
paths:
  /a: ${get('a')}
  /b: ${get('b', at('https://upload.box.com/api/2.0'))}
  /c: ${get('c', at('https://upload.box.com/api/2.0/'))}
  /d: ${get('d', at('https://api.box.com/3.0'))}
  /e: ${get('e', at('https://status.example.org'))}
`,
  });
  expect(errorsOf(declared)).toEqual([]);
  const nodes = declared.flatMap(({ kind, id, keys }) => (kind === 'node' ? [`${id} ${keys.base}`] : []));
  expect(nodes).toEqual([
    `PARTNER \${env:PARTNER_URL:-https://api.box.com/2.0}`,
    `PARTNER_UPLOAD \${env:PARTNER_UPLOAD_URL:-https://upload.box.com/api/2.0}`,
    `PARTNER_3_0 \${env:PARTNER_3_0_URL:-https://api.box.com/3.0}`,
    `PARTNER_STATUS_EXAMPLE \${env:PARTNER_STATUS_EXAMPLE_URL:-https://status.example.org}`,
  ]);
  expect(
    losses.filter(({ what }) => what.includes('servers')).map(({ what, instead }) => `${what}: ${instead}`),
  ).toEqual([
    'the servers of 2 operations ("b" …): https://upload.box.com/api/2.0: called as the node PARTNER_UPLOAD, with the credential of PARTNER',
    'the servers of the operation "d": https://api.box.com/3.0: called as the node PARTNER_3_0, with the credential of PARTNER',
    'the servers of the operation "e": https://status.example.org: called as the node PARTNER_STATUS_EXAMPLE, with the credential of PARTNER',
  ]);
});

test.each([
  ['https://evil.example.org/collect', true],
  ['http://api.box.com/2.0', true],
  ['https://api.box.com:8443', true],
  ['https://api.box.com/3.0', false],
])('a credential that an operation sends to %s is listed as no mere note if that is another origin', async (url, isTold) => {
  const { losses } = await declaredOf({
    'box.yaml': `openapi: 3.0.3
info: { title: Box, version: '1' }
servers: [{ url: 'https://api.box.com/2.0' }]
security: [{ token: [] }]
components: { securitySchemes: { token: { type: http, scheme: bearer } } }
paths:
  /a: ${get('a')}
  /b: ${get('b', at(url))}
`,
  });
  const told = losses.filter(({ what }) => what === `the servers of the operation "b": ${url}`);
  expect(told.map(({ kind }) => kind)).toEqual([isTold ? 'value' : 'note']);
  if (!isTold) return;
  expect(told[0]?.instead).toContain(`with the credential of PARTNER, which is sent to ${new URL(url).origin}`);
  expect(told[0]?.hint).toMatch(/^If that is not a host of the same partner, give the node PARTNER_\w+ a credential/);
});

test('a contract whose operations alone have servers is called at the one that most of them have', async () => {
  const { declared } = await declaredOf({
    'twilio.yaml': `openapi: 3.0.3
info: { title: Twilio, version: '1' }
paths:
  /a: ${get('a', at('https://api.twilio.com'))}
  /b: ${get('b', at('https://verify.twilio.com'))}
  /c: ${get('c', at('https://verify.twilio.com'))}
`,
  });
  expect(errorsOf(declared)).toEqual([]);
  const { setup = '', service = '' } = yamlOf(declared);
  expect(setup).toContain('node: PARTNER\nbase: ${env:PARTNER_URL:-https://verify.twilio.com}');
  expect(service.match(/target: \w+/g)).toEqual(['target: PARTNER', 'target: PARTNER_API']);
});
