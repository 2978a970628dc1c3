import { validateHeaderValue } from 'node:http';
import type { Format } from '../../binding/message.ts';
import { isAttachment } from '../../codec/index.ts';
import { deliveredHandlers } from '../../delivered/index.ts';
import { answerByMessage, answerByReply } from '../../messaging/serve/by-message.ts';
import { bareField, type Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { type Answered, type Handler, type Outcome, type PassedBytes, Reply } from '../../model/handler.ts';
import { PAGE_VARIABLES, type Paging, type Query } from '../../model/query.ts';
import { type Message, type Operation, serviceNamespace } from '../../model/service.ts';
import { soapElements } from '../../model/soap.ts';
import type { Attachment, DocumentValue, Value } from '../../model/value.ts';
import { compilePages, compilePrompts, type XmlNames } from '../../query/index.ts';
import { dispositionOf } from '../../wire/multipart/content-disposition.ts';
import { answerByCall, messageFor } from './by-call.ts';
import { answerByComponent, compilePath } from './by-component.ts';
import { answerByVersion } from './by-version.ts';
import { type Answerer, type AnswerPorts, begun, type Call, type Handlers } from './call.ts';
import { faultOfCall } from './failed-call.ts';
import type { WorkPorts } from './work.ts';

/**
 * Binds an operation to the function that answers it.
 * @throws Error when a handler is missing; `check` and the handler loader reject that earlier
 */
export function compileAnswer(operation: Operation, handlers: Handlers, ports: AnswerPorts): Answerer {
  const { answer } = operation;
  switch (answer.kind) {
    case 'handler': {
      const handler = handlers.get(answer.file);
      if (handler === undefined) throw new Error(`${operation.id} has no handler ${answer.file}`);
      return answerByCode(operation, handler, ports);
    }
    case 'delivered': {
      const make = deliveredHandlers.get(answer.name);
      if (make === undefined) throw new Error(`${operation.id} names ${answer.name}, which is not in the package`);
      const { registry, queries, services, base } = ports;
      const handler = make({ registry, queries, ...services, base });
      return {
        answer: (input, call, as) => handler.onRequest(input, call, as === 'xml' || as === 'soap' ? as : 'json'),
        formatOf: handler.formatOf,
      };
    }
    case 'component':
      return answerByComponent(operation, answer.component, answer.action, ports);
    case 'call':
      return answerByCall(operation, answer.call, ports);
    case 'version':
      return answerByVersion(operation, answer, ports, (other) => compileAnswer(other, handlers, ports));
    case 'queue':
      return answerByMessage(operation, ports);
    case 'reply':
      return answerByReply(answer.to, ports);
    case 'query':
      return answer.paging === undefined
        ? answerByQuery(operation, answer.query, answer.maxrows?.name, ports)
        : answerByPages(operation, answer.query, answer.paging, ports);
    case 'queries':
      return answerByQueries(answer.lists, answer.maxrows?.name, ports);
  }
}

/** Code may return a thenable that is not a promise, such as a query builder. */
function isThenable(answered: Answered | PromiseLike<Answered>): answered is PromiseLike<Answered> {
  return typeof (answered as Partial<PromiseLike<Answered>> | undefined)?.then === 'function';
}

/** The field whose value is a whole message. */
function wholeField(message: Message): Field | undefined {
  return message.kind === 'document' ? bareField(message.document) : undefined;
}

/** The content of a binary reply, as code returned it. @throws TypeError when its media type can't be sent */
function bytesOf(
  content: Attachment,
  { status, headers = {} }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> },
): PassedBytes {
  const { contentType, name, length } = content;
  validateHeaderValue('Content-Type', contentType);
  const named = name === undefined ? {} : { 'Content-Disposition': dispositionOf(name) };
  return {
    ...{ contentType, length, headers: { ...named, ...headers } },
    ...(status === undefined ? {} : { status }),
    body: () => content.stream(),
  };
}

const isBinary = (message: Message | undefined): boolean => message?.kind === 'raw' && message.raw === 'binary';

