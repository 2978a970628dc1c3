import type { Client } from '../invoke/index.ts';
import { asConsumer } from '../invoke/index.ts';
import { acceptedTypesOf, type CallHeader, type RestConsumer } from '../model/consumer.ts';
import { everyField } from '../model/derivation.ts';
import { bareField } from '../model/document.ts';
import type { Reply } from '../model/handler.ts';
import { NODE_DEFAULTS, type Node } from '../model/node.ts';
import type { Registry } from '../model/registry.ts';
import { CALL_RETRY } from '../model/retry.ts';
import type { Message, Operation, OperationUri } from '../model/service.ts';
import type { DocumentValue } from '../model/value.ts';
import { literal } from './database.ts';

/** A user of the test's own, and its password. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

type Handled = { onRequest(request: never, context: never): unknown };

/** What an operation takes: the request of its handler, when the types of the handlers are known. */
export type RequestOf<H> = H extends { onRequest(request: infer Request, context: never): unknown } ? Request : never;

/** What it replies. */
export type ReplyOf<H> = H extends Handled ? Exclude<Awaited<ReturnType<H['onRequest']>>, Reply> : never;

/** An operation of the project; editors complete those that handlers answer. */
type OperationName<H> = (keyof H & string) | (string & {});

/** The parameter of a call. It is decided by the name alone, so that the compiler reports a wrong field as such. */
type InputOf<H, Id> = Id extends keyof H ? [input: RequestOf<H[Id]>] : [input?: DocumentValue];

// biome-ignore lint/suspicious/noExplicitAny: an operation that no handler answers has no type here
type ValueOf<H, Id> = Id extends keyof H ? ReplyOf<H[Id]> : any;

/** Calls the gateway of a test as one user, or as nobody. `H` is `Handlers` of `generated/handlers.ts`. */
export interface TestCaller<H> {
  /** The id of its user; `undefined` for nobody. */
  readonly user: string | undefined;
  /**
   * Requests a path of the gateway, such as `/gateway/RESTListeningConnector/Hello.v1/Hello/World`, with the credentials of the
   * user. Like `fetch` it rejects only when no reply arrives.
   */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /**
   * Calls an operation over REST, or over SOAP when it has no other form, and returns the value of the reply.
   * @throws ReplyFault, SoapFault, InvokeError with `httpResponseCode`, when the gateway does not reply with success
   */
  call<Id extends OperationName<H>>(operation: Id, ...input: InputOf<H, Id>): Promise<ValueOf<H, Id>>;
  /** The same over SOAP. */
  soap<Id extends OperationName<H>>(operation: Id, ...input: InputOf<H, Id>): Promise<ValueOf<H, Id>>;
}

interface CallerPorts {
  readonly registry: Registry;
  /** `http://127.0.0.1:40123`. */
  readonly address: string;
  readonly client: Client;
  readonly find: (operation: string) => Operation;
}

export function createCaller<H>(
  { registry, address, client, find }: CallerPorts,
  credentials: Credentials | undefined,
): TestCaller<H> {
  const { context } = registry.gateway;
  const basic =
    credentials === undefined
      ? undefined
      : `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`;
  const call = async (operation: Operation, input: DocumentValue, isSoap: boolean): Promise<unknown> => {
    const url = `${address}/${context}/`;
    const consumer = isSoap
      ? asConsumer(operation, nodeAt(`${url}PeopleSoftServiceListeningConnector`), input)
      : restConsumer(operation, url);
    const options = credentials === undefined ? {} : { credential: credentials };
    const uriIndex = isSoap ? {} : { uriIndex: uriIndexOf(operation, input) };
    const { value } = await client.call(consumer, wrapped(operation.request, input), { ...options, ...uriIndex });
    const bare = bareIn(isSoap ? operation.soap?.response : operation.responses[0]?.message);
    return bare === undefined ? value : value[bare];
  };
  return {
    user: credentials?.user,
    fetch(path, init = {}) {
      const headers = new Headers(init.headers);
      if (basic !== undefined && !headers.has('authorization')) headers.set('authorization', basic);
      return fetch(new URL(path, address), { ...init, headers });
    },
    call: (name, input = {}) => {
      const operation = find(name);
      return call(operation, input as DocumentValue, operation.uris.length === 0) as never;
    },
    soap: (name, input = {}) => call(find(name), input as DocumentValue, true) as never,
  };
}

