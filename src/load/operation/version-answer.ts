import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import {
  finalAnswer,
  type MediaMessage,
  type Message,
  type Operation,
  type VersionAnswer,
  type VersionReply,
} from '../../model/service.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import { placeOf, positionOf } from '../diagnostic/diagnostic.ts';
import { contentOf, documentOf, messageWords } from '../document/documents.ts';
import { hasOwnValue } from '../document/field.ts';
import { lostFields } from '../document/mapped-fields.ts';
import { linkMapping } from '../document/mapping.ts';
import type { Calls } from '../flow/calls.ts';
import { isRejectedOperation, type Linking, refuseKey } from '../linking.ts';
import { everyUriRequires, type RestInput } from './payload.ts';
import type { OperationSpot } from './spot.ts';

/** The operations that are answered here, which are linked as they are asked for. */
export interface Provided {
  /** @returns the ids of the operations that answer each other when this one is being linked already */
  link(id: string): Operation | readonly string[] | undefined;
  /** The ids of its operations, by name; `undefined` for a service that is not declared. */
  namesOf(service: string): ReadonlyMap<string, string> | undefined;
}

/** Where `call` of an operation is; the operation itself, if its service has it. */
export function callPlace({ places }: Pick<Linking, 'places'>, { declared, at }: OperationSpot): Place {
  return declared.call === undefined ? at : places.value(declared, 'call');
}

/** Whether a name is that of a version of a service which has another version. */
function isService({ declared }: Linking, name: string): boolean {
  const [service] = /^[A-Za-z][A-Za-z0-9_]*\.v(?=[1-9][0-9]*$)/.exec(name) ?? [];
  return service !== undefined && [...declared.of('service').keys()].some((id) => id.startsWith(service));
}

/** Reports a service that does not exist, unless its definition was rejected. */
export function reportService({ report, declared }: Linking, id: string, at: Place): undefined {
  if (!declared.rejected('service').has(id))
    report.raise('unknown-reference', { what: 'service', id, known: [...declared.of('service').keys()] }, at);
}

/** Reports an operation that its service does not have, unless its definition was rejected. */
function reportOperation(linking: Linking, provided: Provided, qualified: string, at: Place): undefined {
  const service = qualified.slice(0, qualified.lastIndexOf('.'));
  if (isRejectedOperation(linking, qualified)) return;
  const known = [...(provided.namesOf(service)?.keys() ?? [])].map((name) => `${service}.${name}`);
  linking.report.raise('unknown-reference', { what: 'operation', id: qualified, known }, at);
}

/** The operation of this gateway that a call leads to: `false` if it leads elsewhere, `undefined` for one that was reported. */
export function findVersion(
  linking: Linking,
  spot: OperationSpot,
  { names, consumers, named }: Calls,
  provided: Provided,
  call: string,
): Operation | false | undefined {
  const at = callPlace(linking, spot);
  const operations = provided.namesOf(call);
  if (operations === undefined && !names.has(call) && !named.has(call)) {
    // That of a service has been reported there.
    if (spot.declared.call === undefined) return undefined;
    if (isService(linking, call)) return reportService(linking, call, at);
    const service = call.slice(0, Math.max(0, call.lastIndexOf('.')));
    if (provided.namesOf(service) !== undefined) return reportOperation(linking, provided, call, at);
  }
  if (operations === undefined && named.has(call)) return false;
  const [found, another] = operations === undefined ? (names.get(call) ?? []) : [];
  const id = operations === undefined ? (another === undefined ? found?.id : undefined) : operations.get(spot.name);
  if (operations !== undefined && id === undefined) {
    return reportOperation(linking, provided, `${call}.${spot.name}`, at);
  }
  if (id === undefined || consumers.has(id)) return false;
  const operation = provided.link(id);
  if (operation === undefined || 'id' in operation) return operation as Operation | undefined;
  const path = [...operation, operation[0]].join(' > ');
  linking.report.raise('call-circle', { operation: spot.id, path }, at);
  return undefined;
}

