import { expect, it } from 'vitest';
import { openClient, type TypedClient } from '../../src/client/client.ts';
import { standInVariable } from '../../src/invoke/stand-in.ts';
import type { PartnerCall } from '../../src/mock/answers.ts';
import { startPartners } from '../../src/mock/partners.ts';
import type { AnyCalls, AnyFlows } from '../../src/model/typed.ts';
import { atFileEnd } from '../support/file-end.ts';
import { registryIn } from './project.ts';

const { root, registry } = registryIn({
  'definitions/partners.yaml': `node: SIGNED
base: https://signed.example.org
credential: { hmac: { secrets: "\${secret:SHARED}", secret-encoding: hex, header: X-Signature, form: "v1={hex}", timestamp: X-Time, signed: "{timestamp}.{body}" } }
---
service: Signed.v1
target: SIGNED
permission: EVERYTHING
operations:
  NOTE: { post: note, request: { fields: { TEXT: string } }, response: { fields: { N: integer } } }
`,
});
const asked: PartnerCall[] = [];
const partners = await startPartners({
  ...{ registry, nodes: [...registry.nodes.values()], port: 0, log: { level: 'silent' } },
  answer(call) {
    asked.push(call);
    return undefined;
  },
  refused() {},
});
const SHARED = '00112233';
const env = { [standInVariable('SIGNED')]: partners.addressOf('SIGNED'), SHARED };
const client: TypedClient<AnyCalls, AnyFlows> = await openClient({ folder: root, env });
atFileEnd(() => Promise.all([client.close(), partners.close()]));

it('a stand-in gets requests that are signed, with no secret of the project, and refuses others', async () => {
  await client.call('NOTE', { TEXT: 'a' } as never);
  expect(asked[0]?.headers).toMatchObject({
    'x-signature': expect.stringMatching(/^v1=[0-9a-f]{64}$/),
    'x-time': expect.stringMatching(/^\d{10}$/),
  });
  const post = async (headers: Record<string, string>): Promise<number> => {
    const init = { method: 'POST', body: '{"TEXT":"a"}', headers: { 'Content-Type': 'application/json', ...headers } };
    return (await fetch(`${partners.addressOf('SIGNED')}/note`, init)).status;
  };
  expect(await post({})).toBe(401);
  expect(await post({ 'X-Signature': 'v1=00' })).toBe(401);
  expect(await post({ 'X-Signature': 'v1=00', 'X-Time': '1' })).toBe(200);
});
