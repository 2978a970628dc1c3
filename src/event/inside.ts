import { createHash } from 'node:crypto';
import type { Component, ComponentEventRegistration, SavedRecord } from '../model/component.ts';
import { Fault } from '../model/fault.ts';
import type { ComponentEvent, ServiceClass } from '../model/handler.ts';
import type { Redactor } from '../model/redactor.ts';
import type { DocumentValue } from '../model/value.ts';
import type { OpenedWork, OpenWork } from '../model/work.ts';
import { may } from '../security/authorise.ts';
import { type Db, sqlTransaction } from '../store/index.ts';
import type { SaveAction } from './change.ts';
import type { Inside } from './context.ts';
import type { ComponentsOptions, SaveFacts } from './port.ts';
import type { Row, Stored } from './record.ts';

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
  /** Knows what is sensitive in the record. */
  readonly redactor: Redactor;
}

/** What goes with a save inside a transaction. */
export interface InsideFacts extends SaveFacts {
  /** How many saves of other records, by classes, led to this one. */
  readonly depth: number;
}

/** Saves a record as part of a transaction. */
export type SaveInside = (
  tx: Db,
  component: Component,
  action: SaveAction,
  record: DocumentValue,
  facts: InsideFacts,
) => Promise<SavedRecord>;

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
  const { context, done } = openFor(work, registration, { component, save }, facts);
  const who = facts.user === undefined ? 'an anonymous caller' : `user ${facts.user.id}`;
  context.log('warn', `${registration.service.id} did not run: ${who} may not use it`);
  done();
  return false;
}

/** What a class can reach beside the transaction. */
export function openFor(
  work: OpenWork,
  { service, event }: ComponentEventRegistration,
  { component, save, redactor }: Pick<Change, 'component' | 'save'> & Partial<Pick<Change, 'redactor'>>,
  { user, requestId, signal = NEVER }: Pick<InsideFacts, 'user' | 'requestId' | 'signal'>,
): OpenedWork {
  const named = { component: component.id, event, service: service.id, save };
  return work({ user, requestId, scope: `component ${component.id}`, named, redactor, signal });
}

const NEVER = new AbortController().signal;

/** What a class may do in a transaction: SQL, and saves of other records that are part of it. */
export function insideOf(tx: Db, facts: InsideFacts, save: SaveInside, { registry, store }: ComponentsOptions): Inside {
  return {
    ...sqlTransaction(tx, store.kind),
    async saveComponent(id, record, { action = 'put', ...expected } = {}) {
      const component = registry.components.get(id);
      if (component === undefined) throw Fault.of('NOT_FOUND', { what: `component ${id}` });
      const { user, requestId, signal, depth } = facts;
      const own = signal === undefined ? {} : { signal };
      return save(tx, component, action, record, { ...expected, ...own, user, requestId, depth: depth + 1 });
    },
  };
}

/** The class of a file. @throws Error where there is none: the loader of code refuses that before */
export function classOf(file: string, { classes }: ComponentsOptions): ServiceClass {
  const found = classes.get(file);
  if (found === undefined) throw new Error(`there is no class in ${file}.ts`);
  return found;
}

/** The queue of classes that run after a save. */
export const EVENTS = 'events';

/** What a job says: one class after one save. */
export interface EventData extends Readonly<Record<string, unknown>> {
  readonly component: string;
  /** The related-content service. */
  readonly service: string;
  readonly save: string;
  readonly action: ComponentEvent['action'];
  readonly before: Row | null;
  readonly after: Row | null;
  /** Who saved; null where nobody had to say. */
  readonly user: string | null;
  readonly requestId: string;
  readonly depth: number;
}

/** Enters a job for each class that is to run after a save, as part of its transaction. Those of one record run in order. */
export async function enterAfter(
  tx: Db,
  change: Change,
  keys: Row,
  facts: InsideFacts,
  { queue, work }: ComponentsOptions,
): Promise<void> {
  const { component, save, action, before, after } = change;
  for (const registration of component.events) {
    if (registration.event !== 'SavePostChange' || !isDue(registration, change, facts, work)) continue;
    const data: EventData = {
      component: component.id,
      service: registration.service.id,
      save,
      action,
      before: before?.row ?? null,
      after: after?.row ?? null,
      user: facts.user?.id ?? null,
      requestId: facts.requestId,
      depth: facts.depth,
    };
    await queue.send(tx, { queue: EVENTS, data, key: keyOf(component.id, before?.row ?? after?.row ?? keys, keys) });
  }
}

/** Short whatever the keys are, and the same however a caller spells them. */
function keyOf(component: string, row: Row, keys: Row): string {
  const texts = Object.keys(keys).map((name) => row[name]);
  return createHash('sha256')
    .update(JSON.stringify([component, ...texts]))
    .digest('base64url');
}
