/**
 * What a reader of a foreign contract hands on: services, operations and documents, connected by identity and not yet named
 * for good. `declare.ts` gives them names and writes definitions. Readers fill documents after they have made them, because
 * types refer to each other in circles.
 */

import type { BodyForm, FormStyles } from '../model/form.ts';
import type { KeyReferenceKind, TokenForm } from '../model/security.ts';
import type { SoapVersion } from '../model/wsdl.ts';
import type { Place } from './place.ts';

/** A contract as it was read. */
export interface DraftContract {
  readonly language: 'wsdl' | 'xsd' | 'wadl' | 'openapi';
  readonly services: readonly DraftService[];
  /** All named types and elements of the contract, whether an operation uses them or not. In the order of the source. */
  readonly documents: readonly DraftDocument[];
}

/** A service of a contract: what becomes a `service` and, for calls, a `node`. */
export interface DraftService {
  /** The name in the source: of a wsdl:service or portType, the title of an OpenAPI file, the file of a WADL. */
  readonly name: string;
  /** The version in the source, as far as it says one (`info.version`). */
  readonly version?: string;
  readonly description?: string;
  readonly place: Place;
  /** XML namespace of the elements around messages, for SOAP. */
  readonly namespace?: string;
  /** Addresses, the first being the usual one. A variable part has been replaced by its default value. */
  readonly addresses: readonly string[];
  /** The way to authenticate, if all operations share it. */
  readonly security?: readonly DraftSecurity[];
  readonly operations: readonly DraftOperation[];
  /** The names of a WSDL; absent for operations that are not sent over SOAP. */
  readonly wsdl?: DraftWsdl;
  /** Operations with the method OPTIONS at paths that have others. A gateway that serves these answers it by itself. */
  readonly options?: readonly { readonly path: string; readonly place: Place }[];
}

/** The names in a WSDL of what offers the operations of a service, as far as it has it. */
export interface DraftWsdl {
  /** The target namespace of the port type; absent for none. */
  readonly namespace?: string;
  /** That of the service, if it is another one. */
  readonly serviceNamespace?: string;
  readonly service?: string;
  readonly portType: string;
  /** Ports over SOAP in their order, one for each version. */
  readonly ports: readonly DraftPort[];
}

interface DraftPort {
  readonly version: SoapVersion;
  readonly port?: string;
  readonly binding: string;
  /** Whether its binding is the one that operations are read from. */
  readonly taken: boolean;
  readonly place: Place;
}

/** One way to authenticate, by the kinds that a `credential` of a node and a `scheme` have. */
export type DraftSecurity =
  | { readonly kind: 'basic' }
  | { readonly kind: 'bearer' }
  | { readonly kind: 'api-key'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  | { readonly kind: 'client-credentials'; readonly tokenUrl: string; readonly scopes: readonly string[] }
  | { readonly kind: 'username-token'; readonly password?: 'digest' | 'none' }
  /** A Timestamp in the Security header of messages. */
  | { readonly kind: 'timestamp' }
  /** A signature of the Body. What is absent is the usual: the algorithms, and a certificate that the message contains. */
  | {
      readonly kind: 'signature';
      readonly algorithm?: 'rsa-sha1';
      readonly digest?: 'sha1';
      readonly reference?: Exclude<KeyReferenceKind, 'token'>;
      readonly token?: TokenForm;
      /** Replies are signed too, and confirm the signature of their request. */
      readonly replies?: 'signed' | 'confirmed';
    }
  | { readonly kind: 'client-certificate' };

export interface DraftOperation {
  /** The name in the source (operationId, the name of a portType's operation); made from method and path where it has none. */
  readonly name: string;
  readonly description?: string;
  readonly place: Place;
  readonly soap?: DraftSoap;
  readonly rest?: DraftRest;
  readonly request: DraftMessage;
  /** Successful replies by media type, at least one; the first is the usual one. `mediaType` is absent over SOAP. */
  readonly responses: readonly { readonly mediaType?: string; readonly message: DraftMessage }[];
  /** Status of a successful reply, if the source states one. */
  readonly status?: number;
  /** Documents of faults or error replies, by their names. */
  readonly faults: readonly DraftFault[];
  /** Media types of error replies, each once. */
  readonly faultTypes?: readonly string[];
  readonly security?: readonly DraftSecurity[];
  /** Addresses of its own, which are not those of its service (OpenAPI: `servers` of a path or an operation). */
  readonly addresses?: readonly string[];
  /** Its tags (OpenAPI); absent in other languages. */
  readonly tags?: readonly string[];
  /** Why it can't be called or served, as a clause ("its binding is rpc/encoded"). It is declared with `active: false`. */
  readonly uncallable?: string;
}

export interface DraftFault {
  readonly name: string;
  readonly document: DraftDocument;
  /** The name of its message in WSDL. */
  readonly message?: string;
}

/** What a contract states about the header blocks of WS-Addressing. */
export type DraftAddressing = 'optional' | 'required';

export interface DraftSoap {
  readonly style: 'wrapped' | 'bare' | 'rpc';
  readonly version: '1.1' | '1.2';
  /** SOAPAction or action=; absent for none. */
  readonly action?: string;
  /** Those of other bindings, which callers send as well. */
  readonly actions?: readonly string[];
  /** Local name of the element around a wrapped or rpc request, and around its reply. */
  readonly request: string;
  readonly response?: string;
  /** Namespace of these elements, if it is not that of the service. */
  readonly namespace?: string;
  /** In rpc/literal, that of the reply where it differs. */
  readonly replyNamespace?: string | undefined;
  readonly oneWay: boolean;
  readonly mtom: boolean;
  /** Requests may, or must, have the header blocks of WS-Addressing. */
  readonly addressing?: DraftAddressing;
}

export interface DraftRest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** RFC 6570 templates over field names, relative to the service's address and without a slash at the start. */
  readonly uris: readonly string[];
  /** Request headers by name, with the field of the request that each carries. */
  readonly headers: Readonly<Record<string, string>>;
  /** The field that is the whole body (`body: FIELD`), or `none`. Absent: the remaining fields are the body. */
  readonly body?: string;
  /** How the body is encoded, if it is not JSON or XML by its document. */
  readonly form?: BodyForm;
  /** How fields of a urlencoded form are written, by their names, where that is not the usual way. */
  readonly formStyles?: FormStyles;
  /**
   * Fields that URIs and headers name beside those of the request (`variables:`), where the request is the body alone. None has
   * the name of a field of the request.
   */
  readonly template?: DraftDocument;
  /** Media type of the request's body, if the source names one. */
  readonly mediaType?: string;
  /** Further media types in which the body is the same message. */
  readonly otherTypes?: readonly string[];
  /** Whether the source permits a request without the body. */
  readonly optionalBody?: boolean;
}

