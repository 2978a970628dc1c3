import type { UriTemplate } from '../wire/uri-template/uri-template.ts';
import type { Component, ComponentAction } from './component.ts';
import type { ConsumerOperation } from './consumer.ts';
import type { Position } from './definition.ts';
import type { Document } from './document.ts';
import type { Field } from './field.ts';
import type { Flow } from './flow.ts';
import type { CallLimits } from './gateway.ts';
import type { OperationIdentity } from './operation-names.ts';
import type { Query } from './query.ts';
import type { PermissionList, Role, SecurityScheme } from './security.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Messages without a document, by the words that stand for them in YAML. */
export const RAW_KINDS = ['json', 'xml', 'text', 'binary'] as const;
export type RawKind = (typeof RAW_KINDS)[number];

/** What travels: a document, or text, XML, JSON or bytes without one. */
export type Message =
  | { readonly kind: 'none' }
  | { readonly kind: 'document'; readonly document: Document }
  | { readonly kind: 'raw'; readonly raw: RawKind };

/** A reply's form for one media type, where the operation maps them (`response: { text/csv: text }`). */
export interface MediaMessage {
  readonly mediaType: string;
  readonly message: Message;
}

/** One variable of a URI template, tied to the request field that it fills. Aligned with `template.variables`. */
export interface UriVariable {
  readonly field: Field;
  readonly place: 'path' | 'query';
  /** Name on the wire: `region` of `region={REGION}`, `maxrows` of `{?maxrows}`; the variable's own in a path. */
  readonly wireName: string;
  readonly required: boolean;
}

/** One of an operation's URI templates. */
export interface OperationUri {
  /** The URI index, from 1. */
  readonly index: number;
  readonly template: UriTemplate;
  readonly variables: readonly UriVariable[];
  /** Request fields that neither this URI nor a header names: the body. */
  readonly body: readonly Field[];
  /** Fields that this URI names and the body may say again, with the same value: keys of a record that is saved. */
  readonly repeats: readonly Field[];
  readonly at: Position;
}

/** A request or reply header that a field of the document fills or is filled by. */
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
  /** The prompts are the request, the rows are the reply's `rows`. */
  | { readonly kind: 'query'; readonly query: Query; readonly maxrows?: Field }
  /** Rows of each query fill one list field of the reply's document. */
  | {
      readonly kind: 'queries';
      readonly lists: readonly { readonly field: Field; readonly query: Query }[];
      readonly maxrows?: Field;
    }
  /** A component: GET reads a record, POST makes one, PUT makes or replaces it, PATCH changes fields of it, DELETE removes it. */
  | { readonly kind: 'component'; readonly component: Component; readonly action: ComponentAction }
  /** A call to another system: its input is the request, by the names of fields, and its reply is the reply. */
  | { readonly kind: 'call'; readonly call: ConsumerOperation | Flow };

/**
 * An operation over SOAP: document/literal wrapped, so that the request's element bears its name and the reply's is
 * `<name>Response`, both in the service's namespace (`<namespace of the gateway>:<Service>.<version>`).
 */
export interface SoapForm {
  /** The operation's own, or that of its SOAP twin. */
  readonly name: string;
  /** `<name>.<version>`: what SOAPAction (1.1) or `action=` (1.2) says. */
  readonly action: string;
  /** Everything that a caller says: over SOAP all of it is body. */
  readonly request: Message;
  /** None where the operation is one-way. */
  readonly response: Message;
}

/**
 * Whether a call changes something that is kept, or enters work: never (it is safe, RFC 9110 section 9.2.1), always, or if a
 * field of its request has one of these values.
 */
export type Writes = boolean | readonly { readonly field: Field; readonly value: string }[];

