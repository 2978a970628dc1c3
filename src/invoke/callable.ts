import type { Spool } from '../model/blob.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { ConfigText, ResolveReference } from '../model/definition.ts';
import type { Limits } from '../model/gateway.ts';
import type { Redactor } from '../model/redactor.ts';
import type { Attachment, DocumentValue } from '../model/value.ts';
import type { Called } from './error.ts';
import type { RawReply } from './http/raw-reply.ts';
import type { Outgoing } from './outgoing.ts';
import type { ReplyTrust } from './reply-trust.ts';

/** A compiled operation. */
export interface Callable {
  readonly operation: ConsumerOperation;
  /** Configuration that a request with this input needs. @throws InvokeError BAD_INPUT */
  references(input: DocumentValue, options: WriteOptions): readonly ConfigText[];
  /** @throws InvokeError BAD_INPUT */
  write(input: DocumentValue, options: WriteOptions & { readonly resolve: ResolveReference }): Outgoing;
  /**
   * Reads a reply. If that fails, its connection is closed.
   * @throws SoapFault, ReplyFault; InvokeError HTTP_STATUS, BAD_REPLY, REPLY_TOO_LARGE, TIMEOUT, ABORTED, CUT
   */
  read(raw: RawReply, ports: ReplyPorts): Promise<ReadReply>;
}

/** An attachment of a SOAP request, or content in the place of its marker. */
export type Segment = StreamSegment | Base64Segment;

interface SegmentFacts {
  /**
   * Defaults to the media type that the name suggests, else SegmentContentType of the operation, else
   * application/octet-stream.
   */
  readonly contentType?: string;
  /** File name. */
  readonly name?: string | undefined;
}

interface StreamSegment extends SegmentFacts, Omit<Attachment, 'contentType' | 'name'> {}

/** A segment as Base64 text (specification 4.4), which is decoded as it is sent. White space in it does not count. */
interface Base64Segment extends SegmentFacts {
  readonly base64: string;
}

export interface WriteOptions {
  readonly called: Called;
  /** The client's. */
  readonly redactor: Redactor;
  /** SOAP only: attachments. */
  readonly segments: readonly Segment[];
  /** REST only: number of the URI template, from 1. */
  readonly uriIndex: number;
  /** For a call whose reply comes later; over SOAP, WS-Addressing carries it. */
  readonly later?: LaterReply | undefined;
  /** SOAP only: the address that is called, the first one of the node. @throws InvokeError CONFIGURATION */
  address(): CalledAddress;
}

/** An address that a message repeats. */
interface CalledAddress {
  readonly sent: string;
  /** With the values in its query masked. */
  readonly shown: string;
  /** Those values. */
  readonly secrets: readonly string[];
}

/** Where the target of a call sends its reply later. */
export interface LaterReply {
  /** An IRI by which the reply names the call; over SOAP only. */
  readonly messageId: string;
  /** The address of the reply. */
  readonly replyTo: string;
  /** The part of the address that is secret: who knows it can reply. */
  readonly secret: string;
}

export interface ReplyPorts {
  readonly limits: Limits;
  readonly spool: Spool;
  /** How the reply must be signed; `undefined` when signatures in it are ignored. SOAP only. */
  readonly trust?: ReplyTrust | undefined;
  /** The id of the call, to which a reply that came later must relate if it names any. */
  readonly repliesTo?: string | undefined;
}

/** The content of a reply. */
export interface ReadReply {
  readonly value: DocumentValue;
  /** The unchanged body, if it is text and in memory. */
  readonly body?: string;
  /** What of it was ignored, for the record of the call. */
  readonly note?: string | undefined;
  /** Present while the reply occupies a connection or stored content. */
  readonly content?: ReplyContent;
}

/** The part of a reply that is read after its value. */
export interface ReplyContent {
  /** Attachments that no field refers to. */
  segments(): AsyncIterable<Attachment>;
  /** Reads to the end. @throws InvokeError for a broken rest */
  finish(): Promise<void>;
  /** Frees stored content, and closes the connection if the reply is not read completely. */
  close(): void;
}
