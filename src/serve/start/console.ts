import { randomBytes } from 'node:crypto';
import type { ConsolePorts, ConsoleRequest, EntrancePorts } from '../../console/index.ts';
import type { Registry } from '../../model/registry.ts';
import { BASIC, type User } from '../../model/security.ts';
import type { Authenticator, Shown } from '../../security/port.ts';
import type { OpenConsole } from '../console.ts';

interface ConsoleOptions extends ConsolePorts, Pick<EntrancePorts, 'sessions' | 'providers'> {
  readonly authenticator: Authenticator;
}

/** The console of a gateway, which is loaded and opened at its first request. */
export function openConsole(
  registry: Registry,
  options: ConsoleOptions,
): { readonly open: OpenConsole; close(): void } {
  let opened: ReturnType<OpenConsole> | undefined;
  const open: OpenConsole = async () => {
    const { AREAS, createConsole, createEntrance } = await import('../../console/index.ts');
    const { sessions, providers, authenticator, sampleUsers } = options;
    const offersPasswords = registry.gateway.console?.signIn.some(({ kind }) => kind === 'password') === true;
    const entrance = createEntrance({
      sessions,
      providers,
      checkPassword: offersPasswords
        ? (request, id, password) => checkPassword(authenticator, request, { id, password })
        : undefined,
      samples: sampleUsers ? [...registry.users.values()].flatMap(({ id, sample }) => (sample ? id : [])) : [],
      origin: () => new URL(options.base()).origin,
    });
    return createConsole(AREAS, options, entrance);
  };
  return {
    open: () => (opened ??= open()),
    close: () => void opened?.then((console) => console.close()),
  };
}

/** Checks a password as that of a call with Basic credentials. @throws Fault UNAUTHENTICATED */
async function checkPassword(
  authenticator: Authenticator,
  { secure }: ConsoleRequest,
  { id, password }: { readonly id: string; readonly password: string },
): Promise<User> {
  const authorization = `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`;
  const shown: Shown = {
    header: (name) => (name === 'authorization' ? authorization : undefined),
    certificate: () => undefined,
    secure,
  };
  return (await authenticator.authenticate(shown, [BASIC])).user;
}

/** TODO: replaced by the sessions of the database. */
export function memorySessions(): EntrancePorts['sessions'] {
  const all = new Map<string, { id: string; user: User }>();
  return {
    async open(user) {
      const token = randomBytes(32).toString('base64url');
      all.set(token, { id: String(all.size + 1), user });
      return token;
    },
    find: async (token) => all.get(token),
    async end(token) {
      all.delete(token);
    },
  };
}
