import type { CallObserver } from '../../model/metrics.ts';
import type { Redactor } from '../../model/redactor.ts';
import type { Called } from '../error.ts';
import type { Timeouts } from '../limits.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Heads } from './headers.ts';

export interface SendingOptions {
  readonly signal: AbortSignal | undefined;
  /** Called with the bytes sent so far, and the total where it is known. */
  readonly onSent: ((sent: number, total: number | undefined) => void) | undefined;
  readonly heads: Heads | undefined;
  /** The id of a signed webhook, the same in all its attempts; a new one if undefined. */
  readonly messageId: string | undefined;
}

/** The state that all requests of one call share. */
export interface Sending {
  readonly called: Called;
  readonly outgoing: Outgoing;
  /** Id of the node. */
  readonly node: string;
  readonly timeouts: Timeouts;
  readonly options: SendingOptions;
  readonly observer: CallObserver | undefined;
  /** The client's. */
  readonly redactor: Redactor;
  /** Aborted when the client is closed: ends all waits. */
  readonly closed: AbortSignal;
  /** Replies may have other content codings than gzip. */
  readonly acceptsCodings: boolean;
  /** Start of the call, as `performance.now()`. */
  readonly start: number;
  /** How often a request was sent or an address was tried. */
  attempts: number;
  /** The last request got no connection: nothing of it was sent. */
  isUnsent: boolean;
  /** The last request was sent to its end: until then the target can't have taken it. */
  isWhole: boolean;
  /** A request was sent to its end, and no status came: the target may have taken it. */
  isUncertain: boolean;
  /** The token was replaced after the target had rejected it. */
  isRenewed: boolean;
  /** Reading has begun of a body that can be read only once. */
  isSpent: boolean;
}

/** Whether the content of a request can be sent again. Whether it may be repeated: `model/retry.ts`. */
export function canResend({ again }: Outgoing, { isSpent }: Sending): boolean {
  return again || !isSpent;
}
