import type { movingOf, RawCell, Store } from '../store/index.ts';
import type { MovedTable } from './rows.ts';

/** Changes rows into those that the other engine has, in place. */
export type Translate = (row: RawCell[]) => void;

/** The values of `signalbox_job.place` that differ between engines: see `store/queue/rows.ts`. */
const [FREE, BEHIND, COMING] = [0n, 1n, 2n];

/** A process that has no lock file: gateways give back what it held. */
const GONE = 'moved';

/** The rows of jobs on PostgreSQL in the order in which SQLite numbers them: that of their keys. */
export const JOB_ORDER = 'sequence, due, id';

/** How the rows of a table are translated on their way to an engine; `undefined` for rows that stay as they are. */
export function translation(
  moving: ReturnType<typeof movingOf>,
  table: MovedTable,
  to: Store['kind'],
): Translate | undefined {
  const places = new Map(table.columns.map(({ names }, at) => [names.postgres, at]));
  const at = (name: string): number => places.get(name) as number;
  if (moving === 'jobs') return to === 'postgres' ? jobsToPostgres(at) : jobsToSqlite(at);
  if (moving === 'retention')
    // The gateway that removes has ended.
    return (row) => {
      row[at('holder')] = null;
      row[at('until')] = 0n;
    };
  return undefined;
}

/**
 * On SQLite a job that runs names its process and stays the first of its key. On PostgreSQL it has the place of one behind another,
 * and a mark; without a sign of life since 1970 it is given back by the first gateway that looks, which records the attempt.
 */
function jobsToPostgres(at: (name: string) => number): Translate {
  return (row) => {
    const isHeld = row[at('worker')] !== null;
    row[at('worker')] = null;
    row[at('since')] = isHeld ? 0n : null;
    if (isHeld) row[at('place')] = BEHIND;
    else row[at('mark')] = null;
    // One that is not due joins its key then, and gets its number.
    if (row[at('place')] === COMING) row[at('sequence')] = 0n;
  };
}

function jobsToSqlite(at: (name: string) => number): Translate {
  let number = 0n;
  return (row) => {
    const isHeld = row[at('mark')] !== null;
    number += 1n;
    row[at('sequence')] = number;
    row[at('worker')] = isHeld ? GONE : null;
    row[at('since')] = null;
    row[at('unknown_by')] = null;
    if (isHeld) row[at('place')] = FREE;
  };
}

/** The last number of each key, which PostgreSQL keeps beside its jobs. */
export const LAST_NUMBERS = `insert into signalbox_job_key (queue, key, last)
  select queue, key, max(sequence) from signalbox_job where key is not null and place <> ${COMING} group by queue, key`;
