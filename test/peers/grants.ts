/** Random words that are good for a time: tokens, digests. */
export interface Grants {
  grant(): { readonly value: string; readonly seconds: number };
  isGood(value: string): boolean;
  /** None that was given is good any more. */
  forget(): void;
}

/** @param now in milliseconds */
export function createGrants(create: () => string, seconds: number, now: () => number): Grants {
  const until = new Map<string, number>();
  return {
    grant() {
      const value = create();
      until.set(value, now() + seconds * 1000);
      return { value, seconds };
    },
    isGood: (value) => now() < (until.get(value) ?? 0),
    forget: () => until.clear(),
  };
}
