import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { RetentionPeriod } from '../../model/gateway.ts';
import type { Clock } from '../../wire/waiting.ts';
import { type InsertedColumns, insertRows } from '../insert.ts';
import type { Retained } from '../retention.ts';
import type { Store } from '../store-port.ts';
import type { CallKind, StatisticsTable } from '../tables/statistics.ts';
import { addHistogram, BUCKETS, bucketOf, histogramText } from './histogram.ts';

/** Counts the calls of an operation in memory, and enters them into the database every ten seconds. */
export interface Statistics {
  /** The counter of an operation; keep it, so that a call costs no lookup. */
  counter(kind: CallKind, operation: string): CallCounter;
  /** Enters all that was counted, also of the minute that has not ended. Errors are kept for the next time. */
  flush(): Promise<void>;
  /** Enters the rest. What is counted from then on is lost. */
  close(): Promise<void>;
}

interface StatisticsOptions {
  readonly store: Pick<Store, 'kind' | 'tables'>;
  readonly clock: Clock;
  /** Called with the first error after a success. */
  readonly onError: (error: Error) => void;
}

/** Rows of one statement: some milliseconds of SQLite, during which the gateway does nothing else. */
const BATCH = 200;
/** Rows that wait while the database does not answer: an hour of 1,000 operations. */
const MOST_WAITING = 60_000;
const MINUTE = 60_000;
/** How often what was counted of the running minute is entered. */
const INTERVAL = 10_000;

/** How the calls of a counter ended. */
class Counts {
  calls = 0;
  failures = 0;
  refusals = 0;
  readonly latency = new Uint32Array(BUCKETS);

  add(other: Counts): void {
    this.calls += other.calls;
    this.failures += other.failures;
    this.refusals += other.refusals;
    addHistogram(this.latency, other.latency);
  }

  clear(): void {
    [this.calls, this.failures, this.refusals] = [0, 0, 0];
    this.latency.fill(0);
  }
}

/** The counter of an operation. */
export class CallCounter {
  readonly kind: CallKind;
  readonly operation: string;
  /** Of the minute, and of the hour up to it; absent before the first call. */
  minute: Counts | undefined;
  /** Calls of the minute that were entered. */
  entered = 0;
  hour: Counts | undefined;

  constructor(kind: CallKind, operation: string) {
    this.kind = kind;
    this.operation = operation;
  }

  /**
   * Counts a call that has ended, in 20 ns.
   * @param status that states how it ended, as HTTP has it
   * @param isComplete whether the whole reply was sent, or arrived
   */
  count(status: number, isComplete: boolean, ms: number): void {
    this.minute ??= new Counts();
    const counts = this.minute;
    counts.calls += 1;
    if (!isComplete || status >= 500 || status === REQUEST_TIMEOUT) counts.failures += 1;
    else if (status >= 400) counts.refusals += 1;
    const bucket = bucketOf(ms);
    counts.latency[bucket] = (counts.latency[bucket] as number) + 1;
  }

  /** Adds all that another one has counted. */
  add({ minute, hour }: CallCounter): void {
    if (minute !== undefined) {
      this.minute ??= new Counts();
      this.minute.add(minute);
    }
    if (hour !== undefined) {
      this.hour ??= new Counts();
      this.hour.add(hour);
    }
  }

  /** Begins the next minute of the same hour. */
  endMinute(): void {
    if (this.minute === undefined || this.minute.calls === 0) return;
    this.hour ??= new Counts();
    this.hour.add(this.minute);
    this.minute.clear();
    this.entered = 0;
  }
}

/** It means that a connection or a system was too slow, and not that a request was wrong. */
const REQUEST_TIMEOUT = 408;

/**
 * Each row is of one process alone and has everything of its period up to now, so that it can be written again: after an error
 * of which it is unknown whether the row was entered, and for an hour after each of its minutes.
 */
