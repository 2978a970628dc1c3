import { plainDefault } from '../describe/field.ts';
import { rootsOf } from '../describe/scope.ts';
import type { KnownId, KnownIds, Member } from '../kinds/kind.ts';
import { ALL_MEMBERS, factsOf, thingsOf } from '../kinds/kinds.ts';
import type { Component } from '../model/component.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import { isOneOfSeveral } from '../model/derivation.ts';
import type { Document } from '../model/document.ts';
import { type Field, type FieldType, isCollection } from '../model/field.ts';
import { type Flow, flowNames } from '../model/flow.ts';
import type { Setting } from '../model/gateway.ts';
import { codeOfSubscription, type Subscription } from '../model/message.ts';
import { type OperationsByName, operationsByName, shortestName } from '../model/operation-names.ts';
import type { Process } from '../model/process.ts';
import type { Query } from '../model/query.ts';
import type { Registry } from '../model/registry.ts';
import type { Message, Operation } from '../model/service.ts';
import type { SimpleType } from '../model/simple-type.ts';
import { faultDocuments } from '../model/soap.ts';
import { type TypeNames, typeNames } from './names.ts';
import { waysTo } from './words.ts';

/** Everything that the code of a project uses, in the order of ids, with the names of its types. */
export interface Vocabulary {
  /** Operations that are answered by code of the project. */
  readonly operations: readonly Operation[];
  /** Operations of other systems that code of the project may call. */
  readonly consumers: readonly ConsumerOperation[];
  readonly flows: readonly Flow[];
  readonly documents: readonly Document[];
  /** The named types of single values. */
  readonly types: readonly SimpleType[];
  /** Documents inside requests of those operations, and in replies and faults of the consumers. */
  readonly received: readonly Document[];
  readonly queries: readonly Query[];
  readonly components: readonly Component[];
  /** Processes that are run by code of the project. */
  readonly processes: readonly Process[];
  /** All processes. */
  readonly programs: readonly Process[];
  /** Operations of the project that publish messages. */
  readonly published: readonly Operation[];
  /** Subscriptions whose messages, or the replies that come later, code of the project takes. */
  readonly subscriptions: readonly Subscription[];
  /** What code reads as `context.settings`. */
  readonly settings: readonly Setting[];
  readonly names: TypeNames;
  /** Operations by each of their names. */
  readonly operationsByName: OperationsByName<Operation | ConsumerOperation>;
}

/**
 * It contains every declared document, and the documents written in place that a handler or a call uses. Documents that only
 * services of the package use are left out, since their handlers are part of the package.
 */
export function vocabulary(registry: Registry): Vocabulary {
  const operations: Operation[] = [];
  const ofProject = new Set<Document>();
  const ofPackage = new Set<Document>();
  const seen = new Set<Document>();
  const received = new Set<Document>();
  for (const operation of sorted(registry.operations)) {
    const met = operation.service.delivered ? ofPackage : ofProject;
    for (const document of [...rootsOf(operation), ...faultDocuments(operation)]) reach(document, met);
    if (operation.answer.kind !== 'handler') continue;
    operations.push(operation);
    for (const document of [...rootsOf(operation), ...faultDocuments(operation)]) reach(document, seen);
    reachParts(operation, received);
  }
  const published = sorted(registry.operations).filter(
    ({ answer, service }) => answer.kind === 'queue' && !service.delivered,
  );
  for (const { request } of published) if (request.kind === 'document') reach(request.document, seen);
  const subscriptions = sorted(registry.subscriptions).filter((each) => codeOfSubscription(each).length > 0);
  for (const { operation } of subscriptions) reachParts(operation, received);
  const consumers = sorted(registry.consumers);
  for (const consumer of consumers) {
    reachRequest(consumer, seen);
    for (const document of repliesOf(consumer)) reach(document, received);
  }
  for (const document of registry.documents.values()) {
    const foreign = ofPackage.has(document) && !ofProject.has(document);
    if (!document.inPlace && !foreign) reach(document, seen);
  }
  for (const { shape } of registry.components.values()) reach(shape, seen);
  const documents = [...seen].sort(byId);
  const types = [...registry.types.values()].sort(byId);
  return {
    operations,
    consumers,
    flows: sorted(registry.flows),
    documents,
    received: [...received].sort(byId),
    queries: sorted(registry.queries),
    components: sorted(registry.components),
    processes: sorted(registry.processes).filter(({ answer }) => answer.kind === 'handler'),
    programs: sorted(registry.processes),
    published,
    subscriptions,
    settings: registry.gateway.settings,
    names: typeNames(documents, types),
    types,
    operationsByName: operationsByName(registry),
  };
}

/** A request field of an operation that a handler answers, or of a message that it takes. */
interface RequestField {
  readonly field: Field;
  /** It always has a value: it is required, has a default, or is part of every URI. */
  readonly present: boolean;
}

