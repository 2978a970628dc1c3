import type * as OAuth from 'oauth4webapi';
import type { ResolveReference } from '../model/definition.ts';
import type { NodeCredential } from '../model/node.ts';
import type { Redactor } from '../model/redactor.ts';
import { CALL_RETRY, longestAsked, retryAfter } from '../model/retry.ts';
import { currentTrace } from '../trace/trace.ts';
import { duration } from '../wire/duration.ts';
import { messageOf } from '../wire/error.ts';
import { isLoopbackName } from '../wire/network-address.ts';
import { resolveText } from './configuration.ts';
import { bearer, type Proof } from './credential.ts';
import { bareMessage, type Called, InvokeError, mayRetry } from './error.ts';
import { collect, oneLine } from './http/body.ts';
import { isUnconnected, type Pools } from './http/connection/pools.ts';
import { traceHeaders } from './http/headers.ts';
import { dispatched } from './http/incoming.ts';
import { transportError } from './http/transport-error.ts';
import { deadline, marginOf, SHOWN_BODY, type Timeouts, TOKEN_REPLY, unlessEnded } from './limits.ts';

/** An OAuth 2.0 client: the resolved credential of a node. */
interface TokenClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Fields of the token request, `scope` among them. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly authentication: 'basic' | 'body';
}

interface Token {
  readonly value: string;
  /** Lifetime in milliseconds, if the endpoint states it. */
  readonly holds: number | undefined;
}

/** Sends a token request over the connections of the node. */
type TokenFetch = (
  url: string,
  request: {
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly signal: AbortSignal | undefined;
  },
) => Promise<Response>;

/** Why there is no token. */
class TokenError extends Error {
  override readonly name = 'TokenError';
  /** The same request may succeed later. */
  readonly retry: boolean;
  /** For how many milliseconds the endpoint asks not to be called (Retry-After). */
  readonly asked: number | undefined;

  constructor(
    reason: string,
    { retry, asked, cause }: { readonly retry: boolean; readonly asked?: number | undefined; readonly cause?: unknown },
  ) {
    super(reason, { cause });
    this.retry = retry;
    this.asked = asked;
  }
}

/**
 * Asks for a token by the client-credentials grant (RFC 6749 section 4.4).
 * @throws TokenError, whose words hold no secret
 */
async function requestToken(
  client: TokenClient,
  { send, redactor }: { readonly send: TokenFetch; readonly redactor: Redactor },
  signal: AbortSignal | undefined,
): Promise<Token> {
  const oauth = await import('oauth4webapi');
  const { tokenUrl, clientId, clientSecret, parameters, authentication } = client;
  const server: OAuth.AuthorizationServer = { issuer: tokenUrl, token_endpoint: tokenUrl };
  const caller: OAuth.Client = { client_id: clientId };
  const shown =
    authentication === 'basic' ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret);
  let answered: Response | undefined;
  try {
    const response = await oauth.clientCredentialsGrantRequest(server, caller, shown, parameters, {
      ...(signal === undefined ? {} : { signal }),
      // tokenClientOf has refused plain HTTP beyond this machine.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (url: string, { headers, body }: OAuth.CustomFetchOptions<'POST', URLSearchParams>) =>
        send(url, { headers, body: String(body), signal }),
    });
    answered = response.clone();
    const { access_token: value, expires_in: seconds } = await oauth.processClientCredentialsResponse(
      server,
      caller,
      response,
    );
    return { value, holds: seconds === undefined ? undefined : seconds * 1000 };
  } catch (error) {
    if (answered === undefined) throw unreached(error);
    const text = await errorText(answered);
    // Some repeat what they were sent.
    const shown = redactor.text(text === '' ? messageOf(error) : text);
    const words = oneLine(shown.slice(0, SHOWN_BODY)) ?? '';
    const reason = `the token endpoint answered with the status ${answered.status}: ${words}`;
    const retry = mayRetry(answered.status);
    throw new TokenError(reason, {
      retry,
      asked: retry ? retryAfter(answered.headers.get('retry-after') ?? undefined) : undefined,
    });
  }
}

function unreached(error: unknown): TokenError {
  if (!(error instanceof InvokeError))
    return new TokenError(`the token endpoint: ${messageOf(error)}`, { retry: false, cause: error });
  const retry = error.responseStatus === 10;
  return new TokenError(`of the token endpoint: ${bareMessage(error)}`, { retry, cause: error });
}

