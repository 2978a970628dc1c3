/** Random numbers determined by a seed. */
export interface Random {
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  /** @throws RangeError for an empty list */
  pick<T>(from: readonly T[]): T;
}

/** mulberry32, by Tommy Ettinger: 32 bits of state, sufficiently uniform for choices. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    between,
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new RangeError('there is nothing to pick from');
      return from[between(0, from.length - 1)] as T;
    },
  };
}
