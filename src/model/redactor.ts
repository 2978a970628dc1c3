/** Replaces a secret wherever something is shown, logged or kept for people. */
export const MASK = '***';

/** Values of Authorization without their secrets. */
export const MASKED_BASIC = `Basic ${MASK}`;
export const MASKED_BEARER = `Bearer ${MASK}`;

/**
 * Removes secrets from everything that leaves the gateway or a command beside the data itself. Secret are:
 *
 * - values of fields declared `sensitive`, in the documents of operations, components, processes and calls to other systems;
 * - `${secret:NAME}` and passwords inside configured addresses, from the moment that they are resolved, and the tokens that
 *   nodes fetch at run time;
 * - the credentials of a caller: the headers and query variables that {@link isSecretName} knows or a scheme declares;
 * - what has the form of a secret: a password inside an address, a private key in PEM, a JSON Web Token, the credentials after
 *   `Bearer` and `Basic`.
 *
 * Each is found as it is and as URLs, forms, JSON, XML and HTML escape it. One of fewer than four bytes is masked only where
 * it stands alone.
 *
 * The exits: `serve/log/log.ts` for warnings and errors of the log; `serve/log/record.ts` and `message/record.ts` for what is
 * recorded of calls, `message/parts.ts` for how it is shown; `serve/exchange/refuse.ts` for faults; `serve/answer/work.ts` for what code logs; `invoke/` for errors, dry runs and
 * traces of calls; `process/attempt.ts` for message logs; `event/` for what classes throw;
 * `serve/start/services.ts` for failed jobs and dead letters; `store/queue/kept.ts` for what operators see of jobs, over REST
 * and SOAP (`delivered/queues.ts`) and in commands (`cli/queue.ts`); `trace/otlp.ts` for the attributes of exported spans,
 * whose failures have no messages; `cli/failure.ts` for the errors of commands, and `cli/doctor/doctor.ts` for what it finds.
 */
export interface Redactor {
  /** A text without secrets. */
  text(text: string): string;
  /** A value as JSON would write it, without secrets in texts, names and numbers; the same value where it has none. */
  value(value: unknown): unknown;
  /** The same error without secrets in its message, stack, members and causes; {@link Redactor.value} of what is no Error. */
  error(thrown: unknown): unknown;
  /** Headers by their names, without those that are secret by their name and secrets in the others. */
  headers(headers: Readonly<Record<string, string>>): Record<string, string>;
  /** A redactor that knows more than this one. */
  knowing(more: MoreSecrets): Redactor;
  /** Adds secrets that are known only now, as a token that was fetched. */
  learn(secrets: Iterable<string>): void;
}

/** What a redactor knows beyond another. */
export interface MoreSecrets {
  /** Read once, when there is something to redact. */
  readonly secrets?: () => Iterable<string>;
  /** Masks what is known by the name in front of it. */
  readonly hide?: (text: string) => string;
}

const SECRET_NAME =
  /^(?:proxy-)?authorization$|^(?:set-)?cookie2?$|api[-_]?key|token|secret|password|passwd|pwd$|assertion$|signature/i;

/** Whether a header, a query variable or a field of a form is secret by its name. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}
