import type { Registry } from '../../model/registry.ts';
import type { SecurityScheme, User } from '../../model/security.ts';
import { openToRead, type Store, type StoreReader } from '../../store/index.ts';
import { undeclaredUser } from '../authorise.ts';
import { reading, Versions } from '../database.ts';
import { DatabaseUsers, type RolesOf, rolesFinder, selectVersion } from './from-database.ts';
import type { Directory, KeyHolder } from './port.ts';

export interface DirectoryOptions {
  readonly registry: Pick<Registry, 'users' | 'roles' | 'schemes'>;
  /** Users of the sample may call. */
  readonly sampleUsers: boolean;
  /** Its schema is of this version. */
  readonly store: Store;
  /** Told of what an operator should know: a role that is gone, a database that does not answer. */
  readonly onError: (error: Error, facts: Readonly<Record<string, unknown>>) => void;
  /** Milliseconds within which a change of a user is noticed; 2 s. */
  readonly lookEvery?: number;
  /** Milliseconds; a clock that only goes forward. */
  readonly now?: () => number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** A directory that stands on a database. */
export interface OpenDirectory extends Directory {
  close(): Promise<void>;
}

const LOOK_EVERY = 2000;
/** Milliseconds that a look may take: those who wait for it are users of the definitions too. */
const PATIENCE = 2000;

/** The users of the definitions and those of the database. Where both have an id, that of the definitions counts. */
export async function openDirectory(options: DirectoryOptions): Promise<OpenDirectory> {
  const { registry, sampleUsers, store, onError } = options;
  const { lookEvery = LOOK_EVERY, now = performance.now.bind(performance), clock = Date.now } = options;
  const reader = await readerOf(store);
  const rolesOf = rolesFinder(registry.roles, (user, role) =>
    onError(new Error(`user ${user} holds the role ${role}, which the definitions no longer have`), { user, role }),
  );
  const versions = new Versions({
    look: async () => selectVersion(await reader.tables()),
    every: lookEvery,
    patience: PATIENCE,
    now,
    onAway: (error) =>
      onError(error, { what: 'a look at the users of the database: only those of the definitions can call' }),
  });
  const defined = definedUsers(registry.users, sampleUsers);
  const kept = new DatabaseUsers({ db: () => reader.tables(), versions, rolesOf, clock });
  const callers = new Callers({ store, schemes: registry.schemes, rolesOf, clock });
  const find = (id: string): ReturnType<Directory['find']> => (defined.has(id) ? defined.find(id) : kept.find(id));
  return {
    find,
    findByApiKey: (hash) => defined.findByApiKey(hash) ?? kept.findByApiKey(hash),
    findByCertificate: (names) => defined.findByCertificate(names) ?? kept.findByCertificate(names),
    findOwner: (id) => (id.includes(':') ? callers.find(id) : find(id)),
    version: () => versions.current(),
    async keep(user: User) {
      if (user.origin === 'token') await callers.keep(user);
    },
    close: () => reader.close(),
  };
}

/** On SQLite a connection of its own: on the gateway's, a look would wait for transactions, as long as their code takes. */
async function readerOf(store: Store): Promise<Pick<StoreReader, 'tables' | 'close'>> {
  if (store.kind === 'sqlite') return openToRead({ url: `sqlite:${store.location}`, root: '/' });
  return { tables: () => store.tables(), close: async () => {} };
}

/**
 * The users of the definitions, found at once.
 * @param sampleUsers those of the sample may call; false refuses them as if they did not exist
 */
export function definedUsers(users: ReadonlyMap<string, User>, sampleUsers: boolean) {
  const callers = [...users.values()].filter((user) => sampleUsers || !user.sample);
  const byId = new Map(callers.map((user) => [user.id, user]));
  const byKey = new Map(callers.flatMap((user) => user.apiKeys.map((hash) => [hash, { user }])));
  const byCertificate = new Map(callers.flatMap((user) => user.certificates.map((name) => [name, user])));
  return {
    /** Whether one has this id, even one of a sample that is switched off. */
    has: (id: string): boolean => users.has(id),
    find: (id: string): User | undefined => byId.get(id),
    findByApiKey: (hash: string): KeyHolder | undefined => byKey.get(hash),
    findByCertificate(names: readonly string[]): User | undefined {
      const known = names.find((name) => byCertificate.has(name));
      return known === undefined ? undefined : byCertificate.get(known);
    },
  };
}

/** How old the note of when a caller was seen may become, in milliseconds: it is no reason for a write a call. */
const SEEN_WITHIN = 86_400_000;

interface CallersOptions {
  readonly store: Store;
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  readonly rolesOf: RolesOf;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Callers that nobody declared and a token vouched for, as far as work is done in their name later. */
class Callers {
  readonly #options: CallersOptions;

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** Keeps one with the roles that its token gave it; those of its latest token count. @throws Fault UNAVAILABLE */
  async keep({ id, roles }: User): Promise<void> {
    const held = JSON.stringify(roles.map((role) => role.id));
    const now = this.#options.clock();
    await reading(async () => {
      const db = await this.#options.store.tables();
      const known = await db
        .selectFrom('signalbox_caller')
        .select(['roles', 'seen'])
        .where('id', '=', id)
        .executeTakeFirst();
      if (known?.roles === held && Date.parse(known.seen) > now - SEEN_WITHIN) return;
      const change = { roles: held, seen: new Date(now).toISOString() };
      await db
        .insertInto('signalbox_caller')
        .values({ id, ...change })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(change))
        .execute();
    });
  }

  /**
   * One that was kept, as long as its scheme still lets in whom its issuer vouches for, with those of its roles that the
   * scheme still gives. @throws Fault UNAVAILABLE
   */
  async find(id: string): Promise<User | undefined> {
    const scheme = this.#options.schemes.get(id.slice(0, id.indexOf(':')));
    if (scheme?.kind !== 'bearer' || scheme.users !== 'any') return undefined;
    const row = await reading(async () => {
      const db = await this.#options.store.tables();
      return db.selectFrom('signalbox_caller').select('roles').where('id', '=', id).executeTakeFirst();
    });
    if (row === undefined) return undefined;
    const held = this.#options.rolesOf(id, row.roles, new Set([...scheme.roles.values()].flat()));
    return undeclaredUser(id, 'token', held);
  }
}
