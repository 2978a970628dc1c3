import type { Component } from '../model/component.ts';
import type { Position } from '../model/definition.ts';
import { formWords } from '../model/form.ts';
import type { Gateway } from '../model/gateway.ts';
import type { Paging } from '../model/query.ts';
import { acceptedTypes } from '../model/request-form.ts';
import {
  type Answer,
  hasXmlBody,
  type Operation,
  replyForms,
  replyStatus,
  type SoapForm,
  takesBody,
} from '../model/service.ts';
import { accessOf, compareAccess } from './access.ts';
import {
  type Compare,
  type Comparison,
  compareAll,
  inside,
  type Pair,
  type Scope,
  type Sides,
  unseen,
  whenDifferent,
  whenTurned,
} from './changes.ts';
import { compareDocuments, type DocumentScope, messageScope } from './document.ts';
import {
  compareFaultTypes,
  compareForms,
  compareReply,
  compareRequests,
  overSoap,
  SOAP_MESSAGES,
  type SoapScope,
} from './messages.ts';
import { comparePlaces, compareUris, type Input, isGiven, placesOf } from './uris.ts';
import type { WireLanguage } from './verdict.ts';

/** Where a comparison of operations is. */
export interface OperationScope extends Scope {
  readonly gateways: Pair<Gateway>;
}

export function isServed({ active, service }: Operation): boolean {
  return active && service.active;
}

/** What callers of an operation may speak. */
export function languagesOf({ uris, soap, responses, request }: Operation): readonly WireLanguage[] {
  const isXml =
    soap !== undefined ||
    responses.some(({ mediaType }) => /[/+]xml\b/.test(mediaType)) ||
    (request.kind === 'document' && uris.some(({ body }) => body.length > 0) && hasXmlBody(request.document));
  return [...(uris.length > 0 ? (['json'] as const) : []), ...(isXml ? (['xml'] as const) : [])];
}

/** Compares two operations. What is not served has no callers who notice a change. */
export function compareOperations(pair: Pair<Operation>, scope: OperationScope): void {
  const { before, after } = pair;
  const [was, is] = [isServed(before), isServed(after)];
  const sides = sidesOf(pair);
  if (was && is) compareAll(OPERATION, pair, scope);
  else if (was) scope.changes.add('operation-deactivated', scope, sides);
  else if (is) scope.changes.add('operation-activated', scope, sides);
}

function sidesOf({ before, after }: Pair<{ readonly at: Position }>, old = '', now = ''): Sides {
  return { before: { text: old, at: before.at }, after: { text: now, at: after.at } };
}

const isRest = ({ uris }: Operation): boolean => uris.length > 0;

/** Compares what both sides have over REST. */
function ofRest(compare: Compare<Operation, OperationScope>): Compare<Operation, OperationScope> {
  return (pair, scope) => {
    if (isRest(pair.before) && isRest(pair.after)) compare(pair, scope);
  };
}

