import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/**
 * A counter in memory that holds so many keys and no more: for one more, that whose window began first is forgotten, as it
 * has the least to tell.
 * @param most keys of one counter
 */
export function boundedMemory(Memory: typeof RateLimiterMemory, most: number): typeof RateLimiterMemory {
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
