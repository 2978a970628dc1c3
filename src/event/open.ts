import { afterSaves } from './after.ts';
import { EVENTS } from './enter.ts';
import type { Components, ComponentsOptions } from './port.ts';
import { Saves } from './save.ts';

/** Ties components and their events to the queue, which is not started yet. */
export function openComponents(options: ComponentsOptions): Components {
  const saves = new Saves(options);
  options.queue.work(EVENTS, afterSaves(options, saves));
  return {
    read: (component, keys) => saves.read(component, keys),
    save: (component, action, record, facts) => saves.save(component, action, record, facts),
  };
}
