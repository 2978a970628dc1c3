import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConfigText } from '../../model/definition.ts';
import type { Registry } from '../../model/registry.ts';
import { isMessageScheme, type SignatureScheme, type User } from '../../model/security.ts';
import { createAuthenticator } from '../../security/authenticator.ts';
import type { Directory } from '../../security/directory/port.ts';
import type { Authenticator, MessageAuthenticator } from '../../security/port.ts';
import { openNonces, type Store } from '../../store/index.ts';
import type { Clock } from '../../wire/waiting.ts';
import { GatewayError } from '../gateway-error.ts';
import { type Environment, projectFiles, resolveSetting } from './settings.ts';

/** Configurable texts of schemes, users, and the gateway's own address. */
export function securitySettings({ schemes, gateway, users }: Registry): ConfigText[] {
  const { tls } = gateway;
  const ofTls = tls === undefined ? [] : [tls.certificate, tls.key, tls.passphrase, tls.clientCa];
  const ofSchemes = [...schemes.values()].flatMap((scheme) => {
    if (scheme.kind === 'bearer') return [scheme.issuer, scheme.jwks, ...scheme.audience];
    return scheme.kind === 'signature' ? [scheme.caFile] : [];
  });
  const ofUsers = [...users.values()].map(({ sharedSecret }) => sharedSecret);
  return [...ofTls, ...ofSchemes, ...ofUsers].filter((text) => text !== undefined);
}

interface AuthenticationPorts {
  readonly directory: Directory;
  readonly env: Environment;
  /** The project's folder. */
  readonly folder: string;
  /** Stores marks that may be used only once, to detect replays. */
  readonly store: Pick<Store, 'tables'>;
  readonly clock: Clock;
}

/** Opens the authenticator. @throws GatewayError */
export async function openAuthenticator(registry: Registry, ports: AuthenticationPorts): Promise<Authenticator> {
  const { directory, env, folder, clock } = ports;
  const [alike] = registry.users.values();
  try {
    const authenticateMessage = await openMessageSecurity(registry, { ...ports, alike });
    return createAuthenticator({
      schemes: registry.schemes.values(),
      directory,
      alike,
      resolve: (text) => resolveSetting(text, env),
      lookAt: projectFiles(folder),
      now: clock.elapsed,
      clock: clock.now,
      ...(authenticateMessage === undefined ? {} : { authenticateMessage }),
    });
  } catch (error) {
    throw error instanceof GatewayError ? error : new GatewayError((error as Error).message, { cause: error });
  }
}

interface MessageSecurityPorts {
  readonly directory: Directory;
  /** A user whose password takes as long to verify as most do. */
  readonly alike: User | undefined;
  readonly env: Environment;
  /** The project's folder. */
  readonly folder: string;
  readonly store: Pick<Store, 'tables'>;
  readonly clock: Clock;
}

/**
 * Compiles the schemes with credentials inside messages; `undefined` when there are none.
 * @throws GatewayError for missing settings and unreadable files; Error for invalid authorities
 */
async function openMessageSecurity(
  { schemes, users }: Registry,
  { directory, alike, env, folder, store, clock }: MessageSecurityPorts,
): Promise<MessageAuthenticator | undefined> {
  if (![...schemes.values()].some(isMessageScheme)) return undefined;
  const secretOf = ({ id, origin }: Pick<User, 'id' | 'origin'>): string | undefined => {
    const text = origin === 'definitions' ? users.get(id)?.sharedSecret : undefined;
    return text === undefined ? undefined : resolveSetting(text, env);
  };
  // Loaded only when needed, because of its dependencies.
  const { createMessageAuthenticator } = await import('../../security/message-authenticator.ts');
  return createMessageAuthenticator({
    schemes: schemes.values(),
    directory,
    alike,
    nonces: openNonces(store, clock.now),
    clock: clock.now,
    secretOf,
    authorities: (scheme) => readAuthorities(scheme, env, folder),
  });
}

function readAuthorities({ id, caFile }: SignatureScheme, env: Environment, folder: string): string | undefined {
  if (caFile === undefined) return undefined;
  const path = resolveSetting(caFile, env);
  try {
    return readFileSync(resolve(folder, path), 'utf8');
  } catch (error) {
    const hint = "It is relative to the project's folder.";
    throw new GatewayError(`ca of the scheme ${id}: ${path} can't be read`, { hint, cause: error });
  }
}
