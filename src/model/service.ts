import type { UriTemplate } from '../wire/uri-template/uri-template.ts';
import type { Component, ComponentAction } from './component.ts';
import type { ConsumerOperation } from './consumer.ts';
import type { Position } from './definition.ts';
import type { Document } from './document.ts';
import type { Field } from './field.ts';
import type { Flow } from './flow.ts';
import { type BodyForm, type FormStyles, isFormType } from './form.ts';
import type { CallLimits, Gateway, Once } from './gateway.ts';
import type { Mapping } from './mapping.ts';
import type { MessageQueue, ReplyTo } from './message.ts';
import type { OperationIdentity } from './operation-names.ts';
import { type Paging, type Query, ROW_MEDIA_TYPES } from './query.ts';
import type { PermissionList, Role, SecurityScheme } from './security.ts';
import type { WsdlNames } from './wsdl.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Messages without a document, by their names in YAML. */
export const RAW_KINDS = ['json', 'xml', 'text', 'binary'] as const;
export type RawKind = (typeof RAW_KINDS)[number];

/** A request or response: a document, or text, XML, JSON or bytes without one. */
export type Message =
  | { readonly kind: 'none' }
  | { readonly kind: 'document'; readonly document: Document }
  | { readonly kind: 'raw'; readonly raw: RawKind };

/** A reply's form for one media type (`response: { text/csv: text }`). */
export interface MediaMessage {
  readonly mediaType: string;
  readonly message: Message;
}

/** A variable of a URI template with the request field that it fills. In the order of `template.variables`. */
export interface UriVariable {
  readonly field: Field;
  readonly place: 'path' | 'query';
  /** Name in the URI: `region` of `region={REGION}`, `maxrows` of `{?maxrows}`; in a path, the variable's own. */
  readonly wireName: string;
  readonly required: boolean;
}

/** One of an operation's URI templates. */
export interface OperationUri {
  /** The URI index, from 1. */
  readonly index: number;
  readonly template: UriTemplate;
  readonly variables: readonly UriVariable[];
  /** Request fields that neither this URI nor a header contains: the body. */
  readonly body: readonly Field[];
  /** Fields of this URI that the body may repeat with the same value: keys of a record that is saved. */
  readonly repeats: readonly Field[];
  readonly at: Position;
}

/** A header that corresponds to a field of the document. */
export interface HeaderBinding {
  readonly header: string;
  readonly field: Field;
}

/** What answers a provider operation. */
export type Answer =
  /** Code of the project: `<handlers>/<file>.ts`. */
  | { readonly kind: 'handler'; readonly file: string }
  /** Code of the package: `signalbox/query-execute`. */
  | { readonly kind: 'delivered'; readonly name: string }
  /** A stored query: the request has its prompts, and `rows` of the reply has its rows. */
  | { readonly kind: 'query'; readonly query: Query; readonly maxrows?: Field; readonly paging?: Paging }
  /** Several stored queries, whose rows each fill a list field of the reply. */
  | {
      readonly kind: 'queries';
      readonly lists: readonly { readonly field: Field; readonly query: Query }[];
      readonly maxrows?: Field;
    }
  /** A component: GET reads a record, POST creates, PUT creates or replaces, PATCH changes and DELETE deletes it. */
  | { readonly kind: 'component'; readonly component: Component; readonly action: ComponentAction }
  /** A call to another system: the request is its input, by field name, and its reply is the reply. */
  | { readonly kind: 'call'; readonly call: ConsumerOperation | Flow }
  /** Another operation of this gateway, such as that of a later version: its request is filled from the one that arrived. */
  | VersionAnswer
  /**
   * A queue: the request becomes a message, and the reply says its id. `reply` is the response that comes later, when one is
   * declared, and `replyTo` where callers may have it sent.
   */
  | { readonly kind: 'queue'; readonly queue: MessageQueue; readonly reply?: Message; readonly replyTo?: ReplyTo }
  /** The reply to a message of another operation with `queue:`, by the id of the message. `to` is the id of that operation. */
  | { readonly kind: 'reply'; readonly to: string };

