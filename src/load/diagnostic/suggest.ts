/**
 * The known word that `given` probably means: one that differs in at most a third of its letters, where a swap counts as one,
 * or else one that begins with it.
 */
export function nearest(given: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(given.length / 3)) + 1;
  const wanted = given.toLowerCase();
  for (const word of known) {
    if (Math.abs(word.length - given.length) >= least) continue;
    const found = distance(wanted, word.toLowerCase());
    if (found < least) {
      least = found;
      best = word;
    }
  }
  if (best !== undefined || given.length < SHORTEST_START) return best;
  // `int` means `integer`, `bool` means `boolean`.
  return known.find((word) => word.toLowerCase().startsWith(wanted));
}

const SHORTEST_START = 3;

/** The boolean that a text meant in YAML 1.1, where `yes` is `true`. In YAML 1.2 (section 10.3.2) it is text. */
export function booleanMeant(given: unknown): boolean | undefined {
  if (typeof given !== 'string') return undefined;
  if (/^(?:y|yes|on|true)$/i.test(given)) return true;
  return /^(?:n|no|off|false)$/i.test(given) ? false : undefined;
}

/** Optimal string alignment distance (Damerau-Levenshtein without overlapping swaps). */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (above[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (above[j - 1] as number) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] as number) + 1);
      }
      row.push(cost);
    }
    before = above;
    above = row;
  }
  return above[b.length] as number;
}

/** `Did you mean X?`, or else a short list of the known words, or nothing. */
export function didYouMean(given: string, known: Iterable<string>, there = 'There is'): string | undefined {
  const words = [...known];
  const meant = nearest(given, words);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return words.length > 0 && words.length <= MOST_LISTED ? `${there} ${words.join(', ')}.` : undefined;
}

const MOST_LISTED = 40;

/**
 * The same for a value of a save, whose words for values before it and after it may be others: `old.STATUS` for `before.STATUS`,
 * `new.STATUS` for `STATUS`.
 */
export function didYouMeanSaved(given: string, known: Iterable<string>, there: string): string | undefined {
  const names = new Set(known);
  const meant = given.replace(/^(?:old|previous|was)\./, 'before.').replace(/^(?:new|after|save)\./, '');
  return names.has(meant) ? `Did you mean ${meant}?` : didYouMean(given, names, there);
}
