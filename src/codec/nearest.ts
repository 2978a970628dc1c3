/** Names longer than this are compared by nothing: no caller's name makes the search expensive. */
const LONGEST = 64;

/** Edit distance (Levenshtein), without regard to letter case. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(change, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[b.length]!;
}

/** The name that was probably meant: within a third of its length, the nearest first. Undefined where none is close. */
export function nearest(given: string, names: Iterable<string>): string | undefined {
  if (given.length > LONGEST) return undefined;
  const sought = given.toLowerCase();
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const allowed = Math.max(1, Math.floor(name.length / 3));
    if (Math.abs(name.length - sought.length) > allowed) continue;
    const steps = distance(sought, name.toLowerCase());
    if (steps <= allowed && steps < least) {
      best = name;
      least = steps;
    }
  }
  return best;
}
