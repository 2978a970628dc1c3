/** What is not as its standard has it. */
export class WireError extends Error {
  /** A clause without a full stop. */
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}
