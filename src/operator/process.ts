import type { LogEntry, ProcessRequest, RecurrenceTimes, RequestAction, RunStatus } from '../process/index.ts';
import type { OperatorAction, Tone, View } from './view.ts';

/** How a run status is shown. */
export const RUN_TONES: Readonly<Record<RunStatus, Tone>> = {
  Queued: 'idle',
  Pending: 'idle',
  Initiated: 'busy',
  Processing: 'busy',
  Cancel: 'warn',
  Hold: 'warn',
  Blocked: 'warn',
  Restart: 'idle',
  Success: 'good',
  'Success With Warning': 'warn',
  'Not Successful': 'bad',
  Error: 'bad',
  Cancelled: 'idle',
  Delete: 'idle',
};

interface RequestActionView extends OperatorAction {
  /** Of its command, its path and its entries in logs. */
  readonly verb: 'hold' | 'restart' | 'cancel' | 'delete';
}

/** Actions on a process request, in the order in which they are offered. */
export const REQUEST_ACTIONS: Readonly<Record<RequestAction, RequestActionView>> = {
  Hold: {
    ...{ verb: 'hold', title: 'Hold', done: 'is on hold' },
    effect: 'It does not run until it is restarted.',
  },
  Restart: {
    ...{ verb: 'restart', title: 'Restart', done: 'runs again' },
    effect: 'It runs again with the same parameters. A report that it has is removed.',
  },
  Cancelled: {
    ...{ verb: 'cancel', title: 'Cancel', done: 'is cancelled', isDangerous: true },
    effect:
      'It does not run. If it runs already, its code is asked to stop, and nothing that it has not completed is stored.',
  },
  Deleted: {
    ...{ verb: 'delete', title: 'Delete', done: 'is deleted', isDangerous: true },
    effect: 'It is marked as deleted, and its report is removed for good.',
  },
};

/** What has happened to a request: code that runs is asked to stop, which takes a while. */
export function requestDone(action: RequestAction, { runStatus }: Pick<ProcessRequest, 'runStatus'>): string {
  return runStatus === 'Cancel' ? 'is being cancelled' : REQUEST_ACTIONS[action].done;
}

export const REQUESTS = {
  instance: { title: 'Instance', kind: 'count', value: ({ instance }) => instance },
  type: { title: 'Type', value: ({ type }) => type },
  name: { title: 'Name', value: ({ name }) => name },
  user: { title: 'User', value: ({ operator }) => operator },
  status: {
    title: 'Run status',
    value: ({ runStatus, percent }) => (percent === undefined ? runStatus : `${runStatus} ${percent} %`),
  },
  runs: { title: 'Run date/time', kind: 'moment', value: ({ runs }) => runs },
  distribution: {
    title: 'Distribution',
    value: ({ distribution }) => (distribution === 'None' ? undefined : distribution),
  },
  server: { title: 'Server', value: ({ server }) => server },
  ended: { title: 'Ended', kind: 'moment', value: ({ ended }) => ended },
} as const satisfies View<ProcessRequest>;

export const MESSAGE_LOG = {
  line: { title: 'Line', kind: 'count', value: ({ sequence }) => sequence },
  at: { title: 'Time', kind: 'moment', value: ({ at }) => at },
  level: { title: 'Level', value: ({ level }) => level },
  message: { title: 'Message', kind: 'prose', value: ({ text }) => text },
} as const satisfies View<LogEntry>;

/** Recurrences, with the processes that recur by themselves. */
export const RECURRENCES = {
  recurrence: { title: 'Recurrence', value: ({ recurrence }) => recurrence.id },
  description: { title: 'Description', kind: 'words', value: ({ recurrence }) => recurrence.description },
  schedule: { title: 'Schedule', value: ({ recurrence }) => recurrence.cron },
  zone: { title: 'Zone', value: ({ recurrence }) => recurrence.zone },
  next: { title: 'Next', kind: 'moment', value: ({ next }) => next[0] ?? 'never' },
  processes: {
    title: 'Processes',
    value: ({ processes }) => processes.map(({ name, runAs }) => `${name} as ${runAs}`).join(', '),
  },
} as const satisfies View<RecurrenceTimes>;
