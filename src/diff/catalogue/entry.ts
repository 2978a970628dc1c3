import type { Letters, Role } from '../verdict.ts';

/** A rule: one kind of change, and how it is judged. Its sample is in `test/diff/samples`. */
export interface Rule {
  /** The change in one sentence: `{what}` is the thing, `{before}` and `{after}` are its values. */
  readonly sentence: string;
  /** Why it is judged so: the paragraph of `docs/compatibility.md`. */
  readonly reason: string;
  /**
   * The verdicts where the change can happen. `sent` is judged like `reply` unless it has verdicts of its own, because both are
   * written here and read by the other side; `received` likewise like `request`.
   */
  readonly verdicts: Readonly<Partial<Record<Role, Letters>>>;
}

export type Rules = Readonly<Record<string, Rule>>;

/** The verdicts of a rule in a role; `undefined` where the change can't happen. */
export function lettersIn({ verdicts }: Rule, role: Role): Letters | undefined {
  const other = role === 'sent' ? verdicts.reply : role === 'received' ? verdicts.request : undefined;
  return verdicts[role] ?? other;
}
