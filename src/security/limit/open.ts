import type { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Rate } from '../../model/rate.ts';
import type { RateTable } from '../../store/index.ts';
import { within } from '../database.ts';
import { boundedMemory } from './bounded-memory.ts';
import { createLimiter, type RateLimiter } from './limiter.ts';

/** The bounds of a gateway, which count in the database where a fleet shares one. */
export interface RateLimits {
  /** @param name what is bounded: an operation's id, or the gateway's */
  limiter(name: string, rate: Rate): RateLimiter;
  /** Ends what sweeps the table. */
  close(): void;
}

export interface RateLimitsOptions {
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
/** Milliseconds that a timer holds, of which memory has one for each key; a longer time would be none at all. */
const LONGEST = 2 ** 31 - 1;
/** Milliseconds that the database has to count one call. */
const PATIENCE = 1_000;
/** Milliseconds for which a database that did not answer is left alone. */
const PAUSE = 5_000;

/** Loads what counts: nothing of it is there in a gateway that bounds no rate. */
export async function openRateLimits({ table, onError, mostKeys = MOST_KEYS }: RateLimitsOptions): Promise<RateLimits> {
  const library = await import('rate-limiter-flexible');
  const Bounded = boundedMemory(library.RateLimiterMemory, mostKeys);
  const inMemory = ({ requests, per }: Rate): RateLimiterMemory =>
    new Bounded({ points: requests, duration: Math.min(per, LONGEST) / 1000, keyPrefix: '' });
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
  return {
    async query(statement) {
      if (away !== undefined && performance.now() < again) throw away;
      try {
        const found = await within(PATIENCE, query(statement), `took more than ${PATIENCE} ms to count a call`);
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
