import type { Redactor } from '../../model/redactor.ts';
import type { Called } from '../error.ts';
import type { Timeouts } from '../limits.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Heads } from './headers.ts';

export interface SendingOptions {
  readonly signal: AbortSignal | undefined;
  /** Bytes of the request that were handed over, and those it has, where that is known. */
  readonly onSent: ((sent: number, total: number | undefined) => void) | undefined;
  readonly heads: Heads | undefined;
}

/** A call on its way: what all the requests that are sent for it share. */
export interface Sending {
  readonly called: Called;
  readonly outgoing: Outgoing;
  /** Id of the node. */
  readonly node: string;
  readonly timeouts: Timeouts;
  readonly options: SendingOptions;
  /** The client's, for what is shown of the call. */
  readonly redactor: Redactor;
  /** The client is closed, which ends what waits. */
  readonly closed: AbortSignal;
  /** Replies may be compressed with more than gzip. */
  readonly acceptsCodings: boolean;
  /** When it began, as `performance.now()` says it. */
  readonly start: number;
  /** Times that a request was sent, or an address was tried. */
  attempts: number;
  /** The last request found no connection, so that nothing of it was sent. */
  isUnsent: boolean;
  /** A token that the target did not take has been replaced. */
  isRenewed: boolean;
  /** Something was read of a body that can be read only once. */
  isSpent: boolean;
}

/** Whether a request can be sent once more. */
export function isRepeatable({ again }: Outgoing, { isSpent }: Sending): boolean {
  return again || !isSpent;
}
