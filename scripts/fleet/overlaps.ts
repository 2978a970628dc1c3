import type { Mark } from './project/intervals.ts';

interface Interval {
  readonly run: string;
  readonly from: number;
  to: number;
}

/**
 * Items that ran twice at the same time, according to their marks.
 * @param deaths end times of processes, by pid: a run without an end mark ended with its process
 */
export function findOverlaps(marks: readonly Mark[], deaths: ReadonlyMap<number, number>): string[] {
  const byWhat = Map.groupBy(marks, ({ what }) => what);
  const found: string[] = [];
  for (const [what, its] of byWhat) {
    const runs = new Map<string, Interval>();
    for (const { run, end, pid, at } of its) {
      const known = runs.get(run);
      if (end === 'begin') runs.set(run, { run, from: at, to: deaths.get(pid) ?? Number.POSITIVE_INFINITY });
      else if (known !== undefined) known.to = at;
    }
    const intervals = [...runs.values()].sort((a, b) => a.from - b.from);
    let latest = Number.NEGATIVE_INFINITY;
    for (const { from, to } of intervals) {
      if (from < latest) found.push(`${what} ran twice at the same time, for ${Math.min(latest, to) - from} ms`);
      latest = Math.max(latest, to);
    }
  }
  return found;
}