/** What a provider offers: over REST where it has URIs, over SOAP where it has that form, or both. */
export interface Operation extends OperationIdentity {
  readonly service: Service;
  readonly description?: string;
  /** Over REST; undefined where the operation is SOAP alone, and then there are no URIs either. */
  readonly method?: Method;
  readonly soap?: SoapForm;
  /** In order of URI index. */
  readonly uris: readonly OperationUri[];
  /** The service's segment in paths, without the version: alias or the service's name. */
  readonly pathName: string;
  readonly request: Message;
  /** Fields of the request that a header fills, in every URI. */
  readonly requestHeaders: readonly HeaderBinding[];
  /** Body of a request: fields in JSON, one field alone, or none. */
  readonly body: 'none' | 'document' | 'raw';
  /** At least one: what a reply may be, the first being the default. */
  readonly responses: readonly MediaMessage[];
  readonly wrapper?: 'psnonxml';
  /** Status of a reply that is no fault. */
  readonly status: number;
  readonly fault?: Document;
  readonly answer: Answer;
  readonly writes: Writes;
  /** Lists that grant it, by `permission:` or by a wildcard of the list. Empty only where `public`. */
  readonly permissions: readonly PermissionList[];
  /** Where each of them is named; undefined for what is in no file. */
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly public: boolean;
  /** What a caller shows: one of these. */
  readonly requires: readonly SecurityScheme[];
  /** What its handler reaches is judged by the grants of this role, in place of the caller's. */
  readonly as?: Role;
  readonly limits: CallLimits;
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
  /** XML namespace of its messages, where it names one of its own. */
  readonly namespace?: string;
  /** A path without a version reaches this one. */
  readonly default: boolean;
  readonly active: boolean;
  /** `since` and `sunset` are dates, yyyy-MM-dd (RFC 9745, RFC 8594). */
  readonly deprecated?: { readonly since?: string; readonly sunset?: string };
  /** Those that it provides. */
  readonly operations: readonly Operation[];
  /** Those that it calls elsewhere (`target:`). */
  readonly consumers: readonly ConsumerOperation[];
  readonly flows: readonly Flow[];
  /** Origins whose pages may call it from a browser; the gateway's where undefined. */
  readonly cors?: readonly string[];
  /** Ships in the package. */
  readonly delivered: boolean;
  readonly at: Position;
}

/** Something that an answer reaches under a grant of its own. */
interface Reached {
  readonly kind: 'query' | 'component' | 'consumer';
  readonly thing: Query | Component | ConsumerOperation;
}

/** What an answer reaches, each once. Undefined where only running it tells. */
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
    case 'handler':
    case 'delivered':
      return undefined;
  }
}

/** The calls that one stands for, in order. */
export function operationsOf(call: ConsumerOperation | Flow): readonly ConsumerOperation[] {
  return 'steps' in call ? call.steps.map(({ operation }) => operation) : [call];
}

/** One form of a reply over REST. */
export interface ReplyForm {
  /** In lower case, without parameters. */
  readonly mediaType: string;
  /** `psnonxml` is JSON text inside an XML element; `raw` has no document. */
  readonly format: 'json' | 'xml' | 'psnonxml' | 'raw';
  readonly message: Message;
}

/** The forms of an operation's reply, the default first: with the wrapper psnonxml JSON inside XML, then JSON itself. */
export function replyForms({ responses, wrapper }: Operation): readonly ReplyForm[] {
  const listed = responses.map(({ mediaType, message }): ReplyForm => {
    const [essence = ''] = mediaType.toLowerCase().split(/\s*;/);
    return { mediaType: essence, format: formatOf(essence, message), message };
  });
  const json = listed.find(({ format }) => format === 'json');
  if (wrapper === undefined || json === undefined) return listed;
  return [{ ...json, mediaType: 'application/xml', format: 'psnonxml' }, json];
}

function formatOf(mediaType: string, message: Message): ReplyForm['format'] {
  if (message.kind !== 'document') return 'raw';
  return /^(?:application|text)\/xml$|\+xml$/.test(mediaType) ? 'xml' : 'json';
}

/** Whether requests to a URI of the operation carry a body. */
export function takesBody({ body }: Operation, uri: OperationUri): boolean {
  return body === 'raw' || (body === 'document' && uri.body.length + uri.repeats.length > 0);
}

/**
 * Whether a body of a document's fields may be XML. A patch (RFC 7396) may not: it removes what is null, and XML has no null
 * that every tool writes.
 */
export function hasXmlBody({ patch }: Document): boolean {
  return patch === undefined;
}

/**
 * The XML namespace of a service's messages: its own where it names one, else `<prefix>:<Service>.<version>`.
 * @param prefix of the gateway (`namespace:` of gateway.yaml)
 */
export function serviceNamespace({ namespace, id }: Pick<Service, 'namespace' | 'id'>, prefix: string): string {
  return namespace ?? `${prefix}:${id}`;
}
