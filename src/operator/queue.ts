import type { JobDetails, JobState, KeptJob, QueueControl, QueueOverview } from '../store/index.ts';
import type { OperatorAction, Tone, View, ViewColumn } from './view.ts';

/** The states of jobs, in the order in which they are listed. */
export const JOB_STATES = ['waiting', 'running', 'delayed', 'held', 'dead'] as const satisfies readonly JobState[];

/** How states are shown. `moment` is the time that matters in the state. */
export const JOB_STATE: Readonly<
  Record<JobState, { readonly tone: Tone; readonly moment: ViewColumn<KeptJob> | undefined }>
> = {
  waiting: { tone: 'idle', moment: { title: 'Due', kind: 'moment', value: ({ due }) => due } },
  running: { tone: 'busy', moment: { title: 'Began', kind: 'moment', value: ({ started }) => started } },
  delayed: { tone: 'idle', moment: { title: 'Due', kind: 'moment', value: ({ due }) => due } },
  // Since it was entered, which each job shows.
  held: { tone: 'warn', moment: undefined },
  dead: { tone: 'bad', moment: { title: 'Died', kind: 'moment', value: ({ died }) => died } },
};

/** The state of a queue: its tone, and its word. */
export function queueState({ paused, defined, dead }: QueueOverview): readonly [Tone, string] {
  if (paused !== undefined) return ['warn', paused.with === undefined ? 'paused' : `held with ${paused.with}`];
  if (defined === false) return ['warn', 'not defined'];
  return dead > 0 ? ['bad', 'dead letters'] : ['good', 'active'];
}

const countOf = (state: JobState): ViewColumn<QueueOverview> => ({
  title: state.charAt(0).toUpperCase() + state.slice(1),
  kind: 'count',
  value: (queue) => queue[state],
});

export const QUEUES = {
  queue: { title: 'Queue', value: ({ queue }) => queue },
  waiting: countOf('waiting'),
  running: countOf('running'),
  delayed: countOf('delayed'),
  held: countOf('held'),
  dead: countOf('dead'),
  oldest: { title: 'Oldest', kind: 'seconds', value: ({ oldestSeconds }) => oldestSeconds },
  done: { title: 'Done/min', kind: 'count', value: ({ donePerMinute }) => donePerMinute },
  state: {
    title: 'State',
    value: (queue) => {
      const [, word] = queueState(queue);
      return queue.paused === undefined ? word : `${word} since ${queue.paused.since} by ${queue.paused.actor}`;
    },
  },
} as const satisfies View<QueueOverview>;

/** The jobs of a queue that are in a state. */
export function jobsView(state: JobState) {
  const { moment } = JOB_STATE[state];
  return {
    job: { title: 'Job', kind: 'id', value: ({ id }) => id },
    attempts: { title: 'Attempts', kind: 'count', value: ({ attempts }) => attempts },
    ...(moment === undefined ? {} : { moment }),
    entered: { title: 'Entered', kind: 'moment', value: ({ entered }) => entered },
    key: { title: 'Key', value: ({ key }) => key },
    gateway: { title: 'Gateway', value: ({ gateway }) => gateway },
    reason: { title: 'Last error', kind: 'prose', value: ({ reason }) => reason },
  } as const satisfies View<KeptJob>;
}

/** The attempts at a job. */
export const ATTEMPTS = {
  attempt: { title: 'Attempt', kind: 'count', value: ({ attempt }) => attempt },
  gateway: { title: 'Gateway', value: ({ gateway }) => gateway },
  began: { title: 'Began', kind: 'moment', value: ({ began }) => began },
  ended: { title: 'Ended', kind: 'moment', value: ({ ended = 'running' }) => ended },
  reason: { title: 'Error', kind: 'prose', value: ({ reason }) => reason },
} as const satisfies View<JobDetails['tried'][number]>;

type TrailLine = Awaited<ReturnType<QueueControl['trail']>>[number];

/** What operators have done. */
export const TRAIL = {
  at: { title: 'Time', kind: 'moment', value: ({ at }) => at },
  actor: { title: 'By', value: ({ actor }) => actor },
  action: { title: 'Action', value: ({ action }) => action },
  queue: { title: 'Queue', value: ({ queue }) => queue },
  job: { title: 'Job', kind: 'id', value: ({ job }) => job },
  request: { title: 'Request', kind: 'count', value: ({ request }) => request },
} as const satisfies View<TrailLine>;

/** The facts of a job, with their names; those without a value are left out. */
export const JOB_FACTS = {
  state: { title: 'State', value: ({ state }) => state },
  queue: { title: 'Queue', value: ({ queue }) => queue },
  key: { title: 'Key', value: ({ key }) => key },
  attempts: { title: 'Attempts', kind: 'count', value: ({ attempts }) => attempts },
  entered: { title: 'Entered', kind: 'moment', value: ({ entered }) => entered },
  due: { title: 'Due', kind: 'moment', value: ({ due }) => due },
  began: { title: 'Began', kind: 'moment', value: ({ started }) => started },
  died: { title: 'Died', kind: 'moment', value: ({ died }) => died },
  gateway: { title: 'Gateway', value: ({ gateway }) => gateway },
  request: { title: 'Request', kind: 'id', value: ({ cause }) => cause?.requestId },
  trace: { title: 'Trace', value: ({ cause }) => cause?.traceparent },
} as const satisfies View<JobDetails>;

/** Actions on a job, and the states in which they are possible. */
export const JOB_ACTIONS = {
  resubmit: {
    ...{ title: 'Resubmit', done: 'runs again', on: ['delayed', 'held', 'dead'] },
    effect:
      'A dead letter gets all its attempts again, behind the waiting jobs of its key; a held job gets them at its place; a delayed job runs now.',
  },
  cancel: {
    ...{ title: 'Cancel', done: 'was cancelled', on: ['waiting', 'delayed', 'held', 'dead'], isDangerous: true },
    effect: 'The job is removed for good. What it should have done is not done.',
  },
} as const satisfies Record<'resubmit' | 'cancel', OperatorAction & { readonly on: readonly JobState[] }>;

/** Actions on a queue. Whoever pauses one is asked, by what happens then. */
export const QUEUE_ACTIONS = {
  pause: {
    ...{ title: 'Pause', done: 'paused' },
    effect: (queue: string) => `No gateway takes jobs of ${queue} until it is resumed. Those that run go on.`,
  },
  resume: { title: 'Resume', done: 'active' },
} as const;