/** Another operation as the answer, and how messages are converted from and to its own. */
export interface VersionAnswer {
  readonly kind: 'version';
  readonly operation: Operation;
  /** Everything that the operation takes, as one document: fields that each of its URIs requires are required. */
  readonly input: Document;
  readonly request: Mapping;
  /** For each message of a reply, what it is filled from. Media types with the same document share a message. */
  readonly replies: readonly VersionReply[];
}

/** One message of a reply that another operation gives. */
export interface VersionReply {
  readonly message: Message;
  /** The message of the other operation. */
  readonly from: Message;
  /** Absent for messages without a document, which are passed on as they are. */
  readonly mapping?: Mapping;
}

/**
 * An operation over SOAP. In document/literal wrapped the request element has the operation's name, and the reply element is
 * `<name>Response`, both in the service's namespace (`<namespace of the gateway>:<Service>.<version>`); {@link soapElements}.
 */
export interface SoapForm {
  /** The operation's name, or that of its SOAP twin. */
  readonly name: string;
  /** The SOAPAction (1.1) or `action=` (1.2): `<name>.<version>` unless declared; may be empty. */
  readonly action: string;
  /** Further actions that callers may send. */
  readonly actions?: readonly string[];
  /** The namespace of the elements around messages; that of the service if absent. */
  readonly namespace?: string;
  /** In rpc/literal, the namespace of the element around a reply; that of a request if absent. */
  readonly replyNamespace?: string;
  /** The name of the element around a reply; `<name>Response` if absent. */
  readonly replyElement?: string;
  /** Calls have the header blocks of WS-Addressing. */
  readonly addressing?: true;
  /** All fields of the request, which are body over SOAP. */
  readonly request: Message;
  /** `none` for a one-way operation. */
  readonly response: Message;
  /**
   * `bare`: the root elements of the documents are in the Body. `rpc`: rpc/literal, the fields are elements without a namespace
   * in the element of the operation. Document/literal wrapped if absent.
   */
  readonly style?: 'bare' | 'rpc';
  /** Faults that code raises by their names, in addition to the fault document of the operation. */
  readonly faults?: readonly NamedFault[];
}

/** A fault of an operation over SOAP, whose document is in the detail. */
export interface NamedFault {
  readonly name: string;
  readonly document: Document;
}

/**
 * Whether a call changes stored data or enters work: never (it is safe, RFC 9110 section 9.2.1), always, or if a field of its
 * request has one of these values.
 */
export type Writes = boolean | readonly { readonly field: Field; readonly value: string }[];

/** An operation that the gateway provides: over REST if it has URIs, over SOAP if it has a SOAP form. */
export interface Operation extends OperationIdentity {
  readonly service: Service;
  readonly description?: string;
  /** Absent for an operation that is SOAP only, which has no URIs either. */
  readonly method?: Method;
  readonly soap?: SoapForm;
  /** In order of URI index. */
  readonly uris: readonly OperationUri[];
  /** The service's segment in paths, without the version: its alias or name. */
  readonly pathName: string;
  readonly request: Message;
  /** Fields of the request that come from headers, for all URIs. */
  readonly requestHeaders: readonly HeaderBinding[];
  /** Body of a request: fields in JSON, one field alone, or none. */
  readonly body: 'none' | 'document' | 'raw';
  /** A body of fields is a form, with a part or a field for each. */
  readonly form?: BodyForm;
  /** How fields of a urlencoded form are written, where that is declared. */
  readonly formStyles?: FormStyles;
  /** Media types that the body of a request is declared to have, the usual one first; absent for those of its kind. */
  readonly requestTypes?: readonly string[];
  /** The possible replies, at least one; the first is the default. */
  readonly responses: readonly MediaMessage[];
  readonly wrapper?: 'psnonxml';
  /** Status of a successful reply. */
  readonly status: number;
  /** The status is declared: a reply without a body has it too, rather than 204. */
  readonly exactStatus?: true;
  readonly fault?: Document;
  /** Media types that error replies over REST are declared to have. */
  readonly faultTypes?: readonly string[];
  readonly answer: Answer;
  readonly writes: Writes;
  /** Lists that grant it, by `permission:` or by an entry of the list. Empty only if `public`. */
  readonly permissions: readonly PermissionList[];
  /** Where each list is granted; absent for definitions that are in no file. */
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly public: boolean;
  /** Accepted schemes; a caller uses one of them. */
  readonly requires: readonly SecurityScheme[];
  /** The role whose grants apply to everything that the handler uses, in place of the caller's. */
  readonly as?: Role;
  readonly limits: CallLimits;
  /** Tags in the OpenAPI description; the id of the service if absent. */
  readonly tags?: readonly string[];
  /** Whether unknown query parameters are refused; the gateway's by default. */
  readonly strict?: boolean;
  /** How repeated calls get the first answer, `false` for not at all; the gateway's by default. See {@link onceOf}. */
  readonly once?: Once | false;
  readonly active: boolean;
  readonly at: Position;
}

