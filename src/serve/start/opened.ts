/** Closes one part. @param timeoutMs milliseconds that its running work may take */
type Close = (timeoutMs: number) => Promise<void>;

/** The opened parts. They are closed in reverse order, so each one before those it depends on. */
export class OpenedParts {
  readonly #stages: Close[][] = [];
  #closing: Promise<void> | undefined;

  /** @param close closes a part that depends on all parts opened before */
  add(close: Close): void {
    this.#stages.push([close]);
  }

  /** @param close runs at the same time as the closing of the part before, so that both share the remaining time */
  addBeside(close: Close): void {
    this.#stages.at(-1)?.push(close);
  }

  /** A second call waits for the first. */
  close(timeoutMs: number): Promise<void> {
    this.#closing ??= this.#closeAll(timeoutMs);
    return this.#closing;
  }

  async #closeAll(timeoutMs: number): Promise<void> {
    for (const stage of this.#stages.toReversed()) await Promise.all(stage.map((close) => close(timeoutMs)));
  }
}