/** `error` and `error_description` of an error reply (RFC 6749 section 5.2); empty for any other reply. */
async function errorText(response: Response): Promise<string> {
  let reply: unknown;
  try {
    reply = JSON.parse(await response.text());
  } catch {
    return '';
  }
  if (typeof reply !== 'object' || reply === null) return '';
  const { error, error_description: description } = reply as Readonly<Record<string, unknown>>;
  const text = [error, description].filter((each) => typeof each === 'string' && each !== '');
  return text.join(': ');
}

export type ClientCredentials = Extract<NodeCredential, { readonly kind: 'client-credentials' }>;

/** What the tokens of a node are had with. */
interface TokenSource {
  readonly node: string;
  readonly client: TokenClient;
  readonly send: TokenFetch;
  /** In milliseconds, the whole of a token request. */
  readonly time: number;
  /** Learns them. */
  readonly redactor: Redactor;
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number;
}

interface Held {
  readonly token: string;
  /** From then on a new one is fetched while this one is still used, by `elapsed`. */
  readonly renewAt: number;
  /** It is not used after this time. */
  readonly until: number;
}

/** Milliseconds by which a timer may end before its time. */
const EARLY = 20;

/** The answer of a token endpoint that asks not to be called for a while. */
interface Closed {
  /** Until when it is not called, by `elapsed`: as it asks, but not longer than any call waits. */
  readonly until: number;
  /** Until when it asks not to be called, by `elapsed`. */
  readonly asked: number;
  readonly error: TokenError;
}

/** The tokens of a node: one is fetched for all waiting calls, kept until it expires, and renewed before that. */
export class Tokens {
  readonly #source: TokenSource;
  #held: Held | undefined;
  #fetching: Promise<Held> | undefined;
  #closed: Closed | undefined;

  constructor(source: TokenSource) {
    this.#source = source;
  }

  /** Until when the token that is kept is used, by `elapsed`; `undefined` without one. */
  get until(): number | undefined {
    return this.#held?.until;
  }

