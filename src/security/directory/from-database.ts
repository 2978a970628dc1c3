import type { Role, User } from '../../model/security.ts';
import type { Db } from '../../store/index.ts';
import { undeclaredUser } from '../authorise.ts';
import { reading, unavailable, type Versions } from '../database.ts';
import type { KeyHolder } from './directory-port.ts';

interface UserRow {
  readonly id: string;
  readonly password: string | null;
  readonly description: string | null;
  /** JSON: ids of roles. */
  readonly roles: string;
}

const COLUMNS = [
  'signalbox_user.id',
  'signalbox_user.password',
  'signalbox_user.description',
  'signalbox_user.roles',
] as const;

/** A number that changes with every change of a user, and not with other lines of the audit trail. */
export async function selectVersion(db: Db): Promise<number> {
  const { version, notes } = await db
    .selectFrom('signalbox_user_version')
    .select(['version', 'notes'])
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  return version - notes;
}

/** Finds an enabled user. */
async function selectUser(db: Db, id: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('signalbox_user')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('disabled', '=', 0)
    .executeTakeFirst();
}

/** Finds an enabled user by an API key that is not revoked, with the expiry of the key. */
async function selectUserOfKey(
  db: Db,
  hash: string,
): Promise<(UserRow & { readonly expires: string | null }) | undefined> {
  return db
    .selectFrom('signalbox_api_key')
    .innerJoin('signalbox_user', 'signalbox_user.id', 'signalbox_api_key.user_id')
    .select([...COLUMNS, 'signalbox_api_key.expires'])
    .where('signalbox_api_key.hash', '=', hash)
    .where('signalbox_api_key.revoked', 'is', null)
    .where('signalbox_user.disabled', '=', 0)
    .executeTakeFirst();
}

/** Finds an enabled user by a certificate. @param fingerprint `sha256:` and 64 hex digits */
async function selectUserOfCertificate(db: Db, fingerprint: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('signalbox_user_certificate')
    .innerJoin('signalbox_user', 'signalbox_user.id', 'signalbox_user_certificate.user_id')
    .select(COLUMNS)
    .where('signalbox_user_certificate.fingerprint', '=', fingerprint)
    .where('signalbox_user.disabled', '=', 0)
    .executeTakeFirst();
}

/** Users of the definitions whose ids are in the database too, even disabled: it would not be clear who calls. */
export async function usersInBoth(db: Db, users: ReadonlyMap<string, User>): Promise<User[]> {
  if (users.size === 0) return [];
  const rows = await db.selectFrom('signalbox_user').select('id').orderBy('id').execute();
  return rows.flatMap(({ id }) => users.get(id) ?? []);
}

/** Users that are remembered; the oldest is dropped first. */
const MOST_REMEMBERED = 10_000;

interface DatabaseUsersOptions {
  readonly db: () => Promise<Db>;
  readonly versions: Versions;
  readonly rolesOf: RolesOf;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

type Select = (db: Db) => Promise<(UserRow & { readonly expires?: string | null }) | undefined>;

type Found<T> = T | undefined | Promise<T | undefined>;

/** The users of the database. Users that were found are remembered until any user changes. */
export class DatabaseUsers {
  readonly #options: DatabaseUsersOptions;
  readonly #known = new Map<string, KeyHolder>();
  /** The version of the remembered users. */
  #under = 0;

  constructor(options: DatabaseUsersOptions) {
    this.#options = options;
  }

  /** Finds an enabled user. Rejects with Fault UNAVAILABLE if the database does not answer. */
  find(id: string): Found<User> {
    // PostgreSQL rejects NUL in a text; no user has such an id.
    if (id.includes('\0')) return undefined;
    return userOf(this.#find(`user ${id}`, (db) => selectUser(db, id)));
  }

  /** The same by the names of a certificate, of which the database knows the fingerprint. */
  findByCertificate(names: readonly string[]): Found<User> {
    const fingerprint = names.find((name) => name.startsWith('sha256:'));
    if (fingerprint === undefined) return undefined;
    return userOf(this.#find(`certificate ${fingerprint}`, (db) => selectUserOfCertificate(db, fingerprint)));
  }

  /** The same by a valid API key. */
  findByApiKey(hash: string): Found<KeyHolder> {
    const found = this.#find(`key ${hash}`, (db) => selectUserOfKey(db, hash));
    return found instanceof Promise ? found.then((holder) => this.#holding(holder)) : this.#holding(found);
  }

  #holding(holder: KeyHolder | undefined): KeyHolder | undefined {
    return holder?.until !== undefined && holder.until <= this.#options.clock() ? undefined : holder;
  }

  #find(key: string, select: Select): Found<KeyHolder> {
    const { versions } = this.#options;
    const version = versions.asked();
    const known = typeof version === 'number' && !versions.isAway ? this.#remembered(key, version) : undefined;
    return known ?? this.#look(key, version, select);
  }

  async #look(key: string, version: number | Promise<number>, select: Select): Promise<KeyHolder | undefined> {
    const { versions, db } = this.#options;
    const under = await version;
    if (versions.isAway) throw unavailable();
    const known = this.#remembered(key, under);
    if (known !== undefined) return known;
    const row = await reading(async () => select(await db()));
    // Unknown users are not remembered: a new user may call at once.
    if (row === undefined) return undefined;
    const until = typeof row.expires === 'string' ? { until: Date.parse(row.expires) } : {};
    const found = { user: this.#userOf(row), ...until };
    // A change during the read may be missing in the row.
    if (versions.noticed === under) this.#remember(key, under, found);
    return found;
  }

  #userOf({ id, password, description, roles }: UserRow): User {
    return {
      ...undeclaredUser(id, 'database', this.#options.rolesOf(id, roles)),
      ...(password === null ? {} : { password }),
      ...(description === null ? {} : { description }),
    };
  }

  #remembered(key: string, version: number): KeyHolder | undefined {
    if (version === this.#under) return this.#known.get(key);
    this.#known.clear();
    this.#under = version;
    return undefined;
  }

  #remember(key: string, version: number, known: KeyHolder): void {
    if (version !== this.#under) return;
    if (this.#known.size >= MOST_REMEMBERED) this.#known.delete(this.#known.keys().next().value as string);
    this.#known.set(key, known);
  }
}

function userOf(found: Found<KeyHolder>): Found<User> {
  return found instanceof Promise ? found.then((holder) => holder?.user) : found?.user;
}

/**
 * Gives the roles of a user, whose ids the database has as JSON. Roles that are not declared any more, and those that are not
 * `allowed`, grant nothing.
 */
export type RolesOf = (user: string, json: string, allowed?: ReadonlySet<Role>) => Role[];

/** @param onLost called once for each role that a user has and the definitions do not declare any more */
export function rolesFinder(roles: ReadonlyMap<string, Role>, onLost: (user: string, role: string) => void): RolesOf {
  const reported = new Set<string>();
  return (user, json, allowed) =>
    (JSON.parse(json) as string[]).flatMap((id) => {
      const role = roles.get(id);
      if (role !== undefined) return allowed?.has(role) === false ? [] : [role];
      const key = JSON.stringify([user, id]);
      if (!reported.has(key)) onLost(user, id);
      reported.add(key);
      return [];
    });
}
