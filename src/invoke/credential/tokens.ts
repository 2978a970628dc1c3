import type { ResolveReference } from '../../model/config.ts';
import type { NodeCredential } from '../../model/node.ts';
import { isLoopbackName } from '../../wire/loopback.ts';
import { resolveText } from '../configuration.ts';
import { deadline, unlessEnded } from '../deadline.ts';
import { type Called, InvokeError } from '../error.ts';
import { marginOf } from '../limits.ts';
import { bearer, type Proof } from './credential.ts';
import { requestToken, type TokenClient, TokenError, type TokenFetch } from './oauth.ts';

export type ClientCredentials = Extract<NodeCredential, { readonly kind: 'client-credentials' }>;

/** What the tokens of a node are had with. */
interface TokenSource {
  readonly node: string;
  readonly client: TokenClient;
  readonly send: TokenFetch;
  /** In milliseconds, the whole of a token request. */
  readonly time: number;
}

interface Held {
  readonly token: string;
  /** From then on another one is fetched, while this one still serves; as `performance.now()` says it. */
  readonly renewAt: number;
  /** It serves no longer. */
  readonly until: number;
}

/** The tokens of a node: one is fetched for all the calls that wait for it, kept as long as it holds, renewed before its end. */
export class Tokens {
  readonly #source: TokenSource;
  #held: Held | undefined;
  #fetching: Promise<Held> | undefined;

  constructor(source: TokenSource) {
    this.#source = source;
  }

  /** @throws InvokeError CREDENTIAL, ABORTED, TIMEOUT */
  async proof(called: Called, signal: AbortSignal | undefined): Promise<Proof> {
    const held = this.#held;
    const now = performance.now();
    if (held !== undefined && now < held.until) {
      // It is not this call that waits for the next one, nor fails with it.
      if (now >= held.renewAt) this.#fetch().catch(() => undefined);
      return bearer(held.token, this.#source.node, called);
    }
    try {
      const { token } = await unlessEnded(this.#fetch(), signal, called);
      return bearer(token, this.#source.node, called);
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      const reason = `there is no token for node ${this.#source.node}: ${error.message}`;
      const hint = 'credential: of the node says where it comes from, and for whom.';
      throw new InvokeError('CREDENTIAL', called, reason, { retry: error.retry, hint, cause: error.cause });
    }
  }

  /** Forgets a token that the node does not take. */
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
    const { client, node, send, time } = this.#source;
    const start = performance.now();
    const late = deadline(undefined, time, { operation: node, requestId: '' });
    const { value, holds = Number.POSITIVE_INFINITY } = await requestToken(client, send, late.signal).finally(
      late.clear,
    );
    const margin = marginOf(holds);
    const held = { token: value, renewAt: start + holds - 2 * margin, until: start + holds - margin };
    this.#held = held;
    return held;
  }
}

/** @throws InvokeError CONFIGURATION, where the token endpoint is none to send a secret to */
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
      ? 'is http, which would show the secret to everybody on the way'
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
