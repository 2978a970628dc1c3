import { setTimeout as pause } from 'node:timers/promises';
import { nodesOf, type Subscription } from '../../model/message.ts';
import type { Node } from '../../model/node.ts';
import { JobWaits } from '../../store/index.ts';

/** Milliseconds that a delivery waits here for its turn by the rate; with more before it, it is left in the queue. */
const LONGEST_WAIT = 1000;

/** What the deliveries of a subscription pass, one after the other by the rate of the node, and no more than it takes at once. */
export interface Gate {
  /** Deliveries of the subscription that may run or wait here now. */
  room(): number;
  /**
   * Waits for the turn of a delivery.
   * @returns what ends it @throws JobWaits when others come before it for too long; the reason of the signal
   */
  enter(signal: AbortSignal): Promise<() => void>;
}

/** Makes the gates of this gateway's subscriptions, which share those of their nodes. */
export class Gates {
  readonly #nodes = new Map<string, NodeGate>();

  /** @returns `undefined` for a subscription whose target has no node with a rate or a concurrency */
  of(subscription: Subscription): Gate | undefined {
    // In one order for all, so that no two deliveries wait for each other.
    const gates = nodesOf(subscription)
      .filter(({ rate, concurrency }) => rate !== undefined || concurrency !== undefined)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((node) => this.#nodeGate(node));
    return gates.length === 0 ? undefined : gateThrough(gates);
  }

  #nodeGate(node: Node): NodeGate {
    const gate = this.#nodes.get(node.id) ?? new NodeGate(node);
    this.#nodes.set(node.id, gate);
    return gate;
  }
}

function gateThrough(gates: readonly NodeGate[]): Gate {
  let running = 0;
  return {
    room: () => running + Math.min(...gates.map((gate) => gate.turns)),
    async enter(signal) {
      const passed: NodeGate[] = [];
      const leave = (): void => {
        running -= 1;
        for (const gate of passed) gate.leave();
      };
      running += 1;
      try {
        for (const gate of gates) {
          await gate.begin(signal);
          passed.push(gate);
        }
        for (const gate of gates) await gate.turn(signal);
      } catch (error) {
        leave();
        throw error;
      }
      return leave;
    },
  };
}

/** Deliveries to a node. */
class NodeGate {
  readonly #id: string;
  readonly #concurrency: number;
  /** Milliseconds between two deliveries. */
  readonly #interval: number;
  /** When the next may begin, by `performance.now`. */
  #next = 0;
  #running = 0;
  /** In the order in which they came. */
  readonly #waiting = new Set<() => void>();

  constructor({ id, rate, concurrency = Infinity }: Node) {
    this.#id = id;
    this.#concurrency = concurrency;
    this.#interval = rate === undefined ? 0 : rate.per / rate.requests;
  }

  /** Turns by the rate within the longest wait. */
  get turns(): number {
    if (this.#interval === 0) return Infinity;
    const now = performance.now();
    const time = now + LONGEST_WAIT - Math.max(now, this.#next);
    return time < 0 ? 0 : 1 + Math.floor(time / this.#interval);
  }

  /** Waits until the node takes one more at once. */
  async begin(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#running < this.#concurrency) {
      this.#running += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const stop = (): void => {
        this.#waiting.delete(go);
        reject(signal.reason);
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.add(go);
    });
  }

  /** Waits until the rate lets one more begin. */
  async turn(signal: AbortSignal): Promise<void> {
    if (this.turns === 0) throw new JobWaits(`the rate of node ${this.#id} lets others go first`);
    const now = performance.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#interval;
    if (at > now) await pause(at - now, undefined, { signal });
  }

  /** Lets the next that waits begin in place of one that has ended. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#running -= 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
