import { asText } from '../../binding/call/document.ts';
import { Pending } from '../../binding/call/values.ts';
import { isAttachment } from '../../codec/binary.ts';
import { carryDigits } from '../../codec/json/digits.ts';
import { nearest, setMember } from '../../codec/value.ts';
import type { ConsumerOperation, SoapConsumer } from '../../model/consumer.ts';
import type { Document } from '../../model/document.ts';
import type { Flow, FlowStep, ReplyPath } from '../../model/flow.ts';
import type { InvokeReply } from '../../model/invoke-reply.ts';
import { traitsOf } from '../../model/scalar.ts';
import type { Attachment, DocumentValue, Value } from '../../model/value.ts';
import { type Called, InvokeError } from '../error.ts';
import { marginOf } from '../limits.ts';
import { fitted, type InputField, inputFields } from '../options.ts';
import type { Given } from './cache.ts';

/** A flow with the sources of its steps' input. */
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
  /** The operation for previews, before its kept values are known. */
  readonly shown: ConsumerOperation;
  /** Other runs may use the values that it keeps. */
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

/** Over SOAP, fields of kept values must accept `<NAME>` in previews; REST has {@link Pending} values for that. */
function shownOperation(operation: ConsumerOperation, pending: ReadonlySet<string>): ConsumerOperation {
  if (operation.kind === 'rest' || operation.soap.request.kind !== 'document' || pending.size === 0) return operation;
  const { document } = operation.soap.request;
  const fields = document.fields.map((field) => (pending.has(field.name) ? asText(field) : field));
  const request = { kind: 'document', document: { ...document, fields } satisfies Document } as const;
  return { ...operation, soap: { ...operation.soap, request } } satisfies SoapConsumer;
}

/** @throws InvokeError BAD_INPUT naming all unknown and all missing fields */
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
      return `${JSON.stringify(name)} is not an input of the flow${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
    }),
    ...missing.map(({ name }) => `${name} is missing`),
  ];
  if (complaints.length > 0) throw new InvokeError('BAD_INPUT', called, complaints.join('; '));
}

const isAbsent = (value: Value): boolean => value === undefined || value === null;

/** The caller's input for one step. */
export function ownInput({ own }: PlannedStep, input: DocumentValue): Record<string, Value> {
  const given: Record<string, Value> = {};
  for (const { name } of own)
    if (Object.hasOwn(input, name) && !isAbsent(input[name])) setMember(given, name, input[name]);
  return carryDigits(input, given);
}

/** The input of one step before the flow runs, with placeholders for kept values. */
export function pendingInput(planned: PlannedStep, input: DocumentValue): DocumentValue {
  const given = ownInput(planned, input);
  for (const field of planned.kept) setMember(given, field.name, pendingValue(planned.step.operation, field));
  return given;
}

function pendingValue(operation: ConsumerOperation, { name, type }: InputField): Value {
  if (operation.kind === 'rest') return new Pending(name);
  // An XML message has to be well-formed.
  return operation.soap.request.kind === 'raw' && traitsOf(type)?.xml.markup === true ? `<${name}/>` : `<${name}>`;
}

/** The input of one step. @param valuesOf the values of an earlier step, by its index */
export function stepInput(
  planned: PlannedStep,
  input: DocumentValue,
  valuesOf: (source: number) => Readonly<Record<string, Value>>,
): DocumentValue {
  const given = ownInput(planned, input);
  for (const { name, type, source } of planned.kept) setMember(given, name, fitted(valuesOf(source)[name], type));
  return given;
}

/**
 * Takes the values that a step keeps from its reply.
 * @param start of the call, from which their lifetime counts
 * @throws InvokeError BAD_REPLY for a missing value
 */
export function keptOf(step: FlowStep, reply: InvokeReply, start: number, called: Called): Given {
  const values = step.keep.map(({ name, from }): [string, Value] => {
    const value = valueAt(reply.value, from);
    if (value !== undefined && value !== null) return [name, value];
    const reason = `the reply has no ${from.path.join('.')}, which is kept as ${name}`;
    const error = new InvokeError('BAD_REPLY', called, reason, { httpResponseCode: reply.httpResponseCode });
    throw Object.assign(error, { attempts: reply.attempts });
  });
  const { httpResponseCode, attempts, timings } = reply;
  const milliseconds = step.holds === undefined ? 0 : millisecondsOf(valueAt(reply.value, step.holds));
  return {
    values: Object.fromEntries(values),
    until: milliseconds > 0 ? start + milliseconds - marginOf(milliseconds) : undefined,
    trace: { operation: step.operation.id, kept: false, httpResponseCode, attempts, timings },
  };
}

function valueAt(value: DocumentValue, { path }: ReplyPath): Value {
  let at: Value = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as DocumentValue)[name];
  }
  return at;
}

/** Converts seconds, as a number or in digits; 0 for anything else. */
function millisecondsOf(seconds: Value): number {
  const isDigits = typeof seconds === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(seconds);
  if (!isDigits && typeof seconds !== 'number' && typeof seconds !== 'bigint') return 0;
  const number = Number(seconds);
  return Number.isNaN(number) ? 0 : number * 1000;
}

/** The input of a flow, which records content that can be read only once and has been read. */
export interface WatchedInput {
  readonly input: DocumentValue;
  /** The first of the named fields with such content. */
  spent(names: readonly string[]): string | undefined;
}

export function watchContent(input: DocumentValue): WatchedInput {
  const spent = new Set<string>();
  const watched = Object.entries(input).map(([name, value]): [string, Value] => {
    return [name, watch(value, () => spent.add(name))];
  });
  return { input: Object.fromEntries(watched), spent: (names) => names.find((name) => spent.has(name)) };
}

function watch(value: Value, onRead: () => void): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (isAttachment(value)) return value.again === true ? value : watchedAttachment(value, onRead);
  if (Array.isArray(value)) return value.map((each: Value) => watch(each, onRead));
  const members = Object.entries(value as DocumentValue).map(([name, each]) => [name, watch(each, onRead)]);
  return Object.fromEntries(members) as DocumentValue;
}

function watchedAttachment(attachment: Attachment, onRead: () => void): Attachment {
  const { contentType, name, length } = attachment;
  return {
    contentType,
    name,
    length,
    stream() {
      onRead();
      return attachment.stream();
    },
  };
}