/** The name of the field whose value is the whole message. */
function bareIn(message: Message | undefined): string | undefined {
  return message?.kind === 'document' ? bareField(message.document)?.name : undefined;
}

/** A message as calls give it: what handlers get as a list or a single value is in a field. */
function wrapped(message: Message, input: DocumentValue): DocumentValue {
  const bare = bareIn(message);
  return bare === undefined ? input : { [bare]: input };
}

function nodeAt(url: string): Node {
  const at = { file: 'test', line: 1, column: 1 };
  const circuit = { failures: 0, reset: 1 };
  return { ...NODE_DEFAULTS, id: 'test', base: [literal(url)], circuit, retry: { ...CALL_RETRY, attempts: 1 }, at };
}

/** A provided operation turned into one that is called over REST. */
function restConsumer(operation: Operation, url: string): RestConsumer {
  const { id, name, service, pathName, method, request, responses, fault, permissions, active, at } = operation;
  if (method === undefined) throw new TypeError(`${id} is called over SOAP only`);
  const variables = operation.uris.flatMap((uri) => uri.variables.map(({ field }) => field));
  const declared = request.kind === 'document' ? everyField(request.document) : [];
  const fields = [...new Set([...declared, ...variables])];
  const document = request.kind === 'document' ? request.document : { ...EMPTY, id, xmlName: id, at };
  const [field] = operation.uris[0]?.body ?? [];
  const raw = request.kind === 'raw' ? request.raw : 'json';
  const alone: RestConsumer['body'] = field === undefined ? { kind: 'raw', raw } : { kind: 'field', field };
  const content = field === undefined && operation.body === 'raw' ? [contentField(raw, at)] : [];
  const headers = operation.requestHeaders.map(
    ({ header, field }): CallHeader => ({
      name: header,
      text: { source: `{${field.name}}`, parts: [{ kind: 'value', field }] },
    }),
  );
  const [requestType] = operation.body === 'none' ? [] : (operation.requestTypes ?? []);
  const type: CallHeader[] =
    requestType === undefined ? [] : [{ name: 'Content-Type', text: { ...literal(requestType) } }];
  const isJson = operation.wrapper !== undefined;
  const accept: CallHeader = { name: 'Accept', text: { ...literal('application/json') } };
  return {
    ...{ kind: 'rest', id, name, service, method, host: false, permissions, public: operation.public, active, at },
    target: nodeAt(`${url}RESTListeningConnector/${pathName}.${service.version}`),
    uris: operation.uris,
    input: { ...document, fields: [...fields, ...content] },
    filled: new Map(),
    headers: [...type, ...headers, ...(isJson ? [accept] : [])],
    body: { none: { kind: 'none' as const }, document: { kind: 'document' as const, document }, raw: alone }[
      operation.body
    ],
    responses,
    accepts: acceptedTypesOf(operation),
    ...(fault === undefined ? {} : { fault }),
    ...(operation.faultTypes === undefined ? {} : { faultTypes: operation.faultTypes }),
    properties: { base64ToBinary: false, bodyAsBuilt: true, compress: false, acceptCompressed: true },
  };
}

const EMPTY = { root: false, open: false, inPlace: true, fields: [] } as const;

function contentField(
  kind: 'json' | 'xml' | 'text' | 'binary',
  at: Node['at'],
): RestConsumer['input']['fields'][number] {
  return {
    ...{ name: 'content', jsonName: 'content', xmlName: 'content', type: { kind }, required: false, at },
    ...{ anyCase: false, sensitive: false, attribute: false, absent: 'omit', url: 'segment' },
  };
}

/** The index of the URI that takes most of an input, of those whose required variables it has. */
function uriIndexOf({ uris }: Operation, input: DocumentValue): number {
  const given = ({ field }: OperationUri['variables'][number]): boolean => input[field.name] !== undefined;
  const fitting = uris.filter(({ variables }) => variables.every((each) => !each.required || given(each)));
  const most = fitting.toSorted((a, b) => b.variables.filter(given).length - a.variables.filter(given).length);
  return (most[0] ?? uris[0])?.index ?? 1;
}
