import {
  ATTEMPTS,
  JOB_ACTIONS,
  JOB_FACTS,
  JOB_STATE,
  JOB_STATES,
  jobsView,
  QUEUE_ACTIONS,
  QUEUES,
  queueState,
  TRAIL,
} from '../../operator/queue.ts';
import type { OperatorAction } from '../../operator/view.ts';
import type { JobState, KeptJob, QueueOverview } from '../../store/index.ts';
import { type Html, html, NOTHING } from '../html.ts';
import {
  address,
  badge,
  button,
  type Column,
  code,
  columnsOf,
  facts,
  factsFrom,
  heading,
  link,
  live,
  more,
  number,
  pathTo,
  section,
  shortId,
  table,
  tabs,
  time,
} from '../parts.ts';
import { type Area, actionRoute, page, pageRoute, type Visit } from '../route.ts';

/** Jobs per page. */
const MOST = 50;
/** Maximum number of queues whose jobs are listed together, and of jobs of each. */
const MOST_QUEUES = 20;
const MOST_OF_QUEUE = 10;
/** Maximum number of dead letters that one click runs again. */
const MOST_RESUBMITTED = 1000;

const queueOf = (visit: Visit): string => visit.params.queue as string;
const jobPath = ({ id }: Pick<KeptJob, 'id'>): string => pathTo('queues', 'jobs', id);

const countCell =
  (state: JobState) =>
  ({ queue, [state]: count }: QueueOverview): Html =>
    count === 0 ? html`<span class="none">0</span>` : link(pathTo('queues', queue), number(count), { state });

const COLUMNS = columnsOf(QUEUES, {
  ...Object.fromEntries(JOB_STATES.map((state) => [state, countCell(state)])),
  queue: ({ queue }) => link(pathTo('queues', queue), queue),
  state: stateOf,
});

function stateOf(queue: QueueOverview): Html {
  return badge(...queueState(queue));
}

async function list(visit: Visit) {
  const all = await visit.ports.queues.overview();
  const state = JOB_STATES.find((each) => each === visit.query.get('state'));
  const views = JOB_STATES.map((each) => {
    const count = all.reduce((total, queue) => total + queue[each], 0);
    return [`/queues?state=${each}`, `${each} ${number(count)}`] as const;
  });
  const shown =
    state === undefined
      ? table('Queues', COLUMNS, all, { empty: 'No queue is defined, and there is no background work.' })
      : await jobsOf(visit, all, state);
  const trail =
    state === undefined
      ? section(
          'What operators did',
          table('Actions', ACTIONS, await visit.ports.queues.trail(MOST), {
            empty: 'Nothing yet. Whoever pauses a queue, or resubmits or cancels a job, is recorded here.',
          }),
        )
      : NOTHING;
  return page(
    'Queues',
    html`${heading('Queues', { about: 'Work that runs in the background: processes, polled queries, deliveries of messages.' })}
${live(
  visit,
  'queues',
  'queue-list',
  html`${tabs('Queues and their jobs', [['/queues', 'All queues'], ...views], state === undefined ? '/queues' : `/queues?state=${state}`)}${shown}`,
)}
${trail}`,
  );
}

/** The jobs in a state, queue by queue. */
async function jobsOf({ ports: { queues, registry } }: Visit, all: readonly QueueOverview[], state: JobState) {
  const some = all.filter((each) => each[state] > 0);
  if (some.length === 0) return html`<p class="empty">No job is ${state}. ${link('/queues', 'Show all queues')}</p>`;
  const parts = some.slice(0, MOST_QUEUES).map(async ({ queue, [state]: count }) => {
    const { jobs } = await queues.list(queue, { state, limit: MOST_OF_QUEUE, order: 'oldest' });
    const rest = count - jobs.length;
    const path = pathTo('queues', queue);
    return html`<section><h2>${link(path, queue)}</h2>
${table(`Jobs of ${queue} that are ${state}`, jobColumns(state, registry.subscriptions.has(queue)), jobs, { empty: 'They have just ended.' })}${
  rest > 0 ? html`<p>${link(path, `All ${number(count)}`, { state })}</p>` : NOTHING
}</section>`;
  });
  const rest = some.length - MOST_QUEUES;
  return html`${await Promise.all(parts)}${rest > 0 ? html`<p>Jobs of ${link('/queues', `${rest} more queues`)} are ${state}.</p>` : NOTHING}`;
}

