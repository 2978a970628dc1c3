/** The reason why a gateway can't start, in one sentence for the person at the terminal, and the remedy. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly hint: string | undefined;

  constructor(message: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint;
  }
}
