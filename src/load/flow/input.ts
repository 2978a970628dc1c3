import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { Place } from '../diagnostic/place.ts';
import { derivedName } from '../document/derived-name.ts';
import type { Documents } from '../document/documents.ts';
import { typeWords } from '../document/field-type.ts';
import { inputOf } from './calls.ts';
import type { StepSpot } from './step.ts';

/**
 * The input of a flow: what its steps use and none keeps, in order of first use. A field is required where one of them
 * requires it, and sensitive where it is so in one of them.
 */
export function linkFlowInput(documents: Documents, id: string, steps: readonly StepSpot[], at: Place): Document {
  const { linking } = documents;
  const kept = new Set(steps.flatMap(({ declared }) => Object.keys(declared.keep ?? {})));
  const used = new Map<string, { field: Field; readonly by: string }>();
  let whole = true;
  for (const { step, declared } of steps) {
    const { fields, complete } = inputOf(linking, step.operation);
    whole &&= complete;
    for (const field of fields.map(taken)) {
      if (kept.has(field.name)) continue;
      const known = used.get(field.name);
      if (known === undefined) used.set(field.name, { field, by: step.operation.id });
      else if (sameType(known.field, field)) known.field = joined(known.field, field);
      else {
        const first = `${typeWords(known.field.type)} of ${known.by}`;
        const second = `${typeWords(field.type)} of ${step.operation.id}`;
        linking.report.raise('flow-input', { name: field.name, first, second }, linking.places.value(declared, 'call'));
      }
    }
  }
  const fields = [...used.values()].map(({ field }) => field);
  const document = documents.synthesize(derivedName({ id, name: id }, 'REQUEST'), fields, at);
  if (!whole) linking.incomplete.add(document);
  return document;
}

function sameType(one: Field, other: Field): boolean {
  return typeWords(one.type) === typeWords(other.type);
}

/** Required where a step can't do without it: what that step fills in itself is its own. */
function joined(one: Field, other: Field): Field {
  const { default: standard, fixed, ...rest } = one;
  const required = isNeeded(one) || isNeeded(other);
  const sensitive = one.sensitive || other.sensitive;
  return required ? { ...rest, required, sensitive } : { ...one, sensitive };
}

function isNeeded({ required, default: standard, fixed }: Field): boolean {
  return required && standard === undefined && fixed === undefined;
}

/** A field as the flow takes it. */
function taken(field: Field): Field {
  return field.required === isNeeded(field) ? field : { ...field, required: false };
}
