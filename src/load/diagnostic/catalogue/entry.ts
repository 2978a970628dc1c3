/** One kind of mistake. Its sample, wrong and corrected, is in `test/load/samples`. */
export interface Entry<P> {
  readonly severity: 'error' | 'warning';
  /** What is wrong, in one line. */
  readonly message: (parameters: P) => string;
  /** How to mend it, in one line; none where the message says it. */
  readonly hint?: (parameters: P) => string | undefined;
  /** The paragraph of `docs/diagnostics.md`. */
  readonly explanation: string;
  /** The line that is quoted holds a secret: it is shown up to the place only. */
  readonly masked?: boolean;
}

/** An error of the catalogue. */
export const error = <P>(entry: Omit<Entry<P>, 'severity'>): Entry<P> => ({ severity: 'error', ...entry });

/** A warning of the catalogue: `check` passes. */
export const warning = <P>(entry: Omit<Entry<P>, 'severity'>): Entry<P> => ({ severity: 'warning', ...entry });

/** What a diagnostic shows of valid values. */
export interface Shown {
  readonly examples: readonly unknown[];
  /** What the value can have meant, in the form that the key takes. */
  readonly meant?: readonly string[];
}
