import type { Component } from '../../model/component.ts';
import type { Document } from '../../model/document.ts';
import type { Query } from '../../model/query.ts';
import type { Role } from '../../model/security.ts';
import type { Answer, MediaMessage, Message, Method, Operation, Service, SoapForm } from '../../model/service.ts';
import type { Documents } from '../document/documents.ts';
import { checkFault } from '../fault-check.ts';
import type { Calls } from '../flow/calls.ts';
import { linkCallLimits } from '../gateway/rate.ts';
import { given, type Mutable } from '../given.ts';
import { type Linking, positionOf } from '../linking.ts';
import type { GrantSources } from '../security/grants.ts';
import type { Callers } from '../security/requires.ts';
import { linkQueriesAnswer, linkQueryAnswer } from './answer.ts';
import { linkAs } from './as.ts';
import { checkCallAnswer, linkCallAnswer } from './call.ts';
import { checkComponentPublic, checkGuardedClasses, linkComponentAnswer } from './component.ts';
import { linkGrants } from './grants.ts';
import { checkProviderKeys, checkSoapAlone } from './keys.ts';
import { documentOf, linkDocument, linkRequest, linkResponses, linkTemplateDocument } from './message.ts';
import { linkRequires } from './requires.ts';
import { linkRest, NO_REST } from './rest.ts';
import { isFaultless, type RestInput, soapForm, soapName, soapRequest } from './soap.ts';
import type { OperationSpot } from './spot.ts';
import { inputFields, linkTemplates, methodOf, type PlacedTemplate, templateCount } from './uri.ts';

/** What operations are linked against. */
export interface OperationContext extends GrantSources {
  readonly documents: Documents;
  readonly queries: ReadonlyMap<string, Query>;
  readonly components: ReadonlyMap<string, Component>;
  readonly calls: Calls;
  readonly roles: ReadonlyMap<string, Role>;
  readonly callers: Callers;
}

/** Links one operation. Where a part of it can't be told, that has been reported, and the rest is checked all the same. */
export function linkOperation(context: OperationContext, spot: OperationSpot, service: Service): Mutable<Operation> {
  const { documents } = context;
  const { linking } = documents;
  const { id, declared, at } = spot;
  const method = methodOf(spot);
  if (method === undefined) checkSoapAlone(linking, spot);
  checkProviderKeys(linking, spot);
  const templates = method === undefined ? [] : linkTemplates(linking, spot, method);
  const exchange = linkExchange(context, spot, service, method, templates);
  const { answer, responses } = exchange;
  const rest = {
    request: exchange.request ?? ({ kind: 'none' } as const),
    ...(method === undefined
      ? NO_REST
      : linkRest(linking, spot, method, restParts(documents, spot, exchange, templates))),
  };
  const fault = linkFault(documents, spot, method === undefined && isFaultless(linking, spot, responses));
  if (method !== undefined) checkWrapper(spot, linking, responses);
  const grants = linkGrants(linking, context, spot, service.delivered);
  const active = declared.active !== false && service.active;
  const as = linkAs(linking, context.roles, spot, answer);
  const isPublic = grants.public;
  // What answers is reached by the role, whoever calls.
  const isForAll = isPublic && declared.as === undefined;
  if (isForAll) checkQueriesPublic(spot, linking, answer);
  if (isForAll) checkComponentPublic(linking, spot, answer);
  if (isPublic) {
    checkGuardedClasses(linking, spot, answer);
  }
  if (answer.kind === 'call') {
    const isKnown = exchange.request !== undefined;
    checkCallAnswer(linking, spot, answer.call, { input: rest, isKnown, responses, isPublic: isForAll, active });
  }
  const soap = linkSoap(documents, spot, service, rest, exchange.soapResponses ?? responses);
  const forms = { rest: method !== undefined, soap: soap !== undefined, isPublic };
  const operation: Mutable<Operation> = {
    id,
    service,
    ...rest,
    pathName: spot.inherited('alias')?.value ?? service.name,
    responses: responses ?? [],
    status: declared.status ?? (answer.kind === 'component' && answer.action === 'create' ? 201 : 200),
    answer,
    ...grants,
    requires: linkRequires(linking, context.callers, spot, forms),
    limits: { ...linkCallLimits(linking, spot.above('limits')), ...linkCallLimits(linking, declared.limits) },
    active,
    ...given({
      description: declared.description,
      soap,
      wrapper: declared.wrapper,
      fault,
      as,
    }),
    at: positionOf(at),
  };
  // A template that was refused has not been removed.
  if (templates.length < templateCount(spot, method)) linking.incomplete.add(operation);
  return operation;
}

/** The fields that URIs and headers may name, and what they travel with. */
function restParts(
  documents: Documents,
  spot: OperationSpot,
  { request, answer }: Exchange,
  templates: readonly PlacedTemplate[],
): Parameters<typeof linkRest>[3] {
  // Where a query's prompts or a record are the request, nothing else is: what the service says of a template does not hold.
  const { query, save, read } = spot.declared;
  const isGiven = typeof query === 'string' || save !== undefined || read !== undefined;
  const template = isGiven ? undefined : linkTemplateDocument(documents, spot);
  const { byName, complete } = inputFields(documents.linking, [documentOf(request), template]);
  const input = { byName, complete: complete && !spot.lacks('request', 'template', 'query', 'save', 'read') };
  // So that what was read of a record is saved as it came.
  const repeatable = answer.kind === 'component' ? answer.component.keys : [];
  return { templates, request, input, repeatable };
}

