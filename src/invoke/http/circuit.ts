import type { CallObserver } from '../../model/metrics.ts';
import { type Node, SUSPENDED } from '../../model/node.ts';
import { type Called, InvokeError } from '../error.ts';
import type { RawReply } from './raw-reply.ts';

/** A circuit breaker. */
export interface Circuit {
  /** @throws InvokeError CIRCUIT_OPEN, without calling; what the call throws */
  run(call: () => Promise<RawReply>, called: Called): Promise<RawReply>;
  state(): CircuitState;
  /** Lets calls through again, as after a trial that succeeded. @returns whether it was not closed */
  close(): boolean;
}

/** The state of a circuit breaker in this process. Times are milliseconds since 1970. */
export type CircuitState =
  /** Calls are made. */
  | { readonly kind: 'closed'; readonly failures: number }
  /** A trial call is under way; all others fail. */
  | { readonly kind: 'half-open'; readonly failures: number; readonly since: number }
  /** All calls fail. From `until` on, the next one is a trial. */
  | { readonly kind: 'open'; readonly failures: number; readonly since: number; readonly until: number };

/** Failures of a node that can't be used at all. */
const FAILURES: ReadonlySet<string> = new Set(['CONNECTION', 'TIMEOUT', 'CUT']);

/** Statuses of such a node (RFC 9110 section 15.6). */
const STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** As metrics report them. */
const [CLOSED, TRYING, OPEN] = [0, 1, 2] as const;

/**
 * After `failures` failed calls in a row, each with its retries, no other is made for `reset` milliseconds. The next call is
 * then a trial, during which all others still fail; only a reply closes the circuit again. A call that fails for another
 * reason, as one that its caller ends, counts neither way.
 */
export function createCircuit({ id, circuit: { failures, reset } }: Node, observer: CallObserver | undefined): Circuit {
  let state: typeof CLOSED | typeof TRYING | typeof OPEN = CLOSED;
  let until = 0;
  let since = 0;
  let inARow = 0;
  const enter = (next: typeof state): void => {
    // A trial that fails does not begin a new outage.
    if (next === OPEN && state === CLOSED) since = Date.now();
    state = next;
    if (next === OPEN) until = Date.now() + reset;
    observer?.circuit(id, next);
  };
  const failed = (isTrial: boolean): void => {
    inARow++;
    if (isTrial || (state === CLOSED && inARow >= failures)) enter(OPEN);
  };
  const open = (called: Called, next: string, again?: Date): InvokeError => {
    const reason = `${failures} calls to node ${id} failed in a row, so ${SUSPENDED}; ${next}`;
    const hint = `circuit: of node ${id} sets after how many failures, and for how long.`;
    return new InvokeError('CIRCUIT_OPEN', called, reason, { retry: true, hint, again });
  };
  enter(CLOSED);
  return {
    state() {
      if (state === CLOSED) return { kind: 'closed', failures: inARow };
      const known = { failures: inARow, since };
      return state === TRYING ? { kind: 'half-open', ...known } : { kind: 'open', ...known, until };
    },
    close() {
      const isClosed = state === CLOSED;
      inARow = 0;
      if (!isClosed) enter(CLOSED);
      return !isClosed;
    },
    async run(call, called) {
      if (state === TRYING) throw open(called, 'a trial call is under way');
      if (state === OPEN && Date.now() < until) {
        const again = new Date(until);
        throw open(called, `the next trial is at ${again.toISOString()}`, again);
      }
      const isTrial = state === OPEN;
      if (isTrial) enter(TRYING);
      let reply: RawReply;
      try {
        reply = await call();
      } catch (error) {
        if (isTrial || (error instanceof InvokeError && FAILURES.has(error.code))) failed(isTrial);
        throw error;
      }
      if (STATUSES.has(reply.status)) failed(isTrial);
      else {
        inARow = 0;
        if (isTrial) enter(CLOSED);
      }
      return reply;
    },
  };
}
