import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { Attachment } from '../model/value.ts';
import { type Db, JobLost } from '../store/index.ts';
import { instantText } from './clock.ts';
import { nextContent } from './enter.ts';
import { checkAccess } from './find.ts';
import type { ProcessReport, RunPorts } from './port.ts';
import { findRow, LARGEST, updateOwn } from './rows.ts';
import { DISTRIBUTION, RUN_STATUS, wordOf } from './status.ts';
import type { Taken } from './steps.ts';

/** The owner of the reports' blobs. */
export const REPORTS = 'process reports';

/**
 * Stores the report of a request. Each attempt has its own key: an abandoned one can't replace the report of another.
 * @throws JobLost when another attempt has the request; errors of the storage
 */
export async function keepReport(ports: RunPorts, { row, run }: Taken, content: Attachment): Promise<void> {
  await ports.reports.put(run, content);
  const instance = row.prcsinstance;
  const isOurs = await ports.store.transaction(async (tx) =>
    updateOwn(tx, instance, { report: run, content: await nextContent(tx) }, run),
  );
  if (isOurs) return;
  await ports.reports.delete(run);
  throw new JobLost(`another attempt has process request ${instance}`);
}

/** @throws Fault NOT_FOUND naming the status of a request without a report, FORBIDDEN */
export async function findReport(
  { registry, store, reports }: Pick<RunPorts, 'store' | 'reports'> & { readonly registry: Registry },
  instance: number,
  user: User,
): Promise<ProcessReport> {
  const row = await findRow(await store.tables(), instance);
  checkAccess(registry, row, user, 'use');
  const { report, content: contentId, diststatus } = row;
  const isPosted = diststatus === DISTRIBUTION.Posted;
  const content = report === null || !isPosted ? undefined : await reports.get(report);
  if (content !== undefined && contentId !== null) return { contentId, content };
  const status = wordOf(RUN_STATUS, row.runstatus);
  const distribution = wordOf(DISTRIBUTION, diststatus);
  const what = `report of process request ${instance}, which is ${status}, its distribution ${distribution}`;
  throw Fault.of('NOT_FOUND', { what });
}

/** The request whose report has this number. @throws Fault NOT_FOUND */
export async function findReported(db: Db, contentId: number): Promise<number> {
  const row =
    contentId >= 1 && contentId <= LARGEST
      ? await db
          .selectFrom('signalbox_process_request')
          .select('instance')
          .where('content', '=', contentId)
          .executeTakeFirst()
      : undefined;
  if (row === undefined) throw Fault.of('NOT_FOUND', { what: `report ${contentId}` });
  return row.instance;
}

/** Removes the reports of requests that ended before a time. */
export async function sweepReports(
  { store, reports }: Pick<RunPorts, 'store' | 'reports'>,
  before: Date,
): Promise<void> {
  const limit = instantText(before.getTime());
  const db = await store.tables();
  for (;;) {
    const old = await db
      .selectFrom('signalbox_process_request')
      .select(['instance', 'report'])
      .where('report', 'is not', null)
      .where('ended', '<', limit)
      .limit(100)
      .execute();
    if (old.length === 0) break;
    for (const { instance, report } of old) {
      await store.transaction((tx) => forget(tx, instance, report as string));
      await reports.delete(report as string);
    }
  }
  await reports.expire(await nobodys(db, before));
}

/** Removes a report from its request, unless the request was restarted meanwhile. */
async function forget(tx: Db, instance: number, report: string): Promise<void> {
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
  await tx
    .updateTable('signalbox_process_request')
    .set({ report: null, content: null })
    .where('instance', '=', instance)
    .where('report', '=', report)
    .execute();
}

/**
 * The time before which all content belongs to abandoned attempts. The report of a request that has run for longer than
 * reports are kept is older than its end.
 */
async function nobodys(db: Db, before: Date): Promise<Date> {
  const { began } = await db
    .selectFrom('signalbox_process_request')
    .select(({ fn }) => fn.min('began').as('began'))
    .where('report', 'is not', null)
    .executeTakeFirstOrThrow();
  return new Date(Math.min(before.getTime(), began === null ? Number.POSITIVE_INFINITY : Date.parse(began)));
}
