import type { Db } from '../tables.ts';

/** What each kind of data was called in `signalbox_retention` before, and is now. */
const RENAMED = [
  ['dead', 'failed-jobs'],
  ['messages', 'process-logs'],
  ['requests', 'process-requests'],
] as const;

/** The names of retention that say what they are about. A kind that a gateway has begun to count anew goes on from both counts. */
export async function addRetentionKinds(db: Db): Promise<void> {
  for (const [former, kind] of RENAMED) {
    await db
      .insertInto('signalbox_retention')
      .columns(['kind', 'removed', 'cursor', 'holder', 'until'])
      .expression((from) =>
        from
          .selectFrom('signalbox_retention')
          .select(({ val }) => [val<string>(kind).as('kind'), 'removed', 'cursor', 'holder', 'until'])
          .where('kind', '=', former),
      )
      .onConflict((conflict) =>
        conflict.column('kind').doUpdateSet(({ eb, ref }) => ({
          removed: eb('signalbox_retention.removed', '+', ref('excluded.removed')),
        })),
      )
      .execute();
    await db.deleteFrom('signalbox_retention').where('kind', '=', former).execute();
  }
}
