import type { Mark } from './project/intervals.ts';

interface Interval {
  readonly run: string;
  readonly pid: number;
  readonly from: number;
  to: number;
}

/**
 * Items that ran twice at the same time, according to their marks.
 * @param deaths end times of processes, by pid: a run without an end mark ended with its process
 * @param freezes when processes were frozen, by pid. A run that was frozen counts until then: what it does afterwards is
 * nothing that others can prevent, and its transaction is refused
 */
export function findOverlaps(
  marks: readonly Mark[],
  deaths: ReadonlyMap<number, number>,
  freezes: ReadonlyMap<number, readonly number[]> = new Map(),
): string[] {
  const byWhat = Map.groupBy(marks, ({ what }) => what);
  const found: string[] = [];
  for (const [what, its] of byWhat) {
    const runs = new Map<string, Interval>();
    for (const { run, end, pid, at } of its) {
      const known = runs.get(run);
      if (end === 'begin') runs.set(run, { run, pid, from: at, to: deaths.get(pid) ?? Number.POSITIVE_INFINITY });
      else if (known !== undefined) known.to = at;
    }
    for (const interval of runs.values()) {
      const frozen = freezes.get(interval.pid)?.find((at) => at >= interval.from && at <= interval.to);
      interval.to = frozen ?? interval.to;
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