const OPERATION: Comparison<Operation, OperationScope> = {
  // Names types, files of code and lines of logs.
  id: unseen,
  // Renamed and moved operations are paired, and reported, with their services.
  name: unseen,
  service: unseen,
  description: whenDifferent('description-changed', ({ description = '' }) => description),
  method: ofRest(whenDifferent('method-changed', ({ method = '' }) => method)),
  uris: (pair, scope) => {
    compareTransports(pair, scope);
    ofRest(compareAddresses)(pair, scope);
  },
  // Without an alias it is the name of the service, which is compared with it.
  pathName: ofRest(({ before, after }, scope) => {
    const [old, now] = [before, after].map(({ pathName, service }) => (pathName === service.name ? '' : pathName));
    if (old === now) return;
    scope.changes.add('alias-changed', scope, sidesOf({ before, after }, before.pathName, after.pathName));
  }),
  request: compareRequest,
  requestHeaders: ofRest(compareHeaders),
  body: ofRest(compareBodies),
  // Compared with the body.
  form: unseen,
  formStyles: unseen,
  soap: compareSoap,
  // Without tags of its own it has the id of the service, which is compared with it.
  tags: ofRest(({ before, after }, scope) => {
    if (before.tags?.join() === after.tags?.join()) return;
    const words = ({ tags, service }: Operation): string => (tags ?? [service.id]).join(', ') || 'none';
    scope.changes.add('tags-changed', scope, sidesOf({ before, after }, words(before), words(after)));
  }),
  requestTypes: ofRest(compareTypes),
  responses: ofRest(({ before, after }, scope) => {
    const positions = { before: before.at, after: after.at };
    compareForms(
      { before: before.responses, after: after.responses },
      { ...scope, role: 'reply' },
      positions,
      'media-type-added',
    );
  }),
  wrapper: ofRest((pair, scope) => {
    const isWrapped = (each: Operation): boolean => replyForms(each)[0]?.format === 'psnonxml';
    const [was, is] = [isWrapped(pair.before), isWrapped(pair.after)];
    if (was !== is)
      scope.changes.add(
        'wrapper-changed',
        { ...inside(scope, 'reply'), role: 'reply' },
        sidesOf(pair, was ? 'was' : 'was not', is ? 'is' : 'is not'),
      );
  }),
  status: ofRest(whenDifferent('status-changed', (operation) => String(replyStatus(operation)))),
  // Compared together with the status.
  exactStatus: unseen,
  fault: compareFaults,
  faultTypes: ofRest((pair, scope) => compareFaultTypes(pair, { ...scope, role: 'reply' })),
  answer: compareAnswers,
  writes: whenTurned('writes-begun', 'writes-ended', ({ writes }) => writes !== false),
  permissions: (pair, scope) => compareAccess(accessPair(pair, scope), scope),
  // Compared together with the permissions.
  public: unseen,
  requires: unseen,
  limits: unseen,
  strict: unseen,
  once: unseen,
  // Where a list is granted is not seen by callers, nor under which grants the code runs.
  grantedAt: unseen,
  as: unseen,
  // See compareOperations.
  active: unseen,
  at: unseen,
};

function accessPair({ before, after }: Pair<Operation>, { gateways }: OperationScope) {
  return { before: accessOf(before, gateways.before), after: accessOf(after, gateways.after) };
}

/** Compares over which of REST and SOAP an operation is offered. */
function compareTransports(pair: Pair<Operation>, scope: OperationScope): void {
  const { before, after } = pair;
  const name = ({ soap }: Operation): string => soap?.name ?? '';
  if (isRest(before) !== isRest(after))
    scope.changes.add(isRest(after) ? 'rest-added' : 'rest-removed', scope, sidesOf(pair));
  if ((before.soap === undefined) !== (after.soap === undefined))
    scope.changes.add(
      after.soap === undefined ? 'soap-removed' : 'soap-added',
      scope,
      sidesOf(pair, name(before), name(after)),
    );
}

function compareAddresses({ before, after }: Pair<Operation>, scope: OperationScope): void {
  const { strict } = accessOf(after, scope.gateways.after);
  const rules = { path: 'path-changed', strict, variables: 'request' } as const;
  const pairs = compareUris(before.uris, after.uris, scope, rules);
  const input = ({ request, requestHeaders }: Operation): Input => ({
    fields: request.kind === 'document' ? request.document.fields : [],
    headers: requestHeaders.map(({ field }) => field.name),
  });
  for (const pair of pairs)
    comparePlaces(pair, { before: input(before), after: input(after) }, { ...scope, role: 'request' });
}

/** The names of request fields that no body over REST has. */
function elsewhereIn({ request, uris }: Operation): readonly string[] {
  if (request.kind !== 'document') return [];
  const inBody = new Set(uris.flatMap(({ body }) => body.map(({ name }) => name)));
  return request.document.fields.map(({ name }) => name).filter((name) => !inBody.has(name));
}

