import type { Db } from '../store/index.ts';

/** The next instance number: above every one in the request table, whoever entered it. */
export async function nextInstance(tx: Db): Promise<number> {
  const next = await nextNumber(tx, 'instance');
  // The number's row is this transaction's now: nobody else of ours enters a request before it ends.
  const { highest } = await tx
    .selectFrom('psprcsrqst')
    .select(({ fn }) => fn.max('prcsinstance').as('highest'))
    .executeTakeFirstOrThrow();
  if (highest === null || highest < next) return next;
  const last = highest + 1;
  await tx.updateTable('signalbox_process_number').set({ last }).where('name', '=', 'instance').execute();
  return last;
}

/** The next number of a report's content. */
export function nextContent(tx: Db): Promise<number> {
  return nextNumber(tx, 'content');
}

async function nextNumber(tx: Db, name: string): Promise<number> {
  const { last } = await tx
    .updateTable('signalbox_process_number')
    .set(({ eb }) => ({ last: eb('last', '+', 1) }))
    .where('name', '=', name)
    .returning('last')
    .executeTakeFirstOrThrow();
  return last;
}
