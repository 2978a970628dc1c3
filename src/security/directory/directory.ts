import type { Registry } from '../../model/registry.ts';
import type { User } from '../../model/security.ts';
import { openToRead, type Store, type StoreReader } from '../../store/index.ts';
import { Callers } from './callers.ts';
import { DatabaseUsers } from './from-database.ts';
import { definedUsers } from './from-definitions.ts';
import type { Directory } from './port.ts';
import { Roles } from './roles.ts';
import { selectVersion } from './user-rows.ts';
import { Versions } from './versions.ts';

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
  const roles = new Roles(registry.roles, (user, role) =>
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
  const kept = new DatabaseUsers({ db: () => reader.tables(), versions, roles, clock });
  const callers = new Callers({ store, schemes: registry.schemes, roles, clock });
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
