import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK } from 'jose';
import { makeKey } from './issuer.ts';

/** The console as a client of the provider. */
export interface ProviderClient {
  readonly id: string;
  readonly secret: string;
  readonly redirectUri: string;
}

/** A real OpenID provider, at which everyone is signed in as the account that they ask for. */
export interface OpenIdProvider {
  readonly url: string;
  readonly jwks: string;
  /** Signs in as an account in a new browser. @returns the URL to which the provider sends that browser back */
  signIn(location: string, account: string): Promise<URL>;
  close(): Promise<void>;
}

/** @param groups of an account, which its ID tokens have in the claim `groups` */
export async function startOpenIdProvider(
  clients: readonly ProviderClient[],
  groups: (account: string) => readonly string[],
): Promise<OpenIdProvider> {
  const { default: Provider } = await import('oidc-provider');
  const key = await makeKey('of the provider', 'RS256');
  let answer: RequestListener = (_, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    jwks: { keys: [{ ...(await exportJWK(key.privateKey)), kid: 'of the provider', alg: 'RS256', use: 'sig' }] },
    clients: clients.map(({ id, secret, redirectUri }) => ({
      client_id: id,
      client_secret: secret,
      redirect_uris: [redirectUri],
      response_types: ['code'],
      grant_types: ['authorization_code'],
    })),
    features: { devInteractions: { enabled: false } },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    conformIdTokenClaims: false,
    claims: { openid: ['sub', 'groups'] },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, groups: groups(accountId) }) }),
    interactions: { url: (_, { uid }) => `/account/${uid}` },
    // Nobody is asked for consent.
    async loadExistingGrant({ oidc }) {
      const clientId = oidc.client?.clientId as string;
      const grant = new provider.Grant({ clientId, accountId: oidc.session?.accountId as string });
      grant.addOIDCScope('openid profile');
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();
  answer = (request, response) => {
    if (!request.url?.startsWith('/account/')) return void callback(request, response);
    const account = request.headers['x-account'] as string;
    provider.interactionFinished(request, response, { login: { accountId: account } }).catch(() => response.destroy());
  };
  return {
    url,
    jwks: `${url}/jwks`,
    async signIn(location, account) {
      const cookies = new Map<string, string>();
      for (let next = new URL(location); ; ) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const reply = await fetch(next, { redirect: 'manual', headers: { cookie, 'x-account': account } });
        for (const each of reply.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
          cookies.set(name, value);
        }
        const to = reply.headers.get('location');
        if (to === null) throw new Error(`${next.href}: ${reply.status} ${await reply.text()}`);
        next = new URL(to, next);
        if (next.origin !== url) return next;
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
