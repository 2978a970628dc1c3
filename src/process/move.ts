import type { Db, ProcessRequestTable } from '../store/index.ts';
import { fromDigits, RUN_STATUS, type Step, TRANSITIONS } from './status.ts';

/** What a step changes beside the run status. */
type Changes = Partial<Pick<ProcessRequestTable, 'begindttm' | 'enddttm' | 'diststatus' | 'servernamerun'>>;

/**
 * Takes a step of a request's life, where its present status allows it and, if a run is given, that run has it.
 * @returns whether it was taken
 */
export async function move(
  tx: Db,
  step: Step,
  instance: number,
  { run, ...changes }: Changes & { readonly run?: string } = {},
): Promise<boolean> {
  let update = tx
    .updateTable('psprcsrqst')
    .set({ runstatus: RUN_STATUS[TRANSITIONS[step].to], ...changes })
    .where('prcsinstance', '=', instance)
    .where('runstatus', 'in', fromDigits(step));
  if (run !== undefined) {
    update = update.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('signalbox_process_request')
          .select('instance')
          .whereRef('instance', '=', 'psprcsrqst.prcsinstance')
          .where('run', '=', run),
      ),
    );
  }
  const { numUpdatedRows } = await update.executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
