import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type * as OAuth from 'oauth4webapi';
import { Fault } from '../../model/fault.ts';
import type { Console, OpenIdSignIn } from '../../model/gateway.ts';
import { Refused, type User } from '../../model/security.ts';
import type { Store } from '../../store/index.ts';
import { messageOf } from '../../wire/error.ts';
import { isLoopbackName } from '../../wire/network-address.ts';
import { type Clock, once, SYSTEM_CLOCK } from '../../wire/waiting.ts';
import { reading } from '../database.ts';
import type { Directory } from '../directory/directory-port.ts';
import { bounded } from '../jwks.ts';
import { addressKey } from '../rate-limit.ts';
import { type BearerPlace, compileIdToken } from '../scheme/bearer.ts';
import { returnPath } from './browser.ts';
import { timeText } from './session-rows.ts';

// Sign-in with an OpenID provider: the authorization code flow (OpenID Connect Core 1.0, section 3.1) with PKCE (RFC 7636).

export interface OpenIdOptions extends Pick<BearerPlace, 'resolve' | 'lookAt'> {
  readonly console: Pick<Console, 'signIn'>;
  readonly directory: Directory;
  /** Its schema is current. */
  readonly store: Store;
  readonly clock?: Clock;
}

/** A sign-in that a browser begins. */
export interface SignInRequest {
  /** The id of the scheme of an offered provider. */
  readonly scheme: string;
  /** Where the browser goes in the end: a path of the console, and otherwise its first page. */
  readonly returnTo: string | undefined;
  /** The URL to which the provider sends the browser back, the same for every sign-in. */
  readonly redirectUri: string;
  /** The address of the browser. */
  readonly address: string;
}

export interface OpenId {
  /**
   * Begins a sign-in, which any gateway of the fleet may finish within ten minutes.
   * @returns where to send the browser, and the value of its state cookie
   * @throws Fault NOT_FOUND for a scheme that is not offered; UNAVAILABLE
   */
  begin(request: SignInRequest): Promise<{ readonly location: string; readonly cookieValue: string }>;
  /**
   * Finishes a sign-in, once.
   * @param parameters of the URL to which the provider sent the browser
   * @param cookieValue of the browser's state cookie
   * @throws Fault UNAUTHENTICATED with a reason for the log; UNAVAILABLE
   */
  finish(parameters: URLSearchParams, cookieValue: string | undefined): Promise<SignedIn>;
}

interface SignedIn {
  readonly user: User;
  /** The id of the scheme. */
  readonly scheme: string;
  readonly returnTo: string;
}

