import { sql } from 'kysely';
import { nodesOf, type Subscription } from '../../model/message.ts';
import type { Node } from '../../model/node.ts';
import { longestAsked } from '../../model/retry.ts';
import type { Db } from '../../store/index.ts';
import type { MessagesOptions } from './port.ts';
import { awaitingOf } from './reply.ts';

/** How deliveries to a node go on while it is down, and once it is back. */
export interface TargetPace {
  /** Deliveries that may run now: none until the next probe, then one, then more with each success. */
  room(): number;
  /** The target has answered. */
  answered(): void;
  /** A delivery has failed. @returns how it waits until the target is back, without counting; `undefined` when it does not */
  failed(error: unknown): Waiting | undefined;
}

/** A delivery that waits until its target is back. In milliseconds since 1970. */
export interface Waiting {
  readonly node: string;
  readonly since: number;
  /** When the next probe may begin. */
  readonly until: number;
  /** Whether it was sent; otherwise the circuit breaker did not let it through. */
  readonly isProbe: boolean;
}

interface PaceOptions {
  readonly subscription: string;
  readonly concurrency: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly report: (error: Error, facts: Readonly<Record<string, unknown>>) => void;
  /** Of what needs no one's attention. */
  readonly inform: (words: string, facts: Readonly<Record<string, unknown>>) => void;
}

/** Milliseconds between two looks while a trial of another subscription or call is under way. */
const TRIAL = 1000;

/** Failures of calls to a node that can't be used at all, as its circuit breaker counts them. */
const UNREACHABLE: ReadonlySet<unknown> = new Set(['CONNECTION', 'TIMEOUT', 'CUT']);
const UNAVAILABLE: ReadonlySet<unknown> = new Set([502, 503, 504]);

/**
 * The pace of a subscription that delivers by one call to a node with a circuit breaker; `undefined` for others: a flow, code, or a
 * reply that comes later have parts that a repetition must not run again without counting.
 */
export function paceOf(
  subscription: Subscription,
  options: Pick<PaceOptions, 'now' | 'report' | 'inform'>,
): TargetPace | undefined {
  const { id, target, concurrency } = subscription;
  const isOneCall = target.kind === 'caller' || (target.kind === 'call' && !('steps' in target.call));
  const [node] = nodesOf(subscription);
  if (!isOneCall || node === undefined || awaitingOf(subscription) !== undefined) return undefined;
  return node.circuit.failures === 0 ? undefined : followNode(node, { ...options, subscription: id, concurrency });
}

/**
 * Follows the circuit breaker of a node for the deliveries of one subscription. Once it is open no delivery begins until its next
 * trial, which is a single delivery. After a success their number doubles with each round, up to `concurrency`.
 */
export function followNode({ id, circuit }: Node, options: PaceOptions): TargetPace {
  const { subscription, concurrency, now, report, inform } = options;
  let down: Waiting | undefined;
  let most = concurrency;
  // As many as open the circuit. With pauses longer than its `reset` each attempt is a trial, and none finds it open.
  let inARow = 0;
  const wait = (error: Error, until: number, isProbe: boolean): Waiting => {
    const isNew = down === undefined;
    down = { node: id, since: down?.since ?? now(), until, isProbe };
    most = 1;
    if (isNew)
      report(error, {
        what: 'a target that is down, whose deliveries wait',
        subscription,
        node: id,
        next: new Date(until),
      });
    return down;
  };
  const answered = (): void => {
    inARow = 0;
    if (down !== undefined) {
      inform(`Node ${id} answers again.`, { subscription, node: id, since: new Date(down.since) });
      down = undefined;
    } else most = Math.min(concurrency, most + 1);
  };
  return {
    room: () => (down !== undefined && now() < down.until ? 0 : most),
    answered,
    failed(error) {
      if (!(error instanceof Error && 'code' in error && 'httpResponseCode' in error)) return undefined;
      const { code, httpResponseCode } = error;
      if (code === 'CIRCUIT_OPEN') {
        const again = 'again' in error && error.again instanceof Date ? error.again.getTime() : now() + TRIAL;
        return wait(error, Math.min(again, now() + circuit.reset), false);
      }
      if (UNREACHABLE.has(code) || UNAVAILABLE.has(httpResponseCode)) {
        inARow += 1;
        const isDown = down !== undefined || inARow >= circuit.failures;
        const asked = 'again' in error && error.again instanceof Date ? error.again.getTime() : 0;
        const most = now() + longestAsked({ longest: circuit.reset });
        return isDown ? wait(error, Math.max(now() + circuit.reset, Math.min(asked, most)), true) : undefined;
      }
      if (httpResponseCode !== undefined) answered();
      return undefined;
    },
  };
}

/** Between node and time in the reason of a delivery that was a probe. */
const DOWN = ' has been down since ';

/** A node that was down when a gateway last tried a delivery to it. Times are UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
export interface DownNode {
  readonly node: string;
  readonly subscription: string;
  readonly since: string;
  /** When the next probe may begin. */
  readonly next?: string;
  /** The message whose delivery was the last probe. */
  readonly message: string;
}

/** Deliveries that are looked at, those of the oldest messages first: a probe is one of them. */
const MOST_PROBES = 2000;

/** The nodes that are down by what the gateways of the fleet have found, with the subscriptions whose deliveries wait for them. */
export async function readDown(db: Db): Promise<readonly DownNode[]> {
  const { rows } = await sql<{ subscription: string; next: number | string | null; reason: string; message: string }>`
    select subscription, next, reason, message from (
      select subscription, next, reason, message from signalbox_delivery where status = 'Retry' order by message limit ${MOST_PROBES}
    ) waiting where reason like ${`node %${DOWN}%`}`.execute(db);
  const found = new Map<string, DownNode>();
  for (const { subscription, next, reason, message } of rows) {
    const [, node, since] = PROBE.exec(reason) ?? [];
    if (node === undefined || since === undefined) continue;
    const known = found.get(subscription);
    // An earlier probe of another outage may still wait for its turn.
    if (known !== undefined && known.since >= since) continue;
    const again = next === null ? {} : { next: new Date(Number(next)).toISOString() };
    found.set(subscription, { node, subscription, since, message, ...again });
  }
  return [...found.values()];
}

const PROBE = new RegExp(`^node (\\S+)${DOWN}([\\dT:.-]+Z);`);

/** Lets operators see at the delivery that was a probe for how long its target has been down, and when the next probe is. */
export async function noteProbe(
  { store, onError }: Pick<MessagesOptions, 'store' | 'onError'>,
  delivery: string,
  { node, since, until }: Waiting,
): Promise<void> {
  const reason = `node ${node}${DOWN}${new Date(since).toISOString()}; this delivery was the probe`;
  try {
    const db = await store.tables();
    await db
      .updateTable('signalbox_delivery')
      .set({ status: 'Retry', next: until, reason })
      .where('id', '=', delivery)
      // An operator may have held it meanwhile, or cancelled it.
      .where('status', 'in', ['New', 'Retry'])
      .execute();
  } catch (error) {
    onError(error as Error, { delivery });
  }
}
