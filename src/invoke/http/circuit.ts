import type * as Cockatiel from 'cockatiel';
import type { Node } from '../../model/node.ts';
import { type Called, InvokeError } from '../error.ts';
import type { RawReply } from './raw-reply.ts';

/** Leaves a node alone that calls come to nothing at. */
export interface Circuit {
  /** @throws InvokeError CIRCUIT_OPEN, without calling; what the call throws */
  run(call: () => Promise<RawReply>, called: Called): Promise<RawReply>;
}

/** Failures that say that a node can't be used at all. */
const FAILURES: ReadonlySet<string> = new Set(['CONNECTION', 'TIMEOUT', 'CUT']);

/** Statuses that say so (RFC 9110 section 15.6). */
const STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * After `failures` calls in a row that came to nothing, repetitions and all, no other is made for `reset` milliseconds. The
 * next one then is a trial, during which the others fail as before; only a reply ends that.
 */
export function createCircuit(
  { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen }: typeof Cockatiel,
  { id, circuit: { failures, reset } }: Node,
): Circuit {
  let until = 0;
  const isFailure = (error: unknown): boolean =>
    policy.state === CircuitState.HalfOpen || (error instanceof InvokeError && FAILURES.has(error.code));
  const isFailed = (reply: unknown): boolean => STATUSES.has((reply as RawReply).status);
  const policy = circuitBreaker(handleWhen(isFailure).orWhenResult(isFailed), {
    breaker: new ConsecutiveBreaker(failures),
    halfOpenAfter: reset,
  });
  policy.onBreak(() => {
    until = Date.now() + reset;
  });
  const open = (called: Called, again: string): InvokeError => {
    const reason = `calls to node ${id} came to nothing ${failures} times in a row, so that it is left alone; ${again}`;
    const hint = `circuit: of node ${id} says after how many failures, and for how long.`;
    return new InvokeError('CIRCUIT_OPEN', called, reason, { retry: true, hint });
  };
  return {
    async run(call, called) {
      // Others would wait for the trial, however long that takes, and not end with their signals.
      if (policy.state === CircuitState.HalfOpen) throw open(called, 'it is being tried again right now');
      try {
        return await policy.execute(call);
      } catch (error) {
        if (!(error instanceof BrokenCircuitError)) throw error;
        throw open(called, `it is tried again at ${new Date(until).toISOString()}`);
      }
    },
  };
}
