import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { ELLIPTIC, PARTNER } from '../attacks/support/signers.ts';
import {
  at,
  call,
  ENV,
  message,
  PROJECT,
  post,
  security,
  signedCall,
  textToken,
  timestamp,
} from '../attacks/support/wss.ts';
import { NAMESAKE as STRANGER } from '../support/certificates.ts';
import { startTestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';

it.each<[string, Readonly<Record<string, string>>, Record<string, string>, RegExp]>([
  ['a shared secret that is not set', {}, {}, /DEMO_SECRET is not set/],
  ['authorities without a certificate', { 'ca.pem': 'nothing' }, ENV, /ca of the scheme SIGNED holds no certificate/],
  [
    'an authority that is none',
    { 'ca.pem': ELLIPTIC.certificate },
    ENV,
    /SIGNED holds a certificate that may issue no/,
  ],
])('a gateway does not start with %s', async (_, files, env, told) => {
  await expect(startTestGateway({ files: { ...PROJECT, ...files }, env })).rejects.toThrow(told);
});

it('a file of authorities that is not there is named', async () => {
  const { 'ca.pem': _, ...files } = PROJECT;
  await expect(startTestGateway({ files, env: ENV })).rejects.toThrow(/ca\.pem/);
});

it('who sends a message is shown by the message itself, and stands in the log with the scheme', async () => {
  const gateway = await startTestGateway({ files: PROJECT, env: ENV });
  try {
    expect((await post(gateway, signedCall())).text).toContain('<S>partner hello</S>');
    expect((await post(gateway, message(security(textToken()), call('TOKEN')))).text).toContain('<S>demo hello</S>');
    const audited = gateway.log().filter(({ decision }) => decision === 'allowed');
    expect(audited.map(({ user, scheme }) => [user, scheme])).toEqual([
      ['partner', 'SIGNED'],
      ['demo', 'TOKEN'],
    ]);
  } finally {
    await gateway.stop();
  }
});

it('a message that nobody can tell from a replay is no fault of its sender', async () => {
  const gateway = await startTestGateway({ files: PROJECT, env: ENV });
  const store = await openStore({ url: 'sqlite:test.db', root: gateway.folder });
  try {
    const { schema } = await store.tables();
    await schema.alterTable('signalbox_nonce').renameTo('away').execute();
    const signed = signedCall();
    const { status, headers } = await post(gateway, signed);
    expect([status, headers['retry-after']]).toEqual([503, '5']);
    await schema.alterTable('away').renameTo('signalbox_nonce').execute();
    expect((await post(gateway, signed)).text).toContain('<S>partner hello</S>');
  } finally {
    await store.close();
    await gateway.stop();
  }
});

it('a 401 has a challenge where messages alone show who calls, the same for every cause', async () => {
  const gateway = await startTestGateway({ files: PROJECT, env: ENV });
  try {
    const challenge = async (body: string): Promise<unknown> => {
      const { status, headers } = await post(gateway, body);
      return [status, headers['www-authenticate']];
    };
    const asked = [401, 'WSSE realm="signalbox", profile="UsernameToken"'];
    expect(await challenge(message('', call('TOKEN')))).toEqual(asked);
    expect(await challenge(message(security(textToken('demo', 'wrong')), call('TOKEN')))).toEqual(asked);
    expect(await challenge(message('', call('SIGNED')))).toEqual([401, 'WSSE realm="signalbox", profile="X509Token"']);
  } finally {
    await gateway.stop();
  }
});

it('passwords beside a good message are counted where they are no good', async () => {
  const files = {
    ...PROJECT,
    'definitions/gateway.yaml': gatewayText('limits: { rate: 2 per 1 m }'),
    'definitions/service.yaml': (PROJECT['definitions/service.yaml'] as string).replace(/ {2}OPEN: .*\n/, ''),
  };
  const gateway = await startTestGateway({ files, env: ENV });
  try {
    const guess = { authorization: `Basic ${Buffer.from('partner:guess').toString('base64')}` };
    const statuses: number[] = [];
    for (let count = 0; count < 3; count += 1)
      statuses.push((await post(gateway, message(security(textToken()), call('TOKEN')), guess)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect(gateway.log().findLast((line) => line.status === 429)).toMatchObject({
      reason: expect.stringMatching(/^user without a password|unknown or disabled user/),
    });
  } finally {
    await gateway.stop();
  }
});

it('a certificate of the connection that is nobody counts as not shown beside a token of the message', async () => {
  const files = {
    ...PROJECT,
    'definitions/gateway.yaml': gatewayText('proxies: [127.0.0.1]'),
    'definitions/both.yaml': `scheme: CERTIFICATE
client-certificate: { header: Client-Cert }
---
service: Both.v1
namespace: urn:test:Safe.v1
permission: EVERYTHING
operations:
  BOTH: { soap: true, requires: [CERTIFICATE, TOKEN], request: SAID, response: SAID, handler: echo }
`,
  };
  const gateway = await startTestGateway({ files, env: ENV });
  try {
    const said = async ({ certificate }: { certificate: string }, body: string): Promise<unknown> => {
      const field = `:${new X509Certificate(certificate).raw.toString('base64')}:`;
      const headers = { 'client-cert': field, 'x-forwarded-proto': 'https' };
      const { status, text } = await post(gateway, body, headers);
      return status === 200 ? /<S>(\w+) /.exec(text)?.[1] : status;
    };
    const token = message(security(textToken()), call('BOTH'));
    expect(await said(STRANGER, token)).toBe('demo');
    expect(await said(PARTNER, token)).toBe('partner');
    expect(await said(STRANGER, message('', call('BOTH')))).toBe(401);
    expect(await said(STRANGER, message(security(textToken('demo', 'wrong')), call('BOTH')))).toBe(401);
  } finally {
    await gateway.stop();
  }
});

it.each([
  'OPEN',
  'EITHER',
])('an expired Timestamp is refused for %s, whatever else shows who calls', async (operation) => {
  const gateway = await startTestGateway({ files: PROJECT, env: ENV });
  const basic = { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` };
  const sent = (inside: string) => post(gateway, message(security(inside), call(operation)), basic);
  try {
    expect((await sent(timestamp())).text).toContain('hello</S>');
    const { status, text } = await sent(timestamp(at(-120_000), at(-60_000)));
    expect([status, text]).toEqual([500, expect.stringMatching(/soap:Client.*has a Timestamp that expired at/)]);
    expect((await sent(timestamp(at(), 'soon'))).text).toContain('is not a time with a zone');
    expect(gateway.log().filter(({ said }) => said === 'hello')).toHaveLength(1);
  } finally {
    await gateway.stop();
  }
});
