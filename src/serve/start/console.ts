import type { ConsolePorts } from '../../console/index.ts';
import type { Console as DeclaredConsole } from '../../model/gateway.ts';
import type { Directory } from '../../security/directory/port.ts';
import type { Authenticator } from '../../security/port.ts';
import { openRateLimits } from '../../security/rate-limit.ts';
import { readDefinitions, readStatistics, type Store } from '../../store/index.ts';
import type { Clock } from '../../wire/waiting.ts';
import type { OpenConsole } from '../console.ts';
import type { Log } from '../log/log.ts';
import { type Environment, projectFiles, resolveSetting } from './settings.ts';

interface ConsoleOptions extends Omit<ConsolePorts, 'now' | 'statistics' | 'definitions'> {
  readonly declared: DeclaredConsole;
  readonly authenticator: Authenticator;
  readonly directory: Directory;
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
  const [{ AREAS, createConsole, createEntrance }, { openSessions }, { openOpenId }, { signInByPassword }] =
    await Promise.all([
      import('../../console/index.ts'),
      import('../../security/sign-in/sessions.ts'),
      import('../../security/sign-in/openid.ts'),
      import('../../security/sign-in/password.ts'),
    ]);
  // Counted by each gateway: a guess costs as much as a call with a wrong password.
  const rates = await openRateLimits({ table: undefined, onError: () => {} });
  const sessions = openSessions({ ...options, console });
  const entrance = createEntrance({
    sessions,
    signIn: console.signIn,
    checkPassword: (typed) => signInByPassword(authenticator, typed),
    openId: openOpenId({
      ...{ ...options, console },
      resolve: (text) => resolveSetting(text, env),
      lookAt: projectFiles(options.folder),
    }),
    guesses: rates.limiter('console', GUESSES),
    samples: sampleUsers ? [...registry.users.values()].flatMap(({ id, sample }) => (sample ? id : [])) : [],
    origin: options.origin,
    onError: (err) => log.warn({ err }, 'A refused sign-in could not be recorded in the audit trail.'),
  });
  const { store } = options;
  const ports = {
    ...options,
    statistics: readStatistics(store),
    definitions: (most: number) => readDefinitions(store, most),
    now: clock.now,
  };
  return createConsole(AREAS, ports, entrance);
}