/** The names of fields that each request over REST has in its URL. */
function givenIn({ uris }: Operation): ReadonlySet<string> {
  const [first = new Set<string>(), ...others] = uris.map(
    ({ variables }) => new Set(variables.filter(({ required }) => required).map(({ field }) => field.name)),
  );
  return new Set([...first].filter((name) => others.every((each) => each.has(name))));
}

function compareRequest({ before, after }: Pair<Operation>, scope: OperationScope): void {
  const positions = { before: before.at, after: after.at };
  const request: Scope = { ...scope, role: 'request' };
  if (isRest(before) && isRest(after)) {
    const [old, now] = [elsewhereIn(before), elsewhereIn(after)];
    const isXml =
      before.request.kind === 'document' &&
      before.uris.some((uri) => takesBody(before, uri)) &&
      hasXmlBody(before.request.document);
    // A field that is in a body on either side is compared there.
    const fields = (each: Operation): ReadonlySet<string> =>
      new Set(each.request.kind === 'document' ? each.request.document.fields.map(({ name }) => name) : []);
    const elsewhere = [
      ...old.filter((name) => now.includes(name) || !fields(after).has(name)),
      ...now.filter((name) => !fields(before).has(name)),
    ];
    const within = messageScope(
      { ...request, languages: isXml ? ['json', 'xml'] : ['json'] },
      'request',
      'the request',
      elsewhere,
    );
    compareRequests({ before: before.request, after: after.request }, { ...within, given: givenIn(before) }, positions);
    compareForeign({ before, after }, within);
  }
  if (before.soap === undefined || after.soap === undefined) return;
  const within = messageScope({ ...request, languages: ['xml'] }, 'request', 'the request');
  const forms = { before: before.soap, after: after.soap };
  compareRequests({ before: before.soap.request, after: after.soap.request }, overSoap(within, forms), positions);
}

/** Compares variables of URIs that are not fields of the request, by those of the same name. */
function compareForeign({ before, after }: Pair<Operation>, scope: DocumentScope): void {
  const foreign = ({ uris, request }: Operation) => {
    const own = request.kind === 'document' ? request.document.fields : [];
    const variables = uris.flatMap(({ variables }) => variables.map(({ field }) => field));
    return [...new Map(variables.filter((field) => !own.includes(field)).map((field) => [field.name, field])).values()];
  };
  const [old, now] = [foreign(before), foreign(after)];
  const shared = (fields: typeof old, others: typeof old) =>
    fields.filter(({ name }) => others.some((each) => each.name === name));
  const whole = (fields: typeof old, { at }: Operation) => ({
    ...{ id: '', xmlName: '', root: false, open: false, inPlace: true, at },
    fields: [...fields].sort((a, b) => (a.name < b.name ? -1 : 1)),
  });
  compareDocuments({ before: whole(shared(old, now), before), after: whole(shared(now, old), after) }, scope);
}

/** Where a comparison of an operation's forms over SOAP is. */
interface ProvidedScope extends SoapScope {
  readonly operations: Pair<Operation>;
}

function compareSoap(operations: Pair<Operation>, scope: OperationScope): void {
  const [before, after] = [operations.before.soap, operations.after.soap];
  if (before === undefined || after === undefined) return;
  const positions = { before: operations.before.at, after: operations.after.at };
  compareAll(SOAP_FORM, { before, after }, { ...scope, languages: ['xml'], operations, positions });
}

