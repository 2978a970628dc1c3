import type { Blobs } from './blob.ts';
import type { Fault } from './fault.ts';
import type { Operation } from './service.ts';
import type { Attachment, DocumentValue, Row, Value } from './value.ts';

/** Who calls: a user of the registry, or nobody where the operation is public. */
export interface Caller {
  readonly user: string | undefined;
}

/** What a handler is given beside the request. */
export interface HandlerContext {
  readonly operation: Operation;
  /** Which of the operation's URI templates matched, from 1; over SOAP the one that carries what was given, 0 where none does. */
  readonly uriIndex: number;
  readonly caller: Caller;
  readonly requestId: string;
  /** Ends when the caller goes away, the time is up, or the gateway stops hard. */
  readonly signal: AbortSignal;
  /**
   * Runs a stored query under the caller's own grants and returns its rows, columns by their declared names.
   * @throws Fault FORBIDDEN, NOT_FOUND, BAD_PARAMETER, TIMEOUT
   */
  query(
    name: string,
    prompts?: Readonly<Record<string, Value>>,
    options?: { readonly maxrows?: number },
  ): Promise<Row[]>;
  /** Binary content that the gateway keeps for this operation's service. */
  readonly blobs: Blobs;
  /**
   * Segments of the request that none of its fields holds, in the order in which they come (SOAP with attachments). Each is
   * to be read before the next is asked for.
   */
  segments(): AsyncIterable<Attachment>;
  /** A reply with a status or headers of its own. `status` from 200 to 399. */
  reply(value: DocumentValue | string, options?: ReplyOptions): Reply;
  /** A reply in bytes rather than a document. */
  bytes(bytes: Bytes): Reply;
  /** A line of the gateway's log, with the request's id. */
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** What may go with a reply. */
export interface ReplyOptions {
  /** 200 to 399; over SOAP a reply always has 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Over SOAP: attachments beside the reply's own, numbered from 1 in its `<Include SegmentNumber="1"/>` markers. */
  readonly segments?: readonly Attachment[];
}

/** A reply that is more than its document; made by {@link HandlerContext.reply} and {@link HandlerContext.bytes}. */
export class Reply {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    this.outcome = outcome;
  }
}

/** What code may return: the response message, its text where it has no document, or a reply with more to it. */
export type Answered = DocumentValue | string | Reply;

/** What answers an operation, as the gateway sees it; `generated/handlers.ts` has the typed form of each. */
export interface Handler {
  /** Takes the request message, returns the response message, or throws: a {@link Fault} as it is, anything else as INTERNAL. */
  onRequest(request: never, context: HandlerContext): Answered | Promise<Answered>;
  /** Takes the fault and the request message (undefined where it could not be read), returns the text that the fault document gets. */
  onError?(fault: Fault, request: never, context: HandlerContext): string | Promise<string>;
}

/** A reply in bytes, with its type and length known before the first of them. */
export interface Bytes {
  readonly contentType: string;
  readonly length: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  /** All bytes at once, or a stream opened at most once. */
  readonly body: Uint8Array | (() => AsyncIterable<Uint8Array>);
  /** Called once the body is sent or given up; frees what it holds. */
  dispose?(): void;
}

/** What became of a request. */
export type Outcome =
  | ({ readonly kind: 'value'; readonly value: DocumentValue | string } & ReplyOptions)
  | { readonly kind: 'bytes'; readonly bytes: Bytes };
