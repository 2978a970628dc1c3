import type { Registry } from '../../src/model/registry.ts';
import { createAuthenticator } from '../../src/security/authenticator.ts';
import type { Authenticator } from '../../src/security/security-port.ts';
import { projectFiles } from '../../src/serve/start/settings.ts';
import { createDirectory } from './directory.ts';

/** The authenticator of a registry whose users are all defined in YAML. */
export function authenticatorOf({ schemes, users }: Pick<Registry, 'schemes' | 'users'>): Authenticator {
  return createAuthenticator({
    schemes: schemes.values(),
    directory: createDirectory(users, true),
    resolve: ({ source }) => source,
    lookAt: projectFiles('.'),
    nonces: { take: async () => true },
  });
}