const ACTIONS = columnsOf(TRAIL, {
  queue: ({ queue }) => link(pathTo('queues', queue), queue),
  request: ({ request }) =>
    request === undefined ? NOTHING : link(pathTo('processes', String(request)), String(request)),
});

async function show(visit: Visit) {
  const queue = queueOf(visit);
  const { queues } = visit.ports;
  const state = JOB_STATES.find((each) => each === visit.query.get('state')) ?? 'waiting';
  const after = visit.query.get('after') ?? undefined;
  const options = { state, limit: MOST, order: visit.query.get('order') === 'newest' ? 'newest' : 'oldest' } as const;
  const [{ jobs, next }, all] = await Promise.all([
    queues.list(queue, { ...options, ...(after === undefined ? {} : { after }) }),
    queues.overview(),
  ]);
  const now = all.find((each) => each.queue === queue);
  const path = pathTo('queues', queue);
  const views = JOB_STATES.map(
    (each) => [`${path}?state=${each}`, `${each} ${now === undefined ? '' : number(now[each])}`] as const,
  );
  const older = next === undefined ? undefined : address(path, { state, order: options.order, after: next });
  return page(
    queue,
    html`${heading(queue, { about: now === undefined ? NOTHING : stateOf(now), actions: visit.may('act') && now !== undefined ? actionsOf(visit, now) : NOTHING })}
${
  now?.paused === undefined
    ? NOTHING
    : facts([
        ['Paused since', time(now.paused.since)],
        ['By', now.paused.actor],
      ])
}
${tabs(`Jobs of ${queue}`, views, `${path}?state=${state}`)}
${live(visit, 'queues', 'jobs', html`${table(`Jobs that are ${state}`, jobColumns(state, visit.ports.registry.subscriptions.has(queue)), jobs, { empty: `No job of ${queue} is ${state}.` })}${more(older, 'More')}`)}`,
  );
}

function actionsOf(visit: Visit, { queue, paused, dead }: QueueOverview): Html {
  const path = pathTo('queues', queue);
  const turn =
    paused === undefined
      ? button(visit, {
          text: QUEUE_ACTIONS.pause.title,
          to: `${path}/pause`,
          ask: QUEUE_ACTIONS.pause.effect(queue),
        })
      : paused.with === undefined
        ? button(visit, { text: QUEUE_ACTIONS.resume.title, to: `${path}/resume` })
        : NOTHING;
  return html`${turn}${
    dead === 0
      ? NOTHING
      : button(visit, {
          text: 'Resubmit dead letters',
          to: `${path}/resubmit`,
          ask: html`${number(Math.min(dead, MOST_RESUBMITTED))} of ${number(dead)} dead letters run again, with all their attempts; those that died first begin.`,
        })
  }`;
}

/** @param delivers whether its jobs are deliveries: their ids are those of deliveries, by which a message is found */
const jobColumns = (state: JobState, delivers: boolean): readonly Column<KeptJob>[] => {
  const [job, ...others] = columnsOf(jobsView(state), { job: (each) => link(jobPath(each), shortId(each.id)) });
  const message: Column<KeptJob> = {
    title: 'Delivers',
    cell: ({ id }) => link('/messages', 'message', { text: id }),
  };
  return [...(job === undefined ? [] : [job]), ...(delivers ? [message] : []), ...others];
};

