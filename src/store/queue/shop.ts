import type { Store } from '../port.ts';
import type { QueueEngine } from './engine.ts';

/** Told of what goes wrong behind everybody's back: connections that are lost, jobs that become dead letters. */
export type Report = (error: Error, facts: Readonly<Record<string, unknown>>) => void;

/** What all that works at the queues of a gateway shares. */
export interface Shop {
  readonly store: Store;
  readonly engine: QueueEngine;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly report: Report;
}