function answerByCode(operation: Operation, handler: Handler, { registry }: WorkPorts): Answerer {
  const { onError } = handler;
  const isBare = operation.responses.some(({ message }) => wholeField(message) !== undefined);
  const wholeOf = (outcome: Outcome, as: Format): Outcome => {
    const whole = isBare && outcome.kind === 'value' ? wholeField(messageFor(operation, as)) : undefined;
    if (whole === undefined || outcome.kind !== 'value') return outcome;
    return { ...outcome, value: { [whole.name]: outcome.value } };
  };
  const hasBinary = [...operation.responses.map(({ message }) => message), operation.soap?.response].some(isBinary);
  const withContent = (outcome: Outcome, as: Format): Outcome => {
    // Over SOAP it is part of a message.
    if (as === 'soap') return outcome;
    const content: unknown = hasBinary && outcome.kind === 'value' ? outcome.value : undefined;
    if (outcome.kind !== 'value' || !isAttachment(content) || !isBinary(messageFor(operation, as))) return outcome;
    return { kind: 'bytes', bytes: bytesOf(content, outcome) };
  };
  const failed = (error: unknown): never => {
    throw faultOfCall(error, registry);
  };
  const outcomeOf = (reply: Answered, call: Call, as: Format): Outcome | Promise<Outcome> => {
    const given: Outcome = reply instanceof Reply ? reply.outcome : { kind: 'value', value: reply as DocumentValue };
    const outcome = withContent(given, as);
    if (outcome.kind === 'value') return wholeOf(outcome, as);
    // The first bytes sent of stored content need not be its first bytes (ranges), so they are awaited once the range is
    // known.
    if (outcome.bytes.stored !== undefined) return outcome;
    return begun(outcome.bytes, call).then((bytes) => ({ kind: 'bytes', bytes }), failed);
  };
  return {
    answer(input, call, as) {
      const answered = handler.onRequest(input as never, call);
      if (!isThenable(answered)) return outcomeOf(answered, call, as);
      return Promise.resolve(answered).then((reply) => outcomeOf(reply, call, as), failed);
    },
    ...(onError === undefined
      ? {}
      : { onError: (fault, input, call) => onError.call(handler, fault, input as never, call) }),
  };
}

/** `query: NAME`: the reader's rows already are the bytes of the reply. */
function answerByQuery(
  operation: Operation,
  query: Query,
  maxrows: string | undefined,
  { queries, registry }: WorkPorts,
): Answerer {
  const inXml = operation.responses.find(({ mediaType }) => mediaType === 'application/xml')?.message;
  const names =
    inXml?.kind === 'document' ? xmlNames(operation, inXml.document, query, registry.gateway.namespace) : undefined;
  const entryOf = withoutNulls(query.columns);
  const forms = new Map<Format, XmlNames>();
  if (names !== undefined) forms.set('xml', names);
  const { soap } = operation;
  const root = soap && soapElements({ ...operation, soap }, registry.gateway.namespace).reply;
  if (names !== undefined && root !== undefined && soap?.style !== 'rpc' && soap?.namespace === undefined)
    forms.set('soap', { ...names, root: root.name });
  return {
    async answer(input, call, as) {
      call.authorise(query);
      const given = {
        query,
        prompts: promptsOf(query, input),
        signal: call.signal,
        caller: call.sharer,
        ...limitOf(input, maxrows),
      };
      if (as === 'json') return { kind: 'bytes', bytes: await queries.run({ ...given, format: 'rows-json' }) };
      if (as === 'csv' || as === 'xlsx') {
        const file = await queries.run({ ...given, format: as });
        const headers = { 'Content-Disposition': dispositionOf(`${query.id}.${as}`), ...file.headers };
        return { kind: 'bytes', bytes: { ...file, headers } };
      }
      const xml = forms.get(as);
      if (xml !== undefined) {
        return { kind: 'bytes', bytes: await queries.run({ ...given, format: 'rows-xml', xml }) };
      }
      const rows = await queries.rows({ ...given, onTruncated: () => call.onTruncated() });
      return { kind: 'value', value: { rows: rows.map(entryOf) } };
    },
  };
}

