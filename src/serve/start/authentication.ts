import type { ConfigText } from '../../model/definition.ts';
import type { Registry } from '../../model/registry.ts';
import { createAuthenticator } from '../../security/authenticator.ts';
import type { Directory } from '../../security/directory/port.ts';
import type { Authenticator } from '../../security/port.ts';
import type { Store } from '../../store/index.ts';
import { GatewayError } from '../gateway-error.ts';
import { openMessageSecurity } from './message-security.ts';
import { projectFiles } from './project-file.ts';
import { type Environment, resolveSetting } from './settings.ts';

/** Texts of schemes, of users, and of the gateway's own address, that refer to configuration. */
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

/** What a gateway's authenticator stands on. */
export interface AuthenticationPorts {
  readonly directory: Directory;
  readonly env: Environment;
  /** The project's folder. */
  readonly folder: string;
  /** Keeps what may be seen once. */
  readonly store: Pick<Store, 'tables'>;
}

/** Compiles what callers show. @throws GatewayError */
export async function openAuthenticator(registry: Registry, ports: AuthenticationPorts): Promise<Authenticator> {
  const { directory, env, folder } = ports;
  const [alike] = registry.users.values();
  try {
    const authenticateMessage = await openMessageSecurity(registry, { ...ports, alike });
    return createAuthenticator({
      schemes: registry.schemes.values(),
      directory,
      alike,
      resolve: (text) => resolveSetting(text, env),
      lookAt: projectFiles(folder),
      ...(authenticateMessage === undefined ? {} : { authenticateMessage }),
    });
  } catch (error) {
    throw error instanceof GatewayError ? error : new GatewayError((error as Error).message, { cause: error });
  }
}
