import { sql } from 'kysely';
import type { Component, ComponentEventRegistration } from '../model/component.ts';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import { CLASS_RETRY, queueRule } from '../model/retry.ts';
import type { User } from '../model/security.ts';
import { beginAccount } from '../model/work.ts';
import { may } from '../security/authorise.ts';
import { ownerOf } from '../security/directory/directory-port.ts';
import { type Db, type FailedJob, type Job, JobUnknown, type Store, type Worker } from '../store/index.ts';
import { runClass } from './context.ts';
import type { Components, ComponentsOptions } from './event-port.ts';
import { classCode, classOf, EVENTS, type EventData, type InsideFacts, isDue, kindOfEvent, openFor } from './inside.ts';
import type { Row } from './record.ts';
import { Saves } from './save.ts';

/** Opens the components and registers their worker at the queue, which must not be started yet. */
export function openComponents(options: ComponentsOptions): Components {
  const saves = new Saves(options);
  options.queue.work(EVENTS, afterSaves(options, saves));
  return {
    read: (component, keys, tx) => saves.read(component, keys, tx),
    saveInside: (...given) => saves.saveInside(...given),
    save: (component, action, record, facts) => saves.save(component, action, record, facts),
    busy: (tx, users) => usersWaiting(tx, options.store.kind, users),
  };
}

async function usersWaiting(tx: Db, kind: Store['kind'], users: readonly string[]): Promise<readonly string[]> {
  const user = kind === 'postgres' ? sql<string>`data::json ->> 'user'` : sql<string>`json_extract(data, '$.user')`;
  const found: string[] = [];
  // One after the other: a transaction has one connection.
  for (const table of ['signalbox_job', 'signalbox_dead_letter'] as const) {
    const those = tx.selectFrom(table).select(user.as('user')).distinct();
    const rows = await those.where('queue', '=', EVENTS).where(user, 'in', users).execute();
    found.push(...rows.map((row) => row.user));
  }
  return found;
}

/** Classes that run at the same time in one gateway, for different records. */
const CONCURRENCY = 4;

/** The worker for classes after a save: each runs in its own transaction, which also ends the job. */
function afterSaves(options: ComponentsOptions, saves: Saves): Worker {
  const report = (job: FailedJob, error: Error, facts: Readonly<Record<string, unknown>>): void => {
    const { id: entry, queue, data, attempt } = job;
    const { component, service, save } = data as EventData;
    const work = { work: 'event', name: nameOf(service, component), id: save };
    options.onError(error, { ...work, component, service, save, attempt, queue, job: entry, ...facts });
  };
  return {
    concurrency: CONCURRENCY,
    retry({ data }) {
      const registration = registrationOf(options.registry, data as EventData);
      return registration === undefined ? undefined : queueRule(registration.retry ?? CLASS_RETRY);
    },
    kinds: () =>
      [...options.registry.components.values()].flatMap((component) =>
        component.events.filter(runsLater).map((registration) => kindOfEvent(component, registration)),
      ),
    reports: true,
    run: (job) => runOne(job, options, saves),
    async onRetry(_, job, error, next) {
      report(job, error, { next, what: 'a class after a save, which is tried again' });
    },
    async onDead(_, job, error) {
      report(job, error, { what: 'a class after a save, which is given up' });
    },
  };
}

async function runOne(job: Job, options: ComponentsOptions, saves: Saves): Promise<void> {
  const { onError, account } = options;
  const data = job.data as EventData;
  const { component: id, service, save } = data;
  const { component, registration, owner } = await findKnown(job, options, saves);
  const [name, user] = [nameOf(service, id), data.user ?? undefined];
  const tell = beginAccount(account, { kind: 'event', name, id: save, user, attempt: job.attempt });
  if (user !== undefined && owner === undefined && registration.as === undefined) {
    const what = `component ${id} any more`;
    tell(Fault.of('FORBIDDEN', { user: `User ${user}`, what }, { reason: 'unknown or disabled user' }));
    const late = new Error(`${service} did not run: user ${user}, who saved, is unknown or disabled by now`);
    onError(late, { component: id, service, save });
    return;
  }
  try {
    const facts: InsideFacts = { user: owner, requestId: data.requestId, signal: job.signal, depth: data.depth };
    if (await runRegistered({ job, data, component, registration, facts }, options, saves)) tell();
  } catch (error) {
    tell(error);
    throw error;
  }
}

/** How log lines name a class after a save. */
const nameOf = (service: string, component: string): string => `${service} of ${component}`;

/** The registration of a job's class. A class may be registered twice, once of them disabled. */
function registrationOf(
  { components }: Registry,
  { component, service }: EventData,
): ComponentEventRegistration | undefined {
  const registered = components.get(component)?.events;
  return registered?.find((each) => runsLater(each) && each.service.id === service);
}

function runsLater({ enabled, event }: ComponentEventRegistration): boolean {
  return enabled && event === 'SavePostChange';
}

/** The definitions and the user that a job needs, as this gateway has them. */
interface Known {
  readonly component: Component;
  readonly registration: ComponentEventRegistration;
  /** The user who saved; `undefined` for an anonymous caller, and for one who is unknown or disabled by now. */
  readonly owner: User | undefined;
}

/**
 * Finds what a job needs, if the definitions of the gateway that entered it may be others.
 * @throws JobUnknown; JobNotBegun while the directory of users does not answer
 */
async function findKnown(job: Job, { registry, directory }: ComponentsOptions, saves: Saves): Promise<Known> {
  const { component: id, service, user, isDeclared, before, after } = job.data as EventData;
  const component = registry.components.get(id);
  const registration = registrationOf(registry, job.data as EventData);
  if (component === undefined || registration === undefined)
    throw new JobUnknown(`${service} does not run after the saves of ${id} here`);
  const { as } = registration;
  const isSame = job.kind === kindOfEvent(component, registration);
  const records = saves.recordsOf(component);
  if (!isSame && ![before, after].every((row) => row === null || records.accepts(row)))
    throw new JobUnknown(`the fields of ${id} are others here`);
  const owner = user === null ? undefined : await ownerOf(directory, user, isDeclared && as === undefined);
  const isCaller = user === null || owner !== undefined || as !== undefined;
  if (isCaller && !may(owner, registration.service, as) && (isDeclared || !isSame)) {
    const who = user === null ? 'an anonymous caller' : `user ${user}`;
    throw new JobUnknown(`${who} may not use ${service} here`, { allOfKind: false });
  }
  return { component, registration, owner };
}

interface Due {
  readonly job: Job;
  readonly data: EventData;
  readonly component: Component;
  readonly registration: ComponentEventRegistration;
  readonly facts: InsideFacts;
}

/** @returns false if the class no longer has to run */
async function runRegistered(due: Due, options: ComponentsOptions, saves: Saves): Promise<boolean> {
  const { job, data, component, registration, facts } = due;
  const { registry, work } = options;
  const { save } = data;
  if (!isDue(registration, { component, save }, facts, work)) return false;
  const records = saves.recordsOf(component);
  const story = storyOf(job, data, registration, records);
  const redactor = records.redactorOf(options.redactor, [story.before, story.after]);
  const opened = openFor(work, classCode(registration), { component, save, redactor }, facts);
  try {
    const { timeout } = registry.gateway.limits;
    await job.complete(async (tx) => {
      const inside = opened.inside(tx, facts.depth);
      await runClass(classOf(registration.service.file, options), story, opened.context, inside, timeout);
    });
    return true;
  } catch (error) {
    throw redactor.error(error);
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