export function openStatistics({ store, clock, onError }: StatisticsOptions): Statistics {
  const counters = new Map<string, CallCounter>();
  /** Rows to enter by their keys, the oldest first. */
  const waiting = new Map<string, StatisticsTable>();
  let gateway = newGateway();
  let current = minuteNow();
  let isFailing = false;
  let isClosed = false;
  let writing: Promise<void> = Promise.resolve();
  let timer = wakeUp();

  function minuteNow(): number {
    return Math.floor(clock.now() / MINUTE);
  }

  function wakeUp(): NodeJS.Timeout {
    const now = clock.now();
    return setTimeout(tick, INTERVAL - (now % INTERVAL)).unref();
  }

  function tick(): void {
    timer = wakeUp();
    void flush();
  }

  /** @returns whether the minute that is counted has ended */
  function endMinute(): boolean {
    const minute = minuteNow();
    if (minute === current) return false;
    gather();
    // The clock was set back: what is counted now must not replace the rows of that time, nor have their calls again.
    const isSetBack = minute < current;
    if (isSetBack) gateway = newGateway();
    const isOtherHour = isSetBack || hourOf(minute) !== hourOf(current);
    for (const counter of counters.values()) {
      counter.endMinute();
      if (isOtherHour) counter.hour?.clear();
    }
    current = minute;
    return true;
  }

  /** Makes the rows of the current minute and of the hour up to it, of each operation with new calls and of all together. */
  function gather(): void {
    const totals = { served: new CallCounter('served', ''), called: new CallCounter('called', '') };
    for (const counter of counters.values()) {
      totals[counter.kind].add(counter);
      const calls = counter.minute?.calls ?? 0;
      if (calls !== counter.entered) enterBoth(counter);
      counter.entered = calls;
    }
    enterBoth(totals.served);
    enterBoth(totals.called);
    for (const key of waiting.keys()) {
      if (waiting.size <= MOST_WAITING) break;
      waiting.delete(key);
    }
  }

  function enterBoth({ kind, operation, minute, hour }: CallCounter): void {
    if (minute === undefined || minute.calls === 0) return;
    enter(1, current, kind, operation, minute);
    const upToNow = new Counts();
    upToNow.add(minute);
    if (hour !== undefined) upToNow.add(hour);
    enter(60, hourOf(current), kind, operation, upToNow);
  }

  function enter(span: number, minute: number, kind: CallKind, operation: string, counts: Counts): void {
    const { calls, failures, refusals, latency } = counts;
    const key = `${span} ${minute} ${kind} ${operation} ${gateway}`;
    waiting.delete(key);
    const row = { span, minute, kind, operation, gateway, calls, failures, refusals };
    waiting.set(key, { ...row, latency: histogramText(latency) });
  }

  /** One at a time, each with all that waits when its turn has come. */
  function write(): Promise<void> {
    writing = writing.then(writeAll);
    return writing;
  }

  async function writeAll(): Promise<void> {
    try {
      while (waiting.size > 0) {
        const batch = [...waiting.entries().take(BATCH)];
        const rows = batch.map(([, row]) => row);
        await insertRows(await store.tables(), store.kind, 'signalbox_statistics', COLUMNS, rows, KEY);
        // Meanwhile there may be a newer row of the same key.
        for (const [key, row] of batch) if (waiting.get(key) === row) waiting.delete(key);
        isFailing = false;
        if (waiting.size > 0) await turn();
      }
    } catch (error) {
      if (!isFailing) onError(error as Error);
      isFailing = true;
    }
  }

  async function flush(): Promise<void> {
    if (!endMinute()) gather();
    await write();
  }

  return {
    counter(kind, operation) {
      const key = `${kind} ${operation}`;
      let counter = counters.get(key);
      if (counter === undefined) {
        counter = new CallCounter(kind, operation);
        counters.set(key, counter);
      }
      return counter;
    },
    flush,
    async close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      await flush();
    },
  };
}

/** A name that no other process has had: two that are started in the same minute each have their rows. */
function newGateway(): string {
  return randomBytes(6).toString('base64url');
}

function hourOf(minute: number): number {
  return minute - (minute % 60);
}

const COLUMNS = {
  ...{ span: 'integer', minute: 'integer', kind: 'text', operation: 'text', gateway: 'text' },
  ...{ calls: 'integer', failures: 'integer', refusals: 'integer', latency: 'text' },
} as const satisfies InsertedColumns;

const KEY = ['span', 'minute', 'kind', 'operation', 'gateway'] as const;

/** @param keep from the beginning of their minute, or hour */
export function retainedStatistics(keep: RetentionPeriod): Retained {
  return {
    kind: 'statistics',
    keep,
    async remove(tx, { before, most }) {
      const minute = Math.floor(Date.parse(before) / MINUTE);
      const { numDeletedRows } = await tx
        .deleteFrom('signalbox_statistics')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple(...KEY),
            'in',
            selectFrom('signalbox_statistics')
              .select(KEY)
              .where('span', 'in', [1, 60])
              .where('minute', '<', minute)
              .limit(most)
              .$asTuple(...KEY),
          ),
        )
        .executeTakeFirst();
      const count = Number(numDeletedRows);
      return { count, more: count === most };
    },
  };
}
