import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Fault } from '../../model/fault.ts';
import type { Console } from '../../model/gateway.ts';
import type { Registry } from '../../model/registry.ts';
import type { Role, User } from '../../model/security.ts';
import type { Store } from '../../store/index.ts';
import { type Clock, SYSTEM_CLOCK } from '../../wire/waiting.ts';
import { consoleGrants, listsOf, undeclaredUser } from '../authorise.ts';
import { reading } from '../database.ts';
import type { Directory } from '../directory/directory-port.ts';
import { addNote, endNoted, type KeptSession, selectLastSignIns, selectSessions, timeText } from './session-rows.ts';

/** What is recorded of a browser that signs in. */
export interface SignInFacts {
  /** `password`, or the id of the scheme of an OpenID provider. */
  readonly signedIn: string;
  /** The address of the caller. */
  readonly address: string;
  /** Its User-Agent header. */
  readonly agent?: string | undefined;
}

/** A session that can be used. */
export interface Session {
  readonly id: string;
  /** With the roles that the user has now. */
  readonly user: User;
  readonly signedIn: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly expires: number;
}

/**
 * The sessions of the console, in the database that all gateways share. What one gateway ends, the others notice within two
 * seconds. All functions reject with Fault UNAVAILABLE while the database does not answer.
 */
