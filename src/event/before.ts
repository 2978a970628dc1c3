import { redactError } from '../codec/redact/redact-value.ts';
import type { Component, ComponentEventRegistration } from '../model/component.ts';
import type { ComponentEvent, ServiceClass } from '../model/component-event.ts';
import { Fault } from '../model/fault.ts';
import type { Redaction } from '../model/mask.ts';
import type { OpenedWork, OpenWork } from '../model/open-work.ts';
import { may } from '../security/authorise.ts';
import { type Db, isFull, StoreError, sqlTransaction } from '../store/index.ts';
import { EventTimeout, type Inside, runClass } from './context.ts';
import type { ComponentsOptions } from './open.ts';
import type { Stored } from './record.ts';
import { RecordMade } from './refused.ts';
import type { InsideFacts, SaveInside } from './save.ts';

/** A save while it is made. */
export interface Change {
  readonly component: Component;
  /** A UUID. */
  readonly save: string;
  readonly action: ComponentEvent['action'];
  /** The record, for messages. */
  readonly name: string;
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
  /** Keeps what is sensitive in the record out of the log. */
  readonly redact: Redaction | undefined;
}

/** Runs the classes before a save, one after the other. @throws Fault what one refuses the save with; INTERNAL, TIMEOUT */
export async function runBefore(
  tx: Db,
  change: Change,
  facts: InsideFacts,
  save: SaveInside,
  options: ComponentsOptions,
): Promise<void> {
  const { component, before, after } = change;
  for (const registration of component.events) {
    if (registration.event !== 'SavePreChange' || !isDue(registration, change, facts, options.work)) continue;
    const { service } = registration;
    const opened = openFor(options.work, registration, change, facts);
    const inside = insideOf(tx, facts, save, options);
    const story = {
      component: component.id,
      event: registration.event,
      action: change.action,
      save: change.save,
      before: before?.record,
      after: after?.record,
      attempt: 1,
    };
    const { timeout } = options.registry.gateway.limits;
    try {
      await runClass(classOf(service.file, options), story, opened.context, inside, timeout);
    } catch (error) {
      throw withoutSecrets(refusalOf(error, change, facts, timeout), change);
    } finally {
      opened.done();
    }
  }
}

/** Whether a class runs for a save: it is enabled, and the user who saves may use it. One who may not is told in the log. */
export function isDue(
  registration: ComponentEventRegistration,
  change: Pick<Change, 'component' | 'save'>,
  facts: Pick<InsideFacts, 'user' | 'requestId' | 'signal'>,
  work: OpenWork,
): boolean {
  if (!registration.enabled) return false;
  if (may(facts.user, registration.service)) return true;
  const { component, save } = change;
  const { context, done } = openFor(work, registration, { component, save, redact: undefined }, facts);
  const who = facts.user === undefined ? 'an anonymous caller' : `user ${facts.user.id}`;
  context.log('warn', `${registration.service.id} did not run: ${who} may not use it`);
  done();
  return false;
}

/** What a class can reach beside the transaction. */
export function openFor(
  work: OpenWork,
  { service, event }: ComponentEventRegistration,
  { component, save, redact }: Pick<Change, 'component' | 'save' | 'redact'>,
  { user, requestId, signal = NEVER }: Pick<InsideFacts, 'user' | 'requestId' | 'signal'>,
): OpenedWork {
  const named = { component: component.id, event, service: service.id, save };
  return work({ user, requestId, scope: `component ${component.id}`, named, redact, signal });
}

const NEVER = new AbortController().signal;

/** What a class may do in a transaction: SQL, and saves of other records that are part of it. */
export function insideOf(tx: Db, facts: InsideFacts, save: SaveInside, { registry, store }: ComponentsOptions): Inside {
  return {
    ...sqlTransaction(tx, store.kind),
    async saveComponent(id, record, { action = 'put', ...expected } = {}) {
      const component = registry.components.get(id);
      if (component === undefined) throw Fault.of('NOT_FOUND', { what: `component ${id}` });
      const { user, requestId, signal, entered, depth } = facts;
      const own = signal === undefined ? {} : { signal };
      return save(tx, component, action, record, { ...expected, ...own, user, requestId, entered, depth: depth + 1 });
    },
  };
}

/** The class of a file. @throws Error where there is none: the loader of code refuses that before */
export function classOf(file: string, { classes }: ComponentsOptions): ServiceClass {
  const found = classes.get(file);
  if (found === undefined) throw new Error(`there is no class in ${file}.ts`);
  return found;
}

/** What a class refuses a save with is meant for the caller; what caused it is for the log. */
function withoutSecrets(refusal: unknown, { redact }: Change): unknown {
  if (redact !== undefined && refusal instanceof Error && refusal.cause !== undefined)
    refusal.cause = redactError(refusal.cause, redact);
  return refusal;
}

/** A Fault is the class's own word; what ended it from outside stays what it is, and so does a database that is away or full. */
function refusalOf(error: unknown, { name }: Change, { signal }: InsideFacts, timeout: number): unknown {
  if ([Fault, RecordMade, StoreError].some((kind) => error instanceof kind) || isFull(error)) return error;
  if (signal?.aborted === true && error === signal.reason) return error;
  if (error instanceof EventTimeout)
    return Fault.of('TIMEOUT', { what: `The save of ${name}`, seconds: timeout / 1000 });
  return Fault.of('INTERNAL', { operation: `The save of ${name}` }, { cause: error });
}