/** A named, versioned group of operations. */
export interface Service {
  /** `Locations.v1`. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  /** XML namespace of its messages; see {@link serviceNamespace}. */
  readonly namespace?: string;
  /** Paths without a version lead to this one. */
  readonly default: boolean;
  readonly active: boolean;
  /** `since` and `sunset` are dates, yyyy-MM-dd (RFC 9745, RFC 8594). */
  readonly deprecated?: { readonly since?: string; readonly sunset?: string };
  /** Provided operations. */
  readonly operations: readonly Operation[];
  /** Operations of another system (`target:`). */
  readonly consumers: readonly ConsumerOperation[];
  readonly flows: readonly Flow[];
  /** Origins whose pages may call it from a browser; those of the gateway by default. */
  readonly cors?: readonly string[];
  /** Whether its WSDL offers or requires WS-Addressing. Messages with its header blocks are accepted in any case. */
  readonly addressing?: 'optional' | 'required';
  /** Names in its WSDL that do not follow from its id. */
  readonly wsdl?: WsdlNames;
  /** Part of the package. */
  readonly delivered: boolean;
  readonly at: Position;
}

/** Something that an answer uses and that has grants of its own. */
interface Reached {
  readonly kind: 'query' | 'component' | 'consumer' | 'operation';
  readonly thing: Query | Component | ConsumerOperation | Operation;
}

/** The answer at the end of operations that answer each other. */
export function finalAnswer({ answer }: Pick<Operation, 'answer'>): Exclude<Answer, VersionAnswer> {
  return answer.kind === 'version' ? finalAnswer(answer.operation) : answer;
}

/** What an answer uses, without duplicates; `undefined` for code, where it is not known before it runs. */
export function reachedBy(answer: Answer): readonly Reached[] | undefined {
  switch (answer.kind) {
    case 'query':
      return [{ kind: 'query', thing: answer.query }];
    case 'queries':
      return [...new Set(answer.lists.map(({ query }) => query))].map((thing) => ({ kind: 'query', thing }));
    case 'component':
      return [{ kind: 'component', thing: answer.component }];
    case 'call':
      return [...new Set(operationsOf(answer.call))].map((thing) => ({ kind: 'consumer', thing }));
    case 'version': {
      const { operation } = answer;
      // With a role of its own, the rest does not depend on who calls.
      const rest = operation.as === undefined ? reachedBy(operation.answer) : undefined;
      return [{ kind: 'operation', thing: operation }, ...(rest ?? [])];
    }
    case 'queue':
    case 'reply':
      return [];
    case 'handler':
    case 'delivered':
      return undefined;
  }
}

/** The operations that a call or a flow consists of, in order. */
export function operationsOf(call: ConsumerOperation | Flow): readonly ConsumerOperation[] {
  return 'steps' in call ? call.steps.map(({ operation }) => operation) : [call];
}

/** One form of a reply over REST. */
export interface ReplyForm {
  /** In lower case, with the parameters that are declared. */
  readonly mediaType: string;
  /**
   * `psnonxml` is JSON text inside an XML element, `multipart` a part for each field; `csv` and `xlsx` are the rows of a query as
   * a file; `raw` has no document.
   */
  readonly format: 'json' | 'xml' | 'psnonxml' | 'multipart' | 'csv' | 'xlsx' | 'raw';
  readonly message: Message;
}