export interface Sessions {
  /**
   * Opens a session. The oldest of the user ends when there are more than 20.
   * @returns its token, which nothing else knows @throws Fault FORBIDDEN for a user without grants of the console
   */
  open(user: User, facts: SignInFacts): Promise<string>;
  /** The session of a token, if it can be used; this is a use of it. */
  find(token: string): Promise<Session | undefined>;
  /** The same for requests that a page sends by itself, which keep no session from ending. */
  peek(token: string): Promise<Session | undefined>;
  /** Those of some tokens whose session can be used, as the database has it now, in one read. None of it is a use. */
  usable(tokens: readonly string[]): Promise<ReadonlySet<string>>;
  /** Calls back whenever this gateway has ended sessions, or has changed users. */
  onEnd(listener: () => void): void;
  /** Signs out. Does nothing for a session that has ended. */
  end(token: string): Promise<void>;
  /** @param actor who ends it, for the audit trail @returns false when no such session can be used */
  endById(id: string, actor: string): Promise<boolean>;
  /** Ends all sessions of a user. @returns how many there were */
  endAll(user: string, actor: string): Promise<number>;
  /** Reads again what this gateway knows: a change of users has ended sessions. */
  forget(): void;
  /** When some users signed in last, by their ids; sessions that retention has removed do not count. */
  lastSignIns(users: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The sessions that can be used, the newest first. */
  list(which?: { readonly user?: string }): Promise<readonly KeptSession[]>;
  /**
   * Records a refused sign-in in the audit trail: for known users only, and once a minute for each, with the number of others.
   * Reply before it is done: it takes longer for users that exist.
   * @param id as it was typed
   */
  noteRefused(id: string, facts: SignInFacts, reason: string): Promise<void>;
}

export interface SessionsOptions {
  readonly registry: Pick<Registry, 'schemes' | 'roles'>;
  readonly console: Pick<Console, 'idle' | 'session' | 'signIn'>;
  readonly directory: Pick<Directory, 'find'>;
  /** Its schema is current. */
  readonly store: Store;
  readonly clock?: Clock;
}

/** Sessions that a user has at the same time. */
const MOST = 20;
/** Milliseconds for which a session that was read is used without reading it again. */
const KNOWN_FOR = 2000;
const MOST_KNOWN = 10_000;
/** How old the time of the last use may become, in milliseconds: a page is not worth a write for each request. */
const SEEN_WITHIN = 60_000;
/** Milliseconds between two lines about refused sign-ins of one user. */
const NOTE_EVERY = 60_000;
const MOST_NOTED = 1000;
/** 32 bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

interface Row {
  readonly id: string;
  readonly user: string;
  readonly signedIn: string;
  readonly roles: readonly string[];
  readonly credential: string | null;
  readonly created: number;
  readonly expires: number;
  seen: number;
}

interface Known {
  readonly row: Promise<Row | undefined>;
  readonly until: number;
}

export function openSessions(options: SessionsOptions): Sessions {
  const { store, console, directory, clock = SYSTEM_CLOCK } = options;
  const known = new Map<string, Known>();
  const refusals = new Map<string, { until: number; others: number }>();
  const listeners: (() => void)[] = [];
  const forget = (): void => {
    known.clear();
    for (const listener of listeners) listener();
  };

  /** Requests of one page share a read. */
  function rowOf(hash: string): Promise<Row | undefined> {
    const now = clock.elapsed();
    const found = known.get(hash);
    if (found !== undefined && found.until > now) return found.row;
    known.delete(hash);
    if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value as string);
    const entry: Known = { row: reading(async () => (await select(store, [hash])).get(hash)), until: now + KNOWN_FOR };
    known.set(hash, entry);
    const drop = (): void => {
      if (known.get(hash) === entry) known.delete(hash);
    };
    entry.row.then((row) => row === undefined && drop(), drop);
    return entry.row;
  }

  async function sessionOf(
    token: string,
    rows: (hash: string) => Row | undefined | Promise<Row | undefined> = rowOf,
  ): Promise<{ readonly row: Row; readonly session: Session } | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const row = await rows(hashOf(token));
    const now = clock.now();
    if (row === undefined || row.expires <= now || row.seen + console.idle <= now) return undefined;
    const user = await userOf(options, row);
    if (user === undefined || !hasSamePassword(row, user, token) || consoleGrants(user).size === 0) return undefined;
    const { id, signedIn, created, expires } = row;
    return { row, session: { id, user, signedIn, created, expires } };
  }

  /** Whatever this gateway ends is not found again, also by what is being read. */
  async function end(work: () => Promise<number>): Promise<number> {
    try {
      return await reading(work);
    } finally {
      forget();
    }
  }

  return {
    async open(user, facts) {
      if (consoleGrants(user).size === 0) throw Fault.of('FORBIDDEN', { user: `User ${user.id}`, what: 'the console' });
      const token = randomBytes(32).toString('base64url');
      const given = facts.signedIn === 'password' ? [] : await givenRoles(directory, user);
      const now = clock.now();
      await reading(() => insert(options, { token, user, given, facts, now }));
      known.clear();
      return token;
    },
    async find(token) {
      const found = await sessionOf(token);
      if (found === undefined) return undefined;
      const { row, session } = found;
      const now = clock.now();
      if (now - row.seen >= SEEN_WITHIN) {
        row.seen = now;
        await reading(async () => {
          const db = await store.tables();
          await db
            .updateTable('signalbox_session')
            .set({ seen: timeText(now) })
            .where('id', '=', row.id)
            .execute();
        });
      }
      return session;
    },
    peek: async (token) => (await sessionOf(token))?.session,
    async usable(tokens) {
      const rows = await reading(() => select(store, tokens.map(hashOf)));
      const found = new Set<string>();
      for (const token of tokens)
        if ((await sessionOf(token, (hash) => rows.get(hash))) !== undefined) found.add(token);
      return found;
    },
    onEnd: (listener) => void listeners.push(listener),
    async end(token) {
      const ending = { hash: hashOf(token), reason: 'sign-out' } as const;
      if (TOKEN.test(token)) await end(() => endNoted(store, ending, { now: clock.now() }));
    },
    async endById(id, actor) {
      return (await end(() => endNoted(store, { id, reason: 'operator' }, { actor, now: clock.now() }))) > 0;
    },
    endAll: (user, actor) => end(() => endNoted(store, { user, reason: 'operator' }, { actor, now: clock.now() })),
    forget,
    lastSignIns: (users) => reading(async () => selectLastSignIns(await store.tables(), users)),
    list: ({ user } = {}) =>
      reading(async () => selectSessions(await store.tables(), { now: clock.now(), idle: console.idle }, user)),
    async noteRefused(id, facts, reason) {
      // What is typed for an unknown user may be a password.
      if ((await directory.find(id)) === undefined) return;
      const now = clock.elapsed();
      const before = refusals.get(id);
      if (before !== undefined && before.until > now) {
        before.others += 1;
        return;
      }
      refusals.delete(id);
      if (refusals.size >= MOST_NOTED) refusals.delete(refusals.keys().next().value as string);
      refusals.set(id, { until: now + NOTE_EVERY, others: 0 });
      const others = before === undefined || before.others === 0 ? {} : { others: before.others };
      const detail = { refused: reason, ...factsShown(facts), ...others };
      const at = timeText(clock.now());
      await reading(() =>
        store.transaction((tx) => addNote(tx, { at, actor: id, action: 'sign-in', user: id, detail })),
      );
    },
  };
}

/** Shows whether a password is still the same, and to who reads the database not even that: the key is the token. */
const credentialOf = ({ password = '' }: User, token: string): string =>
  createHmac('sha256', token).update(`password\0${password}`).digest('base64url');