const SOAP_FORM: Comparison<SoapForm, ProvidedScope> = {
  ...SOAP_MESSAGES,
  name: ({ before, after }, scope) => {
    if (before.name !== after.name)
      scope.changes.add('soap-name-changed', scope, sidesOf(scope.operations, before.name, after.name));
  },
  action: ({ before, after }, scope) => {
    const { operations } = scope;
    // The version at its end is that of the service, which is compared with it.
    const action = (form: SoapForm, { service }: Operation): string =>
      form.action.replace(new RegExp(`\\.${service.version}$`), '');
    if (action(before, operations.before) === action(after, operations.after)) return;
    // The names of the operation are accepted whatever its action is.
    const usual = [after.name, `${operations.after.service.id}.${after.name}`];
    const isAccepted = usual.includes(action(before, operations.before)) || after.actions?.includes(before.action);
    const rule = isAccepted ? 'soap-action-declared' : 'soap-action-changed';
    scope.changes.add(rule, scope, sidesOf(operations, before.action, after.action));
  },
  actions: ({ before, after }, scope) => {
    const accepted = [after.action, ...(after.actions ?? [])];
    for (const each of before.actions ?? [])
      if (!accepted.includes(each))
        scope.changes.add('soap-action-changed', scope, sidesOf(scope.operations, each, after.action));
  },
  // See compareRequest.
  request: unseen,
  response: ({ before, after }, scope) => {
    const [was, is] = [before.response.kind !== 'none', after.response.kind !== 'none'];
    if (was !== is) scope.changes.add(is ? 'one-way-ended' : 'one-way-begun', scope, sidesOf(scope.operations));
    if (!was || !is) return;
    const reply = overSoap(messageScope({ ...scope, role: 'reply' }, 'reply', 'the reply'), { before, after });
    compareReply({ before: before.response, after: after.response }, reply, scope.positions);
  },
  // Only of calls.
  addressing: unseen,
};

function compareBodies(pair: Pair<Operation>, scope: OperationScope): void {
  const words = ({ body, form, formStyles, uris }: Operation): string => {
    if (form !== undefined) return formWords(form, formStyles);
    const [field] = uris.flatMap((uri) => uri.body);
    return body === 'raw' ? `the field ${field?.name ?? 'content'} alone` : 'a document';
  };
  const [old, now] = [words(pair.before), words(pair.after)];
  // What is new or no longer there is reported with its fields.
  if (pair.before.body === 'none' || pair.after.body === 'none' || old === now) return;
  scope.changes.add('body-changed', { ...inside(scope, 'request'), role: 'request' }, sidesOf(pair, old, now));
}

/** Compares the media types that a body may have. */
function compareTypes(pair: Pair<Operation>, scope: OperationScope): void {
  const { before, after } = pair;
  // Others come with another body or form, which is compared by itself.
  if (before.requestTypes === undefined && after.requestTypes === undefined) return;
  const typesOf = (operation: Operation): readonly string[] => {
    const uri = operation.uris.find((each) => takesBody(operation, each));
    return uri === undefined || operation.form !== undefined ? [] : acceptedTypes(operation, uri);
  };
  const [old, now] = [typesOf(before), typesOf(after)];
  if (old.length === 0 || now.length === 0) return;
  const within = (mediaType: string): Scope => {
    const languages: readonly WireLanguage[] = [/[/+]xml\b/.test(mediaType) ? 'xml' : 'json'];
    return { ...inside(scope, `request.${mediaType}`, 'the request'), role: 'request', languages };
  };
  for (const each of old)
    if (!now.includes(each)) scope.changes.add('request-type-removed', within(each), sidesOf(pair, each, ''));
  for (const each of now)
    if (!old.includes(each)) scope.changes.add('request-type-added', within(each), sidesOf(pair, '', each));
}

function compareHeaders({ before, after }: Pair<Operation>, scope: OperationScope): void {
  const rest: Scope = { ...scope, role: 'request', languages: ['json'] };
  const [old, now] = [before.requestHeaders, after.requestHeaders];
  const within = (header: string): Scope => inside(rest, `request.${header}`, header);
  const moved = (name: string, { uris }: Operation): boolean => uris.some((uri) => placesOf(uri, []).has(name));
  for (const { header, field } of old) {
    const same = now.find((each) => each.field.name === field.name);
    const sides = sidesOf({ before, after }, header, same?.header ?? '');
    if (same === undefined) {
      if (!moved(field.name, after)) scope.changes.add('header-removed', within(header), sides);
    } else if (same.header.toLowerCase() !== header.toLowerCase())
      scope.changes.add('header-renamed', within(header), sides);
  }
  for (const { header, field } of now) {
    if (old.some((each) => each.field.name === field.name) || moved(field.name, before)) continue;
    scope.changes.add(
      isGiven(field) ? 'required-header-added' : 'header-added',
      within(header),
      sidesOf({ before, after }, '', header),
    );
  }
}

