import type { ComponentEventRegistration } from '../model/component.ts';
import type { Job, Worker } from '../store/index.ts';
import { classOf, insideOf, isDue, openFor } from './before.ts';
import { runClass } from './context.ts';
import { EVENTS, type EventData } from './enter.ts';
import type { ComponentsOptions } from './open.ts';
import type { Row } from './record.ts';
import type { InsideFacts, Saves } from './save.ts';

/** Classes that run at the same time in one gateway, of different records. */
const CONCURRENCY = 4;
/** Pauses in milliseconds. */
const RETRY = { attempts: 4, first: 1000, longest: 60_000 };

/** What runs classes after a save: each in a transaction of its own, which ends its job too. */
export function afterSaves(options: ComponentsOptions, saves: Saves): Worker {
  const { queue, onError } = options;
  const factsOf = ({ component, service, save }: EventData) => ({ component, service, save });
  return {
    concurrency: CONCURRENCY,
    retry: RETRY,
    async run(job) {
      let isEntered = false;
      await runOne(job, options, saves, () => {
        isEntered = true;
      });
      if (isEntered) queue.wake(EVENTS);
    },
    async onRetry(_, { data, attempt }, error, next) {
      onError(error, {
        ...factsOf(data as EventData),
        attempt,
        next,
        what: 'a class after a save, which is tried again',
      });
    },
    async onDead(_, { data, attempt }, error) {
      onError(error, { ...factsOf(data as EventData), attempt, what: 'a class after a save, which is given up' });
    },
  };
}

async function runOne(job: Job, options: ComponentsOptions, saves: Saves, entered: () => void): Promise<void> {
  const { registry, directory, work, onError } = options;
  const data = job.data as EventData;
  const component = registry.components.get(data.component);
  // One class may be registered twice, and disabled once.
  const registration = component?.events.find(
    ({ enabled, event, service }) => enabled && event === 'SavePostChange' && service.id === data.service,
  );
  const user = data.user === null ? undefined : await directory.findOwner(data.user);
  const facts: InsideFacts = { user, requestId: data.requestId, signal: job.signal, depth: data.depth, entered };
  if (component === undefined || registration === undefined) {
    const { service, save } = data;
    const gone = new Error(`${service} is no longer registered at ${data.component}: what was to run is dropped`);
    onError(gone, { component: data.component, service, save });
    return;
  }
  if (data.user !== null && user === undefined) {
    const { component: id, service, save } = data;
    onError(new Error(`${service} did not run: user ${data.user}, who saved, may call no longer`), {
      component: id,
      service,
      save,
    });
    return;
  }
  const change = { component, save: data.save };
  if (!isDue(registration, change, facts, work)) return;
  const opened = openFor(work, registration, change, facts);
  try {
    const story = storyOf(job, data, registration, saves.recordsOf(component));
    const { timeout } = registry.gateway.limits;
    await job.complete(async (tx) => {
      const inside = insideOf(tx, facts, saves.inside, options);
      await runClass(classOf(registration.service.file, options), story, opened.context, inside, timeout);
    });
  } finally {
    opened.done();
  }
}

function storyOf(
  { attempt }: Job,
  { component, save, action, before, after }: EventData,
  { event }: ComponentEventRegistration,
  records: ReturnType<Saves['recordsOf']>,
): Parameters<typeof runClass>[1] {
  const recordOf = (row: Row | null) => (row === null ? undefined : records.read(row).record);
  return { component, event, action, save, before: recordOf(before), after: recordOf(after), attempt };
}
