import { type ExpressionBuilder, sql } from 'kysely';
import type { Store } from '../store-port.ts';
import type { CallKind } from '../tables/statistics.ts';
import type { Tables } from '../tables.ts';
import { addText, BUCKETS, percentile } from './histogram.ts';

/** Reads the statistics of calls, of all gateways together. Times and durations are in milliseconds, times since 1970. */
export interface StatisticsReader {
  /** One entry for each step of a period, those without calls too, the oldest first. @throws errors of the database */
  series(options: SeriesOptions): Promise<readonly StepStatistics[]>;
  /** The operations that were called in a period, those with most calls first. @throws errors of the database */
  byOperation(options: OperationsOptions): Promise<OperationsOverview>;
  /** The beginning of the last minute with calls that was entered; `undefined` without any. @throws errors of the database */
  latest(): Promise<number | undefined>;
}

interface Period {
  readonly since: number;
  readonly until: number;
}

interface SeriesOptions extends Period {
  /** Whole minutes. Steps begin at multiples of it, the first one at `since` or before. */
  readonly step: number;
  /** The id of an operation; all of them together by default. */
  readonly operation?: string | undefined;
  /** Calls of one kind; of both by default. */
  readonly kind?: CallKind | undefined;
}

interface OperationsOptions extends Period {
  readonly kind?: CallKind | undefined;
  /** The most operations; 100 by default. */
  readonly most?: number | undefined;
}

export interface StatisticsEntry {
  readonly calls: number;
  /** Calls of these that failed: a status of 500 or more, 408, or an incomplete reply. */
  readonly failures: number;
  /** Calls of these that were refused: any other status of 400 or more. */
  readonly refusals: number;
  /** Milliseconds within which this many per cent of the calls ended, up to 5 % wrong; `undefined` without calls. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly p99: number | undefined;
}

interface StepStatistics extends StatisticsEntry {
  /** When the step begins. */
  readonly at: number;
}

interface OperationStatistics extends StatisticsEntry {
  readonly operation: string;
  readonly kind: CallKind;
}

interface OperationsOverview extends Period {
  /** The period is the one that was asked for, extended to whole minutes, or to whole hours if it is longer than an hour. */
  readonly operations: readonly OperationStatistics[];
}

const MINUTE = 60_000;
const HOUR = 60;
const MOST = 100;

export function readStatistics(store: Pick<Store, 'tables'>): StatisticsReader {
  return {
    async series({ operation = '', kind, step: stepMs, ...period }) {
      const step = Math.max(1, Math.round(stepMs / MINUTE));
      const { since, until } = wholeSteps(period, step);
      const db = await store.tables();
      const rows = await db
        .selectFrom('signalbox_statistics')
        .select(sql<number>`minute - minute % ${sql.lit(step)}`.as('at'))
        .select(summed)
        .where('operation', '=', operation)
        // Not a column, so that SQLite takes the index of operations instead of the key: 10 ms for a day instead of 170.
        .where(sql<number>`span + 0`, '=', step % HOUR === 0 ? HOUR : 1)
        .where('minute', '>=', since)
        .where('minute', '<', until)
        .$if(kind !== undefined, (query) => query.where('kind', '=', kind as CallKind))
        .groupBy('at')
        .execute();
      const byTime = new Map(rows.map((row) => [row.at, row]));
      const count = Math.max(0, (until - since) / step);
      return Array.from({ length: count }, (_, index) => {
        const at = since + index * step;
        return { at: at * MINUTE, ...entryOf(byTime.get(at)) };
      });
    },

    async byOperation({ kind, most = MOST, ...period }) {
      const span = period.until - period.since > HOUR * MINUTE ? HOUR : 1;
      const { since, until } = wholeSteps(period, span);
      const db = await store.tables();
      const ofPeriod = db
        .selectFrom('signalbox_statistics')
        .where('span', '=', span)
        .where('minute', '>=', since)
        .where('minute', '<', until)
        .where('operation', '<>', '')
        .$if(kind !== undefined, (query) => query.where('kind', '=', kind as CallKind));
      // Texts are read only of the operations that are shown: adding them takes longer than all the rest.
      const shown = await ofPeriod
        .select(['operation', 'kind'])
        .groupBy(['operation', 'kind'])
        .orderBy(({ fn }) => fn.sum('calls'), 'desc')
        .orderBy('operation')
        .limit(most)
        .execute();
      if (shown.length === 0) return { since: since * MINUTE, until: until * MINUTE, operations: [] };
      const names = [...new Set(shown.map(({ operation }) => operation))];
      const rows = await ofPeriod
        .select(['operation', 'kind'])
        .select(summed)
        .where('operation', 'in', names)
        .groupBy(['operation', 'kind'])
        .execute();
      const byKey = new Map(rows.map((row) => [`${row.kind} ${row.operation}`, row]));
      const operations = shown.map((each) => ({ ...each, ...entryOf(byKey.get(`${each.kind} ${each.operation}`)) }));
      return { since: since * MINUTE, until: until * MINUTE, operations };
    },

    async latest() {
      const db = await store.tables();
      const row = await db
        .selectFrom('signalbox_statistics')
        .select('minute')
        .where('span', '=', 1)
        .orderBy('minute', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? undefined : row.minute * MINUTE;
    },
  };
}

/** The steps that a period touches, in minutes since 1970. */
function wholeSteps({ since, until }: Period, step: number): Period {
  const first = Math.floor(since / MINUTE / step) * step;
  return { since: first, until: Math.max(first, Math.ceil(until / MINUTE / step) * step) };
}

/** The sums of a group of rows. The texts of histograms, joined, are the text of their sum. */
function summed({ fn }: ExpressionBuilder<Tables, 'signalbox_statistics'>) {
  return [
    fn.sum<number>('calls').as('calls'),
    fn.sum<number>('failures').as('failures'),
    fn.sum<number>('refusals').as('refusals'),
    sql<string>`string_agg(latency, ' ')`.as('latency'),
  ] as const;
}

interface Summed {
  readonly calls: number;
  readonly failures: number;
  readonly refusals: number;
  readonly latency: string;
}

const NO_CALLS: Summed = { calls: 0, failures: 0, refusals: 0, latency: '' };

function entryOf({ calls, failures, refusals, latency }: Summed = NO_CALLS): StatisticsEntry {
  const histogram = new Uint32Array(BUCKETS);
  addText(histogram, latency);
  const within = (share: number): number | undefined => rounded(percentile(histogram, share));
  return { calls, failures, refusals, p50: within(0.5), p95: within(0.95), p99: within(0.99) };
}

/** Three digits: more would look exact. */
function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Number(ms.toPrecision(3));
}
