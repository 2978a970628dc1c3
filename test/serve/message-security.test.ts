import { expect, it } from 'vitest';
import { ELLIPTIC } from '../attacks/support/signers.ts';
import { call, ENV, message, PROJECT, post, security, signedCall, textToken } from '../attacks/support/wss.ts';
import { startTestGateway } from '../support/gateway.ts';

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
