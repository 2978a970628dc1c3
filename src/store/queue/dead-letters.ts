import type { RetentionPeriod } from '../../model/gateway.ts';
import type { Retained } from '../retention.ts';
import type { Db } from '../tables.ts';
import { forgetAttempts } from './attempts.ts';
import type { Claim } from './engine.ts';
import type { DeadLetter, NewJob } from './queue-port.ts';
import { causeIn, causeText } from './rows.ts';

/** Dead letters that are returned unless the caller asks for more. */
const LIMIT = 100;

/** Keeps a job that failed for good. */
export async function bury(tx: Db, claim: Claim, attempts: number, error: string, died: Date): Promise<void> {
  const letter = {
    data: JSON.stringify(claim.data),
    key: claim.key ?? null,
    kind: claim.kind ?? null,
    attempts,
    error,
    died: died.toISOString(),
    cause: causeText(claim.cause),
    entered: claim.entered,
  };
  await tx
    .insertInto('signalbox_dead_letter')
    .values({ queue: claim.queue, id: claim.id, ...letter })
    // The caller that chose the id may have entered it again.
    .onConflict((conflict) => conflict.columns(['queue', 'id']).doUpdateSet(letter))
    .execute();
}

export async function deadLetters(
  db: Db,
  { queue, limit = LIMIT }: { readonly queue?: string; readonly limit?: number },
): Promise<readonly DeadLetter[]> {
  let found = db.selectFrom('signalbox_dead_letter').selectAll().orderBy('died', 'desc').orderBy('id').limit(limit);
  if (queue !== undefined) found = found.where('queue', '=', queue);
  const rows = await found.execute();
  return rows.map(({ key: _, kind: __, entered: ___, data, cause, ...row }) => ({
    ...row,
    data: JSON.parse(data),
    ...causedBy(cause),
  }));
}

/** Takes a job out of the dead letters; `undefined` when it is not one. */
export async function exhume(
  tx: Db,
  queue: string,
  id: string,
): Promise<(NewJob & { readonly id: string; readonly entered: number | null }) | undefined> {
  const row = await tx
    .deleteFrom('signalbox_dead_letter')
    .where('queue', '=', queue)
    .where('id', '=', id)
    .returning(['data', 'key', 'kind', 'entered', 'cause'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { data, key, kind, entered, cause } = row;
  return {
    ...{ queue, id, data: JSON.parse(data), entered },
    ...(key !== null && { key }),
    ...(kind !== null && { kind }),
    ...causedBy(cause),
  };
}

function causedBy(text: string | null): Pick<NewJob, 'cause'> {
  const cause = causeIn(text);
  return cause === undefined ? {} : { cause };
}

/** The number of dead letters, by queue. */
export async function countDead(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('signalbox_dead_letter')
    .select(({ fn }) => ['queue', fn.countAll<number | string>().as('dead')])
    .groupBy('queue')
    .execute();
  return new Map(rows.map((row) => [row.queue, Number(row.dead)]));
}

/** Dead letters that are removed some time after they died. */
export function retainedDead(keep: RetentionPeriod): Retained {
  return {
    kind: 'failed-jobs',
    keep,
    async remove(tx, { before, most }) {
      const old = await tx
        .selectFrom('signalbox_dead_letter')
        .select(['queue', 'id'])
        .where('died', '<', before)
        .orderBy('died')
        .limit(most)
        .execute();
      let count = 0;
      for (const { queue, id } of old) if ((await exhume(tx, queue, id)) !== undefined) count += 1;
      await forgetAttempts(tx, old);
      return { count, more: old.length === most };
    },
  };
}
