/** Closes one thing. @param timeoutMs milliseconds that what it still does may take */
type Close = (timeoutMs: number) => Promise<void>;

/** What was opened so far. It is closed the other way round: what is in front first, then what it stands on. */
export class Opened {
  readonly #stages: Close[][] = [];
  #closing: Promise<void> | undefined;

  /** @param close ends what stands on all that was opened before */
  add(close: Close): void {
    this.#stages.push([close]);
  }

  /** @param close ends what is closed at the same time as the thing before it, so that both share the time that they have */
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
