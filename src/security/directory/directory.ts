import type { RetentionPeriod } from '../../model/gateway.ts';
import type { Registry } from '../../model/registry.ts';
import type { SecurityScheme, User } from '../../model/security.ts';
import {
  type Db,
  deadlineIn,
  openToRead,
  type Retained,
  type Store,
  type StoreReader,
  withDeadline,
} from '../../store/index.ts';
import { undeclaredUser } from '../authorise.ts';
import { reading, Versions } from '../database.ts';
import type { Directory, KeyHolder } from './directory-port.ts';
import { DatabaseUsers, type RolesOf, rolesFinder, selectVersion } from './from-database.ts';

export interface DirectoryOptions {
  readonly registry: Pick<Registry, 'users' | 'roles' | 'schemes'>;
  /** Users of the sample may call. */
  readonly sampleUsers: boolean;
  /** Its schema is current. */
  readonly store: Store;
  /** Called for problems that an operator should know about: an undeclared role, a database that does not answer. */
  readonly onError: (error: Error, facts: Readonly<Record<string, unknown>>) => void;
  /** Milliseconds within which changes of users are noticed; 2 s by default. */
  readonly lookEvery?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

export interface OpenDirectory extends Directory {
  /** Notices at once that this gateway has changed a user. */
  forget(): void;
  close(): Promise<void>;
}

const LOOK_EVERY = 2000;
/** Milliseconds that reading the version may take: users of the definitions wait for it too. */
const PATIENCE = 2000;

/** The users of the definitions and of the database. If both have an id, the user of the definitions counts. */
export async function openDirectory(options: DirectoryOptions): Promise<OpenDirectory> {
  const { registry, sampleUsers, store, onError } = options;
  const { lookEvery = LOOK_EVERY, now = performance.now.bind(performance), clock = Date.now } = options;
  const reader = await readerOf(store);
  const rolesOf = rolesFinder(registry.roles, (user, role) =>
    onError(new Error(`user ${user} holds the role ${role}, which the definitions no longer have`), { user, role }),
  );
  const versions = new Versions({
    // All callers share one look, whatever time each of them has left.
    look: () => withDeadline(deadlineIn(PATIENCE), async () => selectVersion(await reader.tables())),
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
    forget: () => versions.forget(),
    async keep(user: User) {
      if (user.origin === 'token') await callers.keep(user);
    },
    close: () => reader.close(),
  };
}

/** SQLite needs a separate connection: on the gateway's own, a read would wait for the code of transactions. */
async function readerOf(store: Store): Promise<Pick<StoreReader, 'tables' | 'close'>> {
  if (store.kind === 'sqlite') return openToRead({ url: `sqlite:${store.location}`, root: '/' });
  return { tables: () => store.tables(), close: async () => {} };
}

/**
 * The users of the definitions.
 * @param sampleUsers whether users of the sample may call; otherwise they are treated as unknown
 */
export function definedUsers(users: ReadonlyMap<string, User>, sampleUsers: boolean) {
  const callers = [...users.values()].filter((user) => sampleUsers || !user.sample);
  const byId = new Map(callers.map((user) => [user.id, user]));
  const byKey = new Map(callers.flatMap((user) => user.apiKeys.map((hash) => [hash, { user }])));
  const byCertificate = new Map(callers.flatMap((user) => user.certificates.map((name) => [name, user])));
  return {
    /** Whether a user has this id, even a sample user that may not call. */
    has: (id: string): boolean => users.has(id),
    find: (id: string): User | undefined => byId.get(id),
    findByApiKey: (hash: string): KeyHolder | undefined => byKey.get(hash),
    findByCertificate(names: readonly string[]): User | undefined {
      const known = names.find((name) => byCertificate.has(name));
      return known === undefined ? undefined : byCertificate.get(known);
    },
  };
}

/** How old the time may become at which a caller was last seen, in milliseconds: it is not worth a write for each call. */
const SEEN_WITHIN = 86_400_000;

interface CallersOptions {
  readonly store: Store;
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  readonly rolesOf: RolesOf;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Undeclared callers that a token named, and that background work runs for. */
class Callers {
  readonly #options: CallersOptions;

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** Stores a caller with the roles of its latest token. @throws Fault UNAVAILABLE */
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
   * Finds a stored caller, if its scheme still accepts undeclared users, with those of its roles that the scheme still gives.
   * @throws Fault UNAVAILABLE
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

/** Returns those of some callers that have work which has not ended. */
export type Busy = (tx: Db, callers: readonly string[]) => Promise<readonly string[]>;

/**
 * Callers that are known by their tokens alone, and are removed some time after their last call that queued work. Those with
 * work that has not ended stay: it runs with their roles. The cursor is the id of the last caller that was looked at.
 */
export function retainedCallers(keep: RetentionPeriod, busy: readonly Busy[]): Retained {
  return {
    kind: 'callers',
    keep,
    async remove(tx, { before, most, cursor }) {
      const old = await tx
        .selectFrom('signalbox_caller')
        .select('id')
        // The time of a caller is updated once a day.
        .where('seen', '<', new Date(Date.parse(before) - SEEN_WITHIN).toISOString())
        .where('id', '>', cursor ?? '')
        .orderBy('id')
        .limit(most)
        .execute();
      const ids = old.map(({ id }) => id);
      if (ids.length === 0) return { count: 0, more: false, cursor: '' };
      const needed = new Set<string>();
      // One after the other: the driver of PostgreSQL warns of statements that queue up on one connection.
      for (const each of busy) for (const id of await each(tx, ids)) needed.add(id);
      const idle = ids.filter((id) => !needed.has(id));
      if (idle.length > 0) await tx.deleteFrom('signalbox_caller').where('id', 'in', idle).execute();
      const more = ids.length === most;
      return { count: idle.length, more, cursor: more ? (ids.at(-1) as string) : '' };
    },
  };
}

/** The audit trail of users, of which the oldest lines are removed some time after they were written. */
export function retainedTrail(keep: RetentionPeriod): Retained {
  return {
    kind: 'audit',
    keep,
    async remove(tx, { before, most }) {
      const old = tx.selectFrom('signalbox_user_audit').select('sequence').where('at', '<', before).orderBy('at');
      const { numDeletedRows } = await tx
        .deleteFrom('signalbox_user_audit')
        .where('sequence', 'in', old.limit(most))
        .executeTakeFirst();
      return { count: Number(numDeletedRows), more: Number(numDeletedRows) === most };
    },
  };
}
