/** Messages by their item: those that were accepted, with their id if the caller gets it, and those whose answer was lost. */
export interface MessageLedger {
  readonly accepted: Map<string, string | undefined>;
  readonly unknown: Set<string>;
}

/** The clients' record of the items that they entered. */
export interface Ledger {
  /** Items of processes: those whose schedule request was answered, with the instance, and those whose answer was lost. */
  readonly schedules: { readonly accepted: Map<string, number>; readonly unknown: Set<string> };
  /** Items of processes whose cancellation was requested: those that were cancelled, and those whose answer was lost. */
  readonly cancels: { readonly accepted: Set<string>; readonly unknown: Set<string> };
  /** Saves, as {@link saveKey}. */
  readonly saves: { readonly accepted: Set<string>; readonly unknown: Set<string> };
  /** Messages that code publishes with the next number of their partition. */
  readonly ordered: MessageLedger;
  /** Messages that callers publish. */
  readonly loose: MessageLedger;
  /** Polled queries that were entered, and the errors of those that have ended. */
  readonly runs: { accepted: number; unknown: number; done: number; cancelled: number; readonly wrong: string[] };
  /** Answers that no failure explains. */
  readonly refused: string[];
  /** Requests that a gateway refused because only the next definitions know what they name. */
  early: number;
}

/** An empty ledger. */
export function createLedger(): Ledger {
  return {
    schedules: { accepted: new Map(), unknown: new Set() },
    cancels: { accepted: new Set(), unknown: new Set() },
    saves: { accepted: new Set(), unknown: new Set() },
    ordered: { accepted: new Map(), unknown: new Set() },
    loose: { accepted: new Map(), unknown: new Set() },
    runs: { accepted: 0, unknown: 0, done: 0, cancelled: 0, wrong: [] },
    refused: [],
    early: 0,
  };
}

/** One save of a record. */
export function saveKey(id: string, step: number): string {
  return `${id} step ${step}`;
}

/** Prefix of the records that only gateways with the next definitions save, so that all three classes run for each save. */
export const NEXT_RECORDS = 'n';
