/** What stands in place of a secret, wherever something is shown or logged. */
export const MASK = '***';