/** Milliseconds that people have to sign in at the provider. */
const PENDING_FOR = 600_000;
/** Sign-ins of one address that wait; the oldest are dropped first. */
const MOST_PENDING = 200;
/** Milliseconds between two sweeps. */
const SWEEP_EVERY = 60_000;
/** 32 bytes in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/;

export function openOpenId(options: OpenIdOptions): OpenId {
  const { store, clock = SYSTEM_CLOCK } = options;
  const providers = new Map(
    options.console.signIn.flatMap((each) =>
      each.kind === 'openid' ? [[each.scheme.id, once(() => new Provider(each, { ...options, clock }))] as const] : [],
    ),
  );
  let sweptAt = Number.NEGATIVE_INFINITY;

  async function enter(hash: string, { scheme, returnTo, redirectUri, address }: SignInRequest): Promise<void> {
    const now = clock.now();
    const key = addressKey(address);
    const db = await store.tables();
    if (now - sweptAt >= SWEEP_EVERY) {
      sweptAt = now;
      await db.deleteFrom('signalbox_sign_in').where('until', '<', timeText(now)).execute();
    }
    const newest = db
      .selectFrom('signalbox_sign_in')
      .select('hash')
      .where('address', '=', key)
      .orderBy('until', 'desc');
    const old = await newest
      .orderBy('hash')
      .offset(MOST_PENDING - 1)
      .limit(MOST_PENDING)
      .execute();
    if (old.length > 0)
      await db
        .deleteFrom('signalbox_sign_in')
        .where(
          'hash',
          'in',
          old.map((row) => row.hash),
        )
        .execute();
    const row = { hash, scheme, return_to: returnPath(returnTo), redirect_uri: redirectUri };
    const until = timeText(now + PENDING_FOR);
    await db
      .insertInto('signalbox_sign_in')
      .values({ ...row, address: key, until })
      .execute();
  }

  /** Takes a sign-in that waits. Of two that come with one state, one gets it. */
  async function take(state: string) {
    const db = await store.tables();
    const row = await db
      .deleteFrom('signalbox_sign_in')
      .where('hash', '=', hashOf(state))
      .returningAll()
      .executeTakeFirst();
    return row === undefined || row.until <= timeText(clock.now()) ? undefined : row;
  }

  async function finish(parameters: URLSearchParams, cookieValue: string | undefined): Promise<SignedIn> {
    if (cookieValue === undefined || !SECRET.test(cookieValue))
      throw new Refused('reply of a provider without the cookie of its sign-in');
    const proofs = proofsOf(cookieValue);
    const [state = '', ...more] = parameters.getAll('state');
    if (more.length > 0 || !isSame(state, proofs.state)) throw new Refused('reply of a provider with a wrong state');
    const pending = await reading(() => take(state));
    if (pending === undefined) throw new Refused('sign-in that was finished already, or took too long');
    const provider = providers.get(pending.scheme)?.();
    if (provider === undefined) throw new Refused('sign-in with a provider that is not offered');
    const user = await provider.userOf(parameters, proofs, pending.redirect_uri);
    return { user, scheme: pending.scheme, returnTo: pending.return_to };
  }

  return {
    async begin(request) {
      const provider = providers.get(request.scheme)?.();
      if (provider === undefined) throw Fault.of('NOT_FOUND', { what: `sign-in with ${request.scheme}` });
      const cookieValue = randomBytes(32).toString('base64url');
      const proofs = proofsOf(cookieValue);
      const location = await provider.locationOf(proofs, request.redirectUri);
      await reading(() => enter(hashOf(proofs.state), request));
      return { location, cookieValue };
    },
    async finish(parameters, cookieValue) {
      try {
        return await finish(parameters, cookieValue);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        throw Fault.of('UNAUTHENTICATED', { scheme: '' }, { reason: error.message });
      }
    },
  };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** What binds the replies of a provider to the browser that began the sign-in. */
interface Proofs {
  readonly state: string;
  readonly nonce: string;
  /** The code verifier of PKCE. */
  readonly verifier: string;
}

