import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Rate } from '../model/gateway.ts';
import type { RateTable } from '../store/index.ts';
import { duration } from '../wire/duration.ts';
import { LONGEST_TIMER, withinTime } from '../wire/waiting.ts';

/** The rate limits of a gateway. A fleet counts in its database. */
export interface RateLimits {
  /** @param name id of the operation or of the gateway */
  limiter(name: string, rate: Rate): RateLimiter;
  /** Stops sweeping the table. */
  close(): void;
}

interface RateLimitsOptions {
  /** The table of a fleet; without it, calls are counted in memory. */
  readonly table: RateTable | undefined;
  /** Called once when the table is not available, until it is again. */
  readonly onError: (error: Error) => void;
  /** Keys that one limit counts in memory; 100,000 by default. */
  readonly mostKeys?: number;
}

/** Limits memory: an attacker may use any number of addresses. */
const MOST_KEYS = 100_000;
/** How often expired rows are removed, in milliseconds. */
const SWEEP = 300_000;
/** Milliseconds to wait for the database to count a call. */
const PATIENCE = 1_000;
/** Milliseconds for which a database that did not answer is not used. */
const PAUSE = 5_000;

/** Opens the rate limits. The library is only loaded by a gateway that has any. */
export async function openRateLimits({ table, onError, mostKeys = MOST_KEYS }: RateLimitsOptions): Promise<RateLimits> {
  const library = await import('rate-limiter-flexible');
  const Bounded = boundedMemory(library.RateLimiterMemory, mostKeys);
  const inMemory = ({ requests, per }: Rate): RateLimiterMemory =>
    // Memory has a timer for each key.
    new Bounded({ points: requests, duration: Math.min(per, LONGEST_TIMER) / 1000, keyPrefix: '' });
  if (table === undefined) {
    return { limiter: (name, rate) => createLimiter(name, rate, inMemory(rate)), close: () => {} };
  }
  const storeClient = patient(table, onError);
  const shared = (rate: Rate): RateLimiterPostgres =>
    new library.RateLimiterPostgres({
      storeClient,
      storeType: 'client',
      tableName: table.name,
      // A migration has created it.
      tableCreated: true,
      clearExpiredByTimeout: false,
      points: rate.requests,
      duration: rate.per / 1000,
      keyPrefix: '',
      // If the database is not available, this gateway's own count limits calls.
      insuranceLimiter: inMemory(rate),
    });
  const sweep = setInterval(() => {
    storeClient.query({ text: `delete from ${table.name} where expire < $1`, values: [Date.now()] }).catch(() => {});
  }, SWEEP);
  sweep.unref();
  return { limiter: (name, rate) => createLimiter(name, rate, shared(rate)), close: () => clearInterval(sweep) };
}

/** A table that does not delay calls: if it does not answer, it is not used for a while. */
function patient({ query }: RateTable, onError: (error: Error) => void): Pick<RateTable, 'query'> {
  let away: Error | undefined;
  let again = 0;
  const late = (): Error => new Error(`the database took more than ${duration(PATIENCE)} to count a call`);
  return {
    async query(statement) {
      if (away !== undefined && performance.now() < again) throw away;
      try {
        const found = await withinTime(query(statement), PATIENCE, late);
        away = undefined;
        return found;
      } catch (error) {
        again = performance.now() + PAUSE;
        if (away === undefined) onError(error as Error);
        away = error as Error;
        throw error;
      }
    },
  };
}

/** The state of a limit for one key, after a call was counted. */
export interface Standing {
  /** The limit is exceeded: the call must be refused. */
  readonly exceeded: boolean;
  /** Remaining calls. */
  readonly remaining: number;
  /** Whole seconds until the window ends; at least 1. */
  readonly reset: number;
}

/** Counts the calls of one limit for each key, in windows that begin with the first call. */
export interface RateLimiter {
  readonly rate: Rate;
  /** Counts a call. Never rejects: if the fleet's count is not available, this gateway's own applies. */
  take(key: string): Promise<Standing>;
  /** The state of a key that is known to have exceeded the limit; `undefined` for all others. Does not count a call. */
  shut(key: string): Standing | undefined;
}

