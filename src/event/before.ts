import { redactError } from '../codec/redact/redact-value.ts';
import { Fault } from '../model/fault.ts';
import { type Db, isFull, StoreError } from '../store/index.ts';
import { EventTimeout, runClass } from './context.ts';
import { type Change, classOf, type InsideFacts, insideOf, isDue, openFor, type SaveInside } from './inside.ts';
import type { ComponentsOptions } from './port.ts';
import { RecordMade } from './refused.ts';

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
