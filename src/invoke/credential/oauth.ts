import type * as OAuth from 'oauth4webapi';
import { redacted } from '../../codec/redact/redact.ts';
import { InvokeError, mayRetry, wordsOf } from '../error.ts';
import { oneLine } from '../http/body.ts';
import { SHOWN_BODY } from '../limits.ts';

/** An OAuth 2.0 client, as a node's credential says it, looked up. */
export interface TokenClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Fields of the token request, `scope` among them. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly authentication: 'basic' | 'body';
}

export interface Token {
  readonly value: string;
  /** In milliseconds, how long it holds; undefined where the endpoint does not say. */
  readonly holds: number | undefined;
}

/** Sends a token request over the connections of the node. */
export type TokenFetch = (
  url: string,
  request: {
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly signal: AbortSignal | undefined;
  },
) => Promise<Response>;

/** Why there is no token. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  /** The same request may succeed later. */
  readonly retry: boolean;

  constructor(reason: string, retry: boolean, cause: unknown) {
    super(reason, { cause });
    this.retry = retry;
  }
}

/**
 * Asks for a token by the client-credentials grant (RFC 6749 section 4.4).
 * @throws TokenError, whose words hold no secret
 */
export async function requestToken(
  client: TokenClient,
  send: TokenFetch,
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
      // Whoever makes the client refuses plain HTTP beyond this machine.
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
    const said = await saidBy(answered);
    // Some repeat what they were sent.
    const told = redacted(said === '' ? messageOf(error) : said, [clientSecret]);
    const words = oneLine(told.slice(0, SHOWN_BODY)) ?? '';
    const reason = `the token endpoint answered with the status ${answered.status}: ${words}`;
    throw new TokenError(reason, mayRetry(answered.status), undefined);
  }
}

function unreached(error: unknown): TokenError {
  if (!(error instanceof InvokeError)) return new TokenError(`the token endpoint: ${messageOf(error)}`, false, error);
  return new TokenError(`of the token endpoint: ${wordsOf(error)}`, error.responseStatus === 10, error);
}

/** `error` and `error_description` of an error reply (RFC 6749 section 5.2); empty where it is none. */
async function saidBy(response: Response): Promise<string> {
  let reply: unknown;
  try {
    reply = JSON.parse(await response.text());
  } catch {
    return '';
  }
  if (typeof reply !== 'object' || reply === null) return '';
  const { error, error_description: description } = reply as Readonly<Record<string, unknown>>;
  const said = [error, description].filter((each) => typeof each === 'string' && each !== '');
  return said.join(': ');
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