/** The answer by another operation, before its messages are known. */
export function begunVersion(operation: Operation): VersionAnswer {
  const { id, at } = operation;
  const shape = { id, fields: [], open: false };
  const input = { ...shape, xmlName: id, root: false, inPlace: true, at };
  return { kind: 'version', operation, input, request: { from: shape, to: shape, members: [] }, replies: [] };
}

/** An operation that another one answers, as its callers see it. */
interface Caller {
  readonly input: RestInput;
  readonly responses: readonly MediaMessage[];
  readonly active: boolean;
}

/** Links how the messages of an operation become those of the one that answers it, and checks that this one can answer. */
export function linkVersion(
  linking: Linking,
  spot: OperationSpot,
  { operation }: VersionAnswer,
  { input, responses, active }: Caller,
): VersionAnswer {
  const { doubt, report } = linking;
  const at = callPlace(linking, spot);
  const raise = (reason: string): void => report.raise('bad-call-answer', { reason }, at);
  if (active && !operation.active) raise(`${operation.id} is not active, so ${spot.id} could not answer`);
  if (operation.service.delivered) raise(`${operation.id} is part of the package, and can't answer other operations`);
  const own = inputOf(linking, input, { id: spot.id, at: spot.at });
  const theirs = inputOf(linking, operation, { id: operation.id, at: placeOf(operation.at) });
  const { map = {} } = spot.declared;
  const unused = new Set(map.unused ?? []);
  const complete =
    own.complete && theirs.complete && !doubt.about(operation) && !spot.lacks('request', 'variables', 'map');
  const request = linkMapping(linking, {
    from: { shape: own.document, words: `the request of ${spot.id}` },
    to: { shape: theirs.document, words: `the request of ${operation.id}` },
    members: map.request,
    at: map.request === undefined ? at : linking.places.key(map, 'request'),
    unused,
    complete,
  });
  if (complete) {
    checkUnused(linking, spot, own.document, unused);
    for (const field of doubt.about(request) ? [] : lostFields(request, unused))
      report.raise('unused-field', { field, operation: spot.id, by: operation.id }, at);
    if (own.document.open && !theirs.document.open)
      raise(
        `the request of ${spot.id} is open, but that of ${operation.id} is not, so what callers add would get lost`,
      );
    for (const reason of whyNoReplyTo(
      operation,
      request.members.map(({ field }) => field),
    ))
      raise(reason);
  }
  const replies = linkReplies(linking, spot, operation, responses);
  return { kind: 'version', operation, input: theirs.document, request, replies };
}

/** `map` applies to operations that another one of this gateway answers. */
export function refuseMap(linking: Linking, { id, declared, lacks }: OperationSpot): void {
  if (!lacks('call'))
    refuseKey(linking, declared, 'map', id, 'it applies to operations with `call` of an operation of this gateway');
}

/** Everything that an operation takes, as one document. */
function inputOf(
  { doubt }: Linking,
  { request, uris, requestHeaders }: RestInput,
  { id, at }: { readonly id: string; readonly at: Place },
): { readonly document: Document; readonly complete: boolean } {
  const document = documentOf(request);
  const byName = new Map((document?.fields ?? contentOf(request, { at })).map((field) => [field.name, field]));
  for (const { field } of [...uris.flatMap(({ variables }) => variables), ...requestHeaders])
    if (!byName.has(field.name)) byName.set(field.name, field);
  const clearable = new Set(document?.patch?.clearable.map(({ name }) => name));
  const fields = [...byName.values()].map((field): Field => {
    const isRequired = field.required || (!hasOwnValue(field) && everyUriRequires(uris, field.name));
    if (isRequired === field.required && !clearable.has(field.name)) return field;
    return { ...field, required: isRequired, ...(clearable.has(field.name) ? { nullable: true } : {}) };
  });
  const { open = false, choice } = document ?? {};
  const shape = { id: document?.id ?? id, xmlName: id, root: false, inPlace: true, open, fields, at: positionOf(at) };
  const complete =
    !doubt.about(document) && uris.every(({ template, variables }) => variables.length === template.variables.length);
  return { document: choice === undefined ? shape : { ...shape, choice }, complete };
}