/** Whether the password that opened a session is that of its user. The definitions may have been loaded anew since. */
const hasSamePassword = ({ credential }: Row, user: User, token: string): boolean =>
  credential === null || credential === credentialOf(user, token);

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Sessions that have not ended, by the hashes of their tokens. */
async function select(store: Store, hashes: readonly string[]): Promise<ReadonlyMap<string, Row>> {
  const db = await store.tables();
  const rows = await db
    .selectFrom('signalbox_session')
    .selectAll()
    .where('hash', 'in', hashes)
    .where('ended', 'is', null)
    .execute();
  return new Map(
    rows.map((row): [string, Row] => [
      row.hash,
      {
        id: row.id,
        user: row.user_id,
        signedIn: row.signed_in,
        roles: JSON.parse(row.roles) as string[],
        credential: row.credential,
        created: Date.parse(row.created),
        expires: Date.parse(row.expires),
        seen: Date.parse(row.seen),
      },
    ]),
  );
}

interface NewSession {
  readonly token: string;
  readonly user: User;
  /** Ids of roles. */
  readonly given: readonly string[];
  readonly facts: SignInFacts;
  readonly now: number;
}

/** Enters a session with its line of the audit trail, and ends those of the user that are too many. */
async function insert(
  { store, console }: Pick<SessionsOptions, 'store' | 'console'>,
  { token, user, given, facts, now }: NewSession,
): Promise<void> {
  const id = randomBytes(8).toString('hex');
  const at = timeText(now);
  const shown = factsShown(facts);
  const line = { at, actor: user.id, user: user.id } as const;
  await store.transaction(async (tx) => {
    // First, since it makes sign-ins wait for each other.
    await addNote(tx, { ...line, action: 'sign-in', detail: { session: id, ...shown } });
    await tx
      .insertInto('signalbox_session')
      .values({
        id,
        hash: hashOf(token),
        user_id: user.id,
        signed_in: facts.signedIn,
        roles: JSON.stringify(given),
        created: at,
        seen: at,
        expires: timeText(now + console.session),
        ended: null,
        reason: null,
        address: shown.address,
        agent: shown.agent,
        credential: facts.signedIn === 'password' ? credentialOf(user, token) : null,
      })
      .execute();
    const all = await selectSessions(tx, { now, idle: console.idle }, user.id);
    for (const { id: oldest } of all.filter((each) => each.id !== id).slice(MOST - 1)) {
      await tx
        .updateTable('signalbox_session')
        .set({ ended: at, reason: 'too many' })
        .where('id', '=', oldest)
        .execute();
      await addNote(tx, { ...line, action: 'session-end', detail: { session: oldest, reason: 'too many' } });
    }
  });
}

/** Characters of a User-Agent header that are kept. */
const LONGEST_AGENT = 200;

/** Printable, and not long. */
function factsShown({ signedIn, address, agent = '' }: SignInFacts) {
  return {
    by: signedIn,
    address: address.slice(0, 64),
    agent: agent.replace(/[^\x20-\x7e]+/g, ' ').slice(0, LONGEST_AGENT),
  };
}

/** The ids of the roles that an ID token gave its user, beside those that the directory gives. */
async function givenRoles(directory: Pick<Directory, 'find'>, user: User): Promise<string[]> {
  const own = user.origin === 'token' ? [] : ((await directory.find(user.id))?.roles ?? []);
  return user.roles.filter((role) => !own.includes(role)).map(({ id }) => id);
}

/**
 * The user of a session as the directory knows it now, with those of the token's roles that its scheme still gives; `undefined` for
 * one that is unknown or disabled, or who signed in by a way that is no longer offered.
 */
async function userOf({ registry, console, directory }: SessionsOptions, row: Row): Promise<User | undefined> {
  if (row.signedIn === 'password')
    return console.signIn.some(({ kind }) => kind === 'password') ? directory.find(row.user) : undefined;
  const offered = console.signIn.find((each) => each.kind === 'openid' && each.scheme.id === row.signedIn);
  if (offered?.kind !== 'openid') return undefined;
  const { scheme } = offered;
  const gives = new Set([...scheme.roles.values()].flat());
  const given = row.roles.flatMap((id): Role[] => {
    const role = registry.roles.get(id);
    return role !== undefined && gives.has(role) ? [role] : [];
  });
  // The ids of users that a token alone knows have a colon, and no others do.
  const isVouched = row.user.startsWith(`${scheme.id}:`);
  if (isVouched !== (scheme.users === 'any')) return undefined;
  if (isVouched) return undeclaredUser(row.user, 'token', given);
  const user = await directory.find(row.user);
  if (user === undefined || given.length === 0) return user;
  const roles = [...new Set([...user.roles, ...given])];
  return { ...user, roles, permissionLists: listsOf(roles) };
}