/** Keys that are remembered as exceeded. */
const MOST_SHUT = 10_000;
/** Longer keys are hashed. */
const LONGEST_KEY = 200;

/**
 * @param name of the limit, which separates its keys from those of others
 * @param now a monotonic clock in milliseconds
 */
function createLimiter(
  name: string,
  rate: Rate,
  counter: RateLimiterMemory | RateLimiterPostgres,
  now: () => number = performance.now.bind(performance),
): RateLimiter {
  const shutUntil = new Map<string, number>();

  function shut(key: string): Standing | undefined {
    const until = shutUntil.get(key);
    if (until === undefined) return undefined;
    const left = until - now();
    if (left > 0) return { exceeded: true, remaining: 0, reset: secondsOf(left) };
    shutUntil.delete(key);
    return undefined;
  }

  function remember(key: string, ms: number): void {
    const [oldest] = shutUntil.keys();
    if (shutUntil.size >= MOST_SHUT && oldest !== undefined) shutUntil.delete(oldest);
    shutUntil.set(key, now() + ms);
  }

  return {
    rate,
    shut,
    async take(key) {
      const known = shut(key);
      if (known !== undefined) return known;
      const { exceeded, found } = await consume(counter, fitting(`${name}:${key}`));
      // Clocks of a fleet may differ about the end of a window, which is never later than its full length.
      const left = Math.min(found.msBeforeNext, rate.per);
      if (exceeded) remember(key, left);
      return { exceeded, remaining: found.remainingPoints, reset: secondsOf(left) };
    },
  };
}

async function consume(
  counter: RateLimiterMemory | RateLimiterPostgres,
  key: string,
): Promise<{ exceeded: boolean; found: RateLimiterRes }> {
  try {
    return { exceeded: false, found: await counter.consume(key) };
  } catch (refused) {
    // The library rejects with the state of the key; its insurance limiter in memory can't fail.
    return { exceeded: true, found: refused as RateLimiterRes };
  }
}

/** Names from tokens may be too long for the index. */
function fitting(key: string): string {
  return key.length <= LONGEST_KEY ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

function secondsOf(ms: number): number {
  return Math.max(Math.ceil(ms / 1000), 1);
}

/**
 * A counter in memory with a limited number of keys: the one whose window began first is dropped, as it expires next.
 * @param most keys of one counter
 */
function boundedMemory(Memory: typeof RateLimiterMemory, most: number): typeof RateLimiterMemory {
  return class BoundedMemory extends Memory {
    /** In the order in which their windows began. */
    readonly #keys = new Set<string>();

    override async consume(...given: Parameters<RateLimiterMemory['consume']>): Promise<RateLimiterRes> {
      const taken = await super.consume(...given);
      if (taken.isFirstInDuration) this.#hold(String(given[0]));
      return taken;
    }

    #hold(key: string): void {
      this.#keys.delete(key);
      this.#keys.add(key);
      if (this.#keys.size <= most) return;
      const [oldest] = this.#keys as unknown as [string];
      this.#keys.delete(oldest);
      void this.delete(oldest);
    }
  };
}

/**
 * The key of an address. For IPv6 its first 64 bits: a caller has all addresses of such a network (RFC 4291, section 2.5.4),
 * and could use a new one for each call.
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return 'local';
  const zone = address.indexOf('%');
  const plain = zone < 0 ? address : address.slice(0, zone);
  if (!isIPv6(plain)) return plain;
  // An IPv4-mapped address (RFC 4291, section 2.5.5.2).
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  return mapped ?? `${network(plain)}::/64`;
}

function network(address: string): string {
  const [before = '', after] = address.split('::');
  const head = groups(before);
  const missing = after === undefined ? 0 : 8 - head.length - width(after);
  const all = [...head, ...Array.from({ length: missing }, () => '0'), ...groups(after ?? '')];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));

/** Number of groups; an IPv4 address at the end counts as two. */
const width = (text: string): number => groups(text).length + (text.includes('.') ? 1 : 0);