/** The forms of an operation's reply, the default first; with the wrapper psnonxml, JSON inside XML and then JSON. */
export function replyForms({ responses, wrapper, answer }: Operation): readonly ReplyForm[] {
  const areRows = finalAnswer({ answer }).kind === 'query';
  const listed = responses.map(({ mediaType, message }): ReplyForm => {
    const [essence = '', ...parameters] = mediaType.split(/\s*;\s*/);
    const type = essence.toLowerCase();
    return { mediaType: [type, ...parameters].join(';'), format: formatOf(type, message, areRows), message };
  });
  const json = listed.find(({ format }) => format === 'json');
  if (wrapper === undefined || json === undefined) return listed;
  return [{ ...json, mediaType: 'application/xml', format: 'psnonxml' }, json];
}

/** The media type of a fault document over REST: the first one that is declared of its format. */
export function faultType({ faultTypes = [] }: Pick<Operation, 'faultTypes'>, format: 'json' | 'xml'): string {
  const isOf = (mediaType: string): boolean => XML_TYPE.test(mediaType.split(/\s*;/)[0] ?? '') === (format === 'xml');
  return faultTypes.find(isOf) ?? `application/${format}`;
}

const XML_TYPE = /^(?:application|text)\/xml$|\+xml$/i;

function formatOf(mediaType: string, message: Message, areRows: boolean): ReplyForm['format'] {
  if (message.kind !== 'document')
    return (areRows && (['csv', 'xlsx'] as const).find((format) => ROW_MEDIA_TYPES[format] === mediaType)) || 'raw';
  if (isFormType(mediaType)) return 'multipart';
  return XML_TYPE.test(mediaType) ? 'xml' : 'json';
}

/** Status of a successful reply without a body. */
export function emptyStatus({ status, exactStatus }: Pick<Operation, 'status' | 'exactStatus'>): number {
  return status === 200 && exactStatus === undefined ? 204 : status;
}

/** Status of a reply that is not a fault: 204 when nothing is sent and no status is declared. */
export function replyStatus(operation: Operation): number {
  const sendsNothing = replyForms(operation).every(({ message }) => message.kind === 'none');
  return sendsNothing ? emptyStatus(operation) : operation.status;
}

/** How repeated calls of an operation get the first answer; `undefined` if each one runs. */
export function onceOf({ once, writes, service }: Operation, gateway: Pick<Gateway, 'once'>): Once | undefined {
  if (writes === false || service.delivered || once === false) return undefined;
  return once ?? gateway.once;
}

/** Whether requests to a URI of the operation carry a body. */
export function takesBody({ body }: Operation, uri: OperationUri): boolean {
  return body === 'raw' || (body === 'document' && uri.body.length + uri.repeats.length > 0);
}

/**
 * Whether a request body may be XML. A patch (RFC 7396) may not: null clears a field, and XML has no null that every tool
 * writes.
 */
export function hasXmlBody({ patch }: Document): boolean {
  return patch === undefined;
}

/**
 * The XML namespace of a service's messages: its own if it declares one, else `<prefix>:<Service>.<version>`.
 * @param prefix of the gateway (`namespace:` of gateway.yaml)
 */
export function serviceNamespace({ namespace, id }: Pick<Service, 'namespace' | 'id'>, prefix: string): string {
  return namespace ?? `${prefix}:${id}`;
}

/** The action of a reply over SOAP that is sent to an address (WS-Addressing): an IRI, which WSDL states. */
export function replyAction({ soap, service }: { soap: SoapForm; service: Service }, prefix: string): string {
  return replyActionIn(soap, serviceNamespace(service, prefix));
}

/** The same in the namespace of a service. */
export function replyActionIn({ name }: Pick<SoapForm, 'name'>, namespace: string): string {
  return `${namespace}${namespace.startsWith('urn:') ? ':' : '/'}${name}Response`;
}
