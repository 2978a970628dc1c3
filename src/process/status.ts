import type { Db, ProcessRequestTable } from '../store/index.ts';

/** Run statuses by name, as digits of `psprcsrqst.runstatus` (field notes 2). */
export const RUN_STATUS = {
  Cancel: '1',
  Delete: '2',
  Error: '3',
  Hold: '4',
  Queued: '5',
  Initiated: '6',
  Processing: '7',
  Cancelled: '8',
  Success: '9',
  'Not Successful': '10',
  Pending: '16',
  'Success With Warning': '17',
  Blocked: '18',
  Restart: '19',
} as const;
export type RunStatus = keyof typeof RUN_STATUS;

/** Distribution statuses by name, as digits of `psprcsrqst.diststatus`. */
export const DISTRIBUTION = {
  None: '0',
  'Not Available': '1',
  Processing: '2',
  Generated: '3',
  'Not Posted': '4',
  Posted: '5',
  Delete: '6',
  Posting: '7',
} as const;

/** The name of a status in digits; the digits themselves if they are unknown. */
export function wordOf(codes: Readonly<Record<string, string>>, digits: string): string {
  return Object.keys(codes).find((word) => codes[word] === digits) ?? digits;
}

/** The digits of a status given by its name, in any letter case, or by its digits; `undefined` for an unknown status. */
export function digitsOf(codes: Readonly<Record<string, string>>, given: string): string | undefined {
  const wanted = given.toLowerCase();
  return Object.entries(codes).find(([word, digits]) => digits === given || word.toLowerCase() === wanted)?.[1];
}

/** A step in the life of a request, with the statuses before and after it. */
interface Transition {
  readonly from: readonly RunStatus[];
  readonly to: RunStatus;
}

/**
 * All steps. A step is a compare-and-set: it is only taken if the request has one of its `from` statuses. `initiate` also takes
 * up requests whose attempt ended with its gateway.
 */
const TRANSITIONS = {
  initiate: { from: ['Queued', 'Initiated', 'Processing'], to: 'Initiated' },
  begin: { from: ['Initiated'], to: 'Processing' },
  succeed: { from: ['Processing'], to: 'Success' },
  warn: { from: ['Processing'], to: 'Success With Warning' },
  /** The code of the process has failed in a way that another attempt would not fix. */
  refuse: { from: ['Initiated', 'Processing'], to: 'Not Successful' },
  retry: { from: ['Queued', 'Initiated', 'Processing'], to: 'Queued' },
  /** The last attempt failed. */
  fail: { from: ['Queued', 'Initiated', 'Processing'], to: 'Error' },
  hold: { from: ['Queued', 'Pending'], to: 'Hold' },
  /** The request is not running. */
  cancel: { from: ['Queued', 'Hold', 'Pending', 'Blocked'], to: 'Cancelled' },
  /** The request is running: its attempt is signalled, and takes the step `end`. */
  ask: { from: ['Initiated', 'Processing'], to: 'Cancel' },
  end: { from: ['Cancel'], to: 'Cancelled' },
  /** An operator of the gateway lets the job of the request run again. */
  revive: { from: ['Error'], to: 'Queued' },
  restart: { from: ['Error', 'Not Successful', 'Cancelled', 'Hold'], to: 'Queued' },
  delete: {
    from: [
      'Error',
      'Hold',
      'Queued',
      'Cancelled',
      'Success',
      'Not Successful',
      'Pending',
      'Success With Warning',
      'Blocked',
      'Restart',
    ],
    to: 'Delete',
  },
} as const satisfies Readonly<Record<string, Transition>>;
export type Step = keyof typeof TRANSITIONS;

/** The digits of the statuses in which a request has ended. */
export const FINAL: readonly string[] = (
  ['Success', 'Success With Warning', 'Not Successful', 'Error', 'Cancelled', 'Delete'] as const
).map((status) => RUN_STATUS[status]);

/** Whether a step is allowed from a status in digits. */
export function mayTake(step: Step, digits: string): boolean {
  return fromDigits(step).includes(digits);
}

function fromDigits(step: Step): readonly string[] {
  return TRANSITIONS[step].from.map((status) => RUN_STATUS[status]);
}

/** Further columns that a step changes. */
type Changes = Partial<Pick<ProcessRequestTable, 'begindttm' | 'enddttm' | 'diststatus' | 'servernamerun'>>;

/**
 * Takes a step if the request's status allows it and, if a run is given, that run has the request.
 * @returns whether the step was taken
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
