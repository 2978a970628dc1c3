import type { Component, Publication, SavedRecord, SaveOptions, StoredRecord } from '../model/component.ts';
import type { SaveHandler } from '../model/handler.ts';
import type { Redactor } from '../model/redactor.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { ServiceClass } from '../model/service-interface.ts';
import type { DocumentValue } from '../model/value.ts';
import type { Account, OpenWork } from '../model/work.ts';
import type { Owners } from '../security/directory/directory-port.ts';
import type { Db, JobQueue, Store } from '../store/index.ts';

export interface ComponentsOptions {
  readonly registry: Registry;
  readonly store: Store;
  readonly queue: JobQueue;
  /** Finds the users that classes after a save run for. */
  readonly directory: Owners;
  /** By file. */
  readonly classes: ReadonlyMap<string, ServiceClass>;
  /** Code that runs after records were written, by file. */
  readonly saves: ReadonlyMap<string, SaveHandler>;
  /** Compiles what a component publishes, once for each publication. */
  readonly publisherOf: (publication: Publication) => PublishSaved;
  readonly work: OpenWork<Db>;
  readonly redactor: Redactor;
  readonly onError: (error: Error, facts: Readonly<Record<string, unknown>>) => void;
  /** Called for each attempt at a class after a save that has ended. */
  readonly account?: Account | undefined;
}

/**
 * Publishes a message as part of the transaction of a save.
 * @param saved the values of {@link savedFields} that the message is filled from
 * @throws Fault BAD_BODY, BAD_PARAMETER, BODY_TOO_LARGE, LOOP_DETECTED, STORAGE_FULL
 */
export type PublishSaved = (
  tx: Db,
  saved: DocumentValue,
  facts: Pick<SaveFacts, 'user' | 'requestId' | 'signal'>,
) => Promise<unknown>;

/** The circumstances of a save. */
export interface SaveFacts extends Omit<SaveOptions, 'action'> {
  readonly user: User | undefined;
  readonly requestId: string;
  readonly signal?: AbortSignal;
  /** Records, as the last part of each transaction, that a call has taken effect which its caller may repeat. */
  readonly takeEffect?: ((tx: Db) => Promise<void>) | undefined;
}

/** Reads and saves the records of components, and runs their events. */
export interface Components {
  /** @param keys by name @param tx reads inside it @throws Fault NOT_FOUND */
  read(component: Component, keys: DocumentValue, tx?: Db): Promise<StoredRecord>;
  /**
   * Saves a record in one transaction: checks it, runs the classes before the save, writes it, and enters the classes after
   * the save.
   * @throws Fault NOT_FOUND, CONFLICT (it exists already, or its lock has changed), PRECONDITION_FAILED (the entity tag),
   * BAD_PARAMETER, BAD_BODY; what a class throws, INTERNAL, TIMEOUT
   */
  save(
    component: Component,
    action: NonNullable<SaveOptions['action']>,
    record: DocumentValue,
    facts: SaveFacts,
  ): Promise<SavedRecord>;
  /** The same as part of a transaction. @param facts `depth`: number of saves by classes that led to this one */
  saveInside(
    tx: Db,
    component: Component,
    action: NonNullable<SaveOptions['action']>,
    record: DocumentValue,
    facts: SaveFacts & { readonly depth: number },
  ): Promise<SavedRecord>;
  /** Those of some users for whom classes are still to run after a save, also those that failed for good. */
  busy(tx: Db, users: readonly string[]): Promise<readonly string[]>;
}
