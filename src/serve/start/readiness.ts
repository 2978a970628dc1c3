import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../model/fault.ts';
import { deadlineIn, withDeadline } from '../../store/index.ts';
import { duration } from '../../wire/duration.ts';
import { shared, withinTime } from '../../wire/waiting.ts';
import type { Connections } from '../listen/connections.ts';

/** Milliseconds in which the check of readiness ends, whatever the database does. */
const PROBE = 2000;

/** Whether callers should send requests: for `/health/ready`, and for the metrics. */
export class Readiness {
  /** One at a time: probes must not use up the connections of a database that is slow. */
  readonly #probe: () => Promise<unknown>;
  /** Why it is not ready, whatever the check finds. */
  #denied: string | undefined = 'the gateway is starting';
  #asked = false;

  /** @param check rejects while something behind the gateway does not answer */
  constructor(check: () => Promise<unknown>) {
    const late = (): Error => new Error(`no answer within ${duration(PROBE)}`);
    this.#probe = shared(() => withDeadline(deadlineIn(PROBE), () => withinTime(check(), PROBE, late)));
  }

  /** Whether `/health/ready` was called yet. */
  get asked(): boolean {
    return this.#asked;
  }

  /** @throws Fault UNAVAILABLE before the start is complete and while the gateway drains; what the check throws */
  async ask(): Promise<void> {
    this.#asked = true;
    if (this.#denied !== undefined) throw Fault.of('UNAVAILABLE', { reason: this.#denied });
    await this.#probe();
  }

  /** The same for the metrics, whose readers send no other requests. */
  async holds(): Promise<boolean> {
    return (
      this.#denied === undefined &&
      this.#probe().then(
        () => true,
        () => false,
      )
    );
  }

  /** The start is complete. */
  begin(): void {
    this.#denied = undefined;
  }

  /** The gateway stops. */
  deny(): void {
    this.#denied = 'the gateway is draining, and stops soon';
  }
}

/** Milliseconds between two checks whether all callers have left. */
const LOOK_MS = 50;

/** Resolves after `forMs`, or once no connection is open and no load balancer has to learn that the gateway stops. */
export async function drain(
  connections: Connections,
  forMs: number,
  { replaced, readiness }: { readonly replaced: boolean; readonly readiness: Readiness },
): Promise<void> {
  const end = performance.now() + forMs;
  connections.closeWithReplies();
  if (replaced) await connections.stopAccepting();
  const isNeeded = (): boolean => connections.size > 0 || (!replaced && readiness.asked);
  while (isNeeded() && performance.now() < end) await pause(LOOK_MS);
}
