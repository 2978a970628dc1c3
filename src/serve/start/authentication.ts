import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { standInAddress } from '../../invoke/stand-in.ts';
import { secretFault } from '../../invoke/webhook.ts';
import { signerFault } from '../../invoke/ws-security.ts';
import { ConfigError, resolveAll } from '../../load/value/config.ts';
import type { ConfigText } from '../../model/definition.ts';
import { isSigning } from '../../model/node.ts';
import type { Registry } from '../../model/registry.ts';
import { isMessageScheme, isRequestScheme, type User } from '../../model/security.ts';
import { createAuthenticator } from '../../security/authenticator.ts';
import { type OpenDirectory, openDirectory } from '../../security/directory/directory.ts';
import type { Directory } from '../../security/directory/directory-port.ts';
import type { Authenticator, MessageAuthenticator } from '../../security/security-port.ts';
import { type Nonces, openNonces, type Store } from '../../store/index.ts';
import type { Clock } from '../../wire/waiting.ts';
import { GatewayError } from '../gateway-error.ts';
import type { Log } from '../log/log.ts';
import { type Environment, projectFiles, resolveSetting } from './settings.ts';

/** Configurable texts of schemes, users, the gateway's own address, and its console. */
export function securitySettings({ schemes, gateway, users }: Registry): ConfigText[] {
  const { tls } = gateway;
  const ofTls = tls === undefined ? [] : [tls.certificate, tls.key, tls.passphrase, tls.clientCa];
  const ofSchemes = [...schemes.values()].flatMap((scheme): readonly (ConfigText | undefined)[] => {
    if (scheme.kind === 'bearer') return [scheme.issuer, scheme.jwks, ...scheme.audience];
    if (isRequestScheme(scheme)) return scheme.secrets;
    return scheme.kind === 'signature' ? [scheme.caFile, scheme.certificatesFile] : [];
  });
  const ofUsers = [...users.values()].map(({ sharedSecret }) => sharedSecret);
  const { listen, signIn = [] } = gateway.console ?? {};
  const ofSignIn = signIn.flatMap((each) => (each.kind === 'openid' ? [each.client, each.secret] : []));
  return [...ofTls, ...ofSchemes, ...ofUsers, listen, ...ofSignIn].filter((text) => text !== undefined);
}

/**
 * Refuses secrets of webhooks, and certificates and keys, that no call could be signed with. Those that are not set are missed by
 * the calls that need them.
 * @throws GatewayError
 */
export function checkCallSecrets({ nodes }: Registry, env: Environment, folder: string): void {
  for (const node of nodes.values()) {
    if (standInAddress(node, env) !== undefined) continue;
    const unfit = signerFault(node, { env, folder });
    if (unfit !== undefined) throw new GatewayError(unfit.reason, { hint: unfit.hint });
    const { credential } = node;
    if (!isSigning(credential)) continue;
    for (const [index, text] of credential.secrets.entries()) {
      const secret = settingIfSet(text, env);
      const fault = secret === undefined ? undefined : secretFault(credential, secret);
      const what = `webhook secret ${index + 1} of node ${node.id} (${text.source})`;
      if (fault !== undefined) throw new GatewayError(`${what} can't be used: ${fault.reason}`, { hint: fault.hint });
    }
  }
}

function settingIfSet(text: ConfigText, env: Environment): string | undefined {
  try {
    return resolveAll([text], env)[0];
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

interface AuthenticationPorts {
  readonly directory: Directory;
  readonly env: Environment;
  /** The project's folder. */
  readonly folder: string;
  /** Stores marks that may be used only once, to detect replays. */
  readonly store: Pick<Store, 'tables'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/** Opens the authenticator. @throws GatewayError */
export async function openAuthenticator(registry: Registry, ports: AuthenticationPorts): Promise<Authenticator> {
  const { directory, env, folder, clock } = ports;
  const [alike] = registry.users.values();
  try {
    const nonces = openNonces(ports.store, clock.now);
    const authenticateMessage = await openMessageSecurity(registry, { ...ports, alike, nonces });
    return createAuthenticator({
      schemes: registry.schemes.values(),
      directory,
      alike,
      resolve: (text) => resolveSetting(text, env),
      lookAt: projectFiles(folder),
      nonces,
      now: clock.elapsed,
      clock: clock.now,
      onError: (err) => ports.log.warn({ err }, 'An issuer of tokens can not be reached.'),
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
  readonly nonces: Nonces;
  readonly clock: Clock;
}

/**
 * Compiles the schemes with credentials inside messages; `undefined` when there are none.
 * @throws GatewayError for missing settings and unreadable files; Error for invalid authorities
 */
async function openMessageSecurity(
  { schemes, users }: Registry,
  { directory, alike, env, folder, nonces, clock }: MessageSecurityPorts,
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
    nonces,
    clock: clock.now,
    secretOf,
    certificates: ({ id, caFile, certificatesFile }) => ({
      authorities: readFileOf(`ca of the scheme ${id}`, caFile, env, folder),
      callers: readFileOf(`certificates of the scheme ${id}`, certificatesFile, env, folder),
    }),
  });
}

/** @param what the file is, for errors */
function readFileOf(what: string, file: ConfigText | undefined, env: Environment, folder: string): string | undefined {
  if (file === undefined) return undefined;
  const path = resolveSetting(file, env);
  try {
    return readFileSync(resolve(folder, path), 'utf8');
  } catch (error) {
    const hint = "It is relative to the project's folder.";
    throw new GatewayError(`${what}: ${path} can't be read`, { hint, cause: error });
  }
}

interface UserDirectoryOptions {
  readonly sampleUsers: boolean;
  readonly log: Log;
  readonly usersWithin?: number | undefined;
  readonly clock: Clock;
}

/** The users of this gateway. Problems that an operator should know about are logged. */
export function openUserDirectory(
  registry: Registry,
  store: Store,
  options: UserDirectoryOptions,
): Promise<OpenDirectory> {
  const { sampleUsers, log, usersWithin, clock } = options;
  return openDirectory({
    registry,
    sampleUsers,
    store,
    onError: (err, facts) => log.warn({ ...facts, err }, err.message),
    now: clock.elapsed,
    clock: clock.now,
    ...(usersWithin === undefined ? {} : { lookEvery: usersWithin }),
  });
}
