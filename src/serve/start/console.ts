import type { ConsolePorts } from '../../console/index.ts';
import type { Console as DeclaredConsole } from '../../model/gateway.ts';
import type { OpenDirectory } from '../../security/directory/directory.ts';
import type { Authenticator } from '../../security/security-port.ts';
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

/** Milliseconds after the start, when its first calls have been answered. */
const AFTER = 3_000;

interface LazyConsole {
  readonly open: OpenConsole;
  /** Opens it in a while if anyone is signed in: who was there before a restart does not wait for it. */
  expect(): void;
  close(): void;
}

/** The console of a gateway, which is loaded and opened at its first request. */
export function openConsole(options: ConsoleOptions): LazyConsole {
  let opened: ReturnType<OpenConsole> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const open: OpenConsole = () => (opened ??= load(options));
  // What fails here fails again for the page that is asked for, and is reported there.
  const openIfUsed = (): Promise<unknown> =>
    isInUse(options)
      .then((isUsed) => (isUsed ? open() : undefined))
      .catch(() => {});
  return {
    open,
    expect() {
      timer = setTimeout(() => void openIfUsed(), AFTER);
      timer.unref();
    },
    close() {
      clearTimeout(timer);
      void opened?.then((console) => console.close());
    },
  };
}

async function isInUse({ store, clock, declared: { idle } }: ConsoleOptions): Promise<boolean> {
  const { selectSessions } = await import('../../security/sign-in/session-rows.ts');
  return (await selectSessions(await store.tables(), { now: clock.now(), idle })).length > 0;
}

async function load(options: ConsoleOptions): ReturnType<OpenConsole> {
  const { declared: console, registry, authenticator, env, log, clock, sampleUsers } = options;
  const [
    { AREAS, createConsole, createEntrance },
    { openSessions },
    { openOpenId },
    { signInByPassword },
    { openGuesses },
    { openUsers },
  ] = await Promise.all([
    import('../../console/index.ts'),
    import('../../security/sign-in/sessions.ts'),
    import('../../security/sign-in/openid.ts'),
    import('../../security/sign-in/password.ts'),
    import('../../security/sign-in/guesses.ts'),
    import('../../security/users/open-users.ts'),
  ]);
  const sessions = openSessions({ ...options, console });
  const checkPassword = (typed: TypedPassword) => signInByPassword(authenticator, typed);
  const guesses = openGuesses(options);
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
    checkPassword: (typed: TypedPassword) => guesses.guarded({ user: typed.id }, () => checkPassword(typed)),
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
