import { linkQueueAnswer, linkReceipt, linkReplyAnswer } from '../../messaging/link/queue-answer.ts';
import type { Component, ComponentAction } from '../../model/component.ts';
import type { Field } from '../../model/field.ts';
import type { MessageQueue } from '../../model/message.ts';
import type { Node } from '../../model/node.ts';
import type { Query } from '../../model/query.ts';
import {
  type Answer,
  finalAnswer,
  type MediaMessage,
  type Message,
  type Method,
  type Service,
} from '../../model/service.ts';
import type { Documents } from '../document/documents.ts';
import { derivedName } from '../document/field-type.ts';
import type { Calls } from '../flow/calls.ts';
import { handlerNamedAs } from '../handlers.ts';
import { type Linking, refuseBoth, refuseKey, resolveKey } from '../linking.ts';
import { given } from '../object.ts';
import { linkCallAnswer } from './call-answer.ts';
import { forms, inDoubt, linkRequest, linkResponses, noMessage } from './payload.ts';
import { linkQueriesAnswer, linkQueryAnswer } from './query-answer.ts';
import type { OperationSpot, PlacedTemplate } from './spot.ts';
import { type Provided, refuseMap } from './version-answer.ts';

/** The definitions that may answer operations instead of code. */
export interface AnswerSources {
  readonly documents: Documents;
  readonly queries: ReadonlyMap<string, Query>;
  readonly components: ReadonlyMap<string, Component>;
  readonly messageQueues: ReadonlyMap<string, MessageQueue>;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly calls: Calls;
  readonly provided: Provided;
}

/** The request and reply of an operation, and what answers it. */
export interface Exchange {
  readonly answer: Answer;
  readonly request: Message;
  readonly responses: readonly MediaMessage[];
  /** When they differ from those over REST. */
  readonly soapResponses?: readonly MediaMessage[];
}

export function linkExchange(
  sources: AnswerSources,
  spot: OperationSpot,
  service: Service,
  method: Method | undefined,
  templates: readonly PlacedTemplate[],
): Exchange {
  const { documents, queries, components, calls } = sources;
  const { declared } = spot;
  checkOneAnswer(documents.linking, spot);
  if (declared.queue === undefined && !spot.lacks('queue'))
    refuseKey(documents.linking, declared, 'reply-to', spot.id, 'it applies to operations with `queue` and `response`');
  if (typeof declared.query !== 'string' && !spot.lacks('query'))
    refuseKey(documents.linking, declared, 'paging', spot.id, 'it applies to operations with `query: NAME`');
  if (ANSWERS.some((key) => key !== 'call' && declared[key] !== undefined)) refuseMap(documents.linking, spot);
  const code = linkHandler(documents, spot, service);
  if (typeof declared.query === 'string' || declared.save !== undefined || declared.read !== undefined) {
    const linked =
      typeof declared.query === 'string'
        ? linkQueryAnswer(documents, spot, queries, templates)
        : linkComponentAnswer(documents, spot, components, method);
    const unknown = inDoubt(documents, noMessage(), spot.at);
    return linked ?? { answer: code, request: unknown, responses: forms(unknown) };
  }
  if (declared['reply-of'] !== undefined)
    return (
      linkReplyAnswer(documents, spot, calls, method) ?? {
        answer: code,
        request: inDoubt(documents, noMessage(), spot.at),
        responses: linkResponses(documents, spot),
      }
    );
  const request = linkRequest(documents, spot);
  if (declared.queue !== undefined) {
    const unknown = inDoubt(documents, noMessage(), spot.at);
    const linked = linkQueueAnswer(documents, spot, sources, request);
    return linked ?? { answer: code, request, responses: forms(unknown) };
  }
  if (declared.query === undefined) {
    const call = callOf(spot);
    const called = call === undefined ? undefined : linkCallAnswer(documents.linking, spot, sources, call);
    if (call === undefined) refuseMap(documents.linking, spot);
    if (called?.kind === 'version' && finalAnswer(called.operation).kind === 'queue')
      return { answer: called, request, ...linkReceipt(documents, spot) };
    // A call that was reported is not a missing handler.
    if (call !== undefined && called === undefined) documents.linking.doubt.mark(code);
    return { answer: called ?? code, request, responses: linkResponses(documents, spot) };
  }
  const responses = linkResponses(documents, spot);
  const answer = linkQueriesAnswer(documents, spot, queries, request, responses[0]?.message ?? noMessage());
  return { answer: answer ?? code, request, responses };
}

/** The call that answers an operation: its own, or that of its service if it has no other answer. */
function callOf({ declared, service, lacks }: OperationSpot): string | undefined {
  if (declared.call !== undefined) return declared.call;
  return declared.handler === undefined && !lacks('handler', ...ANSWERS) ? service.call : undefined;
}

function checkOneAnswer(linking: Linking, { declared }: OperationSpot): void {
  const [first = '', ...others] = ([...ANSWERS, 'handler'] as const).filter((key) => declared[key] !== undefined);
  for (const second of others) refuseBoth(linking, declared, first, second, 'an operation has one answer');
}