/** The fields of the request document, then URI variables that are not among them, in order of appearance. */
export function requestFields(operation: Operation): RequestField[] {
  const declared = operation.request.kind === 'document' ? operation.request.document.fields : [];
  const byName = new Map(declared.map((field) => [field.name, field]));
  for (const { variables } of operation.uris) {
    for (const { field } of variables) if (!byName.has(field.name)) byName.set(field.name, field);
  }
  return [...byName.values()].map((field) => ({
    field,
    present:
      isPresent(field) ||
      (operation.uris.length > 0 &&
        operation.uris.every((uri) => uri.variables.some((each) => each.required && each.field.name === field.name))),
  }));
}

/**
 * Whether a field has a value in every document that passed the checks, which fill in defaults and fixed values. A default
 * that a fault fills does not count: a fault of another system may lack the field.
 */
export function isPresent(field: Field): boolean {
  return field.required || plainDefault(field) !== undefined || field.fixed !== undefined;
}

/** The possible messages of a consumer's reply. A reply to HEAD has no content (RFC 9110, section 9.3.2). */
export function responsesOf(consumer: ConsumerOperation): readonly Message[] {
  if (consumer.kind === 'soap') return [consumer.soap.response];
  return consumer.method === 'HEAD' ? [{ kind: 'none' }] : consumer.responses.map(({ message }) => message);
}

/** The documents of a consumer's faults. */
export function faultsOfCall(consumer: ConsumerOperation): readonly Document[] {
  if (consumer.kind === 'soap') return faultDocuments(consumer);
  return consumer.fault === undefined ? [] : [consumer.fault];
}

/** The documents of a consumer's replies and faults. */
function repliesOf(consumer: ConsumerOperation): Document[] {
  const documents = responsesOf(consumer).flatMap((message) => (message.kind === 'document' ? [message.document] : []));
  return [...documents, ...faultsOfCall(consumer)];
}

/** Over REST the input as a whole is specific to the call, while documents in its fields are shared. */
function reachRequest(consumer: ConsumerOperation, into: Set<Document>): void {
  if (consumer.kind === 'rest') {
    const { body, input } = consumer;
    if (body.kind === 'document' && isOneOfSeveral(body.document)) reach(body.document, into);
    for (const { type } of input.fields) reachType(type, into);
  } else if (consumer.soap.request.kind === 'document') reach(consumer.soap.request.document, into);
}

/** Adds the documents in the fields of a request, and those that may stand for its document. The request has a type of its own. */
function reachParts(operation: Operation, into: Set<Document>): void {
  const { request } = operation;
  for (const { field } of requestFields(operation)) reachType(field.type, into);
  if (request.kind === 'document') for (const derived of request.document.kinds?.derived ?? []) reach(derived, into);
}

/** Adds a document and those in its fields, with what may stand for it. */
function reach(document: Document, into: Set<Document>): void {
  if (into.has(document)) return;
  into.add(document);
  for (const { type } of document.fields) reachType(type, into);
  for (const derived of document.kinds?.derived ?? []) reach(derived, into);
}

function reachType(type: FieldType, into: Set<Document>): void {
  if (isCollection(type)) reachType(type.item, into);
  else if (type.kind === 'document') reach(type.document, into);
}

/** What editors propose for references between definitions, by members of the registry. Documents in place can't be referred to. */
export function knownIds(registry: Registry): KnownIds {
  const byName = operationsByName(registry);
  const operations = (those: ReadonlyMap<string, Operation | ConsumerOperation>): KnownId[] =>
    [...those.values()]
      .map((each) => known('operation', shortestName(byName, each), each.description ?? waysTo(each).join(', ')))
      .sort(byId);
  const consumers = operations(registry.consumers);
  const others = ALL_MEMBERS.map((member): [Member, readonly KnownId[]] => {
    const { word, hint, pages } = factsOf(member);
    const things = [...thingsOf(registry, member)].filter((each) => pages?.has?.(each) ?? true).sort(byId);
    return [member, things.map((each) => known(word, each.id, each.description ?? hint?.(each)))];
  });
  return {
    ...Object.fromEntries(others),
    operations: [...operations(registry.operations), ...consumers].sort(byId),
    consumers,
    flows: sorted(registry.flows).flatMap((flow) => flowNames(flow).map((id) => known('flow', id, flow.description))),
  };
}

/** Characters of a description in one line of help. */
const LONGEST_ABOUT = 120;

function known(kind: string, id: string, description = ''): KnownId {
  const [line = ''] = description.trim().split('\n');
  const short = line.length > LONGEST_ABOUT ? `${line.slice(0, LONGEST_ABOUT - 3).trimEnd()}...` : line;
  return { id, about: `${kind} ${id}${short === '' ? '' : `: ${short}`}` };
}

/** Entries of a map or a list of the registry sorted by id, by code units, which is the same on every machine. */
export function sorted<T extends { readonly id: string }>(entries: ReadonlyMap<string, T> | readonly T[]): T[] {
  return [...entries.values()].sort(byId);
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
