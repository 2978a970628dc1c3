import { ConfigError, type Environment, resolveAll } from '../load/config.ts';
import { endpointFault } from '../load/nodes.ts';
import type { ConfigText } from '../model/config.ts';
import type { Node } from '../model/routing.ts';
import { type Called, InvokeError } from './error.ts';

/** Where a call goes, and what it shows there. */
export interface Address {
  readonly origin: string;
  /** Path and query, as they are asked for. */
  readonly path: string;
  /** Without its query, which may hold a secret. */
  readonly shown: string;
  /** Value of the Authorization header. */
  readonly authorization: string | undefined;
}

/** A user and a password (HTTP Basic, RFC 7617). */
export interface Credential {
  readonly user: string;
  readonly password: string;
}

/** What addresses are made from. */
export interface TargetSource {
  readonly node: Node;
  /** Takes the place of the node's addresses. */
  readonly primaryUrl?: ConfigText | undefined;
  /** Takes the place of the node's own, and of one inside an address. */
  readonly credential?: Credential | undefined;
}

/**
 * The addresses of a target in the order in which they are tried, at least one, resolved from configuration.
 * @throws InvokeError CONFIGURATION, naming everything that is not set, or what is no address
 */
export function resolveAddresses(source: TargetSource, env: Environment, called: Called): readonly Address[] {
  const { node, primaryUrl, credential } = source;
  const bases = primaryUrl === undefined ? node.base : [primaryUrl];
  if (bases.length === 0) throw new InvokeError('CONFIGURATION', called, `node ${node.id} has no address`);
  const own = credential === undefined ? node.credential : undefined;
  const resolved = resolving(called, node, () =>
    resolveAll([...bases, ...(own === undefined ? [] : [own.user, own.password])], env),
  );
  const [user = '', password = ''] = resolved.slice(bases.length);
  const shown = own === undefined ? credential : { user, password };
  return resolved.slice(0, bases.length).map((text, index) => {
    const name = primaryUrl === undefined ? `the address of node ${node.id}` : 'PRIMARYURL';
    const reason = endpointFault(text);
    // As it is written, since what it resolves to may hold a secret.
    if (reason !== undefined)
      throw new InvokeError('CONFIGURATION', called, `${name} (${bases[index]?.source}) ${reason}`);
    return addressOf(new URL(text), shown, called);
  });
}

function resolving(called: Called, node: Node, resolve: () => string[]): string[] {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const hint = `The address or the credential of node ${node.id} refers to it.`;
    throw new InvokeError('CONFIGURATION', called, error.message, { hint, cause: error });
  }
}

function addressOf(url: URL, credential: Credential | undefined, called: Called): Address {
  const { origin, pathname, search } = url;
  const own = credential ?? credentialIn(url);
  return {
    origin,
    path: pathname + search,
    shown: origin + pathname,
    authorization: own === undefined ? undefined : basic(own, called),
  };
}

/** `https://user:password@host` (RFC 3986 section 3.2.1). */
function credentialIn({ username, password }: URL): Credential | undefined {
  if (username === '' && password === '') return undefined;
  return { user: decoded(username), password: decoded(password) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function basic({ user, password }: Credential, called: Called): string {
  if (user.includes(':'))
    throw new InvokeError('CONFIGURATION', called, 'the user of the credential holds a colon, which would end it');
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
