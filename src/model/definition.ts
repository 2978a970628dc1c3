/**
 * A text of the definitions that may refer to configuration. It is resolved when it is used: the registry, its review form
 * and the contracts never contain a resolved value.
 */
export interface ConfigText {
  /** As written. */
  readonly source: string;
  readonly parts: readonly ConfigPart[];
}

export type ConfigPart =
  | { readonly kind: 'literal'; readonly text: string }
  /** `${env:X}`, `${env:X:-default}`. */
  | { readonly kind: 'env'; readonly name: string; readonly default?: string }
  /** `${secret:X}`: the environment variable `X`, or the file that `X_FILE` names; masked in all output. */
  | { readonly kind: 'secret'; readonly name: string };

/** A reference to configuration. */
export type Reference = Exclude<ConfigPart, { readonly kind: 'literal' }>;

/** Gives the value of a reference to configuration. */
export type ResolveReference = (reference: Reference) => string;

/** A place in a definition file. Lines and columns count from 1; `file` is relative to the project's folder, with `/`. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** An edit of the definitions that `signalbox dev` has not applied. */
export interface BrokenEdit {
  /** Why, as the terminal has it, without colours. */
  readonly text: string;
  /** The errors and warnings; none when the definitions are valid and the gateway could not start all the same. */
  readonly found: readonly BrokenLine[];
}

/** A diagnostic, with the line that it is about. */
export interface BrokenLine {
  /** Its code in docs/diagnostics.md. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly hint?: string;
  readonly at: Position;
  /** The text of the line; absent for a file that could not be read. */
  readonly line?: string;
}
