import { redacted } from '../../codec/redact/redact.ts';
import { InvokeError, mayRetry } from '../error.ts';
import { oneLine } from '../http/body.ts';
import type { RawReply } from '../http/raw-reply.ts';
import { SHOWN_BODY } from '../limits.ts';

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** What is known of a reply whose status is no success. */
export interface StatusFacts {
  /** Beginning of its body. */
  readonly body?: string | undefined;
  /** How it is mended. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** The error for a status that is no success, where nothing else says why. */
export function statusError(raw: RawReply, { body, hint, cause }: StatusFacts): InvokeError {
  const { status, called } = raw;
  return new InvokeError('HTTP_STATUS', called, `the target answered with the status ${status}`, {
    httpResponseCode: status,
    retry: mayRetry(status),
    body,
    hint: raw.hint ?? redirectHint(raw) ?? hint,
    cause,
  });
}

function redirectHint({ status, headers: { location }, secrets }: RawReply): string | undefined {
  if (status < 300 || status >= 400 || location === undefined) return undefined;
  return `Redirects are not followed; it points to ${oneLine(redacted(location, secrets()).slice(0, SHOWN_BODY))}.`;
}

/** How a refused credential is mended. */
export const CREDENTIAL_HINT = 'What the call shows stands at its node, as credential:.';

/** The error for a reply that is not what the operation says. `reason` completes the sentence `the reply ${reason}`. */
export function badReply(raw: RawReply, reason: string, body?: string, cause?: unknown): InvokeError {
  const options = { httpResponseCode: raw.status, body, cause };
  return new InvokeError('BAD_REPLY', raw.called, `the reply ${reason}`, options);
}