/** A message: nothing, raw content, a document, or a list or a single value. */
export type DraftMessage =
  | { readonly kind: 'none' }
  | { readonly kind: 'raw'; readonly raw: 'json' | 'xml' | 'text' | 'binary' }
  | { readonly kind: 'document'; readonly document: DraftDocument }
  | { readonly kind: 'type'; readonly type: DraftType };

/** A scalar by its type word (`string(10)`), a document, or a collection of one of these. */
export type DraftType = DraftScalar | DraftCompound | DraftCollection;

export interface DraftScalar {
  readonly kind: 'scalar';
  readonly word: string;
  /** The named type of the source that it comes from. A field has it as long as its facets are those of that type. */
  readonly named?: DraftSimpleType;
}

/** A simple type that has a name in the source: a type word with facets, as a field has them. */
export interface DraftSimpleType {
  readonly name: string;
  /** Namespace of its name in XML Schema. */
  readonly namespace?: string;
  readonly place: Place;
  readonly description?: string;
  readonly example?: Scalar;
  readonly word: string;
  readonly facets: Facets;
}

export interface DraftCompound {
  readonly kind: 'document';
  readonly document: DraftDocument;
}

export interface DraftCollection {
  readonly kind: 'list' | 'map';
  readonly item: DraftScalar | DraftCompound;
}

/**
 * What a contract is read for: definitions, or a comparison with another one, for which types that definitions can't say are kept in a
 * form that is neither served nor called.
 */
export type Purpose = 'definitions' | 'comparison';

/** Most documents of one contract: many times those of the largest that were seen, and as much as its memory allows. */
export const MOST_DOCUMENTS = 50_000;

/** A document. Readers make it with its name and place, and fill the rest while they read. */
export interface DraftDocument {
  /** The name in the source; for an anonymous type, that of the element or member that declares it. */
  readonly name: string;
  readonly place: Place;
  /**
   * Whether the source gives it a name of its own. One without a name is declared in place where it is used once.
   */
  readonly named: boolean;
  description?: string;
  /** Options of the document, as its declaration spells them. */
  options: DocumentOptions;
  extends?: DraftDocument;
  /** What the member `by` of the document that it extends says for it, if that is not its name. */
  tag?: string;
  restricts?: DraftDocument;
  /** In declared order. Branches, for a choice. */
  fields: DraftField[];
  /** Exactly one of `fields` has a value. */
  choice?: boolean;
  /** Its contract says nothing of undeclared members, which are valid then (JSON Schema 2020-12 Core, section 10.3.2.3). */
  openUnsaid?: boolean;
}

/** Keys of a document beside its fields. */
export interface DocumentOptions {
  open?: boolean;
  xml?: string;
  namespace?: string;
  root?: boolean;
  unqualified?: boolean;
  'xml-type'?: string;
  abstract?: boolean;
  named?: boolean;
  by?: string;
}

/** A field: its name in the source, its type, and its options as a declaration spells them. */
export interface DraftField {
  /** Proposed name; `declare.ts` makes names distinct and sets `xml` and `json` to what the wire has. */
  readonly name: string;
  readonly place: Place;
  type: DraftType;
  options: FieldOptions;
}

type Scalar = string | number | boolean;

/** Facets that a field has, and each entry of a collection in `entry`. */
export interface Facets {
  enum?: readonly Scalar[];
  /** What values of `enum` mean, by their texts. */
  labels?: Readonly<Record<string, string>>;
  pattern?: string | readonly string[];
  minimum?: number | string;
  maximum?: number | string;
  above?: number | string;
  below?: number | string;
  digits?: number;
  fraction?: number;
  space?: 'collapse' | 'replace';
}

/** What each entry of a collection may be. */
export interface EntryOptions extends Facets {
  nullable?: boolean;
  xml?: string;
}

export interface FieldOptions extends Facets {
  description?: string;
  required?: boolean;
  nullable?: boolean;
  assumed?: Scalar;
  /** The only value. It becomes an `enum` of one in a field that is not required, since nothing fills that. */
  fixed?: Scalar;
  example?: Scalar;
  sensitive?: boolean;
  json?: string;
  xml?: string;
  attribute?: boolean;
  namespace?: string;
  flat?: boolean;
  spaced?: boolean;
  content?: boolean;
  inline?: boolean;
  any?: boolean | string;
  header?: boolean;
  attachment?: boolean | string | readonly string[];
  entry?: EntryOptions;
}
