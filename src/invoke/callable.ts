import type { Spool } from '../model/blob.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import type { ConfigText, ResolveReference } from '../model/definition.ts';
import type { Limits } from '../model/gateway.ts';
import type { Redactor } from '../model/redactor.ts';
import type { Attachment, DocumentValue } from '../model/value.ts';
import type { Called } from './error.ts';
import type { RawReply } from './http/raw-reply.ts';
import type { Outgoing } from './outgoing.ts';

/** An operation that can be called, compiled once. */
export interface Callable {
  readonly operation: ConsumerOperation;
  /** Configuration that a request with this input refers to. @throws InvokeError BAD_INPUT */
  references(input: DocumentValue, options: WriteOptions): readonly ConfigText[];
  /** @throws InvokeError BAD_INPUT */
  write(input: DocumentValue, options: WriteOptions & { readonly resolve: ResolveReference }): Outgoing;
  /**
   * Reads a reply. Where that fails, its connection is given up.
   * @throws SoapFault, ReplyFault; InvokeError HTTP_STATUS, BAD_REPLY, REPLY_TOO_LARGE, TIMEOUT, ABORTED, CUT
   */
  read(raw: RawReply, ports: ReplyPorts): Promise<ReadReply>;
}

/** Content that travels beside the envelope, or where a marker of it is. */
export interface Segment extends Omit<Attachment, 'contentType'> {
  /** SegmentContentType of the operation where it is left out, else application/octet-stream. */
  readonly contentType?: string;
}

export interface WriteOptions {
  readonly called: Called;
  /** The client's. */
  readonly redactor: Redactor;
  /** Over SOAP: content beside the input. */
  readonly segments: readonly Segment[];
  /** Over REST: which of the operation's URI templates, from 1. */
  readonly uriIndex: number;
}

/** What replies are read with. */
export interface ReplyPorts {
  readonly limits: Limits;
  readonly spool: Spool;
}

/** What a reply says. */
export interface ReadReply {
  readonly value: DocumentValue;
  /** The body as it came, where it is text and in memory. */
  readonly body?: string;
  /** There where the reply holds a connection, or content that was kept of it. */
  readonly content?: ReplyContent;
}

/** What of a reply is read after its value. */
export interface ReplyContent {
  /** Attachments that no field holds. */
  segments(): AsyncIterable<Attachment>;
  /** Reads to the end. @throws InvokeError where the rest is broken */
  finish(): Promise<void>;
  /** Frees what was kept, and gives up the connection where it has not been read to its end. */
  close(): void;
}
