import type { Account } from '../model/account.ts';
import type { ServiceClass } from '../model/component-event.ts';
import type { OpenWork } from '../model/open-work.ts';
import type { Registry } from '../model/registry.ts';
import type { Owners } from '../security/port.ts';
import type { JobQueue, Store } from '../store/index.ts';
import { afterSaves } from './after.ts';
import { EVENTS } from './enter.ts';
import type { Components } from './port.ts';
import { Saves } from './save.ts';

export interface ComponentsOptions {
  readonly registry: Registry;
  readonly store: Store;
  readonly queue: JobQueue;
  /** In whose names classes run after a save. */
  readonly directory: Owners;
  /** By file. */
  readonly classes: ReadonlyMap<string, ServiceClass>;
  readonly work: OpenWork;
  readonly onError: (error: Error, facts: Readonly<Record<string, unknown>>) => void;
  /** Told of each attempt at a class after a save that has ended. */
  readonly account?: Account | undefined;
}

/** Ties components and their events to the queue, which is not started yet. */
export function openComponents(options: ComponentsOptions): Components {
  const saves = new Saves(options);
  options.queue.work(EVENTS, afterSaves(options, saves));
  return {
    read: (component, keys) => saves.read(component, keys),
    save: (component, action, record, facts) => saves.save(component, action, record, facts),
  };
}
