import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Rate } from '../model/gateway.ts';
import type { RateTable } from '../store/index.ts';
import { LONGEST_TIMER, withinTime } from '../wire/waiting.ts';

/** The bounds of a gateway, which count in the database where a fleet shares one. */
export interface RateLimits {
  /** @param name what is bounded: an operation's id, or the gateway's */
  limiter(name: string, rate: Rate): RateLimiter;
  /** Ends what sweeps the table. */
  close(): void;
}

interface RateLimitsOptions {
  /** Where a fleet counts; in memory where undefined. */
  readonly table: RateTable | undefined;
  /** Told once when the table can't be had, until it can again. */
  readonly onError: (error: Error) => void;
  /** Keys that one bound counts in memory at once; 100,000. */
  readonly mostKeys?: number;
}

/** Addresses are for whoever has many of them to choose, so that there is a number of those that are counted. */
const MOST_KEYS = 100_000;
/** How often rows that count no longer are removed, in milliseconds. */
const SWEEP = 300_000;
/** Milliseconds that the database has to count one call. */
const PATIENCE = 1_000;
/** Milliseconds for which a database that did not answer is left alone. */
const PAUSE = 5_000;

/** Loads what counts: nothing of it is there in a gateway that bounds no rate. */
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
      // A migration has made it.
      tableCreated: true,
      clearExpiredByTimeout: false,
      points: rate.requests,
      duration: rate.per / 1000,
      keyPrefix: '',
      // Calls go on being taken, and bounded, by what this gateway alone has seen.
      insuranceLimiter: inMemory(rate),
    });
  const sweep = setInterval(() => {
    storeClient.query({ text: `delete from ${table.name} where expire < $1`, values: [Date.now()] }).catch(() => {});
  }, SWEEP);
  sweep.unref();
  return { limiter: (name, rate) => createLimiter(name, rate, shared(rate)), close: () => clearInterval(sweep) };
}

/** A table that does not keep calls waiting: one that does not answer is not asked for a while. */
function patient({ query }: RateTable, onError: (error: Error) => void): Pick<RateTable, 'query'> {
  let away: Error | undefined;
  let again = 0;
  const late = (): Error => new Error(`the database took more than ${PATIENCE} ms to count a call`);
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

/** Where a caller stands after a call was counted. */
export interface Standing {
  /** There were too many: this one is not to be answered. */
  readonly exceeded: boolean;
  /** Calls that are left. */
  readonly remaining: number;
  /** Whole seconds until all of them are there again; at least 1. */
  readonly reset: number;
}

/** Counts the calls of one bound, each key by itself, in windows that begin with the first call. */
export interface RateLimiter {
  readonly rate: Rate;
  /** Counts a call. Never rejects: where the fleet's count can't be had, this gateway's own holds. */
  take(key: string): Promise<Standing>;
  /** Where a key stands that is known here to have had too many; undefined for any other. Nothing is counted. */
  shut(key: string): Standing | undefined;
}

/** Keys that are remembered as shut. */
const MOST_SHUT = 10_000;
/** Characters of a key that are kept as they are. */
const LONGEST_KEY = 200;

/**
 * @param name what is bounded: keys of two bounds are two
 * @param now milliseconds; a clock that only goes forward
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
      // Gateways of a fleet, and a clock that was set, may differ about when a window ends; none is longer than itself.
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
    // What the library rejects with is where the key stands: its counter of last resort can't fail.
    return { exceeded: true, found: refused as RateLimiterRes };
  }
}

/** A long name, as tokens may give one, would not fit into the index. */
function fitting(key: string): string {
  return key.length <= LONGEST_KEY ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

function secondsOf(ms: number): number {
  return Math.max(Math.ceil(ms / 1000), 1);
}

/**
 * A counter in memory that holds so many keys and no more: for one more, that whose window began first is forgotten, as it
 * has the least to tell.
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
 * What an address is counted as. Of IPv6 its first 64 bits: whoever has one address there has all of them (RFC 4291,
 * section 2.5.4), and would be a new caller with each.
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return 'local';
  const zone = address.indexOf('%');
  const plain = zone < 0 ? address : address.slice(0, zone);
  if (!isIPv6(plain)) return plain;
  // An IPv4 address in IPv6's form (RFC 4291, section 2.5.5.2).
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

/** Groups that a text stands for: an IPv4 address at its end for two. */
const width = (text: string): number => groups(text).length + (text.includes('.') ? 1 : 0);