/** Keys that replace code as the answer. */
const ANSWERS = ['query', 'save', 'read', 'call', 'queue', 'reply-of'] as const;

function linkHandler(
  { linking: { report, places, doubt } }: Documents,
  { id, declared, lacks }: OperationSpot,
  service: Service,
): Answer {
  const name = declared.handler;
  if (name?.startsWith('signalbox/') !== true) {
    const answer: Answer = { kind: 'handler', file: name ?? handlerNamedAs(id) };
    // One of these keys is present but was rejected, or a rejected part may have named one, or a file.
    const isMeant = ANSWERS.some((key) => declared[key] !== undefined);
    if (name === undefined && (isMeant || lacks('handler', 'target', ...ANSWERS))) doubt.mark(answer);
    return answer;
  }
  if (!service.delivered) report.raise('unknown-handler', { name }, places.value(declared, 'handler'));
  return { kind: 'delivered', name };
}

/** A component that answers, with the request and replies of its operation. */
interface ComponentAnswer {
  readonly answer: Answer;
  readonly request: Message;
  readonly responses: readonly MediaMessage[];
  /** Over SOAP, where a reply has content even after the record was deleted. */
  readonly soapResponses: readonly MediaMessage[];
}

/** The action of each method on a record. */
const SAVES: Readonly<Partial<Record<Method, ComponentAction>>> = {
  POST: 'create',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** `save: NAME` or `read: NAME`; `undefined` when the component does not exist or the method does not fit. */
function linkComponentAnswer(
  documents: Documents,
  spot: OperationSpot,
  components: ReadonlyMap<string, Component>,
  method: Method | undefined,
): ComponentAnswer | undefined {
  const { linking } = documents;
  const { declared } = spot;
  const key = declared.save === undefined ? 'read' : 'save';
  checkShapeAlone(linking, spot, key);
  const action = linkAction(linking, spot, key, method);
  const component = resolveKey(linking, 'component', components, declared, key);
  if (component === undefined || action === undefined) return undefined;
  const request = requestOf(documents, spot, component, action);
  const record = forms({ kind: 'document', document: component.shape });
  const isSilent = declared.response === 'none';
  if (!isSilent && action !== 'delete')
    return { answer: { kind: 'component', component, action }, request, responses: record, soapResponses: record };
  const none = forms({ kind: 'none' });
  const keys = isSilent
    ? none
    : forms({
        kind: 'document',
        document: documents.synthesize(derivedName(spot, 'RESPONSE'), component.keys, spot.at),
      });
  return { answer: { kind: 'component', component, action }, request, responses: none, soapResponses: keys };
}

function checkShapeAlone(linking: Linking, { declared }: OperationSpot, first: string): void {
  const reason = 'the shape of the component is the request and the reply';
  const others = ['request', 'variables', 'body', ...(declared.response === 'none' ? [] : ['response'])];
  for (const second of others) refuseBoth(linking, declared, first, second, reason);
}

function linkAction(
  { report, places }: Linking,
  { declared }: OperationSpot,
  key: 'save' | 'read',
  method: Method | undefined,
): ComponentAction | undefined {
  const refuse = (reason: string): undefined => {
    report.raise('bad-save', { reason }, places.key(declared, key));
  };
  if (key === 'read') {
    if (method === undefined || method === 'GET') return 'read';
    return refuse(`${method} does not read; use GET to read a record`);
  }
  const action = method === undefined ? 'put' : SAVES[method];
  return action ?? refuse(`${method} does not save; use POST, PUT, PATCH or DELETE to save a record`);
}

/** The request: the shape, or the part of it that the action uses. */
function requestOf(
  documents: Documents,
  spot: OperationSpot,
  { shape, keys, lock }: Component,
  action: ComponentAction,
): Message {
  if (action === 'create' || action === 'put') return { kind: 'document', document: shape };
  const namespace = given({ namespace: shape.namespace });
  if (action === 'patch') {
    const fields = shape.fields.map((field) => (keys.includes(field) ? field : optional(field)));
    // A record always has the fields that its shape requires, and its lock counts by itself.
    const clearable = fields.filter((_, index) => isClearable(shape.fields[index]!, lock));
    const options = { ...namespace, patch: { clearable } };
    return { kind: 'document', document: documents.synthesize(derivedName(spot, 'REQUEST'), fields, spot.at, options) };
  }
  const fields = [...keys, ...(action === 'delete' && lock !== undefined ? [lock] : [])];
  return { kind: 'document', document: documents.synthesize(derivedName(spot, 'REQUEST'), fields, spot.at, namespace) };
}

function isClearable(field: Field, lock: Field | undefined): boolean {
  return (!field.required || field.nullable === true) && field.fixed === undefined && field !== lock;
}

/** Fields that a change leaves out keep their values; null clears any field that may be empty. */
function optional(field: Field): Field {
  const { default: _, nullable: __, ...rest } = field;
  return { ...rest, required: false };
}
