import { createHash } from 'node:crypto';
import { maskTexts } from '../codec/redact/declared.ts';
import type { Component, ComponentEventRegistration, SavedRecord } from '../model/component.ts';
import type { Redactor } from '../model/redactor.ts';
import type { Registry } from '../model/registry.ts';
import type { Role } from '../model/security.ts';
import type { ComponentEvent, ServiceClass } from '../model/service-interface.ts';
import type { DocumentValue } from '../model/value.ts';
import { kindOfWork, type OpenedWork, type OpenWork } from '../model/work.ts';
import { may } from '../security/authorise.ts';
import type { Db, JobOwner } from '../store/index.ts';
import type { SaveAction } from './change.ts';
import type { ComponentsOptions, SaveFacts } from './event-port.ts';
import type { Row, Stored } from './record.ts';

/** A save in progress. */
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

export interface InsideFacts extends SaveFacts {
  /** Number of saves by classes that led to this one. */
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

/** Whether a class runs for a save: it is enabled, and the user who saves may use it. The log reports a user who may not. */
export function isDue(
  registration: ComponentEventRegistration,
  change: Pick<Change, 'component' | 'save'>,
  facts: Pick<InsideFacts, 'user' | 'requestId' | 'signal'>,
  work: OpenWork<Db>,
): boolean {
  if (!registration.enabled) return false;
  if (may(facts.user, registration.service, registration.as)) return true;
  const { component, save } = change;
  const { context, done } = openFor(work, classCode(registration), { component, save }, facts);
  const who = facts.user === undefined ? 'an anonymous caller' : `user ${facts.user.id}`;
  context.log('warn', `${registration.service.id} did not run: ${who} is not permitted to use it`);
  done();
  return false;
}

/** Code that runs at saves. */
interface SaveCode {
  readonly file: string;
  readonly as?: Role | undefined;
  /** Members of its log lines. */
  readonly named: Readonly<Record<string, string>>;
}

/** The code of a class that is registered. */
export function classCode({ service, event, as }: ComponentEventRegistration): SaveCode {
  return { file: service.file, as, named: { event, service: service.id } };
}

/** Opens the context of code that runs at a save. */
export function openFor(
  work: OpenWork<Db>,
  { file, as, named }: SaveCode,
  { component, save, redactor }: Pick<Change, 'component' | 'save'> & Partial<Pick<Change, 'redactor'>>,
  { user, requestId, signal = NEVER }: Pick<InsideFacts, 'user' | 'requestId' | 'signal'>,
): OpenedWork<Db> {
  return work({
    user,
    as,
    requestId,
    scope: `component ${component.id}`,
    origin: 'component',
    named: { component: component.id, ...named, save },
    file,
    redactor,
    signal,
  });
}

const NEVER = new AbortController().signal;

/** @throws Error for a file without a class, which the loader of code has reported already */
export function classOf(file: string, { classes }: ComponentsOptions): ServiceClass {
  const found = classes.get(file);
  if (found === undefined) throw new Error(`${file}.ts has no class`);
  return found;
}

/** The queue of classes that run after a save. */
export const EVENTS = 'events';

/** The data of a job: one class after one save. */
export interface EventData extends Readonly<Record<string, unknown>> {
  readonly component: string;
  /** The related-content service. */
  readonly service: string;
  readonly save: string;
  readonly action: ComponentEvent['action'];
  readonly before: Row | null;
  readonly after: Row | null;
  /** Id of the user who saved; null for an anonymous caller. */
  readonly user: string | null;
  /** The definitions of the gateway that entered it declare the user; absent in jobs of an older version. */
  readonly isDeclared?: boolean;
  readonly requestId: string;
  readonly depth: number;
}

/** Enters a job for each class after a save, as part of its transaction. The jobs of one record run in order. */
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
      isDeclared: facts.user?.origin === 'definitions',
      requestId: facts.requestId,
      depth: facts.depth,
    };
    const key = keyOf(component.id, before?.row ?? after?.row ?? keys, keys);
    await queue.send(tx, { queue: EVENTS, data, key, kind: kindOfEvent(component, registration) });
  }
}

/** The kind of the jobs of a class at a component. */
export function kindOfEvent({ id, shape }: Component, { service }: ComponentEventRegistration): string {
  return kindOfWork(`${service.id} of ${id}`, shape.fields, [service]);
}

/** The ordering key of a record's jobs: of fixed length, and independent of how a caller writes the record's keys. */
function keyOf(component: string, row: Row, keys: Row): string {
  const texts = Object.keys(keys).map((name) => row[name]);
  return createHash('sha256')
    .update(JSON.stringify([component, ...texts]))
    .digest('base64url');
}

/** The queue of classes that run after a save, whose jobs belong to nothing but the record that was saved. */
export function eventJobs(registry: Registry): [queue: string, owner: JobOwner] {
  const owner: JobOwner = {
    onResubmitted: async () => undefined,
    onCancelled: async () => {},
    async read(_, data) {
      const { component, before, after } = data as EventData;
      const fields = registry.components.get(component)?.shape.fields;
      const [old, saved] = [before, after].map((row) => (row === null ? undefined : maskTexts(fields, row)));
      const payload = { ...data, before: old?.shown ?? null, after: saved?.shown ?? null };
      return { payload, secrets: [...(old?.secrets ?? []), ...(saved?.secrets ?? [])] };
    },
  };
  return [EVENTS, owner];
}
