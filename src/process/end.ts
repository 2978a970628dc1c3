import { type Db, JobLost } from '../store/index.ts';
import { type Clock, instantText } from './clock.ts';
import { addLines, type LogLine } from './log.ts';
import { move } from './move.ts';
import { DISTRIBUTION, RUN_STATUS, type Step } from './status.ts';

/** How an attempt ends its request. */
export interface End {
  readonly step: Step;
  readonly instance: number;
  readonly run: string;
  /** It has kept a report. */
  readonly reported: boolean;
}

/**
 * Ends a request for the attempt that has it, as part of a transaction.
 * @param last writes what is left to be said
 * @throws JobLost where the request is not this attempt's any more
 */
export async function endRequest(
  tx: Db,
  clock: Clock,
  { step, instance, run, reported }: End,
  last?: (tx: Db) => Promise<void>,
): Promise<void> {
  const now = clock.now();
  const diststatus = distributionAfter(step, reported);
  if (!(await move(tx, step, instance, { run, diststatus, enddttm: clock.local(now) })))
    throw new JobLost(`process request ${instance} is another's by now`);
  await last?.(tx);
  await markEnded(tx, instance, now);
}

function distributionAfter(step: Step, reported: boolean): string {
  if (step === 'refuse') return DISTRIBUTION['Not Posted'];
  return reported && step !== 'end' ? DISTRIBUTION.Posted : DISTRIBUTION.None;
}

async function markEnded(tx: Db, instance: number, now: number): Promise<void> {
  await tx
    .updateTable('signalbox_process_request')
    .set({ run: null, ended: instantText(now) })
    .where('instance', '=', instance)
    .execute();
}

/** An attempt failed and another follows, as part of the queue's transaction. */
export async function retryRequest(tx: Db, instance: number, line: LogLine): Promise<void> {
  if (!(await move(tx, 'retry', instance, { diststatus: DISTRIBUTION.None }))) return;
  await tx.updateTable('signalbox_process_request').set({ run: null }).where('instance', '=', instance).execute();
  await addLines(tx, instance, [line]);
}

/** The last attempt failed, as part of the queue's transaction. */
export async function failRequest(tx: Db, clock: Clock, instance: number, line: LogLine): Promise<void> {
  const now = clock.now();
  if (!(await move(tx, 'fail', instance, { enddttm: clock.local(now), diststatus: DISTRIBUTION['Not Posted'] })))
    return;
  await markEnded(tx, instance, now);
  await addLines(tx, instance, [line]);
}

/** Requests that were asked to end and whose attempt can't tell: its gateway has gone. */
export async function endForgotten(tx: Db, clock: Clock, olderThan: number): Promise<void> {
  const forgotten = await tx
    .selectFrom('psprcsrqst')
    .innerJoin('signalbox_process_request', 'instance', 'prcsinstance')
    .select('instance')
    .where('runstatus', '=', RUN_STATUS.Cancel)
    .where('cancelled', '<', instantText(olderThan))
    .execute();
  const now = clock.now();
  for (const { instance } of forgotten) {
    if (await move(tx, 'end', instance, { enddttm: clock.local(now), diststatus: DISTRIBUTION.None }))
      await markEnded(tx, instance, now);
  }
}