function linkSoap(
  documents: Documents,
  spot: OperationSpot,
  service: Service,
  rest: RestInput,
  responses: readonly MediaMessage[] = [],
): SoapForm | undefined {
  const name = soapName(spot.id, spot.declared);
  if (name === undefined) return undefined;
  return soapForm(name, service, soapRequest(documents, name, rest, spot), responses);
}

function linkFault(documents: Documents, spot: OperationSpot, faultless: boolean): Document | undefined {
  const fault = faultless ? undefined : linkDocument(documents, spot, 'fault');
  if (fault !== undefined) checkFault(documents.linking, fault, spot.inherited('fault')?.at ?? spot.at);
  return fault;
}

interface Exchange {
  readonly answer: Answer;
  readonly request: Message | undefined;
  readonly responses: readonly MediaMessage[] | undefined;
  /** Where they are others than over REST. */
  readonly soapResponses?: readonly MediaMessage[];
}

/** Request, reply and what makes the one of the other. */
function linkExchange(
  { documents, queries, components, calls }: OperationContext,
  spot: OperationSpot,
  service: Service,
  method: Method | undefined,
  templates: readonly PlacedTemplate[],
): Exchange {
  const { declared } = spot;
  checkOneAnswer(documents.linking, spot);
  const code = linkHandler(documents, spot, service);
  const unknown = { answer: code, request: undefined, responses: undefined };
  if (typeof declared.query === 'string') return linkQueryAnswer(documents, spot, queries, templates) ?? unknown;
  if (declared.save !== undefined || declared.read !== undefined)
    return linkComponentAnswer(documents, spot, components, method) ?? unknown;
  const request = linkRequest(documents, spot);
  const responses = linkResponses(documents, spot);
  if (declared.query === undefined) {
    const called = declared.call === undefined ? undefined : linkCallAnswer(documents.linking, spot, calls);
    return { answer: called ?? code, request, responses };
  }
  const answer = linkQueriesAnswer(documents, spot, queries, request, responses?.[0]?.message);
  return { answer: answer ?? code, request, responses };
}

function checkOneAnswer({ report, places }: Linking, { declared }: OperationSpot): void {
  const [first, ...others] = ([...ANSWERS, 'handler'] as const).filter((key) => declared[key] !== undefined);
  if (first === undefined) return;
  const reason = 'one thing answers an operation';
  for (const second of others)
    report.raise('conflicting-options', { first, second, reason }, places.key(declared, second));
}

/** Keys that name what answers in place of code. */
const ANSWERS = ['query', 'save', 'read', 'call'] as const;

/** The name of the handler file of an operation that names none. */
function handlerName(operation: string): string {
  return operation.toLowerCase().replaceAll('_', '-');
}

function linkHandler(
  { linking: { report, places, incomplete } }: Documents,
  { id, declared, lacks }: OperationSpot,
  service: Service,
): Answer {
  const name = declared.handler;
  if (name?.startsWith('signalbox/') !== true) {
    const answer: Answer = { kind: 'handler', file: name ?? handlerName(id) };
    // What can't be used is meant, or what was refused may have named one, or a file.
    const isMeant = ANSWERS.some((key) => declared[key] !== undefined);
    if (name === undefined && (isMeant || lacks('handler', 'target', ...ANSWERS))) incomplete.add(answer);
    return answer;
  }
  if (!service.delivered) report.raise('unknown-handler', { name }, places.value(declared, 'handler'));
  return { kind: 'delivered', name };
}

function checkWrapper(
  { declared, id, lacks }: OperationSpot,
  { report, places }: Linking,
  responses: readonly MediaMessage[] | undefined,
): void {
  if (declared.wrapper === undefined || responses === undefined || lacks('response', 'query', 'save', 'read')) return;
  const isJson = ({ mediaType, message }: MediaMessage): boolean =>
    message.kind === 'document' && !/[/+]xml$/.test(mediaType);
  if (!responses.some(isJson)) {
    report.raise('bad-wrapper', { operation: id }, places.key(declared, 'wrapper'));
  }
}

/** Operation and query are granted each by itself: who shows no credentials holds no list for the query. */
function checkQueriesPublic({ id, declared }: OperationSpot, { report, places }: Linking, answer: Answer): void {
  const queries =
    answer.kind === 'query' ? [answer.query] : answer.kind === 'queries' ? answer.lists.map(({ query }) => query) : [];
  for (const query of queries) {
    if (query.public || query.permissions.length === 0) continue;
    const reason = `${id} is public and ${query.id} is not, so that nobody could call it`;
    report.raise('bad-query-answer', { reason }, places.key(declared, 'query'));
  }
}
