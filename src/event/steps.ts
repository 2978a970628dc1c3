import { compileConditions } from '../codec/conditions.ts';
import { initialValue } from '../codec/index.ts';
import { carryNumber } from '../codec/json/digits.ts';
import {
  type AfterSave,
  BEFORE,
  type Component,
  EFFECT,
  type Publication,
  type SaveFilter,
  savedFields,
} from '../model/component.ts';
import { Fault } from '../model/fault.ts';
import type { RecordSave } from '../model/handler.ts';
import type { InputSource } from '../model/message.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import type { Db } from '../store/index.ts';
import { runAfterSave } from './context.ts';
import type { ComponentsOptions, PublishSaved } from './event-port.ts';
import { type Change, type InsideFacts, openFor } from './inside.ts';
import { refusalOf } from './refusal.ts';

/** What follows the writing of a record, in the transaction of its save and in this order. */
export interface SaveSteps {
  /** The code that the component names. @returns whether it ran @throws Fault of code; INTERNAL, TIMEOUT */
  readonly code: (tx: Db, change: Change, facts: InsideFacts) => Promise<boolean>;
  /** What the component publishes. @throws Fault INTERNAL for a message that does not take a value; of {@link PublishSaved} */
  readonly publish: (tx: Db, change: Change, facts: InsideFacts) => Promise<void>;
}

/** Compiles the steps of a component. */
export function compileSteps(component: Component, options: ComponentsOptions): SaveSteps {
  const { afterSave, publications } = component;
  const publishing = publications.map((publication) => publishStep(component, publication, options));
  return {
    code: afterSave === undefined ? async () => false : codeStep(component, afterSave, options),
    async publish(...given) {
      for (const publish of publishing) await publish(...given);
    },
  };
}

function codeStep(component: Component, afterSave: AfterSave, options: ComponentsOptions): SaveSteps['code'] {
  const { file, as } = afterSave;
  const isMeant = compileFilter(component, afterSave);
  const { timeout } = options.registry.gateway.limits;
  const code = { file, as, named: { event: 'after-save' } };
  return async (tx, change, facts) => {
    if (!isMeant(change)) return false;
    const opened = openFor(options.work, code, change, facts);
    try {
      const handler = options.saves.get(file);
      // The loader of code has reported it already.
      if (handler === undefined) throw new Error(`${file}.ts has no onSave`);
      const inside = opened.inside(tx, facts.depth);
      await runAfterSave(handler, component.id, saveOf(change), opened.context, inside, timeout);
      return true;
    } catch (error) {
      throw change.redactor.error(refusalOf(error, change, facts, timeout));
    } finally {
      opened.done();
    }
  };
}

function saveOf({ action, save: id, before, after }: Change): RecordSave {
  return { action, id, before: before?.record, after: after?.record } as RecordSave;
}

/** Faults about a message, which its publisher has caused: here the definitions, not the caller. */
const MISFITS: ReadonlySet<string> = new Set(['BAD_BODY', 'BAD_PARAMETER', 'MISSING_PARAMETER', 'BODY_TOO_LARGE']);

function publishStep(component: Component, publication: Publication, options: ComponentsOptions): SaveSteps['publish'] {
  const { operation, input } = publication;
  const isMeant = compileFilter(component, publication);
  const valuesOf = compileValues(
    component,
    input.flatMap(({ from }) => namesIn(from)),
  );
  const publish = options.publisherOf(publication);
  return async (tx, change, facts) => {
    if (!isMeant(change)) return;
    try {
      await publish(tx, valuesOf(change), facts);
    } catch (error) {
      if (!(error instanceof Fault && MISFITS.has(error.code))) throw error;
      const cause = new Error(`component ${component.id} can't publish ${operation.id}: ${error.message}`, {
        cause: error,
      });
      const fault = Fault.of('INTERNAL', { operation: `The save of ${change.name}` }, { cause });
      throw change.redactor.error(fault);
    }
  };
}

/** The names of saved values that fill a field. */
function namesIn(from: InputSource): string[] {
  if (from.kind === 'field') return [from.field.name];
  const parts = from.kind === 'built' ? from.text.parts : [];
  return parts.flatMap((part) => (part.kind === 'value' ? part.field.name : []));
}

function compileFilter(component: Component, { on, when }: SaveFilter): (change: Change) => boolean {
  const valuesOf = compileValues(
    component,
    when.map(({ field }) => field),
  );
  const meets = compileConditions(when, savedFields(component, on));
  const effects = new Set(on);
  return (change) => effects.has(change.action) && (when.length === 0 || meets(valuesOf(change)));
}

/** Compiles the values of a save by the names of {@link savedFields}. One that a record lacks is its default, if it has one. */
function compileValues(component: Component, names: readonly string[]): (change: Change) => DocumentValue {
  const { shape, lock } = component;
  const fields = new Map(shape.fields.map((field) => [field.name, field]));
  const readers = [...new Set(names)].map((name) => {
    const own = fields.get(name);
    const isBefore = own === undefined && name.startsWith(BEFORE);
    const member = isBefore ? name.slice(BEFORE.length) : name;
    const standard = own === undefined ? undefined : own === lock ? 0 : initialValue(own);
    return { name, member, isBefore, isEffect: own === undefined && name === EFFECT, standard };
  });
  return ({ action, before, after }) => {
    const values: Record<string, Value> = {};
    for (const { name, member, isBefore, isEffect, standard } of readers) {
      const record = isBefore ? before?.record : (after ?? before)?.record;
      // Null is a value of a nullable field.
      const own = record?.[member];
      const value = isEffect ? action : own === undefined ? standard : own;
      if (value === undefined) continue;
      values[name] = value;
      if (record !== undefined && !isEffect) carryNumber(record, member, values, name);
    }
    return values;
  };
}