/** `query: NAME` with `paging`: the rows of one page, and the address of the next. */
function answerByPages(
  operation: Operation,
  query: Query,
  paging: Paging,
  { queries, base }: Pick<AnswerPorts, 'queries' | 'base'>,
): Answerer {
  const read = compilePages(query, paging, operation.id, queries);
  const entryOf = withoutNulls(query.columns);
  const links = new Map(operation.uris.map((uri) => [uri.index, compilePath(uri)]));
  return {
    async answer(input, call) {
      call.authorise(query);
      const { rows, ...page } = await read(input, { signal: call.signal, caller: call.sharer });
      const value = { rows: rows.map(entryOf), ...page };
      const linkTo = links.get(call.uriIndex);
      if (page.next === undefined || linkTo === undefined) return { kind: 'value', value };
      const path = linkTo({ ...input, [PAGE_VARIABLES.after]: page.next });
      const { pathName, service } = operation;
      const target = `${base()}/RESTListeningConnector/${pathName}.${service.version}/${path}`;
      return { kind: 'value', value, headers: { Link: `<${target}>; rel="next"` } };
    },
  };
}

/** `query: { FIELD: NAME }`: the rows of each query fill one list of the reply document. */
function answerByQueries(
  lists: readonly { readonly field: Field; readonly query: Query }[],
  maxrows: string | undefined,
  { queries }: WorkPorts,
): Answerer {
  const filled = lists.map(({ field, query }) => {
    return { name: field.name, query, read: compilePrompts(query).fromValues, entry: compileEntry(field) };
  });
  return {
    async answer(input, call) {
      for (const { query } of filled) call.authorise(query);
      const { signal } = call;
      const onTruncated = (): void => call.onTruncated();
      const limit = limitOf(input, maxrows);
      const found = filled.map(async ({ name, query, read, entry }): Promise<[string, Value]> => {
        const rows = await queries.rows({
          query,
          prompts: read(promptsOf(query, input)),
          signal,
          caller: call.sharer,
          onTruncated,
          ...limit,
        });
        return [name, rows.map(entry)];
      });
      return { kind: 'value', value: Object.fromEntries(await Promise.all(found)) };
    },
  };
}

/** Converts a row to a list entry: only the columns that the list's document declares, or all when it is open. */
function compileEntry({ type, name }: Field): (row: DocumentValue) => DocumentValue {
  if (type.kind !== 'list' || type.item.kind !== 'document') throw new TypeError(`${name} can't hold rows`);
  const { open, fields } = type.item.document;
  if (open) return withoutNulls(fields);
  const names = fields.map((field) => field.name);
  const nullable = nullableIn(fields);
  return (row) => {
    const entry: Record<string, Value> = {};
    for (const each of names) {
      const value = row[each];
      if (value !== undefined && (value !== null || nullable.has(each))) entry[each] = value;
    }
    return entry;
  };
}

function xmlNames(operation: Operation, document: Document, query: Query, namespace: string): XmlNames {
  const [rows] = document.fields;
  if (rows?.type.kind !== 'list' || rows.type.item.kind !== 'document') {
    throw new TypeError(`${operation.id} has no list for the rows of ${query.id}`);
  }
  const own = document.namespace ?? serviceNamespace(operation.service, namespace);
  return { root: document.xmlName, namespace: own, list: rows.xmlName, item: rows.type.item.document.xmlName };
}

function promptsOf(query: Query, input: DocumentValue): Record<string, Value> {
  const prompts: Record<string, Value> = {};
  for (const { name } of query.prompts) prompts[name] = input[name];
  return prompts;
}

function limitOf(input: DocumentValue, maxrows: string | undefined): { maxrows?: number } {
  const given = maxrows === undefined ? undefined : input[maxrows];
  return given === undefined ? {} : { maxrows: Number(given) };
}

/** A missing value is left out of a document, and so is an SQL NULL unless the field is nullable. */
function withoutNulls(fields: readonly Field[]): (row: DocumentValue) => DocumentValue {
  const nullable = nullableIn(fields);
  return (row) => {
    const value: Record<string, Value> = {};
    for (const name in row) if (row[name] !== null || nullable.has(name)) value[name] = row[name];
    return value;
  };
}

function nullableIn(fields: readonly Field[]): ReadonlySet<string> {
  return new Set(fields.flatMap((field) => (field.nullable ? field.name : [])));
}
