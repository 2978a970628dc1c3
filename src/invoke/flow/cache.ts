import { createHmac, randomBytes } from 'node:crypto';
import { attachmentsIn } from '../../codec/binary.ts';
import type { Flow } from '../../model/flow.ts';
import type { StepTrace } from '../../model/invoke-reply.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import type { Called } from '../error.ts';
import { abortError, unlessEnded } from '../limits.ts';

/** The values that a step gives to later steps. */
export interface Given {
  /** By the names under which they are kept. */
  readonly values: Readonly<Record<string, Value>>;
  /** Until when other runs may use them, by the cache's clock; `undefined` if they may not. */
  readonly until: number | undefined;
  readonly trace: StepTrace;
}

/** A step under way, for all runs that need its values. */
interface Flight {
  readonly given: Promise<Given>;
  /** Ends the step. */
  readonly controller: AbortController;
  waiting: number;
}

/** The result of a shared step. */
interface Shared {
  readonly given: Given;
  /** The step was started by this run. */
  readonly own: boolean;
}

/** A run that waits for a step. */
interface Waiting {
  readonly signal: AbortSignal | undefined;
  readonly called: Called;
}

/** Entries of the cache; the least recently used ones are dropped. */
const MOST = 1000;

/** Keeps the values of steps until they expire, and shares steps under way: none runs twice at the same time. */
export class StepCache {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly #kept = new Map<string, Given>();
  readonly #flights = new Map<string, Flight>();

  constructor(now: () => number) {
    this.now = now;
  }

  /** The values, unless they have expired. */
  get(key: string): Given | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    this.#kept.delete(key);
    if (!this.holds(found)) return undefined;
    this.#kept.set(key, found);
    return found;
  }

  holds({ until }: Given): boolean {
    return until !== undefined && this.now() < until;
  }

  /** Forgets values, unless they have been replaced already. */
  drop(key: string, { values }: Given): void {
    if (this.#kept.get(key)?.values === values) this.#kept.delete(key);
  }

  /**
   * Waits for the step that is under way, or starts it. A waiting run may be aborted; when all are, the step is ended.
   * @throws InvokeError ABORTED, TIMEOUT when the signal ends the wait; what the step throws
   */
  async share(
    key: string,
    make: (signal: AbortSignal) => Promise<Given>,
    { signal, called }: Waiting,
  ): Promise<Shared> {
    if (signal?.aborted === true) throw abortError(signal.reason, called);
    const known = this.#flights.get(key);
    const flight = known ?? this.#start(key, make);
    flight.waiting++;
    try {
      return { given: await unlessEnded(flight.given, signal, called), own: known === undefined };
    } finally {
      flight.waiting--;
      if (flight.waiting === 0 && this.#flights.get(key) === flight) {
        this.#flights.delete(key);
        flight.controller.abort();
      }
    }
  }

  #start(key: string, make: (signal: AbortSignal) => Promise<Given>): Flight {
    const controller = new AbortController();
    const given = make(controller.signal).then(
      (made) => {
        // Values of a step that all runs have abandoned are not kept.
        if (this.#land(key, flight)) this.#keep(key, made);
        return made;
      },
      (error: unknown) => {
        this.#land(key, flight);
        throw error;
      },
    );
    const flight: Flight = { given, controller, waiting: 0 };
    // Waiting runs handle a rejection; there may be none left.
    given.catch(() => undefined);
    this.#flights.set(key, flight);
    return flight;
  }

  #land(key: string, flight: Flight): boolean {
    return this.#flights.get(key) === flight && this.#flights.delete(key);
  }

  #keep(key: string, given: Given): void {
    if (!this.holds(given)) return;
    this.#kept.delete(key);
    this.#kept.set(key, given);
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= MOST) break;
      this.#kept.delete(oldest);
    }
  }
}

/** Builds cache keys for the values of steps, from which the input can't be read. */
export class StepKeys {
  readonly #secret = randomBytes(32);
  readonly #flows = new WeakMap<Flow, number>();
  #count = 0;

  /**
   * @param index of the step, from 0
   * @param inputs the caller's input to each step up to that one
   * @returns `undefined` if the input has attachments, which must not be read for a key
   */
  of(flow: Flow, index: number, inputs: readonly DocumentValue[]): string | undefined {
    for (const input of inputs) if (!attachmentsIn(input).next().done) return undefined;
    const number = this.#flows.get(flow) ?? ++this.#count;
    this.#flows.set(flow, number);
    const digest = createHmac('sha256', this.#secret)
      .update(JSON.stringify(inputs.map(ordered)))
      .digest('base64');
    return `${number}.${index}.${digest}`;
  }
}

/** A value whose JSON is unique, independent of the order of fields. */
function ordered(value: Value): unknown {
  if (typeof value === 'bigint') return { bigint: String(value) };
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return [0, ...value.map(ordered)];
  const members = Object.entries(value as DocumentValue).filter(([, each]) => each !== undefined);
  return [null, ...members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, ordered(each)])];
}
