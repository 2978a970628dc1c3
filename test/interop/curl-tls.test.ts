import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AUTHORITY, IMPOSTOR, PARTNER, PARTNER_SUBJECT, SERVER } from '../support/certificates.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText, type TestProject, writeProject } from '../support/project.ts';
import { has, run } from './support.ts';

const WHO = '/gateway/RESTListeningConnector/Certified.v1/who';
const FILES = {
  'definitions/gateway.yaml': gatewayText(
    'tls: { certificate: tls/server.pem, key: tls/server.key, client-ca: tls/ca.pem }\nrequires: [certificates, basic]',
  ),
  'definitions/certified.yaml': `scheme: certificates
client-certificate: {}
---
user: partner
certificates: [${JSON.stringify(PARTNER_SUBJECT)}]
roles: [ALL]
---
service: Certified.v1
permission: EVERYTHING
operations:
  WHO: { get: who, request: { fields: {} }, response: { fields: { ID: string } } }
`,
  'src/handlers/who.ts': `export default { onRequest: (input, context) => ({ ID: context.user?.id ?? '' }) };`,
  'tls/server.pem': SERVER.certificate,
  'tls/server.key': SERVER.key,
  'tls/ca.pem': AUTHORITY,
  'tls/partner.pem': PARTNER.certificate,
  'tls/partner.key': PARTNER.key,
  'tls/impostor.pem': IMPOSTOR.certificate,
  'tls/impostor.key': IMPOSTOR.key,
};

describe.skipIf(!has('curl'))('curl over TLS (needs curl)', () => {
  let project: TestProject;
  let gateway: TestGateway;
  beforeAll(async () => {
    project = writeProject(FILES);
    gateway = await startTestGateway({ root: project.root });
  });
  afterAll(async () => {
    await gateway?.stop();
    project?.remove();
  });

  /** Exit code, and status and body of the reply. */
  async function curl(...args: string[]): Promise<unknown[]> {
    const url = `https://localhost:${gateway.port}${WHO}`;
    const common = [
      '-sS',
      '-m',
      '20',
      '-w',
      '\n%{http_version} %{http_code}',
      '--resolve',
      `localhost:${gateway.port}:127.0.0.1`,
    ];
    const { code, stdout } = await run('curl', [...common, ...args, url]);
    const end = stdout.lastIndexOf('\n');
    const [version, status] = stdout.slice(end + 1).split(' ');
    return [code, version, Number(status), stdout.slice(0, end).trim()];
  }
  const ca = (): string[] => ['--cacert', `${project.root}/tls/ca.pem`];
  const identity = (name: string): string[] => [
    ...['--cert', `${project.root}/tls/${name}.pem`],
    ...['--key', `${project.root}/tls/${name}.key`],
  ];

  test('calls with its own certificate, or with a password', async () => {
    expect(await curl(...ca(), ...identity('partner'))).toEqual([0, '1.1', 200, '{"ID":"partner"}']);
    expect(await curl(...ca(), '--tls-max', '1.2', ...identity('partner'))).toEqual([
      0,
      '1.1',
      200,
      '{"ID":"partner"}',
    ]);
    expect(await curl(...ca(), '--http2', '-u', 'demo:demo')).toEqual([0, '1.1', 200, '{"ID":"demo"}']);
  });

  test('is refused with the certificate of nobody alone, which counts as none beside a password', async () => {
    expect((await curl(...ca(), ...identity('impostor'))).slice(0, 3)).toEqual([0, '1.1', 401]);
    expect((await curl(...ca(), ...identity('impostor'), '-u', 'demo:wrong')).slice(0, 3)).toEqual([0, '1.1', 401]);
    expect(await curl(...ca(), ...identity('impostor'), '-u', 'demo:demo')).toEqual([0, '1.1', 200, '{"ID":"demo"}']);
  });

  test('knows the gateway by its authority, and by nothing else', async () => {
    const [code] = await curl('-u', 'demo:demo');
    // 60: the certificate of the server can not be verified.
    expect(code).toBe(60);
  });
});