async function showJob(visit: Visit) {
  const job = await visit.ports.queues.get(visit.params.id as string);
  const path = jobPath(job);
  const offered = (Object.keys(JOB_ACTIONS) as (keyof typeof JOB_ACTIONS)[]).filter((action) =>
    (JOB_ACTIONS[action].on as readonly JobState[]).includes(job.state),
  );
  const actions = html`${offered.map((action) => {
    const { title, effect, isDangerous }: OperatorAction = JOB_ACTIONS[action];
    const isRelease = action === 'resubmit' && job.state === 'held';
    const ask = isDangerous === true ? { ask: effect, isDangerous } : {};
    return button(visit, { text: isRelease ? 'Release' : title, to: `${path}/${action}`, ...ask });
  })}`;
  return page(
    `Job ${job.id}`,
    html`${heading(html`Job ${shortId(job.id)}`, { about: html`${badge(JOB_STATE[job.state].tone, job.state)} in ${link(pathTo('queues', job.queue), job.queue)}`, actions: visit.may('act') ? actions : NOTHING })}
${facts([
  ...factsFrom(JOB_FACTS, job, {
    state: () => undefined,
    queue: () => undefined,
    trace: () => undefined,
    request: ({ cause }) => cause && link('/messages', shortId(cause.requestId), { request: cause.requestId }),
  }),
  [
    'Message',
    visit.ports.registry.subscriptions.has(job.queue) &&
      link('/messages', 'the message that it delivers', { text: job.id }),
  ],
  ['Id', html`<code>${job.id}</code>`],
])}
${job.reason === undefined ? NOTHING : section('Last error', code(job.reason, 'Last error'))}
${section('Attempts', table('Attempts', columnsOf(ATTEMPTS), job.tried, { empty: 'No attempt was made yet.' }))}
${visit.may('payload') ? section('Data', code(JSON.stringify(job.payload, undefined, 2) ?? '', 'Data of the job')) : NOTHING}`,
  );
}

export const queuesArea: Area = {
  id: 'queues',
  title: 'Queues',
  path: '/queues',
  grant: 'read',
  topics: [
    {
      name: 'queues',
      state: async ({ queues }) =>
        JSON.stringify(
          (await queues.overview()).map(({ queue, waiting, running, delayed, held, dead, paused }) => [
            ...[queue, waiting, running, delayed, held, dead],
            paused?.since,
          ]),
        ),
    },
  ],
  routes: [
    pageRoute('/queues', list),
    pageRoute('/queues/jobs/:id', showJob),
    pageRoute('/queues/:queue', show),
    actionRoute('/queues/:queue/pause', 'queue.pause', async (visit) => {
      const queue = queueOf(visit);
      const changed = await visit.ports.queues.pause(queue, visit.actor);
      return {
        to: pathTo('queues', queue),
        notice: `${queue} is ${changed ? '' : 'already '}${QUEUE_ACTIONS.pause.done}.`,
        target: queue,
      };
    }),
    actionRoute('/queues/:queue/resume', 'queue.resume', async (visit) => {
      const queue = queueOf(visit);
      const changed = await visit.ports.queues.resume(queue, visit.actor);
      return {
        to: pathTo('queues', queue),
        notice: `${queue} is ${changed ? 'resumed' : `already ${QUEUE_ACTIONS.resume.done}`}.`,
        target: queue,
      };
    }),
    actionRoute('/queues/:queue/resubmit', 'queue.resubmit-failed', async (visit) => {
      const queue = queueOf(visit);
      const { resubmitted, refused } = await visit.ports.queues.resubmitFailed(
        queue,
        { most: MOST_RESUBMITTED },
        visit.actor,
      );
      const rest = refused.length === 0 ? '' : ` ${refused.length} could not: ${refused[0]?.reason}`;
      return {
        ...{ to: pathTo('queues', queue), target: queue, notice: `${resubmitted} dead letters run again.${rest}` },
        ...(refused.length > 0 ? { partly: true as const } : {}),
      };
    }),
    actionRoute('/queues/jobs/:id/resubmit', 'job.resubmit', async (visit) => {
      const job = await visit.ports.queues.resubmit(visit.params.id as string, visit.actor);
      return { to: pathTo('queues', job.queue), notice: `Job ${job.id} ${JOB_ACTIONS.resubmit.done}.`, target: job.id };
    }),
    actionRoute('/queues/jobs/:id/cancel', 'job.cancel', async (visit) => {
      const job = await visit.ports.queues.cancel(visit.params.id as string, visit.actor);
      return { to: pathTo('queues', job.queue), notice: `Job ${job.id} ${JOB_ACTIONS.cancel.done}.`, target: job.id };
    }),
  ],
};
