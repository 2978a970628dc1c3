import type { Letters, Role } from '../verdict.ts';

/** A rule: one kind of change, and how it is judged. */
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
  /** What {@link Rule.before} and {@link Rule.after} are: a part of a definition, or whole definitions. */
  readonly sample: SampleKind;
  readonly before: string;
  readonly after: string;
}

/**
 * `fields` of a document, a whole `document`, keys of an `operation`, of a `service`, of the `gateway` or of a `call` (an operation with
 * a target), whole `definitions`, or a `contract`.
 */
export type SampleKind =
  | 'fields'
  | 'document'
  | 'operation'
  | 'service'
  | 'gateway'
  | 'call'
  | 'definitions'
  | 'contract';

export type Rules = Readonly<Record<string, Rule>>;

/** The verdicts of a rule in a role; `undefined` where the change can't happen. */
export function lettersIn({ verdicts }: Rule, role: Role): Letters | undefined {
  const other = role === 'sent' ? verdicts.reply : role === 'received' ? verdicts.request : undefined;
  return verdicts[role] ?? other;
}