function checkUnused(
  { report, places }: Linking,
  { id, declared: { map } }: OperationSpot,
  { fields }: Document,
  unused: ReadonlySet<string>,
): void {
  for (const [index, path] of [...unused].entries()) {
    const known = fields.map(({ name }) => name);
    if (known.some((name) => path === name || path.startsWith(`${name}.`))) continue;
    report.raise(
      'unknown-map-field',
      { name: path, where: `the request of ${id}`, known },
      places.value(map?.unused as object, index),
    );
  }
}

/** A reply that is sent later would have the form of the other operation. */
function whyNoReplyTo(operation: Operation, filled: readonly Field[]): string[] {
  const answer = finalAnswer(operation);
  const address = answer.kind === 'queue' ? answer.replyTo?.field : undefined;
  if (address === undefined || !filled.some(({ name }) => name === address.name)) return [];
  return [
    `${address.name} of ${operation.id} is the address for a reply, which would be sent in the form of ${operation.id}; leave it out with \`${address.name}: none\``,
  ];
}

/** What each message of the reply is filled from. */
function linkReplies(
  linking: Linking,
  spot: OperationSpot,
  operation: Operation,
  responses: readonly MediaMessage[],
): VersionReply[] {
  const { map } = spot.declared;
  const at = map?.response === undefined ? callPlace(linking, spot) : linking.places.key(map, 'response');
  const replies = new Map<Message, VersionReply>();
  for (const { message, mediaType } of responses) {
    const from = sourceOf(message, mediaType, operation.responses);
    if (replies.has(message) || linking.doubt.about(documentOf(message)) || linking.doubt.about(documentOf(from)))
      continue;
    replies.set(message, linkReply(linking, spot, operation, { message, from, at }));
  }
  if (map?.response !== undefined && ![...replies.values()].some(({ mapping }) => mapping) && !spot.lacks('response'))
    refuseKey(linking, map, 'response', spot.id, `${spot.id} has no response with fields`);
  return [...replies.values()];
}

function linkReply(
  linking: Linking,
  spot: OperationSpot,
  operation: Operation,
  { message, from, at }: { readonly message: Message; readonly from: Message; readonly at: Place },
): VersionReply {
  const own = documentOf(message);
  const theirs = documentOf(from);
  const isSame = message.kind === 'raw' && from.kind === 'raw' && message.raw === from.raw;
  if (message.kind === 'none' || isSame) return { message, from };
  if (own === undefined || theirs === undefined) {
    const reason = `The response is ${messageWords(message)}, but ${operation.id} answers ${messageWords(from)}`;
    linking.report.raise('bad-call-answer', { reason }, callPlace(linking, spot));
    return { message, from };
  }
  const mapping = linkMapping(linking, {
    from: { shape: theirs, words: `the reply of ${operation.id}` },
    to: { shape: own, words: `the response of ${spot.id}` },
    members: spot.declared.map?.response,
    at,
    complete: !spot.lacks('response', 'map') && !linking.doubt.about(operation),
  });
  const isEmpty =
    !linking.doubt.about(mapping) &&
    mapping.members.length === 0 &&
    own.fields.length > 0 &&
    !(own.open && theirs.open);
  if (isEmpty && own.fields.every(({ required }) => !required)) {
    const reason = `nothing of the reply of ${operation.id} fills a field of the response of ${spot.id}`;
    linking.report.raise('bad-map', { reason }, at);
  }
  return { message, from, mapping };
}

/** The message of the other operation for one of the own: the same kind, and the same media type if there is one. */
function sourceOf(message: Message, mediaType: string, theirs: readonly MediaMessage[]): Message {
  const suits = (each: Message): boolean =>
    message.kind === 'raw' ? each.kind === 'raw' && each.raw === message.raw : each.kind === message.kind;
  const suiting = theirs.filter((each) => suits(each.message));
  const found = suiting.find((each) => each.mediaType === mediaType) ?? suiting[0] ?? theirs[0];
  return found?.message ?? { kind: 'none' };
}
