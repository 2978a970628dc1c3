import type { Blobs } from '../model/blob.ts';
import type { Retention } from '../model/gateway.ts';
import type { Batch, Db, Removed, Retained } from '../store/index.ts';
import { DISTRIBUTION, FINAL } from './status.ts';

/**
 * What is removed of process requests that have ended: first their reports and message logs, later the requests. Requests that
 * another system entered belong to that system.
 */
export function retainedRequests(
  { results, 'process-logs': logs, 'process-requests': requests }: Retention,
  reports: Blobs,
): Retained[] {
  return [
    { kind: 'reports', keep: results, remove: (tx, batch) => removeReports(tx, reports, batch) },
    { kind: 'process-logs', keep: logs, remove: removeMessages },
    { kind: 'process-requests', keep: requests, remove: (tx, batch) => removeRequests(tx, reports, batch) },
  ];
}

/** Those of some operators that have requests which have not ended. */
export async function busyOperators(tx: Db, operators: readonly string[]): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom('psprcsrqst')
    .select('oprid')
    .distinct()
    .where('oprid', 'in', operators)
    .where('runstatus', 'not in', FINAL)
    .execute();
  return rows.map(({ oprid }) => oprid);
}

async function removeReports(tx: Db, reports: Blobs, { before, most }: Batch): Promise<Removed> {
  const old = await tx
    .selectFrom('signalbox_process_request')
    .select(['instance', 'report'])
    .where('report', 'is not', null)
    .where('ended', '<', before)
    .orderBy('ended')
    .limit(most)
    .execute();
  let count = 0;
  for (const { instance, report } of old) if (await forget(tx, instance, report as string)) count += 1;
  const more = old.length === most;
  const abandoned = more ? undefined : await abandonedBefore(tx, before);
  return {
    count,
    more,
    async afterwards() {
      for (const { report } of old) await reports.delete(report as string);
      if (abandoned !== undefined) await reports.expire(abandoned);
    },
  };
}

/** Removes a report from its request, unless the request was restarted meanwhile. */
async function forget(tx: Db, instance: number, report: string): Promise<boolean> {
  // The request table comes first, as in every other step of a request: this order avoids deadlocks.
  await tx
    .updateTable('psprcsrqst')
    .set({ diststatus: DISTRIBUTION.Delete })
    .where('prcsinstance', '=', instance)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('signalbox_process_request')
          .select('instance')
          .whereRef('instance', '=', 'psprcsrqst.prcsinstance')
          .where('report', '=', report),
      ),
    )
    .execute();
  const { numUpdatedRows } = await tx
    .updateTable('signalbox_process_request')
    .set({ report: null, content: null })
    .where('instance', '=', instance)
    .where('report', '=', report)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * The time before which all content belongs to abandoned attempts. The report of a request that has run for longer than
 * reports are kept is older than its end.
 */
async function abandonedBefore(tx: Db, before: string): Promise<Date> {
  const { began } = await tx
    .selectFrom('signalbox_process_request')
    .select(({ fn }) => fn.min('began').as('began'))
    .where('report', 'is not', null)
    .executeTakeFirstOrThrow();
  return new Date(began !== null && began < before ? began : before);
}

/** The cursor is the end of the last request that was looked at, and its number. */
async function removeMessages(tx: Db, { before, most, cursor }: Batch): Promise<Removed> {
  const [end, number] =
    cursor === null ? ['', 0] : [cursor.slice(0, cursor.indexOf(' ')), Number(cursor.split(' ')[1])];
  const old = await tx
    .selectFrom('signalbox_process_request')
    .select(['instance', 'ended'])
    .where('ended', '<', before)
    .where('ended', '>=', end)
    .where((row) => row.or([row('ended', '>', end), row('instance', '>', number)]))
    .orderBy('ended')
    .orderBy('instance')
    .limit(most)
    .execute();
  const last = old.at(-1);
  if (last === undefined) return { count: 0, more: false };
  const instances = old.map(({ instance }) => instance);
  const { numDeletedRows } = await tx
    .deleteFrom('signalbox_process_message')
    .where('instance', 'in', instances)
    .executeTakeFirst();
  return { count: Number(numDeletedRows), more: old.length === most, cursor: `${last.ended} ${last.instance}` };
}

async function removeRequests(tx: Db, reports: Blobs, { before, most }: Batch): Promise<Removed> {
  const old = await tx
    .selectFrom('signalbox_process_request')
    .leftJoin('psprcsrqst', 'prcsinstance', 'instance')
    .select(['instance', 'report'])
    .where('ended', '<', before)
    .where((row) => row.or([row('prcsinstance', 'is', null), row('runstatus', 'in', FINAL)]))
    .orderBy('ended')
    .limit(most)
    .execute();
  if (old.length === 0) return { count: 0, more: false };
  const instances = old.map(({ instance }) => instance);
  await tx.deleteFrom('psprcsrqst').where('prcsinstance', 'in', instances).where('runstatus', 'in', FINAL).execute();
  // One that was restarted meanwhile stays, with all that belongs to it.
  const { numDeletedRows } = await tx
    .deleteFrom('signalbox_process_request')
    .where('instance', 'in', instances)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('psprcsrqst').select('prcsinstance').whereRef('prcsinstance', '=', 'instance'))),
    )
    .executeTakeFirst();
  await tx
    .deleteFrom('signalbox_process_message')
    .where('instance', 'in', instances)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('psprcsrqst')
            .select('prcsinstance')
            .whereRef('prcsinstance', '=', 'signalbox_process_message.instance'),
        ),
      ),
    )
    .execute();
  return {
    count: Number(numDeletedRows),
    more: old.length === most,
    async afterwards() {
      for (const { report } of old) if (report !== null) await reports.delete(report);
    },
  };
}
