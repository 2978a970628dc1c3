import type { Blobs, StoredBlob } from './blob.ts';
import type { ComponentEventName, SavedRecord, SaveOptions } from './component.ts';
import type { Fault } from './fault.ts';
import type { FlowReply, InvokeReply } from './invoke-reply.ts';
import type { Process } from './process.ts';
import type { Operation } from './service.ts';
import type { Attachment, DocumentValue, Row, Value } from './value.ts';

/** Who calls: a user of the registry, or nobody where the operation is public. */
export interface Caller {
  readonly user: string | undefined;
}

/** What all code of a project can reach: that of operations, of processes and of events. */
export interface WorkContext {
  /** In whose name it runs. */
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
  /**
   * Calls an operation of another system, by its id, under the caller's own grants, and waits for the reply's value. The
   * request's id and {@link WorkContext.signal} go along. What is not closed is so once the work is over.
   * @throws Fault FORBIDDEN, NOT_FOUND, UNAVAILABLE. Others where the call comes to nothing (`InvokeError`, of which a
   * `SoapFault` or a `ReplyFault` holds the target's own words); one that a handler lets through is UPSTREAM_FAILED or
   * UPSTREAM_TIMEOUT for its caller
   */
  call(operation: string, input: DocumentValue, options?: OutboundCallOptions): Promise<InvokeReply>;
  /**
   * Runs a flow, by its id (`N_DOCLIB.upload`, `N_DOCLIB.v1.upload`), as {@link WorkContext.call} calls an operation. The
   * caller needs the grants of each of its steps.
   * @throws as {@link WorkContext.call} does
   */
  flow(flow: string, input: DocumentValue, options?: OutboundOptions): Promise<FlowReply>;
  /**
   * The fault document that an operation of another system has answered with, by what a call of it has thrown, or a flow
   * that it is a step of. Undefined where that is something else, or a fault whose content the document does not fit.
   */
  faultOf(operation: string, error: unknown): DocumentValue | undefined;
  /**
   * Saves a record of a component, with the events that follow. `delete` needs its keys alone.
   * @throws Fault NOT_FOUND, CONFLICT, PRECONDITION_FAILED, BAD_BODY; what a class throws that runs before the save
   */
  saveComponent(component: string, record: DocumentValue, options?: SaveOptions): Promise<SavedRecord>;
  /** Binary content that the gateway keeps: of an operation's service, or of a process. */
  readonly blobs: Blobs;
  /** A line of the gateway's log, with the request's id. */
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** What a handler is given beside the request. */
export interface HandlerContext extends WorkContext {
  readonly operation: Operation;
  /** Which of the operation's URI templates matched, from 1; over SOAP the one that carries what was given, 0 where none does. */
  readonly uriIndex: number;
  /**
   * Segments of the request that none of its fields holds, in the order in which they come (SOAP with attachments). Each is
   * to be read before the next is asked for.
   */
  segments(): AsyncIterable<Attachment>;
  /** A reply with a status or headers of its own. `status` from 200 to 399. */
  reply(value: DocumentValue | string, options?: ReplyOptions): Reply;
  /** A reply in bytes rather than a document. */
  bytes(bytes: Bytes): Reply;
  /**
   * A reply that is stored content, under its own media type. Over REST it has an `ETag` and, from the second after it was
   * stored, a `Last-Modified`; callers may ask for a range of it (RFC 9110, section 14).
   */
  stored(blob: StoredBlob, options?: Pick<ReplyOptions, 'headers'>): Reply;
}

/** What a call to another system takes beside its input. */
export interface OutboundOptions {
  /** In milliseconds, the whole of it; what the operation or its node says where it is left out. */
  readonly timeout?: number;
}

/** The same for a call of one operation. */
export interface OutboundCallOptions extends OutboundOptions {
  /** Over SOAP: content beside the input, numbered from 1 in the markers of its XML (`<Include SegmentNumber="1"/>`). */
  readonly segments?: readonly Attachment[];
  /** Over REST: which of the operation's URI templates, from 1; the first where it is left out. */
  readonly uriIndex?: number;
}

/** What may go with a reply. */
export interface ReplyOptions {
  /** 200 to 399; over SOAP a reply always has 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Over SOAP: attachments beside the reply's own, numbered from 1 in its `<Include SegmentNumber="1"/>` markers. */
  readonly segments?: readonly Attachment[];
}

/** A reply that is more than its document; made by {@link HandlerContext.reply}, {@link HandlerContext.bytes} and {@link HandlerContext.stored}. */
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
  /**
   * Takes a fault that was raised once `onRequest` had been called (by it, by its time limit, or while its reply was
   * written) and the request message, returns the text that the fault document gets. Errors before that, a request that
   * can't be read or a caller without the grant among them, never reach it.
   */
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

/** The same from another system, which need not say how long it is. */
export interface PassedBytes extends Omit<Bytes, 'length'> {
  /** Undefined where it is known at its end. */
  readonly length: number | undefined;
  /** What the bytes are stored as: they can be read from anywhere on, and are known by their digest. */
  readonly stored?: StoredBlob;
}

/** What became of a request. */
export type Outcome =
  | ({ readonly kind: 'value'; readonly value: DocumentValue | string } & ReplyOptions)
  | { readonly kind: 'bytes'; readonly bytes: PassedBytes };

/** What the code of a process is given beside its parameters. */
export interface ProcessContext extends WorkContext {
  readonly process: Process;
  /** The number of the request. */
  readonly instance: number;
  readonly runControl: string;
  /** From 1; more where an earlier attempt failed. */
  readonly attempt: number;
  /** Says how far it is: from 0 to 100, and in words. Shown with the request. */
  progress(percent: number, text?: string): void;
  /** Adds a line to the request's message log. */
  message(level: 'info' | 'warning' | 'error', text: string): void;
  /** Keeps a file with the request, to be fetched from its ReportURL. Of several the last stays. */
  report(content: Attachment): Promise<void>;
  /**
   * Writes to the gateway's database, and ends the process with success in the same transaction: both happen, or neither,
   * so that its effects there happen once. To be called once at most, at the end.
   */
  complete(work: (transaction: SqlTransaction) => Promise<void>): Promise<void>;
}

/** The code of a process; `generated/handlers.ts` has the typed form of each. */
export interface ProcessHandler {
  /** Does the work. What it throws ends the attempt; a Fault with a status below 500 ends the request without another. */
  run(parameters: never, context: ProcessContext): ProcessOutcome | Promise<ProcessOutcome>;
}

/** Success where nothing is said. */
// biome-ignore lint/suspicious/noConfusingVoidType: code that returns nothing is what most processes are
export type ProcessOutcome = void | 'success' | 'warning';

/**
 * A save of a component, as a class that is registered at it sees it. What it writes with {@link SqlTransaction.execute} and
 * saves with `saveComponent` is part of one transaction: before the save that of the save itself, after it one of its own,
 * in which it is noted as done, so that its effects there happen once.
 */
export interface ComponentEvent<R = DocumentValue> extends Omit<WorkContext, 'blobs'>, SqlTransaction {
  readonly component: string;
  readonly event: ComponentEventName;
  /** What became of the record. */
  readonly action: 'created' | 'updated' | 'deleted';
  /** A UUID: one a save. */
  readonly save: string;
  /** As it was in the database, frozen. Undefined where there was none. */
  readonly before: R | undefined;
  /** As it is in the database; before the save as it will be written, without what the database fills in. Frozen. Undefined where it was deleted. */
  readonly after: R | undefined;
  /** From 1; more where an earlier attempt failed. */
  readonly attempt: number;
}

/**
 * The base of classes that run when a component is saved (specification 6.2, field notes 5). One is made for each run; its
 * constructor takes nothing.
 */
export abstract class ServiceInterface<E = ComponentEvent> {
  /** Runs at the event. What it throws before the save refuses that: a Fault as it is. After the save it is tried again. */
  abstract execute(event: E): void | Promise<void>;
}

/** A class that a file of the project exports. */
export type ServiceClass = new () => ServiceInterface<never>;

/** A row as the database's driver returns it, by the names of its columns. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** SQL inside a transaction of the gateway's database. */
export interface SqlTransaction {
  /**
   * Runs one statement. `:NAME` in it stands for `values.NAME`, which is bound and never becomes part of the text; null and
   * undefined are NULL.
   * @throws Error naming a value that is missing; errors of the database
   */
  execute(
    sql: string,
    values?: Readonly<Record<string, Value>>,
  ): Promise<{ readonly rows: readonly SqlRow[]; readonly changed: number }>;
}