  /** @throws InvokeError CREDENTIAL, ABORTED, TIMEOUT */
  async proof(called: Called, signal: AbortSignal | undefined): Promise<Proof> {
    const held = this.#held;
    const now = this.#source.elapsed();
    if (held !== undefined && now < held.until) {
      // This call neither waits for the renewal nor fails with it.
      if (now >= held.renewAt) this.#fetch().catch(() => undefined);
      return bearer(held.token, this.#source.node, called);
    }
    try {
      const { token } = await unlessEnded(this.#fetch(), signal, called);
      return bearer(token, this.#source.node, called);
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      const { node, elapsed } = this.#source;
      const wait = this.#closed?.error === error ? Math.max(0, this.#closed.asked - elapsed()) : undefined;
      const seconds = Math.ceil((wait ?? 0) / 1000);
      const until = seconds === 0 ? '' : `; it asks to wait ${duration(1000 * seconds)} (Retry-After)`;
      const reason = `no token for node ${node}: ${error.message}${until}`;
      const hint = 'Check credential: of the node, which names the token endpoint and the client.';
      const again = wait === undefined ? undefined : new Date(Date.now() + wait);
      throw new InvokeError('CREDENTIAL', called, reason, { retry: error.retry, hint, again, cause: error.cause });
    }
  }

  /** Forgets a token that the node has rejected. */
  drop({ value }: Proof): void {
    if (this.#held !== undefined && value.endsWith(` ${this.#held.token}`)) this.#held = undefined;
  }

  #fetch(): Promise<Held> {
    this.#fetching ??= this.#request().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #request(): Promise<Held> {
    const { client, node, send, time, redactor, elapsed } = this.#source;
    const start = elapsed();
    if (this.#closed !== undefined && start + EARLY < this.#closed.until) throw this.#closed.error;
    this.#closed = undefined;
    const late = deadline(undefined, time, { operation: node, requestId: '' });
    const { value, holds = Number.POSITIVE_INFINITY } = await requestToken(client, { send, redactor }, late.signal)
      .catch((error: unknown) => {
        const asked = error instanceof TokenError ? error.asked : undefined;
        if (error instanceof TokenError && asked !== undefined) {
          const now = elapsed();
          this.#closed = { until: now + Math.min(asked, longestAsked(CALL_RETRY)), asked: now + asked, error };
        }
        throw error;
      })
      .finally(late.clear);
    redactor.learn([value]);
    const margin = marginOf(holds);
    const held = { token: value, renewAt: start + holds - 2 * margin, until: start + holds - margin };
    this.#held = held;
    return held;
  }
}

/** @throws InvokeError CONFIGURATION for a token endpoint that a secret must not be sent to */
export function tokenClientOf(
  credential: ClientCredentials,
  node: string,
  resolve: ResolveReference,
  called: Called,
): TokenClient {
  const { tokenUrl, clientId, clientSecret, scope, parameters, authentication } = credential;
  const url = resolveText(tokenUrl, resolve);
  const { protocol = '', hostname = '' } = URL.canParse(url) ? new URL(url) : {};
  const isPlain = protocol === 'http:' && !isLoopbackName(hostname);
  if (isPlain || (protocol !== 'https:' && protocol !== 'http:')) {
    const reason = isPlain
      ? 'is http, which would reveal the secret to anyone on the way'
      : 'is not an address that begins with https://';
    const where = `the token endpoint of node ${node} (${tokenUrl.source})`;
    throw new InvokeError('CONFIGURATION', called, `${where} ${reason}`);
  }
  const fields: Record<string, string> = {};
  if (scope !== undefined) fields.scope = resolveText(scope, resolve);
  for (const [name, text] of parameters) fields[name] = resolveText(text, resolve);
  return {
    tokenUrl: url,
    clientId: resolveText(clientId, resolve),
    clientSecret: resolveText(clientSecret, resolve),
    parameters: fields,
    authentication,
  };
}

/** What servers write in place of `Bearer`, in lower case. */
const BEARER_TYPES: ReadonlySet<unknown> = new Set(['bearertoken', 'bearer_token', '']);

/**
 * A reply of a token endpoint with the `token_type` that RFC 6749 (section 5.1) requires. Some send none, or `BearerToken`: a token
 * for a client that asked for nothing else is a bearer token. Any other type is refused.
 */
function withTokenType(text: string): string {
  let reply: unknown;
  try {
    reply = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof reply !== 'object' || reply === null || !('access_token' in reply)) return text;
  const { token_type: type = '' } = reply as { readonly token_type?: unknown };
  const known = typeof type === 'string' ? type.toLowerCase() : (type ?? '');
  return BEARER_TYPES.has(known) ? JSON.stringify({ ...reply, token_type: 'Bearer' }) : text;
}

/** Sends token requests over the connections of a node. Replies are limited in size, and redirects are not followed. */
export function tokenFetch(pools: Pools, node: string, timeouts: Timeouts): TokenFetch {
  const called: Called = { operation: node, requestId: '' };
  return async (url, { headers, body, signal }) => {
    const { origin, pathname, search } = new URL(url);
    const opened = pools.of(origin, called);
    const facts = { called, node, timeouts, signal, proxied: opened.proxied };
    const trace = currentTrace();
    const request = {
      origin,
      path: pathname + search,
      method: 'POST',
      headers: trace === undefined ? headers : { ...headers, ...traceHeaders(trace) },
      body,
      headersTimeout: timeouts.head,
      bodyTimeout: timeouts.idle,
    };
    try {
      const reply = await dispatched(opened, request, () => undefined, signal);
      const { head, rest } = await collect(reply, TOKEN_REPLY);
      if (rest !== undefined) {
        reply.discard();
        throw new InvokeError(
          'REPLY_TOO_LARGE',
          called,
          `its reply is larger than ${TOKEN_REPLY} bytes (a fixed limit)`,
        );
      }
      const [contentType, wait] = [reply.headers['content-type'], reply.headers['retry-after']];
      return new Response(head.length === 0 ? null : withTokenType(head.toString()), {
        status: reply.status,
        headers: {
          ...(typeof contentType === 'string' ? { 'Content-Type': contentType } : {}),
          ...(typeof wait === 'string' ? { 'Retry-After': wait } : {}),
        },
      });
    } catch (error) {
      throw transportError(error, { ...facts, phase: isUnconnected(error) ? 'connect' : 'request' });
    }
  };
}
