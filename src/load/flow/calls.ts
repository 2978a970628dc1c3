import type { ConsumerOperation, RestConsumer } from '../../model/consumer.ts';
import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { Flow } from '../../model/flow.ts';
import { qualifiedName, shortestName } from '../../model/operation-names.ts';
import { type Message, operationsOf } from '../../model/service.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import { contentOf, documentOf } from '../document/documents.ts';
import { hasOwnValue } from '../document/field.ts';
import { isRejectedOperation, type Linking, type OperationNames, resolveOperation } from '../linking.ts';
import { noMessage } from '../operation/payload.ts';

/** The operations that can be called. */
export interface CallSources {
  /** By ids. */
  readonly consumers: ReadonlyMap<string, ConsumerOperation>;
  /** Names of these and of the operations that are answered here. */
  readonly names: OperationNames;
}

/** The definitions that a step of a flow may refer to. */
export interface StepSources extends CallSources {
  /** The names of all flows, including rejected ones. */
  readonly flowNames: ReadonlySet<string>;
}

/** The definitions that `call:` may refer to. */
export interface Calls extends CallSources {
  /** By full ids. */
  readonly flows: ReadonlyMap<string, Flow>;
  /** Flows by all of their names: `N_DOCLIB.v1.upload`, `N_DOCLIB.upload`. */
  readonly named: ReadonlyMap<string, Flow>;
  /** Whether a flow of that name was declared but rejected. */
  isLostFlow(name: string): boolean;
}

/** An operation of another system, or a flow of such operations. */
export type Callee = ConsumerOperation | Flow;

/** Finds an operation or a flow. One that can't be called is reported. */
export function resolveCall(linking: Linking, calls: Calls, name: string, at: Place): Callee | undefined {
  const { consumers, named, names } = calls;
  const flow = named.get(name);
  if (flow !== undefined) return flow;
  const isDotted = name.includes('.');
  const sameName = flowsCalled(name, named);
  if (names.has(name) || (!isDotted && sameName.length === 0)) return resolveConsumer(linking, calls, name, at);
  if (calls.isLostFlow(name) || (isDotted && isRejectedOperation(linking, name))) return undefined;
  // The name may be `upload` of N_DOCLIB, or an operation with a wrong service or version.
  const parts = name.split('.').flatMap((part) => names.get(part) ?? []);
  const operations = parts.filter(({ id }) => consumers.has(id)).map((each) => shortestName(names, each));
  const meant = isDotted ? operations : sameName;
  const known = meant.length > 0 ? meant : [...named.keys(), ...[...consumers.values()].map(qualifiedName)];
  linking.report.raise('unknown-reference', { what: isDotted ? 'flow' : 'operation', id: name, known }, at);
  return undefined;
}

/** The flows of a name without their service. */
function flowsCalled(name: string, named: ReadonlyMap<string, Flow>): string[] {
  return [...named.keys()].filter((each) => each.endsWith(`.${name}`));
}

/** Finds an operation of another system. Any other is reported. */
export function resolveConsumer(
  linking: Linking,
  { consumers, names }: CallSources,
  name: string,
  at: Place,
): ConsumerOperation | undefined {
  const operation = resolveOperation(linking, names, name, at, ({ id }) => consumers.has(id));
  if (operation === undefined) return undefined;
  const consumer = consumers.get(operation.id);
  if (consumer === undefined) linking.report.raise('not-a-call', { name, reason: 'it is answered here' }, at);
  return consumer;
}

/** The input of a call. */
export interface CallInput {
  /** Fields that the first URI needs, which is the one that is used, are required. */
  readonly fields: readonly Field[];
  /** False when a part was rejected, so that missing fields are not reported. */
  readonly complete: boolean;
}

export function inputOf(linking: Linking, call: Callee): CallInput {
  if ('steps' in call) return { fields: call.input.fields, complete: isComplete(linking, call, call.input) };
  if (call.kind === 'soap') {
    const { request } = call.soap;
    const document = documentOf(request);
    return { fields: document?.fields ?? contentOf(request, call), complete: isComplete(linking, call, document) };
  }
  const { input } = call;
  const needed = neededFirst(call);
  const fields = input.fields.map((field) => (needed.has(field.name) ? { ...field, required: true } : field));
  return { fields, complete: isComplete(linking, call, input) };
}

/** Fields that only the other URIs can do without. */
function neededFirst({ uris: [first], input, filled }: RestConsumer): ReadonlySet<string> {
  const named = first?.variables.flatMap(({ field, required }) => (required ? field.name : [])) ?? [];
  const carried = first?.body.flatMap(({ name, required }) => (required ? name : [])) ?? [];
  const needs = new Set([...named, ...carried]);
  const open = input.fields.filter((field) => !field.required && !hasOwnValue(field));
  return new Set(open.flatMap(({ name }) => (needs.has(name) && !filled.has(name) ? name : [])));
}

/** The reply of a call. */
export interface CallReply {
  /** Over SOAP the only one; over REST the JSON document, else the first document, else the first message. */
  readonly message: Message;
  readonly complete: boolean;
}

export function replyOf(linking: Linking, call: Callee): CallReply {
  const last = operationsOf(call).at(-1) as ConsumerOperation;
  const message = last.kind === 'soap' ? last.soap.response : mainResponse(last.responses);
  return { message, complete: isComplete(linking, last, documentOf(message)) };
}

function mainResponse(responses: readonly { readonly mediaType: string; readonly message: Message }[]): Message {
  const documents = responses.filter(({ message }) => message.kind === 'document');
  const inJson = documents.find(({ mediaType }) => /[/+]json$/.test(mediaType));
  return (inJson ?? documents[0] ?? responses[0])?.message ?? noMessage();
}

function isComplete({ doubt }: Linking, call: Callee, document: Document | undefined): boolean {
  return !doubt.about(call) && !doubt.about(document);
}
