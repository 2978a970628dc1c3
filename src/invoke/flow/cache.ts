import { createHmac, randomBytes } from 'node:crypto';
import { attachmentsIn } from '../../codec/binary.ts';
import type { Flow } from '../../model/flow.ts';
import type { StepTrace } from '../../model/invoke-reply.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import type { Called } from '../error.ts';
import { abortError, unlessEnded } from '../limits.ts';

/** What a step gave to those after it. */
export interface Given {
  /** By the names under which they are kept. */
  readonly values: Readonly<Record<string, Value>>;
  /** Until when other runs may use them, by the cache's clock; undefined: not at all. */
  readonly until: number | undefined;
  readonly trace: StepTrace;
}

/** A step that is under way for every run that needs what it gives. */
interface Flight {
  readonly given: Promise<Given>;
  /** Ends it. */
  readonly controller: AbortController;
  waiting: number;
}

/** What a step gave to one of those who waited for it. */
interface Shared {
  readonly given: Given;
  /** It was made for this one. */
  readonly own: boolean;
}

/** Who waits for a step. */
interface Waiting {
  readonly signal: AbortSignal | undefined;
  readonly called: Called;
}

/** Values that a client keeps; those that were not used for the longest time make room. */
const MOST = 1000;

/** What steps gave, for as long as it holds, and the steps that are under way, so that none is made twice at a time. */
export class StepCache {
  /** In milliseconds, forward only. */
  readonly now: () => number;
  readonly #kept = new Map<string, Given>();
  readonly #flights = new Map<string, Flight>();

  constructor(now: () => number) {
    this.now = now;
  }

  /** What still holds. */
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

  /** Forgets values, unless others have taken their place already. */
  drop(key: string, { values }: Given): void {
    if (this.#kept.get(key)?.values === values) this.#kept.delete(key);
  }

  /**
   * Waits for the step that is under way, or makes it. Each of those who wait may leave; when the last one does, the step is
   * ended.
   * @throws InvokeError ABORTED, TIMEOUT where the waiting was ended; what the step throws
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
        // One that everybody has left is nobody's any more.
        if (this.#land(key, flight)) this.#keep(key, made);
        return made;
      },
      (error: unknown) => {
        this.#land(key, flight);
        throw error;
      },
    );
    const flight: Flight = { given, controller, waiting: 0 };
    // Those who wait are told; there may be none left.
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

/** Names what a step of a flow gives for some input, so that nothing of the input can be read from the name. */
export class StepKeys {
  readonly #secret = randomBytes(32);
  readonly #flows = new WeakMap<Flow, number>();
  #count = 0;

  /**
   * @param index the step's, from 0
   * @param inputs what the caller gave to each step up to that one
   * @returns undefined where the input holds content, which is not to be read for a name
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

/** A value so that JSON tells it from every other, whatever the order of its fields. */
function ordered(value: Value): unknown {
  if (typeof value === 'bigint') return { bigint: String(value) };
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return [0, ...value.map(ordered)];
  const members = Object.entries(value as DocumentValue).filter(([, each]) => each !== undefined);
  return [null, ...members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, ordered(each)])];
}
