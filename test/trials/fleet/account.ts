import type { Held, SaveRow } from './database.ts';
import { type Ledger, NEXT_RECORDS, saveKey } from './ledger.ts';

/** The number of items of one kind, and the errors among them. */
export interface Account {
  readonly kind: string;
  readonly accepted: number;
  /** Items whose answer was lost, and how many of those requests were carried out. */
  readonly unknown: number;
  readonly happened: number;
  readonly done: number;
  /** Items that were cancelled on request. */
  readonly cancelled: number;
  /** Processes with one attempt that was lost with its gateway. */
  readonly died: number;
  readonly wrong: readonly string[];
}

/** Status 9 is Success. */
const SUCCESS = '9';
/** Status 3 is Error. */
const ERROR = '3';
/** Status 8 is Cancelled, 1 is Cancel: if the gateway that should cancel it has died, that is noticed a minute later. */
const CANCELLED = new Set(['1', '8']);

/**
 * Each accepted schedule must have succeeded and written one row. Each schedule whose cancellation was accepted must be
 * cancelled, and must not have written a row. One that has a single attempt may have ended as Error, without a row, if
 * something failed between its entry and its end.
 */
export function accountProcesses(
  { schedules, cancels }: Ledger,
  held: Held,
  failing: (from: number, to: number) => boolean = () => false,
): Account {
  const wrong: string[] = [];
  const died = held.requests.filter(({ once, status, from, to }) => once && status === ERROR && failing(from, to));
  const dead = new Set(died.map(({ item }) => item));
  const requests = Map.groupBy(held.requests, ({ item }) => item);
  const effects = countsOf(held.effects);
  for (const [item, instance] of schedules.accepted) {
    if (!requests.get(item)?.some((request) => request.instance === instance))
      wrong.push(`process ${item}: its request ${instance} is missing`);
  }
  for (const [item, its] of requests) {
    if (its.length > 1) wrong.push(`process ${item}: it was entered ${its.length} times`);
    const status = its[0]?.status;
    const isCancelled = status !== undefined && CANCELLED.has(status);
    const mayBe = cancels.accepted.has(item) || (cancels.unknown.has(item) && isCancelled);
    const isDead = dead.has(item);
    if (!isDead && (mayBe ? !isCancelled : status !== SUCCESS))
      wrong.push(`process ${item}: request ${its[0]?.instance} has the status ${status}`);
    const left = effects.get(item) ?? 0;
    if (left !== (mayBe || isDead ? 0 : 1)) wrong.push(`process ${item}: it left ${left} rows`);
  }
  for (const item of effects.keys()) if (!requests.has(item)) wrong.push(`process ${item}: a row without a request`);
  return {
    kind: 'processes',
    accepted: schedules.accepted.size,
    unknown: schedules.unknown.size,
    happened: [...schedules.unknown].filter((item) => requests.has(item)).length,
    done: held.requests.filter(({ status }) => status === SUCCESS).length,
    cancelled: held.requests.filter(({ status }) => CANCELLED.has(status)).length,
    died: died.length,
    wrong,
  };
}

/**
 * Each accepted save must be done, and each save that was done must have one row of each class, in the order of the saves. The
 * third class runs if the gateway that saved has the next definitions.
 */
export function accountSaves({ saves }: Ledger, held: Held): Account {
  const wrong: string[] = [];
  const made = new Set(held.saved.map(keyOf));
  for (const key of saves.accepted) if (!made.has(key)) wrong.push(`save ${key}: it was not made`);
  const saved = Map.groupBy(held.saved, ({ id }) => id);
  const audits = Map.groupBy(held.audits, ({ id }) => id);
  let done = 0;
  for (const id of new Set([...saved.keys(), ...audits.keys()])) {
    const steps = (saved.get(id) ?? []).map(({ step }) => step);
    const rows = audits.get(id) ?? [];
    const found = rows.map((row) => `${row.step} by class ${row.class}`);
    const expected: string[] = [];
    // All classes must have run for a save before the first one runs for the next.
    for (const step of steps) {
      expected.push(`${step} by class 1`, `${step} by class 2`);
      const third = `${step} by class 3`;
      if (id.startsWith(NEXT_RECORDS) || found[expected.length] === third) expected.push(third);
    }
    const differ = Math.max(expected.length, found.length);
    const at = Array.from({ length: differ }, (_, row) => row).find((row) => expected[row] !== found[row]);
    if (at === undefined) done += steps.length;
    else wrong.push(`save of ${id}: row ${at + 1} is ${found[at] ?? 'missing'}; expected ${expected[at] ?? 'no more'}`);
  }
  return {
    kind: 'saves',
    accepted: saves.accepted.size,
    unknown: saves.unknown.size,
    happened: [...saves.unknown].filter((key) => made.has(key)).length,
    done,
    cancelled: 0,
    died: 0,
    wrong,
  };
}

/** Each accepted polled query must have ended with the requested rows, or have been cancelled. */
export function accountRuns({ runs }: Ledger): Account {
  const { accepted, unknown, done, cancelled, wrong } = runs;
  const lost = accepted - done - cancelled - wrong.length;
  const missing = lost === 0 ? [] : [`${lost} of them were not followed to their end`];
  return {
    kind: 'polled queries',
    accepted,
    unknown,
    happened: 0,
    done,
    cancelled,
    died: 0,
    wrong: [...wrong, ...missing],
  };
}

const keyOf = ({ id, step }: SaveRow): string => saveKey(id, step);

function countsOf(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
