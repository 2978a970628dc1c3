import type { User } from '../../model/security.ts';
import type { Db } from '../../store/index.ts';
import { reading, unavailable } from '../database.ts';
import { undeclaredUser } from '../undeclared-user.ts';
import type { KeyHolder } from './port.ts';
import type { Roles } from './roles.ts';
import { selectUser, selectUserOfCertificate, selectUserOfKey, type UserRow } from './user-rows.ts';
import type { Versions } from './versions.ts';

/** Users that are remembered at once; the oldest goes first. */
const MOST_REMEMBERED = 10_000;

interface DatabaseUsersOptions {
  readonly db: () => Promise<Db>;
  readonly versions: Versions;
  readonly roles: Roles;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

type Select = (db: Db) => Promise<(UserRow & { readonly expires?: string | null }) | undefined>;

/** What is found at once, or read first. */
type Found<T> = T | undefined | Promise<T | undefined>;

/** The users of the database. Those that were found are remembered for as long as no user changes. */
export class DatabaseUsers {
  readonly #options: DatabaseUsersOptions;
  readonly #known = new Map<string, KeyHolder>();
  /** The version that what is remembered is of. */
  #under = 0;

  constructor(options: DatabaseUsersOptions) {
    this.#options = options;
  }

  /** One that may call. Rejects with Fault UNAVAILABLE where the database does not answer. */
  find(id: string): Found<User> {
    // PostgreSQL knows no such text: it would be an error of the database, where it is nobody.
    if (id.includes('\0')) return undefined;
    return userOf(this.#find(`user ${id}`, (db) => selectUser(db, id)));
  }

  /** The same by a certificate's names: here it is known by its fingerprint alone. */
  findByCertificate(names: readonly string[]): Found<User> {
    const fingerprint = names.find((name) => name.startsWith('sha256:'));
    if (fingerprint === undefined) return undefined;
    return userOf(this.#find(`certificate ${fingerprint}`, (db) => selectUserOfCertificate(db, fingerprint)));
  }

  /** The same by an API key that holds. */
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
    // Somebody who is added may call at once, so that nobody is remembered as unknown.
    if (row === undefined) return undefined;
    const until = typeof row.expires === 'string' ? { until: Date.parse(row.expires) } : {};
    const found = { user: this.#userOf(row), ...until };
    // What was changed while it was read may not be in it.
    if (versions.noticed === under) this.#remember(key, under, found);
    return found;
  }

  #userOf({ id, password, description, roles }: UserRow): User {
    return {
      ...undeclaredUser(id, 'database', this.#options.roles.of(id, roles)),
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
