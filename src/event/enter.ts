import { createHash } from 'node:crypto';
import type { ComponentEvent } from '../model/component-event.ts';
import type { Db } from '../store/index.ts';
import { type Change, type InsideFacts, isDue } from './inside.ts';
import type { ComponentsOptions } from './port.ts';
import type { Row } from './record.ts';

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
