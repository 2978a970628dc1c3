/** What stands in place of a secret, wherever something is shown or logged. */
export const MASK = '***';

/** Takes what is secret out of anything that is said: texts, numbers, and what holds them. */
export type Redaction = (said: unknown) => unknown;
