import { createHash } from 'node:crypto';
import { Fault } from '../../model/fault.ts';
import type { Db, Store } from '../../store/index.ts';
import { duration } from '../../wire/duration.ts';
import type { Clock } from '../../wire/waiting.ts';
import { reading } from '../database.ts';
import { addressKey } from '../rate-limit.ts';
import { timeText } from './session-rows.ts';

/** Who may be guessing. */
export interface Guesser {
  /** The address of the caller; absent for one who has signed in. */
  readonly address?: string;
  /** As it was typed; absent for a sign-in with a provider. */
  readonly user?: string;
}

/**
 * Makes those who guess wait: longer with each refused sign-in, for an address and for a user name. The gateways of a fleet count
 * together, in their database.
 */
export interface Guesses {
  /**
   * Makes an attempt to sign in. It counts from its beginning, so that many at once are not more than one after the other, and no
   * longer when it was not refused.
   * @throws Fault TOO_MANY_REQUESTS without an attempt; UNAVAILABLE; what the attempt throws
   */
  guarded<T>(guesser: Guesser, attempt: () => Promise<T>): Promise<T>;
}

/** Refused sign-ins without a pause: people mistype, and many may share an address. */
const FREE = { address: 20, user: 10 } as const;
/** Milliseconds of the first pause; each further one is twice as long. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 900_000;
/** When the pause of one that need not wait was over: before any time of a clock, since those of gateways differ. */
const NO_PAUSE = timeText(0);
/** Milliseconds without an attempt after which those before are forgotten. */
const FORGOTTEN_AFTER = 3_600_000;
/** Milliseconds between two sweeps. */
const SWEEP_EVERY = 60_000;
/** Latest sign-ins of a user whose addresses count as his. */
const MOST_SIGN_INS = 200;

/** What is counted. */
interface Counter {
  /** SHA-256, since what is typed as a user may be a password. */
  readonly hash: string;
  readonly free: number;
  /** Nothing is left of it when the sign-in succeeds. */
  readonly isOfUser: boolean;
}

const counter = (of: keyof typeof FREE, ...names: readonly string[]): Counter => ({
  hash: createHash('sha256')
    .update(JSON.stringify([of, ...names]))
    .digest('hex'),
  free: FREE[of],
  isOfUser: of === 'user',
});

export function openGuesses({ store, clock }: { readonly store: Store; readonly clock: Clock }): Guesses {
  let sweptAt = Number.NEGATIVE_INFINITY;

  async function sweep(db: Db): Promise<void> {
    const now = clock.now();
    if (now - sweptAt < SWEEP_EVERY) return;
    sweptAt = now;
    await db.deleteFrom('signalbox_guess').where('until', '<', timeText(now)).execute();
  }

  /** Counts an attempt for each counter, or for none. @returns milliseconds to wait; 0 when it may be made */
  async function begin(counters: readonly Counter[]): Promise<number> {
    return store.transaction(async (tx) => {
      await sweep(tx);
      const counts: number[] = [];
      for (const { hash } of counters) {
        const { count, open, until } = await locked(tx, hash, clock.now());
        // It is later now: an attempt that began meanwhile has held the lock.
        const now = clock.now();
        if (open > timeText(now)) return Date.parse(open) - now;
        counts.push(until > timeText(now) ? count : 0);
      }
      const now = clock.now();
      for (const [index, { hash, free }] of counters.entries()) {
        const count = (counts[index] as number) + 1;
        const pause = pauseAfter(count - free);
        const open = pause === 0 ? NO_PAUSE : timeText(now + pause);
        const until = timeText(now + FORGOTTEN_AFTER);
        await tx.updateTable('signalbox_guess').set({ count, open, until }).where('hash', '=', hash).execute();
      }
      return 0;
    });
  }

  /** Takes an attempt back. Only it can have been running if there was a pause behind it. */
  async function takeBack(counters: readonly Counter[], isSignedIn: boolean): Promise<void> {
    await store.transaction(async (tx) => {
      for (const { hash, isOfUser } of counters)
        await (isSignedIn && isOfUser
          ? tx.deleteFrom('signalbox_guess').where('hash', '=', hash).execute()
          : tx
              .updateTable('signalbox_guess')
              .set(({ eb }) => ({ count: eb('count', '-', 1), open: NO_PAUSE }))
              .where('hash', '=', hash)
              .where('count', '>', 0)
              .execute());
    });
  }

  return {
    async guarded(guesser, attempt) {
      const counters = await reading(async () => countersOf(await store.tables(), guesser));
      const wait = await reading(() => begin(counters));
      if (wait > 0) throw tooMany(Math.ceil(wait / 1000));
      try {
        const result = await attempt();
        await reading(() => takeBack(counters, true));
        return result;
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'UNAUTHENTICATED')
          await takeBack(counters, false).catch(() => undefined);
        throw error;
      }
    },
  };
}

/**
 * The counters of an attempt, in an order in which no two transactions wait for each other. An address from which a user has signed
 * in before has one of its own for him: strangers elsewhere do not keep him out.
 */
async function countersOf(db: Db, { address, user }: Guesser): Promise<Counter[]> {
  if (address === undefined) return user === undefined ? [] : [counter('user', user, 'signed in')];
  const from = addressKey(address);
  if (user === undefined) return [counter('address', from)];
  const isOwn = (await addressesOf(db, user)).some((each) => addressKey(each) === from);
  const all = [counter('address', from), isOwn ? counter('user', user, from) : counter('user', user)];
  return all.sort((a, b) => (a.hash < b.hash ? -1 : 1));
}

async function addressesOf(db: Db, user: string): Promise<readonly string[]> {
  // PostgreSQL rejects NUL in a text; no user has such an id.
  const rows = await db
    .selectFrom('signalbox_session')
    .select('address')
    .where('user_id', '=', user.replaceAll('\0', ''))
    .orderBy('created', 'desc')
    .limit(MOST_SIGN_INS)
    .execute();
  return rows.map((row) => row.address);
}

/** The row of a counter, which no other transaction changes until the end of this one. */
async function locked(tx: Db, hash: string, now: number) {
  const at = timeText(now);
  return tx
    .insertInto('signalbox_guess')
    .values({ hash, count: 0, open: NO_PAUSE, until: at })
    .onConflict((conflict) =>
      conflict.column('hash').doUpdateSet(({ ref }) => ({ count: ref('signalbox_guess.count') })),
    )
    .returning(['count', 'open', 'until'])
    .executeTakeFirstOrThrow();
}

/** @param beyond refused sign-ins beyond those without a pause */
const pauseAfter = (beyond: number): number =>
  beyond <= 0 ? 0 : Math.min(FIRST_PAUSE * 2 ** Math.min(beyond - 1, 30), LONGEST_PAUSE);

const tooMany = (seconds: number): Fault =>
  Fault.of(
    'TOO_MANY_REQUESTS',
    { what: 'the sign-in', time: duration(1000 * seconds) },
    { headers: { 'Retry-After': String(seconds) } },
  );
