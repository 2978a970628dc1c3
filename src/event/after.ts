import { redactError } from '../codec/redact/redact-value.ts';
import type { Component, ComponentEventRegistration } from '../model/component.ts';
import { Fault } from '../model/fault.ts';
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
  const { registry, directory, onError, account } = options;
  const data = job.data as EventData;
  const { component: id, service, save } = data;
  const component = registry.components.get(id);
  // One class may be registered twice, and disabled once.
  const registration = component?.events.find(
    (each) => each.enabled && each.event === 'SavePostChange' && each.service.id === service,
  );
  if (component === undefined || registration === undefined) {
    const gone = new Error(`${service} is no longer registered at ${id}: what was to run is dropped`);
    onError(gone, { component: id, service, save });
    return;
  }
  const since = performance.now();
  const tell = (error?: unknown): void => {
    const ms = performance.now() - since;
    const name = `${service} of ${id}`;
    account?.({ kind: 'event', name, id: save, user: data.user ?? undefined, attempt: job.attempt, ms, error });
  };
  try {
    const user = data.user === null ? undefined : await directory.findOwner(data.user);
    if (data.user !== null && user === undefined) {
      const what = `component ${id} any more`;
      tell(Fault.of('FORBIDDEN', { user: `User ${data.user}`, what }, { reason: 'unknown or disabled user' }));
      const late = new Error(`${service} did not run: user ${data.user}, who saved, may call no longer`);
      onError(late, { component: id, service, save });
      return;
    }
    const facts: InsideFacts = { user, requestId: data.requestId, signal: job.signal, depth: data.depth, entered };
    if (await runRegistered({ job, data, component, registration, facts }, options, saves)) tell();
  } catch (error) {
    tell(error);
    throw error;
  }
}

/** What one attempt is about. */
interface Due {
  readonly job: Job;
  readonly data: EventData;
  readonly component: Component;
  readonly registration: ComponentEventRegistration;
  readonly facts: InsideFacts;
}

/** @returns false where the class is not due any more */
async function runRegistered(due: Due, options: ComponentsOptions, saves: Saves): Promise<boolean> {
  const { job, data, component, registration, facts } = due;
  const { registry, work } = options;
  const { save } = data;
  if (!isDue(registration, { component, save }, facts, work)) return false;
  const records = saves.recordsOf(component);
  const story = storyOf(job, data, registration, records);
  const redact = records.redactionOf([story.before, story.after]);
  const opened = openFor(work, registration, { component, save, redact }, facts);
  try {
    const { timeout } = registry.gateway.limits;
    await job.complete(async (tx) => {
      const inside = insideOf(tx, facts, saves.inside, options);
      await runClass(classOf(registration.service.file, options), story, opened.context, inside, timeout);
    });
    return true;
  } catch (error) {
    throw redact === undefined ? error : redactError(error, redact);
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
