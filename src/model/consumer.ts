import type { ConfigPart, ConfigText, Position } from './definition.ts';
import type { Document } from './document.ts';
import type { Field } from './field.ts';
import type { Node, Retry } from './node.ts';
import type { OperationIdentity } from './operation-names.ts';
import type { PermissionList } from './security.ts';
import type { MediaMessage, Method, OperationUri, RawKind, Service, SoapForm } from './service.ts';

/** What is called at another system. */
export type ConsumerOperation = SoapConsumer | RestConsumer;

interface Consumer extends OperationIdentity {
  readonly service: Service;
  readonly description?: string;
  /** Where it goes: the target that it names, or the one of the definition that overrides its routing. */
  readonly target: Node;
  /** The document of the target's faults: over SOAP what their `detail` holds. */
  readonly fault?: Document;
  /** In milliseconds: the whole of a call, its repetitions with it, until the reply's value is there. */
  readonly timeout?: number;
  /** Takes the place of the target's. */
  readonly retry?: Retry;
  /** Lists whose users may call it. */
  readonly permissions: readonly PermissionList[];
  /** Where each of them is named; undefined for what is in no file. */
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly public: boolean;
  readonly active: boolean;
  /** Id of the definition that overrides its routing. */
  readonly routing?: string;
  readonly at: Position;
}

/** A header of a consumer's request, with its text. */
export interface FixedHeader {
  readonly name: string;
  readonly value: string;
}

/** Called over SOAP. */
export interface SoapConsumer extends Consumer {
  readonly kind: 'soap';
  readonly soap: SoapForm;
  /** Sent with every call (`headers:`). */
  readonly headers: readonly FixedHeader[];
  readonly properties: SoapProperties;
}

/** Called over REST. */
export interface RestConsumer extends Consumer {
  readonly kind: 'rest';
  readonly method: Method;
  /** In order of URI index; a call uses the first unless it says otherwise. */
  readonly uris: readonly OperationUri[];
  /** The target's address is a scheme alone, so that the templates begin with the host. */
  readonly host: boolean;
  /**
   * Everything that a caller may give: those fields of request, template document and `values:` that the request uses. What
   * must be given is `required`; a body without a document is the field `content`.
   */
  readonly input: Document;
  /** What fields hold that the caller leaves out: configuration (`values:`), or a default made of other fields. By name. */
  readonly filled: ReadonlyMap<string, CallText>;
  readonly headers: readonly CallHeader[];
  readonly body: CallBody;
  /** At least one: what a reply may be, by media type, the first being the one where a type says nothing. */
  readonly responses: readonly MediaMessage[];
  readonly properties: RestProperties;
}

/** A header whose text may hold values of the call. */
export interface CallHeader {
  readonly name: string;
  readonly text: CallText;
}

/** What the body of a request over REST is. */
export type CallBody =
  | { readonly kind: 'none' }
  /** `application/x-www-form-urlencoded`: each value encoded once, by itself. */
  | { readonly kind: 'form'; readonly fields: readonly { readonly name: string; readonly text: CallText }[] }
  /** The fields of `uri.body`, in JSON, or in XML where Content-Type says so. */
  | { readonly kind: 'document'; readonly document: Document }
  /** One field is the whole body (`body: FIELD`). */
  | { readonly kind: 'field'; readonly field: Field }
  /** The field `content`. */
  | { readonly kind: 'raw'; readonly raw: RawKind };

/** Connector properties of a REST consumer (specification 4.3), by what they mean. */
export interface RestProperties {
  /** `Base64toBinary=Y`: a body that is given as Base64 text is sent as the bytes that it stands for. */
  readonly base64ToBinary: boolean;
  /**
   * `Disable_URLEncodingBody=true`: a text that is sent as a form is so as it stands. Otherwise each of its values is
   * percent-encoded. Of an operation with `form:` it is always true: that encodes each value once.
   */
  readonly bodyAsBuilt: boolean;
  /** `sendUncompressed=N`: the request's body travels in gzip (RFC 1952). */
  readonly compress: boolean;
  /** `sendUncompressed=Y` asks for replies without Content-Encoding; where it says nothing, they may have one. */
  readonly acceptCompressed: boolean;
  /** `PRIMARYURL`: takes the place of the node's address. */
  readonly primaryUrl?: ConfigText;
}

/** Connector properties of a SOAP consumer (specification 4.4), by what they mean. */
export interface SoapProperties {
  /** `MTOM=Y`: binary content travels as attachments rather than as base64 in its place. */
  readonly mtom: boolean;
  /** `SOAPUpContent=Y`: the gateway writes the envelope around the request; `N`: the caller's text is the envelope. */
  readonly upContent: boolean;
  /** `sendUncompressed=N`: the request's body travels in gzip (RFC 1952). */
  readonly compress: boolean;
  /** `PRIMARYURL`: takes the place of the node's address. */
  readonly primaryUrl?: ConfigText;
  /** `SegmentContentType`: media type of segments that do not name their own. */
  readonly segmentContentType?: string;
  /** `SegmentContentTransfer`: how segments travel (RFC 2045 section 6). */
  readonly segmentContentTransfer: 'binary' | 'base64';
}

/**
 * A text of a consumer that is made for each call: of literal text, configuration (`${env:X}`, `${secret:X}`) and values
 * of the call (`{FIELD}`, `{File.name}`).
 */
export interface CallText {
  /** As written. */
  readonly source: string;
  readonly parts: readonly CallPart[];
}

export type CallPart = ConfigPart | CallValue;

/** A value of the call. */
export interface CallValue {
  readonly kind: 'value';
  readonly field: Field;
  /** Of a binary field: what is known of its content, rather than the content. `length` is in bytes. */
  readonly of?: 'name' | 'contentType' | 'length';
}
