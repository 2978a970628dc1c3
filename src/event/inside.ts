import type { Component, ComponentEventRegistration } from '../model/component.ts';
import type { ComponentEvent, ServiceClass } from '../model/component-event.ts';
import { Fault } from '../model/fault.ts';
import type { Redaction } from '../model/mask.ts';
import type { OpenedWork, OpenWork } from '../model/open-work.ts';
import type { SavedRecord } from '../model/saved-record.ts';
import type { DocumentValue } from '../model/value.ts';
import { may } from '../security/authorise.ts';
import { type Db, sqlTransaction } from '../store/index.ts';
import type { SaveAction } from './change.ts';
import type { Inside } from './context.ts';
import type { ComponentsOptions, SaveFacts } from './port.ts';
import type { Stored } from './record.ts';

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
