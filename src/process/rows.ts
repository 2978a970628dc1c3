import { Fault } from '../model/fault.ts';
import type { Db, Tables } from '../store/index.ts';
import type { Clock } from './clock.ts';
import type { ProcessRequest } from './process-port.ts';
import { DISTRIBUTION, RUN_STATUS, wordOf } from './status.ts';

/** Largest number that the columns of instances and reports can hold. */
export const LARGEST = 2 ** 31 - 1;

/** Rows of the request table, with the gateway's own row, which requests entered by another system lack. */
export function selectRequests(db: Db) {
  return db
    .selectFrom('psprcsrqst')
    .leftJoin('signalbox_process_request', 'signalbox_process_request.instance', 'psprcsrqst.prcsinstance')
    .select([
      'prcsinstance',
      'prcsname',
      'prcstype',
      'runcntlid',
      'servernamerqst',
      'servernamerun',
      'oprid',
      'recurname',
      'rqstdttm',
      'rundttm',
      'begindttm',
      'enddttm',
      'runstatus',
      'diststatus',
      'destination',
      'format',
      'parameters',
      'requested',
      'runs',
      'began',
      'ended',
      'job',
      'attempt',
      'followed',
      'percent',
      'progress',
      'report',
      'content',
    ]);
}

/** A request as it is stored. */
export type RequestRow = Awaited<ReturnType<typeof findRow>>;

/** @throws Fault NOT_FOUND */
export async function findRow(db: Db, instance: number) {
  const row =
    instance >= 1 && instance <= LARGEST
      ? await selectRequests(db).where('prcsinstance', '=', instance).executeTakeFirst()
      : undefined;
  if (row === undefined) throw unknownRequest(instance);
  return row;
}

/**
 * Changes the gateway's own row of a request; if a run is given, only while that run has the request.
 * @returns whether the row was changed
 */
export async function updateOwn(
  tx: Db,
  instance: number,
  values: Partial<Tables['signalbox_process_request']>,
  run?: string,
): Promise<boolean> {
  let update = tx.updateTable('signalbox_process_request').set(values).where('instance', '=', instance);
  if (run !== undefined) update = update.where('run', '=', run);
  const { numUpdatedRows } = await update.executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** The fault for a request that does not exist, or is hidden from the caller. */
export function unknownRequest(instance: number): Fault {
  return Fault.of('NOT_FOUND', { what: `process request ${instance}` });
}

/** A request as callers see it. */
export function shownRequest(row: RequestRow, clock: Clock): ProcessRequest {
  // Requests of another system have no exact instant: the text of the request table counts, in the gateway's zone.
  const shown = <K extends string>(key: K, exact: string | null, local: string | null): { [key in K]?: string } => {
    const text =
      exact === null ? (local === null ? undefined : clock.shownLocal(local)) : clock.shown(Date.parse(exact));
    return (text === undefined ? {} : { [key]: text }) as { [key in K]?: string };
  };
  const { destination, format, content, attempt, percent, progress } = row;
  return {
    instance: row.prcsinstance,
    name: row.prcsname,
    type: row.prcstype,
    runControl: row.runcntlid,
    server: row.servernamerun,
    operator: row.oprid,
    recurrence: row.recurname,
    ...shown('requested', row.requested, row.rqstdttm),
    ...shown('runs', row.runs, row.rundttm),
    ...shown('began', row.began, row.begindttm),
    ...shown('ended', row.ended, row.enddttm),
    ...(destination === null ? {} : { destination }),
    ...(format === null || format === '' ? {} : { format }),
    runStatus: wordOf(RUN_STATUS, row.runstatus),
    distribution: wordOf(DISTRIBUTION, row.diststatus),
    ...(content === null ? {} : { contentId: content }),
    ...(attempt === null || attempt === 0 ? {} : { attempt }),
    ...(percent === null ? {} : { percent }),
    ...(progress === null ? {} : { progress }),
  };
}
