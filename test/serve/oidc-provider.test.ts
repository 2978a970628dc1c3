// A token by another's hand: of oidc-provider, for client credentials and a resource of its own.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { makeKey, tokenProject } from '../support/issuer.ts';

const RESOURCE = 'urn:signalbox';

it('takes an access token of a real provider (RFC 9068), by the key set that it publishes', async () => {
  const { default: Provider } = await import('oidc-provider');
  const { exportJWK } = await import('jose');
  const key = await makeKey('of the provider', 'RS256');
  let answer: RequestListener = (_, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    jwks: { keys: [{ ...(await exportJWK(key.privateKey)), kid: 'of the provider', alg: 'RS256', use: 'sig' }] },
    clients: [
      {
        client_id: 'partner',
        client_secret: 'a secret of some length',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: 'call read', audience: 'signalbox', accessTokenFormat: 'jwt' }),
      },
    },
  });
  answer = provider.callback();
  const files = tokenProject({ url, jwks: `${url}/jwks` }, '  user: client_id\n');
  const gateway = await startTestGateway({ files });
  onTestFinished(gateway.stop);
  const token = async (scope: string): Promise<string> => {
    const reply = await fetch(`${url}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('partner:a%20secret%20of%20some%20length').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: RESOURCE, scope }),
    });
    return ((await reply.json()) as { access_token: string }).access_token;
  };
  const call = async (scope: string) => {
    const headers = { authorization: `Bearer ${await token(scope)}` };
    return gateway.call('/gateway/RESTListeningConnector/Token.v1/who', { anonymous: true, headers });
  };
  const reply = await call('call read');
  expect([reply.status, reply.text]).toEqual([200, '{"ID":"tokens:partner"}']);
  expect((await call('read')).headers['www-authenticate']).toContain('error="insufficient_scope", scope="call"');
});