function compareFaults(pair: Pair<Operation>, scope: OperationScope): void {
  const [old, now] = [pair.before.fault, pair.after.fault];
  if (old !== undefined && now !== undefined)
    compareDocuments({ before: old, after: now }, messageScope({ ...scope, role: 'reply' }, 'fault', 'the fault'));
  else if (old !== now)
    scope.changes.add(now === undefined ? 'fault-removed' : 'fault-added', inside(scope, 'fault'), sidesOf(pair));
}

/** Which code answers is not seen, but whether the reply comes at once, and how rows are paged. */
function compareAnswers(pair: Pair<Operation>, scope: OperationScope): void {
  const [old, now] = [pair.before.answer, pair.after.answer];
  const [was, is] = [old.kind === 'queue', now.kind === 'queue'];
  if (was !== is) scope.changes.add(is ? 'answer-queued' : 'answer-immediate', scope, sidesOf(pair));
  if (old.kind === 'queue' && now.kind === 'queue') compareLaterReplies(old, now, pair, scope);
  if (old.kind === 'query' && now.kind === 'query' && old.paging !== undefined && now.paging !== undefined) {
    // What callers may ask for are variables of the URI.
    const [a, b] = [orderOf(old.paging), orderOf(now.paging)];
    if (a !== b) scope.changes.add('row-order-changed', scope, sidesOf(pair, a, b));
  }
  if (old.kind === 'component' && now.kind === 'component') compareRecords(old.component, now.component, pair, scope);
}

/** Compares how a saved record is found, and how saves of an older one are noticed. */
function compareRecords(old: Component, now: Component, pair: Pair<Operation>, scope: OperationScope): void {
  const keys = (component: Component): string => component.keys.map(({ name }) => name).join(', ');
  const lock = (component: Component): string => component.lock?.name ?? 'none';
  for (const [rule, read] of [['record-keys-changed', keys] as const, ['lock-changed', lock] as const])
    if (read(old) !== read(now)) scope.changes.add(rule, scope, sidesOf(pair, read(old), read(now)));
}

type Queued = Extract<Answer, { readonly kind: 'queue' }>;

/** Compares the replies that come later, and where callers may have them sent. */
function compareLaterReplies(old: Queued, now: Queued, pair: Pair<Operation>, scope: OperationScope): void {
  // Over SOAP the address is in the headers, over REST in a field.
  const places = ({ replyTo }: Queued): readonly string[] =>
    replyTo?.nodes.flatMap(({ id }) => [
      id,
      ...(replyTo.field === undefined ? [] : [`${id}, by ${replyTo.field.name}`]),
    ]) ?? [];
  const [before, after] = [places(old), places(now)];
  for (const each of before)
    if (!after.includes(each)) scope.changes.add('reply-to-removed', scope, sidesOf(pair, each, ''));
  for (const each of after)
    if (!before.includes(each)) scope.changes.add('reply-to-added', scope, sidesOf(pair, '', each));
  const none = { kind: 'none' } as const;
  const later = messageScope({ ...scope, role: 'reply' }, 'later', 'the later reply');
  const positions = { before: pair.before.at, after: pair.after.at };
  compareReply({ before: old.reply ?? none, after: now.reply ?? none }, later, positions);
}

const orderOf = ({ order }: Paging): string =>
  order.map(({ column, descending }) => `${descending ? '-' : ''}${column.name}`).join(', ');