/** All are derived from the secret in the cookie: who reads the database can finish no sign-in. */
function proofsOf(secret: string): Proofs {
  const derive = (use: string): string => createHmac('sha256', secret).update(use).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

/** Milliseconds for which a discovery document is used. */
const DISCOVERED_FOR = 600_000;
/** Milliseconds that a provider has to answer. */
const PATIENCE = 10_000;

/** An OpenID provider, as the console is its client. */
class Provider {
  readonly #signIn: OpenIdSignIn;
  readonly #issuer: URL;
  readonly #client: OAuth.Client;
  readonly #secret: string | undefined;
  readonly #clock: Clock;
  readonly #verify: (token: string) => Promise<User>;
  #discovered: { readonly server: Promise<OAuth.AuthorizationServer>; readonly until: number } | undefined;

  constructor(signIn: OpenIdSignIn, { resolve, lookAt, directory, clock }: OpenIdOptions & { readonly clock: Clock }) {
    const { scheme } = signIn;
    const client = resolve(signIn.client);
    this.#signIn = signIn;
    this.#issuer = secureUrl(resolve(scheme.issuer), `issuer of scheme ${scheme.id}`);
    this.#client = { client_id: client };
    this.#secret = signIn.secret && resolve(signIn.secret);
    this.#clock = clock;
    this.#verify = compileIdToken(scheme, directory, { resolve, lookAt, clock: clock.now, now: clock.elapsed, client });
  }

  /** The URL that asks for a sign-in. */
  async locationOf({ state, nonce, verifier }: Proofs, redirectUri: string): Promise<string> {
    const oauth = await import('oauth4webapi');
    const { authorization_endpoint: endpoint } = await this.#server();
    const location = secureUrl(endpoint, 'authorization endpoint');
    const parameters = {
      response_type: 'code',
      client_id: this.#client.client_id,
      redirect_uri: redirectUri,
      scope: this.#signIn.scopes.join(' '),
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
    return location.href;
  }

  /** The user of a reply. @throws Refused; Fault UNAVAILABLE */
  async userOf(reply: URLSearchParams, { state, nonce, verifier }: Proofs, redirectUri: string): Promise<User> {
    const oauth = await import('oauth4webapi');
    const server = await this.#server();
    secureUrl(server.token_endpoint, 'token endpoint');
    const client: OAuth.Client = {
      ...this.#client,
      [oauth.clockTolerance]: this.#signIn.scheme.tolerance / 1000,
      [oauth.clockSkew]: Math.round((this.#clock.now() - Date.now()) / 1000),
    };
    try {
      const parameters = oauth.validateAuthResponse(server, client, reply, state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        this.#authentication(oauth, server),
        parameters,
        redirectUri,
        verifier,
        this.#requests(oauth),
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
      return await this.#verify(tokens.id_token as string);
    } catch (error) {
      throw this.#failure(oauth, error);
    }
  }

  /** Without a secret, the console is a public client. */
  #authentication(oauth: typeof OAuth, server: OAuth.AuthorizationServer): OAuth.ClientAuth {
    if (this.#secret === undefined) return oauth.None();
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    return methods.includes('client_secret_basic')
      ? oauth.ClientSecretBasic(this.#secret)
      : oauth.ClientSecretPost(this.#secret);
  }

  /** The discovery document, which all sign-ins of ten minutes share. */
  #server(): Promise<OAuth.AuthorizationServer> {
    const now = this.#clock.elapsed();
    if (this.#discovered === undefined || this.#discovered.until <= now) {
      const found = { server: this.#discover(), until: now + DISCOVERED_FOR };
      this.#discovered = found;
      found.server.catch(() => {
        if (this.#discovered === found) this.#discovered = undefined;
      });
    }
    return this.#discovered.server;
  }

  async #discover(): Promise<OAuth.AuthorizationServer> {
    const oauth = await import('oauth4webapi');
    try {
      const response = await oauth.discoveryRequest(this.#issuer, { algorithm: 'oidc', ...this.#requests(oauth) });
      const server = await oauth.processDiscoveryResponse(this.#issuer, response);
      // The scheme decides about algorithms, not the provider.
      return { ...server, id_token_signing_alg_values_supported: [...this.#signIn.scheme.algorithms] };
    } catch (error) {
      throw this.#unavailable(error);
    }
  }

  /** Bounds of time and size. Only the loopback is reached without TLS, which `secureUrl` checks of each address. */
  #requests(oauth: typeof OAuth) {
    return {
      signal: () => AbortSignal.timeout(PATIENCE),
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (
        url: string,
        { method, headers, body, signal }: OAuth.CustomFetchOptions<string, URLSearchParams | undefined>,
      ) =>
        bounded(
          await fetch(url, { method, headers, redirect: 'error', ...(body && { body }), ...(signal && { signal }) }),
        ),
    };
  }

  /** What the provider refuses is the sign-in's failure, and all else that of the provider. */
  #failure(oauth: typeof OAuth, error: unknown): unknown {
    if (error instanceof Refused || error instanceof Fault) return error;
    if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError)
      return new Refused(`provider refused: ${/^[a-z_]{1,40}$/.test(error.error) ? error.error : 'error'}`);
    // Words of the library, with none of the provider's.
    if (error instanceof oauth.OperationProcessingError) return new Refused(`reply of a provider: ${error.message}`);
    return this.#unavailable(error);
  }

  #unavailable(cause: unknown): Fault {
    if (cause instanceof Fault) return cause;
    return Fault.of(
      'UNAVAILABLE',
      { reason: 'the OpenID provider does not answer' },
      { headers: { 'Retry-After': '5' }, cause, reason: `provider ${this.#issuer.href}: ${messageOf(cause)}` },
    );
  }
}

/** @throws Fault UNAVAILABLE for an address without TLS that is not on this machine */
function secureUrl(text: string | undefined, what: string): URL {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackName(url.hostname))) return url;
  const reason = `the ${what} of the OpenID provider is not an https URL`;
  throw Fault.of('UNAVAILABLE', { reason: 'the OpenID provider can not be used' }, { reason });
}
