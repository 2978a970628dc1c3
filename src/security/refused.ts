/** Credentials that are no good. Callers are told the same whatever the reason is; that is for the log. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
