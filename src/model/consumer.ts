import type { ConfigPart, ConfigText, Position } from './definition.ts';
import type { Document } from './document.ts';
import type { Field } from './field.ts';
import type { Node } from './node.ts';
import type { OperationIdentity } from './operation-names.ts';
import type { LogLevel } from './registry.ts';
import type { Retry } from './retry.ts';
import type { PermissionList } from './security.ts';
import type { MediaMessage, Method, OperationUri, RawKind, Service, SoapForm } from './service.ts';

/** An operation of another system. */
export type ConsumerOperation = SoapConsumer | RestConsumer;

interface Consumer extends OperationIdentity {
  readonly service: Service;
  readonly description?: string;
  /** The node that calls are sent to: the declared target, or the one of a routing definition that overrides it. */
  readonly target: Node;
  /** The document of the target's faults; over SOAP, of their `detail`. */
  readonly fault?: Document;
  /** In milliseconds, for the whole call with its retries, until the reply's value is read. */
  readonly timeout?: number;
  /** Overrides the target's. */
  readonly retry?: Retry;
  /** Elements, attributes and members of replies that their documents do not have are ignored and counted. */
  readonly lenient?: boolean;
  /** Permission lists whose users may call it. */
  readonly permissions: readonly PermissionList[];
  /** Where each list is granted; absent for definitions that are in no file. */
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly public: boolean;
  readonly active: boolean;
  /** Id of the definition that overrides its routing. */
  readonly routing?: string;
  /** That of the routing definition; {@link LOG_LEVEL} by default. */
  readonly log?: LogLevel;
  readonly at: Position;
}

/** A header with a fixed value. */
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
  /** In order of URI index; a call uses the first unless it chooses another. */
  readonly uris: readonly OperationUri[];
  /** The target's address is only a scheme, and the templates begin with the host. */
  readonly host: boolean;
  /**
   * The input of a call: those fields of request, `variables:` and `values:` that the request uses. A body without a
   * document is the field `content`.
   */
  readonly input: Document;
  /** Values of fields that the caller omits, by name: configuration (`values:`), or a default built from other fields. */
  readonly filled: ReadonlyMap<string, CallText>;
  readonly headers: readonly CallHeader[];
  readonly body: CallBody;
  /** The possible replies by media type, at least one. The first is used for a reply without a known type. */
  readonly responses: readonly MediaMessage[];
  /**
   * The media types that calls ask for, the preferred one first: those of the replies, and then those that errors are declared to
   * have. Empty where no reply has content.
   */
  readonly accepts: readonly string[];
  /** Media types that error replies are declared to have. */
  readonly faultTypes?: readonly string[];
  readonly properties: RestProperties;
}

/** The media types that a call asks for: see {@link RestConsumer.accepts}. */
export function acceptedTypesOf({
  responses,
  faultTypes = [],
}: Pick<RestConsumer, 'responses' | 'faultTypes'>): string[] {
  const replies = responses.filter(({ message }) => message.kind !== 'none').map(({ mediaType }) => mediaType);
  // Where any reply will do, errors in any form do too.
  return replies.length === 0 ? [] : [...new Set([...replies, ...faultTypes])];
}

/** A header whose text may contain values of the call. */
export interface CallHeader {
  readonly name: string;
  readonly text: CallText;
}

/** The body of a request over REST. */
export type CallBody =
  | { readonly kind: 'none' }
  /** `application/x-www-form-urlencoded`: each value encoded once, by itself. */
  | { readonly kind: 'form'; readonly fields: readonly { readonly name: string; readonly text: CallText }[] }
  /** The fields of `uri.body`, in JSON, in XML where Content-Type says so, or as `multipart/form-data`. */
  | { readonly kind: 'document'; readonly document: Document; readonly form?: 'multipart' }
  /** One field is the whole body (`body: FIELD`). */
  | { readonly kind: 'field'; readonly field: Field }
  /** The field `content`. */
  | { readonly kind: 'raw'; readonly raw: RawKind };

/** The meaning of a REST consumer's connector properties (specification 4.3). */
export interface RestProperties {
  /** `Base64toBinary=Y`: a body given as base64 text is sent decoded. */
  readonly base64ToBinary: boolean;
  /**
   * `Disable_URLEncodingBody=true`: a text sent as a form is not changed; otherwise each of its values is percent-encoded.
   * Always true for an operation with `form:`, which encodes each value once.
   */
  readonly bodyAsBuilt: boolean;
  /** `sendUncompressed=N`: the request body is sent in gzip (RFC 1952). */
  readonly compress: boolean;
  /** False for `sendUncompressed=Y`, which requests replies without Content-Encoding. */
  readonly acceptCompressed: boolean;
  /** `PRIMARYURL`: replaces the node's address. */
  readonly primaryUrl?: ConfigText;
  /** `SegmentContentType`: media type of a binary body whose own is unknown and whose file name suggests none. */
  readonly segmentContentType?: string;
}

/** The meaning of a SOAP consumer's connector properties (specification 4.4). */
export interface SoapProperties {
  /** `MTOM=Y`: binary content is sent as attachments rather than as base64 in place. */
  readonly mtom: boolean;
  /** `SOAPUpContent=Y`: the gateway writes the envelope around the request; `N`: the caller's text is the envelope. */
  readonly upContent: boolean;
  /** `sendUncompressed=N`: the request body is sent in gzip (RFC 1952). */
  readonly compress: boolean;
  /** `PRIMARYURL`: replaces the node's address. */
  readonly primaryUrl?: ConfigText;
  /** `SegmentContentType`: media type of segments whose own is unknown and whose file name suggests none. */
  readonly segmentContentType?: string;
  /** `SegmentContentTransfer`: the transfer encoding of segments (RFC 2045 section 6). */
  readonly segmentContentTransfer: 'binary' | 'base64';
}

/**
 * A text that is built for each call from literal text, configuration (`${env:X}`, `${secret:X}`) and values of the call
 * (`{FIELD}`, `{File.name}`).
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
  /** For a binary field: a property of its content rather than the content. `length` is in bytes. */
  readonly of?: 'name' | 'contentType' | 'length';
}
