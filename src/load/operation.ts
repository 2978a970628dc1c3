import type { Document } from '../model/document.ts';
import type { Query } from '../model/query.ts';
import type { PermissionList } from '../model/security.ts';
import type { Answer, MediaMessage, Message, Operation, Service } from '../model/service.ts';
import type { Documents } from './documents.ts';
import { checkFault } from './fault-check.ts';
import { given, type Mutable } from './given.ts';
import { positionOf, resolveIds } from './linking.ts';
import { linkQueriesAnswer, linkQueryAnswer } from './operation-answer.ts';
import { linkBody, linkUri } from './operation-body.ts';
import { linkDocument, linkRequest, linkResponses } from './operation-message.ts';
import type { OperationSpot } from './operation-spot.ts';
import {
  inputFields,
  linkHeaders,
  linkTemplates,
  linkVariables,
  methodOf,
  type PlacedTemplate,
  templateCount,
} from './operation-uri.ts';

/** What operations are linked against. */
export interface OperationContext {
  readonly documents: Documents;
  readonly queries: ReadonlyMap<string, Query>;
  readonly lists: ReadonlyMap<string, PermissionList>;
  /** Lists that add an operation by wildcard, by its id. */
  readonly grants: ReadonlyMap<string, readonly PermissionList[]>;
}

/** Links one operation. Where a part of it can't be told, that has been reported, and the rest is checked all the same. */
export function linkOperation(context: OperationContext, spot: OperationSpot, service: Service): Mutable<Operation> {
  const { documents } = context;
  const { linking } = documents;
  const { id, declared, at } = spot;
  const method = methodOf(spot);
  const templates = linkTemplates(linking, spot, method);
  const { answer, request, responses } = linkExchange(context, spot, service, templates);
  // Where a query's prompts are the request, nothing else is: what the service says of a template does not hold.
  const template = typeof declared.query === 'string' ? undefined : templateOf(documents, spot);
  const input = inputFields(linking, [documentOf(request), template]);
  const complete = { ...input, complete: input.complete && !spot.lacks('request', 'template', 'query') };
  const headers = linkHeaders(linking, spot, complete);
  const body = linkBody(linking, spot, method, request);
  const parts = { request, headers, body };
  const fault = linkDocument(documents, spot, 'fault');
  if (fault !== undefined) checkFault(linking, fault, spot.inherited('fault')?.at ?? at);
  checkWrapper(spot, documents, responses);
  const { permissions, isPublic } = linkGrants(context, spot, service.delivered);
  if (isPublic) checkQueriesPublic(spot, documents, answer);
  const operation: Mutable<Operation> = {
    id,
    service,
    method,
    uris: templates.map((each) => linkUri(linking, spot, each, linkVariables(linking, each, complete), parts)),
    pathName: spot.inherited('alias')?.value ?? service.name,
    request: request ?? { kind: 'none' },
    requestHeaders: headers,
    body: body.kind,
    responses: responses ?? [],
    status: declared.status ?? 200,
    answer,
    permissions,
    public: isPublic,
    requires: spot.inherited('requires')?.value ?? 'basic',
    active: declared.active !== false && service.active,
    ...given({ description: declared.description, wrapper: declared.wrapper, fault }),
    at: positionOf(at),
  };
  // A template that was refused has not been removed.
  if (templates.length < templateCount(spot, method)) linking.incomplete.add(operation);
  return operation;
}

function documentOf(message: Message | undefined): Document | undefined | 'unknown' {
  if (message === undefined) return 'unknown';
  return message.kind === 'document' ? message.document : undefined;
}

function templateOf(documents: Documents, spot: OperationSpot): Document | undefined | 'unknown' {
  const said = spot.inherited('template')?.value ?? 'none';
  return said === 'none' ? undefined : (linkDocument(documents, spot, 'template') ?? 'unknown');
}

