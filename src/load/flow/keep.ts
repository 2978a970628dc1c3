import type { Field } from '../../model/field.ts';
import type { FlowStep, KeptValue } from '../../model/flow.ts';
import { typeWords } from '../document/field-type.ts';
import { fills } from '../document/type-fit.ts';
import type { Linking } from '../linking.ts';
import { inputOf } from './calls.ts';
import type { StepSpot } from './step.ts';

/** Holds what each step keeps against what the others use: it fills fields of later steps, and of no other. */
export function checkKept(linking: Linking, steps: readonly StepSpot[]): void {
  const { report, places } = linking;
  for (const [index, { step, declared }] of steps.entries()) {
    const { keep = {} } = declared;
    for (const name of Object.keys(keep)) {
      const kept = step.keep.find((each) => each.name === name);
      const at = places.key(keep, name);
      const reason =
        whyNotKept(linking, steps, index, name) ?? (kept && whyNoFit(linking, steps.slice(index + 1), kept));
      if (reason !== undefined) report.raise('bad-keep', { name, reason }, at);
      else if (isUnused(linking, steps.slice(index + 1), name)) report.raise('unused-keep', { name }, at);
    }
  }
}

/** Why a step can't be the one that keeps a name. */
function whyNotKept(linking: Linking, steps: readonly StepSpot[], index: number, name: string): string | undefined {
  const first = steps.findIndex(({ declared }) => Object.hasOwn(declared.keep ?? {}, name));
  if (first < index) return `${wordsOf(steps, first)} keeps it already`;
  const user = steps.findIndex(({ step }) => fieldOf(linking, step, name) !== undefined);
  if (user < 0 || user > index) return undefined;
  const uses = user === index ? 'the step itself uses it' : `${wordsOf(steps, user)} uses it before`;
  return `${uses}, so that it would be an input of the flow as well`;
}

function whyNoFit(linking: Linking, later: readonly StepSpot[], { name, from }: KeptValue): string | undefined {
  for (const { step } of later) {
    const field = fieldOf(linking, step, name);
    if (field === undefined || fills(from.field.type, field.type)) continue;
    const { id } = step.operation;
    return `${from.path.join('.')} is ${typeWords(from.field.type)}, and the field ${name} of ${id} is ${typeWords(field.type)}`;
  }
  return undefined;
}

function isUnused(linking: Linking, later: readonly StepSpot[], name: string): boolean {
  return later.every(({ step }) => {
    const { fields, complete } = inputOf(linking, step.operation);
    return complete && !fields.some((field) => field.name === name);
  });
}

function fieldOf(linking: Linking, { operation }: FlowStep, name: string): Field | undefined {
  return inputOf(linking, operation).fields.find((field) => field.name === name);
}

/** A step in words: `step 2 (N_DOCLIB_FORMDIGEST_POST)`. */
function wordsOf(steps: readonly StepSpot[], index: number): string {
  return `step ${index + 1} (${steps[index]?.step.operation.id})`;
}
