import { Pending } from '../../binding/call/held.ts';
import { asText } from '../../binding/call/shown.ts';
import { setMember } from '../../codec/names.ts';
import { nearest } from '../../codec/nearest.ts';
import type { ConsumerOperation, SoapConsumer } from '../../model/consumer.ts';
import type { Document } from '../../model/document.ts';
import type { Flow, FlowStep } from '../../model/flow.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { type Called, InvokeError } from '../error.ts';
import { fitted, type InputField, inputFields } from '../input.ts';

/** A flow with what its steps take from where, looked up once. */
export interface FlowPlan {
  readonly flow: Flow;
  readonly steps: readonly PlannedStep[];
}

export interface PlannedStep {
  readonly step: FlowStep;
  /** Fields that the caller fills. */
  readonly own: readonly InputField[];
  /** Fields that earlier steps fill. */
  readonly kept: readonly (InputField & { readonly source: number })[];
  /** The operation as it is shown before its kept values are there. */
  readonly shown: ConsumerOperation;
  /** Other runs may use what it keeps. */
  readonly shared: boolean;
}

export function planFlow(flow: Flow): FlowPlan {
  const sources = new Map<string, number>();
  const steps = flow.steps.map((step, index): PlannedStep => {
    const fields = inputFields(step.operation);
    const kept = fields.flatMap(({ name, type }) => {
      const source = sources.get(name);
      return source === undefined ? [] : [{ name, type, source }];
    });
    for (const { name } of step.keep) sources.set(name, index);
    return {
      step,
      own: fields.filter(({ name }) => !kept.some((each) => each.name === name)),
      kept,
      shown: shownOperation(step.operation, new Set(kept.map(({ name }) => name))),
      shared: step.holds !== undefined && index < flow.steps.length - 1,
    };
  });
  return { flow, steps };
}

/**
 * Over SOAP a value that is not there yet stands as `<NAME>`, which its field must let pass; a request over REST knows of
 * such values.
 */
function shownOperation(operation: ConsumerOperation, pending: ReadonlySet<string>): ConsumerOperation {
  if (operation.kind === 'rest' || operation.soap.request.kind !== 'document' || pending.size === 0) return operation;
  const { document } = operation.soap.request;
  const fields = document.fields.map((field) => (pending.has(field.name) ? asText(field) : field));
  const request = { kind: 'document', document: { ...document, fields } satisfies Document } as const;
  return { ...operation, soap: { ...operation.soap, request } } satisfies SoapConsumer;
}

/** @throws InvokeError BAD_INPUT naming all that is not an input of the flow, and all that is missing */
export function checkInput({ input: { fields } }: Flow, input: DocumentValue, called: Called): void {
  const names = fields.map(({ name }) => name);
  const known = new Set(names);
  const unknown = Object.keys(input).filter((name) => !known.has(name));
  const missing = fields.filter(
    ({ name, required }) => required && (!Object.hasOwn(input, name) || isAbsent(input[name])),
  );
  const complaints = [
    ...unknown.map((name) => {
      const meant = nearest(name, names);
      return `${JSON.stringify(name)} is no input of the flow${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
    }),
    ...missing.map(({ name }) => `${name} is missing`),
  ];
  if (complaints.length > 0) throw new InvokeError('BAD_INPUT', called, complaints.join('; '));
}

const isAbsent = (value: Value): boolean => value === undefined || value === null;

/** Of what the caller gave, the fields of one step. */
export function ownInput({ own }: PlannedStep, input: DocumentValue): Record<string, Value> {
  const given: Record<string, Value> = {};
  for (const { name } of own)
    if (Object.hasOwn(input, name) && !isAbsent(input[name])) setMember(given, name, input[name]);
  return given;
}

/** The input of one step, as far as it is known before the flow is run. */
export function pendingInput(planned: PlannedStep, input: DocumentValue): DocumentValue {
  const given = ownInput(planned, input);
  for (const field of planned.kept) setMember(given, field.name, pendingValue(planned.step.operation, field));
  return given;
}

function pendingValue(operation: ConsumerOperation, { name, type }: InputField): Value {
  if (operation.kind === 'rest') return new Pending(name);
  // A message that is XML alone has to be well-formed.
  return operation.soap.request.kind === 'raw' && type.kind === 'xml' ? `<${name}/>` : `<${name}>`;
}

/** The input of one step. @param valuesOf what an earlier one gave, by its index */
export function stepInput(
  planned: PlannedStep,
  input: DocumentValue,
  valuesOf: (source: number) => Readonly<Record<string, Value>>,
): DocumentValue {
  const given = ownInput(planned, input);
  for (const { name, type, source } of planned.kept) setMember(given, name, fitted(valuesOf(source)[name], type));
  return given;
}