interface Exchange {
  readonly answer: Answer;
  readonly request: Message | undefined;
  readonly responses: readonly MediaMessage[] | undefined;
}

/** Request, reply and what makes the one of the other. */
function linkExchange(
  { documents, queries }: OperationContext,
  spot: OperationSpot,
  service: Service,
  templates: readonly PlacedTemplate[],
): Exchange {
  const { report, places } = documents.linking;
  const { declared } = spot;
  if (declared.query !== undefined && declared.handler !== undefined) {
    const reason = 'one thing answers an operation';
    report.raise('conflicting-options', { first: 'query', second: 'handler', reason }, places.key(declared, 'handler'));
  }
  const code = linkHandler(documents, spot, service);
  if (typeof declared.query === 'string') {
    return (
      linkQueryAnswer(documents, spot, queries, templates) ?? { answer: code, request: undefined, responses: undefined }
    );
  }
  const request = linkRequest(documents, spot);
  const responses = linkResponses(documents, spot);
  if (declared.query === undefined) return { answer: code, request, responses };
  const answer = linkQueriesAnswer(documents, spot, queries, request, responses?.[0]?.message);
  return { answer: answer ?? code, request, responses };
}

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
    // A query that can't be used is meant, or what was refused may have named one, or a file.
    if (name === undefined && (declared.query !== undefined || lacks('handler', 'query'))) incomplete.add(answer);
    return answer;
  }
  if (!service.delivered) report.raise('unknown-handler', { name }, places.value(declared, 'handler'));
  return { kind: 'delivered', name };
}

function checkWrapper(
  { declared, id, lacks }: OperationSpot,
  { linking }: Documents,
  responses: readonly MediaMessage[] | undefined,
): void {
  if (declared.wrapper === undefined || responses === undefined || lacks('response', 'query')) return;
  const isJson = ({ mediaType, message }: MediaMessage): boolean =>
    message.kind === 'document' && !/[/+]xml$/.test(mediaType);
  if (!responses.some(isJson)) {
    linking.report.raise('bad-wrapper', { operation: id }, linking.places.key(declared, 'wrapper'));
  }
}

/** Operation and query are granted each by itself: who shows no credentials holds no list for the query. */
function checkQueriesPublic({ id, declared }: OperationSpot, { linking }: Documents, answer: Answer): void {
  const queries =
    answer.kind === 'query' ? [answer.query] : answer.kind === 'queries' ? answer.lists.map(({ query }) => query) : [];
  for (const query of queries) {
    if (query.public || query.permissions.length === 0) continue;
    const reason = `${id} is public and ${query.id} is not, so that nobody could call it`;
    linking.report.raise('bad-query-answer', { reason }, linking.places.key(declared, 'query'));
  }
}

/** Who may call: what `permission:` names and what lists add; the operation's own word stands above its service's. */
function linkGrants({ documents, lists, grants }: OperationContext, spot: OperationSpot, delivered: boolean) {
  const { linking } = documents;
  const { declared, service, id, at } = spot;
  for (const container of [declared, service]) {
    if (container.permission === undefined || container.public !== true) continue;
    const reason = 'what is public needs no grant';
    const key = linking.places.key(container, 'public');
    linking.report.raise('conflicting-options', { first: 'permission', second: 'public', reason }, key);
  }
  const speaks = declared.permission !== undefined || declared.public !== undefined ? declared : service;
  const isPublic = speaks.public === true;
  const holder = declared.permission !== undefined ? declared : service;
  const named = isPublic ? [] : resolveIds(linking, 'permission-list', lists, holder, 'permission');
  const added = isPublic ? [] : (grants.get(id) ?? []);
  const lacks = holder.permission === undefined && added.length === 0;
  if (!isPublic && lacks && !spot.lacks('permission', 'public') && !delivered)
    linking.report.raise('not-granted', { what: id, kind: 'operation' }, at);
  return { permissions: [...new Set([...named, ...added])], isPublic };
}
