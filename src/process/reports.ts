import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { Attachment } from '../model/value.ts';
import { type Db, JobLost } from '../store/index.ts';
import { nextContent } from './enter.ts';
import { checkAccess } from './find.ts';
import type { ProcessReport, RunPorts } from './process-port.ts';
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
  const number = await nextContent(ports.store);
  const isOurs = await ports.store.transaction((tx) => updateOwn(tx, instance, { report: run, content: number }, run));
  if (isOurs) return;
  await ports.reports.delete(run);
  throw new JobLost(`another attempt has process request ${instance}`);
}

/** The contents of reports, by their keys. */
export interface ReportContents<Content> {
  get(key: string): Promise<Content | undefined>;
}

/** @throws Fault NOT_FOUND naming the status of a request without a report, FORBIDDEN */
export async function findReport<Content>(
  db: Db,
  { registry, reports }: { readonly registry: Registry; readonly reports: ReportContents<Content> },
  instance: number,
  user: User,
): Promise<ProcessReport<Content>> {
  const row = await findRow(db, instance);
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
