import type { Fault } from '../../model/fault.ts';

/** What the audit log says of whether somebody was let in. */
export interface Decision {
  readonly decision: 'allowed' | 'refused';
  /** Why not: `no grant`, `wrong password`, `rate of LOCATIONS_GET by caller`. */
  readonly reason?: string;
}

const ALLOWED: Decision = { decision: 'allowed' };

/** Faults that say no to the caller, whatever has happened by then. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['UNAUTHENTICATED', 'credentials missing or wrong'],
  ['FORBIDDEN', 'no grant'],
  ['TOO_MANY_REQUESTS', 'rate'],
]);

/**
 * Whether an exchange was let in. What went wrong in a call that was is no refusal.
 * @param admitted the caller may call what was called
 */
export function decide(fault: Fault | undefined, admitted: boolean): Decision {
  if (fault === undefined) return ALLOWED;
  const reason = fault.reason ?? REASONS.get(fault.code);
  if (reason !== undefined) return { decision: 'refused', reason };
  if (admitted) return ALLOWED;
  return { decision: 'refused', reason: fault.code.toLowerCase().replaceAll('_', ' ') };
}

/** The line of the audit log for what never became a call: refused before anything could route it. */
export function refusedLine(
  fault: Fault,
  facts: {
    readonly requestId: string;
    readonly method: string | undefined;
    readonly remote?: string | undefined;
    /** A trusted proxy, where nothing came of what it says about its caller. */
    readonly proxy?: string | undefined;
    readonly bytes: number;
    readonly reason?: string | undefined;
  },
): object {
  const { requestId, method, remote, proxy, bytes, reason = decide(fault, false).reason } = facts;
  const { status, code } = fault;
  return { requestId, decision: 'refused', reason, method, remote, proxy, status, fault: code, bytes, complete: true };
}
