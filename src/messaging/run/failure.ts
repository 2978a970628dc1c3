import { Fault } from '../../model/fault.ts';
import {
  AttemptTimeout,
  askedUntil,
  isRetried,
  isUncertain,
  mightDouble,
  type Retry,
  UNCERTAIN,
} from '../../model/retry.ts';
import { JobRefused } from '../../store/index.ts';

/** Whether another attempt at a delivery follows one that ended with this error. */
export function mayFollow(error: unknown, retry: Retry): boolean {
  if (error instanceof JobRefused) return false;
  if (error instanceof Fault && error.code === 'LOOP_DETECTED') return false;
  if (isGone(error) || codeOf(error) === LOOP || mightDouble(error)) return false;
  const status = statusOf(error);
  if (status === undefined) return true;
  return isRetried(retry, status) || (retry.on === 'failure' && AGAIN.has(status));
}

/** Statuses below 500 after which a target takes the same call later (RFC 9110, section 15.5.9; RFC 8470; RFC 6585). */
const AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);

/** Loop Detected (RFC 5842, section 7.2): a gateway has counted too many messages that led to this call. */
const LOOP = 508;

/** What an `InvokeError` has; its class is loaded only with the first call. */
interface CallFailure extends Error {
  readonly code: string;
  readonly httpResponseCode: number | undefined;
  readonly again: Date | undefined;
}

function isCallFailure(error: unknown): error is CallFailure {
  return error instanceof Error && 'httpResponseCode' in error && 'responseStatus' in error;
}

/** Whether a receiver of webhooks wants no more of them, be it that of a step of a flow. */
export function isGone(error: unknown): boolean {
  return error instanceof Error && (error.name === 'WebhookGone' || isGone(error.cause));
}

/** The status code of a target's reply. */
export function codeOf(error: unknown): number | undefined {
  return isCallFailure(error) ? error.httpResponseCode : undefined;
}

/** The status by which it is decided whether another attempt follows; `undefined` when there was no reply, which is tried again. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof Fault) return error.status;
  if (!isCallFailure(error)) return error instanceof AttemptTimeout ? 504 : 500;
  if (error.code === 'BAD_INPUT') return 400;
  // A fault over SOAP has status 500, whoever caused it (SOAP 1.1, section 6.2). One with Retry-After is temporary.
  if (error.code === 'Client' || error.code === 'Sender') return error.again === undefined ? 400 : 429;
  const { httpResponseCode: status } = error;
  return status === undefined || status >= 400 ? status : 500;
}

/** Characters of the longest reason. */
const LONGEST_REASON = 1000;

/** In front of what could not be read of the reply to an attempt that succeeded. */
const TAKEN = 'taken: ';

/** Why an attempt failed. It begins with `uncertain: ` when the target may have taken the message all the same. */
export function reasonOf(error: Error): string {
  const text = error.message === '' ? error.name : error.message;
  const asked = isCallFailure(error) && error.code !== 'CIRCUIT_OPEN' ? askedUntil(error) : undefined;
  const until =
    asked === undefined ? '' : `; the target asks to wait until ${new Date(asked).toISOString()} (Retry-After)`;
  return cut(`${isUncertain(error) ? UNCERTAIN : ''}${text}${until}`);
}

/** What is recorded about an attempt that succeeded; null for nothing. */
export function noteOf(note: string | undefined): string | null {
  return note === undefined ? null : cut(TAKEN + note);
}

/** What is recorded about an attempt, as its parts. */
export function readOutcome(
  reason: string,
): { readonly reason: string; readonly uncertain?: true } | { readonly note: string } {
  if (reason.startsWith(TAKEN)) return { note: reason.slice(TAKEN.length) };
  return reason.startsWith(UNCERTAIN) ? { reason, uncertain: true } : { reason };
}

function cut(text: string): string {
  return text.length <= LONGEST_REASON ? text : `${text.slice(0, LONGEST_REASON)}…`;
}
