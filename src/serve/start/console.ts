import type { ConsolePorts } from '../../console/index.ts';
import { Fault } from '../../model/fault.ts';
import type { Console as DeclaredConsole } from '../../model/gateway.ts';
import type { User } from '../../model/security.ts';
import type { OpenDirectory } from '../../security/directory/directory.ts';
import type { Authenticator } from '../../security/port.ts';
import { openRateLimits, type RateLimiter } from '../../security/rate-limit.ts';
import type { TypedPassword } from '../../security/sign-in/password.ts';
import { readTrails } from '../../security/trail.ts';
import { readDefinitions, readStatistics, type Store } from '../../store/index.ts';
import type { Clock } from '../../wire/waiting.ts';
import type { OpenConsole } from '../console.ts';
import type { Log } from '../log/log.ts';
import { type Environment, projectFiles, resolveSetting } from './settings.ts';

interface ConsoleOptions extends Omit<ConsolePorts, 'now' | 'people' | 'statistics' | 'definitions'> {
  readonly declared: DeclaredConsole;
  readonly authenticator: Authenticator;
  readonly directory: OpenDirectory;
  readonly store: Store;
  readonly env: Environment;
  /** The project's folder. */
  readonly folder: string;
  readonly log: Log;
  readonly clock: Clock;
  /** The origin of the console for browsers. */
  readonly origin: () => string;
}

/** Refused sign-ins of one address, after which it has to wait. */
const GUESSES = { requests: 20, per: 600_000, by: 'address' } as const;

/** The console of a gateway, which is loaded and opened at its first request. */
export function openConsole(options: ConsoleOptions): { readonly open: OpenConsole; close(): void } {
  let opened: ReturnType<OpenConsole> | undefined;
  return {
    open: () => (opened ??= load(options)),
    close: () => void opened?.then((console) => console.close()),
  };
}

async function load(options: ConsoleOptions): ReturnType<OpenConsole> {
  const { declared: console, registry, authenticator, env, log, clock, sampleUsers } = options;
  const [
    { AREAS, createConsole, createEntrance },
    { openSessions },
    { openOpenId },
    { signInByPassword },
    { openUsers },
  ] = await Promise.all([
    import('../../console/index.ts'),
    import('../../security/sign-in/sessions.ts'),
    import('../../security/sign-in/openid.ts'),
    import('../../security/sign-in/password.ts'),
    import('../../security/users/open.ts'),
  ]);
  // Counted by each gateway: a guess costs as much as a call with a wrong password.
  const rates = await openRateLimits({ table: undefined, onError: () => {} });
  const sessions = openSessions({ ...options, console });
  const checkPassword = (typed: TypedPassword) => signInByPassword(authenticator, typed);
  const guesses = rates.limiter('console', GUESSES);
  const entrance = createEntrance({
    sessions,
    signIn: console.signIn,
    checkPassword,
    openId: openOpenId({
      ...{ ...options, console },
      resolve: (text) => resolveSetting(text, env),
      lookAt: projectFiles(options.folder),
    }),
    guesses,
    samples: sampleUsers ? [...registry.users.values()].flatMap(({ id, sample }) => (sample ? id : [])) : [],
    origin: options.origin,
    onError: (err) => log.warn({ err }, 'A refused sign-in could not be recorded in the audit trail.'),
  });
  const { store } = options;
  const onChange = (): void => {
    options.directory.forget();
    sessions.forget();
  };
  const people = {
    users: (actor: string) => openUsers({ store, actor, clock: clock.now, onChange }),
    sessions,
    trails: readTrails(() => store.tables()),
    checkPassword: (typed: TypedPassword) => guarded(guesses, typed.id, () => checkPassword(typed)),
  };
  const ports = {
    ...options,
    people,
    statistics: readStatistics(store),
    definitions: (most: number) => readDefinitions(store, most),
    now: clock.now,
  };
  return createConsole(AREAS, ports, entrance);
}

/** Limits the wrong passwords that someone types who has signed in. @throws Fault TOO_MANY_REQUESTS, and what the attempt throws */
async function guarded(guesses: RateLimiter, user: string, attempt: () => Promise<User>): Promise<User> {
  const key = `user:${user}`;
  const shut = guesses.shut(key);
  if (shut !== undefined) {
    const seconds = shut.reset;
    throw Fault.of(
      'TOO_MANY_REQUESTS',
      { what: 'wrong passwords', seconds },
      { headers: { 'Retry-After': `${seconds}` } },
    );
  }
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof Fault && error.code === 'UNAUTHENTICATED') await guesses.take(key);
    throw error;
  }
}
