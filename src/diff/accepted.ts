import type { AcceptedBreak } from '../model/gateway.ts';
import { isRule } from './catalogue.ts';
import type { Change } from './changes.ts';
import { isAtLeast } from './verdict.ts';

/** A change that may break something, and the entry of `accepted-breaks` that accepts it. */
export interface JudgedChange extends Change {
  readonly accepted?: Pick<AcceptedBreak, 'reason' | 'until'>;
}

/** An entry of `accepted-breaks` that accepts nothing. */
export interface IdleAcceptance {
  readonly entry: AcceptedBreak;
  readonly why: string;
}

/** A comparison with what the definitions accept of it. */
export interface Judgement {
  readonly changes: readonly JudgedChange[];
  readonly idle: readonly IdleAcceptance[];
}

/**
 * Marks the changes that `accepted-breaks` accepts. An entry is for one rule, at a thing and everything in it, up to and including a
 * day.
 * @param today as yyyy-MM-dd
 */
export function judge(changes: readonly Change[], accepted: readonly AcceptedBreak[], today: string): Judgement {
  const used = new Set<AcceptedBreak>();
  const judged = changes.map((change): JudgedChange => {
    const entry = isAtLeast(change.verdict, 'may-break') ? accepted.find((each) => isFor(each, change)) : undefined;
    if (entry === undefined) return change;
    used.add(entry);
    const { reason, until } = entry;
    return until < today ? change : { ...change, accepted: { reason, until } };
  });
  const idle = accepted.flatMap((entry): IdleAcceptance[] => {
    if (!isRule(entry.rule)) return [{ entry, why: `${entry.rule} is not a rule` }];
    if (!used.has(entry)) return [{ entry, why: `no change of the rule ${entry.rule} is at ${entry.thing}` }];
    return entry.until < today ? [{ entry, why: `it ended on ${entry.until}` }] : [];
  });
  return { changes: judged, idle };
}

function isFor({ rule, thing }: AcceptedBreak, change: Change): boolean {
  return rule === change.rule && (change.at === thing || change.at.startsWith(`${thing}.`));
}
