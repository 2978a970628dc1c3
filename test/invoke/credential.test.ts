import { describe, expect, it } from 'vitest';
import type { NodeCredential } from '../../src/model/node.ts';
import { outgoing, sender, text } from './sending.ts';
import { node, target, thrown } from './support.ts';

const env = { SECRET: 'hush' };
const basic: NodeCredential = { kind: 'basic', user: text('demo'), password: text('${secret:SECRET}') };
const bearer: NodeCredential = { kind: 'bearer', token: text('${secret:SECRET}') };
const apiKey: NodeCredential = { kind: 'api-key', header: 'X-Caller', value: text('${secret:SECRET}') };

describe('the credential of a node', () => {
  it.each([
    ['basic', basic, 'authorization', `Basic ${Buffer.from('demo:hush').toString('base64')}`],
    ['bearer', bearer, 'authorization', 'Bearer hush'],
    ['api-key', apiKey, 'x-caller', 'hush'],
  ])('%s', async (_, credential, header, value) => {
    const { url, seen } = await target({});
    await sender(node('PARTNER', [url], { credential }), { env }).send(outgoing());
    expect(seen[0]!.headers[header]).toBe(value);
  });

  it.each([
    [basic, { Authorization: 'Basic ***' }],
    [bearer, { Authorization: 'Bearer ***' }],
    [apiKey, { 'X-Caller': '***' }],
  ])('is masked in a request that is only described', (credential, headers) => {
    const described = sender(node('PARTNER', ['http://a.example'], { credential }), { env }).describe(outgoing());
    expect(described.headers).toEqual({ ...headers, 'Accept-Encoding': 'gzip, deflate, br' });
    expect(JSON.stringify(described)).not.toContain('hush');
  });

  it('gives way to that of the call, whose configuration then need not be there', async () => {
    const { url, seen } = await target({});
    const made = sender(node('PARTNER', [url], { credential: bearer }));
    await made.send(outgoing('GET', { headers: { authorization: 'mine' } }), {
      credential: { user: 'a', password: 'b' },
    });
    expect(seen[0]!.headers.authorization).toBe('Basic YTpi');
  });

  it('gives way to what the operation says in that header itself', async () => {
    const { url, seen } = await target({});
    const made = sender(node('PARTNER', [url], { credential: bearer }), { env });
    const request = outgoing('GET', { headers: { authorization: 'Bearer mine' } });
    await made.send(request);
    expect(seen[0]!.headers.authorization).toBe('Bearer mine');
    expect(made.describe(request).headers).not.toHaveProperty('Authorization');
  });

  it.each([
    ['hush\n', 'a character that is not valid in a header'],
    ['hush\u20ac', 'a character that is not valid in a header'],
  ])('can not be what no header holds: %j', async (secret, words) => {
    const { url, seen } = await target({});
    const made = sender(node('PARTNER', [url], { credential: bearer }), { env: { SECRET: secret } });
    const error = await thrown(made.send(outgoing()));
    expect(error).toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining(`the token of node PARTNER contains ${words}`),
    });
    expect((error as Error).message).not.toContain('hush');
    expect(seen).toEqual([]);
  });

  it('names all of its configuration that is missing at once', async () => {
    const credential: NodeCredential = {
      kind: 'client-credentials',
      tokenUrl: text('${env:TOKEN_URL}'),
      clientId: text('${env:CLIENT_ID}'),
      clientSecret: text('${secret:CLIENT_SECRET}'),
      scope: text('${env:SCOPE}'),
      parameters: new Map([['audience', text('${env:AUDIENCE}')]]),
      authentication: 'basic',
    };
    const made = sender(
      node('PARTNER', ['${env:URL}'], {
        credential,
        caFile: text('${env:CA_FILE}'),
        certificate: { file: text('${env:CERT}'), keyFile: text('${env:KEY}'), passphrase: text('${secret:PASS}') },
        resolve: new Map([['a.example', text('${env:ADDRESS}')]]),
      }),
    );
    expect(await thrown(made.send(outgoing()))).toMatchObject({
      code: 'CONFIGURATION',
      missing: [
        'URL',
        'TOKEN_URL',
        'CLIENT_ID',
        'CLIENT_SECRET',
        'SCOPE',
        'AUDIENCE',
        'CA_FILE',
        'CERT',
        'KEY',
        'PASS',
        'ADDRESS',
      ],
    });
  });
});
