import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { type Flow, type FlowStep, flowNames, type KeptValue } from '../../model/flow.ts';
import type { Service } from '../../model/service.ts';
import { type Place, positionOf } from '../diagnostic/diagnostic.ts';
import type { Documents } from '../document/documents.ts';
import { isNeeded } from '../document/field.ts';
import { derivedName, typeWords } from '../document/field-type.ts';
import { fills } from '../document/fit.ts';
import type { Linking } from '../linking.ts';
import { given } from '../object.ts';
import type { Declaration } from '../read/declaration.ts';
import type { FlowDeclared } from '../schema/flow.ts';
import type { ServiceDeclared } from '../schema/service.ts';
import { type CallSources, type Calls, inputOf, type StepSources } from './calls.ts';
import { linkStep, type StepSpot } from './step.ts';

/** A service with its declaration. */
interface FlowService {
  readonly service: Service;
  readonly declaration: Declaration<ServiceDeclared>;
}

/** Links the flows of every service, for use by `call:`. */
export function linkFlows(documents: Documents, services: readonly FlowService[], sources: CallSources): Calls {
  const { linking } = documents;
  const flows = new Map<string, Flow>();
  const named = new Map<string, Flow>();
  const lost = new Set<string>();
  const spots = services.flatMap(({ service, declaration }) => flowSpots(linking, service, declaration.value.flows));
  const known: StepSources = { ...sources, flowNames: new Set(spots.flatMap(flowNames)) };
  for (const spot of spots) {
    const { id } = spot;
    const names = flowNames(spot);
    const flow = linkFlow(documents, spot, known);
    if (flow === undefined) for (const each of names) lost.add(each);
    else {
      flows.set(id, flow);
      for (const each of names) named.set(each, flow);
    }
  }
  const whole =
    linking.declared.rejected('service').size === 0 &&
    services.every(({ declaration }) => !linking.doubt.about(declaration.value, 'flows'));
  return { ...sources, flows, named, isLostFlow: (name) => !whole || lost.has(name) };
}

interface FlowSpot {
  readonly id: string;
  readonly name: string;
  readonly service: Service;
  readonly declared: FlowDeclared;
  readonly at: Place;
}

function flowSpots({ places }: Linking, service: Service, declared: ServiceDeclared['flows'] = {}): FlowSpot[] {
  return Object.entries(declared).map(([name, flow]) => {
    return { id: `${service.id}.${name}`, name, service, declared: flow, at: places.key(declared, name) };
  });
}

/** `undefined` when one of its steps was rejected. */
function linkFlow(
  documents: Documents,
  { id, name, service, declared, at }: FlowSpot,
  sources: StepSources,
): Flow | undefined {
  const { linking } = documents;
  const { description, steps: said } = 'steps' in declared ? declared : { description: undefined, steps: declared };
  const linked = said.map((each) => linkStep(linking, each, sources));
  const steps = linked.filter((step): step is FlowStep => step !== undefined);
  if (steps.length < linked.length) return undefined;
  const spots = steps.map((step, index) => ({ step, declared: said[index] as (typeof said)[number] }));
  checkKept(linking, spots);
  return {
    id,
    name,
    service,
    steps,
    input: linkFlowInput(documents, id, spots, at),
    active: service.active && steps.every(({ operation }) => operation.active),
    ...given({ description }),
    at: positionOf(at),
  };
}

/**
 * The input of a flow: the fields that its steps use and none keeps, in order of first use. A field is required when any step
 * requires it, and sensitive when it is sensitive in any step.
 */
function linkFlowInput(documents: Documents, id: string, steps: readonly StepSpot[], at: Place): Document {
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
  if (!whole) linking.doubt.mark(document);
  return document;
}

function sameType(one: Field, other: Field): boolean {
  return typeWords(one.type) === typeWords(other.type);
}

/** Required when any step needs it. Defaults and fixed values of a step are its own. */
function joined(one: Field, other: Field): Field {
  const { default: standard, fixed, ...rest } = one;
  const required = isNeeded(one) || isNeeded(other);
  const sensitive = one.sensitive || other.sensitive;
  return required ? { ...rest, required, sensitive } : { ...one, sensitive };
}

/** A field as an input of the flow. */
function taken(field: Field): Field {
  return field.required === isNeeded(field) ? field : { ...field, required: false };
}

/** Checks that each kept value fills fields of later steps only. */
function checkKept(linking: Linking, steps: readonly StepSpot[]): void {
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

/** Why a step can't keep a value of this name. */
function whyNotKept(linking: Linking, steps: readonly StepSpot[], index: number, name: string): string | undefined {
  const first = steps.findIndex(({ declared }) => Object.hasOwn(declared.keep ?? {}, name));
  if (first < index) return `${wordsOf(steps, first)} already keeps it`;
  const user = steps.findIndex(({ step }) => fieldOf(linking, step, name) !== undefined);
  if (user < 0 || user > index) return undefined;
  const uses = user === index ? 'this step uses it itself' : `${wordsOf(steps, user)}, before this one, uses it`;
  return `${uses}, so it would also be an input of the flow`;
}

function whyNoFit(linking: Linking, later: readonly StepSpot[], { name, from }: KeptValue): string | undefined {
  for (const { step } of later) {
    const field = fieldOf(linking, step, name);
    if (field === undefined || fills(from.field.type, field.type)) continue;
    const { id } = step.operation;
    return `${from.path.join('.')} is ${typeWords(from.field.type)}, but the field ${name} of ${id} is ${typeWords(field.type)}`;
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
