import { segmentOf } from '../../describe/scope.ts';
import type { Answer, Operation, SoapForm } from '../../model/service.ts';
import type { JsonTree } from '../json-text.ts';
import { messageWords } from '../words.ts';
import { idsOf, membersOf, no, sortedIds, yes } from './tree.ts';

/** An operation of `registry.json`. `uris` are in the order of their index, which must never change. */
export function operationTree(operation: Operation): JsonTree {
  const { soap } = operation;
  return {
    service: operation.service.id,
    description: operation.description,
    ...(operation.method === undefined ? {} : restTree(operation)),
    soap: soap && soapTree(soap),
    fault: operation.fault?.id,
    answer: answerTree(operation.answer),
    writes: writesTree(operation),
    permissions: sortedIds(operation.permissions),
    public: yes(operation.public),
    as: operation.as?.id,
    requires: operation.public ? undefined : idsOf(operation.requires),
    limits: membersOf(Object.entries(operation.limits)),
    active: no(operation.active),
  };
}

function restTree(operation: Operation): object {
  return {
    method: operation.method,
    path: segmentOf(operation),
    uris: operation.uris.map(({ template }) => template.text),
    request: messageWords(operation.request),
    'request-headers': membersOf(operation.requestHeaders.map(({ header, field }) => [header, field.name])),
    body: operation.body,
    response: responseTree(operation),
    wrapper: operation.wrapper,
    status: operation.status,
  };
}

/** What its method and its answer do not say: that a GET writes, and when. */
function writesTree({ method, writes }: Operation): JsonTree | undefined {
  if (typeof writes === 'object') return membersOf(writes.map(({ field, value }) => [field.name, value]));
  return method === 'GET' || method === 'HEAD' ? yes(writes) : undefined;
}

/** What an operation or a consumer is over SOAP. */
export function soapTree({ name, request, response }: SoapForm): JsonTree {
  return { name, request: messageWords(request), response: messageWords(response) };
}

/** By media type, the default first. */
function responseTree(operation: Operation): JsonTree {
  return Object.fromEntries(operation.responses.map(({ mediaType, message }) => [mediaType, messageWords(message)]));
}

function answerTree(answer: Answer): JsonTree {
  switch (answer.kind) {
    case 'handler':
      return { handler: answer.file };
    case 'delivered':
      return { delivered: answer.name };
    case 'query':
      return { query: answer.query.id, maxrows: answer.maxrows?.name };
    case 'call':
      return { call: answer.call.id };
    case 'component':
      return { [answer.action === 'read' ? 'read' : 'save']: answer.component.id };
    case 'queries':
      return {
        query: Object.fromEntries(answer.lists.map(({ field, query }) => [field.name, query.id])),
        maxrows: answer.maxrows?.name,
      };
  }
}
