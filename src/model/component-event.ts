import type { ComponentEventName } from './component.ts';
import type { WorkContext } from './handler.ts';
import type { SqlTransaction } from './sql.ts';
import type { DocumentValue } from './value.ts';

/**
 * A save of a component, as a class that is registered at it sees it. What it writes with {@link SqlTransaction.execute} and
 * saves with `saveComponent` is part of one transaction: before the save that of the save itself, after it one of its own,
 * in which it is noted as done, so that its effects there happen once.
 */
export interface ComponentEvent<R = DocumentValue> extends Omit<WorkContext, 'blobs'>, SqlTransaction {
  readonly component: string;
  readonly event: ComponentEventName;
  /** What became of the record. */
  readonly action: 'created' | 'updated' | 'deleted';
  /** A UUID: one a save. */
  readonly save: string;
  /** As it was in the database, frozen. Undefined where there was none. */
  readonly before: R | undefined;
  /** As it is in the database; before the save as it will be written, without what the database fills in. Frozen. Undefined where it was deleted. */
  readonly after: R | undefined;
  /** From 1; more where an earlier attempt failed. */
  readonly attempt: number;
}

/**
 * The base of classes that run when a component is saved (specification 6.2, field notes 5). One is made for each run; its
 * constructor takes nothing.
 */
export abstract class ServiceInterface<E = ComponentEvent> {
  /** Runs at the event. What it throws before the save refuses that: a Fault as it is. After the save it is tried again. */
  abstract execute(event: E): void | Promise<void>;
}

/** A class that a file of the project exports. */
export type ServiceClass = new () => ServiceInterface<never>;
