import type { ComponentEventName, SaveEffect } from './component.ts';
import type { SqlTransaction, Transaction, WorkContext } from './handler.ts';
import type { DocumentValue } from './value.ts';

/**
 * The save of a component's record. What a class writes with {@link SqlTransaction.execute} and `saveComponent` is part of
 * one transaction: before the save, that of the save itself; after it, one that also marks the event as done. Its effects on
 * the database therefore happen exactly once.
 */
export interface ComponentEvent<R = DocumentValue> extends Omit<WorkContext, 'blobs' | 'transaction'>, SqlTransaction {
  /**
   * The transaction of the event. `execute`, `readComponent` and `saveComponent` of the event are those of this transaction;
   * its `query` sees what the transaction has written, `query` of the event does not.
   */
  readonly tx: Transaction;
  readonly component: string;
  readonly event: ComponentEventName;
  readonly action: SaveEffect;
  /** Id of the save, a UUID. */
  readonly save: string;
  /** The record before the save, frozen; `undefined` for a new one. */
  readonly before: R | undefined;
  /**
   * The record after the save, frozen; `undefined` for a deleted one. In `SavePreChange` it is the record to be written,
   * without values that the database fills in.
   */
  readonly after: R | undefined;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

/**
 * The base class of code that runs when a component is saved (specification 6.2, field notes 5). Each run creates an
 * instance, without arguments. A class has `execute`, or `Execute` as the specification writes it; one without either is refused at the
 * start.
 */
export abstract class ServiceInterface<E = ComponentEvent> {
  /**
   * Runs at the event. An error in `SavePreChange` cancels the save; throw a Fault to choose the reply. After an error in
   * `SavePostChange` the class is run again later.
   */
  execute(event: E): void | Promise<void> {
    return this.Execute(event);
  }

  /** The same by the name that it has in the specification. Runs unless the class has `execute`. */
  Execute(_event: E): void | Promise<void> {
    throw new TypeError(`class ${this.constructor.name} has no execute`);
  }
}

/** Whether a class has code that runs at an event. */
export function hasExecute({ prototype }: ServiceClass): boolean {
  const { execute, Execute } = ServiceInterface.prototype;
  return prototype.execute !== execute || prototype.Execute !== Execute;
}

/** The class that a file of the project exports. */
export type ServiceClass = new () => ServiceInterface<never>;
