import type { Blobs, StoredBlob } from './blob.ts';
import type { SavedRecord, SaveEffect, SaveOptions, StoredRecord } from './component.ts';
import type { Fault } from './fault.ts';
import type { FlowReply, InvokeReply } from './invoke-reply.ts';
import type { Process } from './process.ts';
import type { Operation } from './service.ts';
import type { Attachment, DocumentValue, Row, Value } from './value.ts';

/** The caller of an operation. */
export interface Caller {
  /** Id of the user; `undefined` for an anonymous caller of a public operation. */
  readonly user: string | undefined;
}

/** The value of a setting. */
export type SettingValue = string | number | bigint | boolean | undefined;

/** The settings of a project, by name: `Settings` of `generated/types.ts` has their types. */
export type Settings = Readonly<Record<string, SettingValue>>;

/** What all code of a project can use: handlers of operations, processes and events. */
export interface WorkContext {
  /** The user that the code runs for, whose grants apply. */
  readonly caller: Caller;
  /** Id of the request, as in `X-Request-Id` and the log. */
  readonly requestId: string;
  /** Aborted when the caller disconnects, the time limit is reached, or the gateway is stopped. */
  readonly signal: AbortSignal;
  /**
   * Runs a stored query with the caller's grants.
   * @returns the rows; columns have their declared names, and NULL is null
   * @throws Fault FORBIDDEN, BAD_PARAMETER, TIMEOUT; an error that is answered as INTERNAL for an undeclared name
   */
  query(
    name: string,
    prompts?: Readonly<Record<string, Value>>,
    options?: { readonly maxrows?: number },
  ): Promise<Row[]>;
  /**
   * Calls an operation of another system with the caller's grants, and waits for the value of the reply. The request id is
   * passed on, and {@link WorkContext.signal} ends the call. Replies that are still open are closed when the work ends.
   * @param operation its id: `N_DOCLIB_UPLOADFILES`
   * @throws Fault FORBIDDEN, UNAVAILABLE; an error that is answered as INTERNAL for an undeclared name; InvokeError for a failed call, as SoapFault or ReplyFault with the
   * target's own fault. An InvokeError that a handler does not catch is answered as UPSTREAM_FAILED or UPSTREAM_TIMEOUT
   */
  call(operation: string, input: DocumentValue, options?: OutboundCallOptions): Promise<InvokeReply>;
  /**
   * Runs a flow, as {@link WorkContext.call} calls an operation. The caller needs the grants of all steps.
   * @param flow its id: `N_DOCLIB.upload`, or with the version `N_DOCLIB.v1.upload`
   * @throws as {@link WorkContext.call}
   */
  flow(flow: string, input: DocumentValue, options?: OutboundOptions): Promise<FlowReply>;
  /**
   * The fault document with which another system answered, found in an error that `call` or `flow` has thrown.
   * @param operation id of the operation that was called, by itself or as a step of the flow
   * @returns `undefined` for any other error, and for a fault that does not match the operation's fault document
   */
  faultOf(operation: string, error: unknown): DocumentValue | undefined;
  /**
   * Reads a record of a component, with its entity tag.
   * @param keys the values of its keys, by name
   * @throws Fault NOT_FOUND, FORBIDDEN, BAD_PARAMETER
   */
  readComponent(component: string, keys: DocumentValue): Promise<StoredRecord>;
  /**
   * Saves or deletes a record of a component in a transaction of its own; its events run. `delete` needs only the keys.
   * @throws Fault FORBIDDEN, NOT_FOUND, CONFLICT, PRECONDITION_FAILED, BAD_BODY; what a class before the save throws
   */
  saveComponent(component: string, record: DocumentValue, options?: SaveOptions): Promise<SavedRecord>;
  /**
   * Runs work in one transaction of the gateway's own database, which is committed when the work ends, and rolled back when
   * it throws. Use only the transaction inside: on SQLite everything else that writes waits for its end. On PostgreSQL the
   * work may run more than once, if the transaction had to give way to another one (a serialization failure or a deadlock);
   * it is committed once. So call other systems before or after it. It takes `limits.timeout` at most, and ends with the
   * request.
   * @returns what the work returns
   * @throws what the work throws; Fault TIMEOUT
   */
  transaction<T>(work: (tx: Transaction) => T | Promise<T>): Promise<T>;
  /**
   * Publishes a message in a transaction of its own. To publish together with other writes, use `publish` of their transaction.
   * @param operation id of an operation with `queue:`
   * @param message its request, checked as one that arrives
   * @returns the id of the message
   * @throws Fault FORBIDDEN, BAD_BODY, BAD_PARAMETER, BODY_TOO_LARGE, LOOP_DETECTED
   */
  publish(operation: string, message: DocumentValue): Promise<string>;
  /** Stored binary content. Each service and each process has keys of its own. */
  readonly blobs: Blobs;
  /**
   * Rows as an Excel workbook or CSV, written while it is read: for a binary field or reply, `blobs`, `report` or a call. Rows as
   * {@link WorkContext.query} returned them have the columns and types of their query; of others, name it, or they have those of
   * their values: of all in an array, of the first 1,000 of what is iterated.
   * @param rows objects by the names of columns: an array, or what is iterated while it is written
   * @returns a file; reading it throws an error that names row and column of a value that does not fit
   */
  render(rows: Iterable<object> | AsyncIterable<object>, format: 'xlsx' | 'csv', options?: RenderOptions): Attachment;
  /**
   * The settings of `settings:` of the gateway, by name, with values of their types. One that is not set throws when it is read.
   * Secrets are left out of copies (`{ ...settings }`, JSON), and masked wherever something is logged, recorded or answered as an
   * error.
   */
  readonly settings: Settings;
  /** Writes a line to the gateway's log, with the request id and the given facts. Secrets in it are masked. */
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** The context of a request, as a handler gets it. */
export interface HandlerContext extends WorkContext {
  readonly operation: Operation;
  /** Number of the URI template that matched, from 1. Over SOAP, the first that has all given values; 0 if none has. */
  readonly uriIndex: number;
  /**
   * Attachments of a SOAP request that no field refers to, in order of arrival. Read each before you ask for the next.
   */
  segments(): AsyncIterable<Attachment>;
  /** A reply with its own status (200 to 399) or headers. */
  reply(value: ReplyValue | Attachment | undefined, options?: ReplyOptions): Reply;
  /** A reply of bytes rather than a document. */
  bytes(bytes: Bytes): Reply;
  /**
   * A reply of stored content, with its media type. Over REST it has an `ETag` and, from one second after it was stored, a
   * `Last-Modified`; callers may request a range (RFC 9110, section 14).
   */
  stored(blob: StoredBlob, options?: Pick<ReplyOptions, 'headers'>): Reply;
}

/** Options of {@link WorkContext.render}. */
export interface RenderOptions {
  /** Id of the query whose columns the rows have. */
  readonly query?: string;
  /** The file name, without its ending; the id of the query, or `rows`. */
  readonly name?: string;
}

/** Options of a call or a flow. */
export interface OutboundOptions {
  /** Milliseconds for the whole call or flow; the default is that of the operation or its node. */
  readonly timeout?: number;
  /**
   * The `webhook-id` of a call to a node with `credential: { webhook: … }`, the id of one with `hmac`, and the `Idempotency-Key` of
   * others. Code that may run again, such as that of a process, gives the same one each time, so that the receiver recognises
   * repetitions: without it, an attempt whose call is uncertain (it was sent to its end, and no reply came) is not followed by
   * another, unless the method of the call is idempotent. At most 256 visible ASCII characters without full stops; a new
   * `webhook-id` by default.
   */
  readonly messageId?: string;
}

/** Options of a call. */
export interface OutboundCallOptions extends OutboundOptions {
  /** SOAP only: attachments, which the XML of the input marks by number from 1: `<Include SegmentNumber="1"/>`. */
  readonly segments?: readonly Attachment[];
  /** REST only: number of the URI template to use, from 1; the first by default. */
  readonly uriIndex?: number;
}

/** Options of a reply. */
export interface ReplyOptions {
  /** 200 to 399; ignored over SOAP, where it is always 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** SOAP only: further attachments, which the XML of the reply marks by number from 1: `<Include SegmentNumber="1"/>`. */
  readonly segments?: readonly Attachment[];
}

/** A reply with more than a document. Made by {@link HandlerContext.reply}, `bytes` and `stored`. */
export class Reply {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    this.outcome = outcome;
  }
}

/** The value of a reply: of the response document, the list or single value itself, or the text of a reply without a document. */
export type ReplyValue = DocumentValue | readonly Value[] | string | number | bigint | boolean;

/** What a handler returns: the value of the reply, its content where it is binary, nothing where it is nothing, or a {@link Reply}. */
// biome-ignore lint/suspicious/noConfusingVoidType: code that returns nothing answers nothing
export type Answered = ReplyValue | Attachment | Reply | void;

/** The code of an operation. `generated/handlers.ts` has the typed form for each operation. */
export interface Handler {
  /** Answers a request. A {@link Fault} that it throws is sent to the caller; any other error is answered as INTERNAL. */
  onRequest(request: never, context: HandlerContext): Answered | Promise<Answered>;
  /**
   * Words the message of a fault document. Called for faults after `onRequest` was called: thrown by it, caused by its time
   * limit, or raised while its reply was written. Earlier errors, such as a malformed request or a missing grant, do not
   * reach it.
   */
  onError?(fault: Fault, request: never, context: HandlerContext): string | Promise<string>;
}

/** A reply of bytes. */
export interface Bytes {
  /** Empty for a reply without content. */
  readonly contentType: string;
  readonly length: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  /**
   * All bytes at once, or a stream opened at most once. Its reader asks for `reused` buffers when it is done with each piece
   * before it asks for the next: a stream that makes many pieces may fill the same buffers again.
   */
  readonly body: Uint8Array | ((buffers?: 'reused') => AsyncIterable<Uint8Array>);
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

/** The context of a process request, as the code of a process gets it. */
export interface ProcessContext extends WorkContext {
  readonly process: Process;
  /** The instance number of the request. */
  readonly instance: number;
  readonly runControl: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Reports progress, shown with the request: a percentage from 0 to 100, and a text. */
  progress(percent: number, text?: string): void;
  /** Adds a line to the request's message log. */
  message(level: 'info' | 'warning' | 'error', text: string): void;
  /** Stores a file as the report of the request, which its ReportURL returns. The last of several is kept. */
  report(content: Attachment): Promise<void>;
  /**
   * Writes to the gateway's database and ends the request with success, in one transaction: the effects there happen exactly
   * once. Call it at most once, at the end.
   */
  complete(work: (tx: Transaction) => void | Promise<void>): Promise<void>;
}

/** The code of a process. `generated/handlers.ts` has the typed form for each process. */
export interface ProcessHandler {
  /** Does the work. An error ends the attempt, and a Fault with a status below 500 the request, without another attempt. */
  run(parameters: never, context: ProcessContext): ProcessOutcome | Promise<ProcessOutcome>;
}

/** How a process ended. Code that returns nothing has succeeded. */
// biome-ignore lint/suspicious/noConfusingVoidType: code that returns nothing is what most processes are
export type ProcessOutcome = void | 'success' | 'warning';

/**
 * The delivery of a message, as the handler of a subscription gets it. What it writes with {@link SqlTransaction.execute},
 * `saveComponent`, `schedule` and `publish` is part of one transaction, which also ends the delivery: its effects on the database
 * happen exactly once. Calls to other systems may be repeated.
 */
export interface MessageContext
  extends Omit<WorkContext, 'transaction'>,
    SqlTransaction,
    Pick<Transaction, 'schedule'> {
  /** The transaction of the delivery. Its `query` sees what the transaction has written, `query` of the context does not. */
  readonly tx: Transaction;
  /** Id of the message, a UUID. */
  readonly messageId: string;
  /** Id of its delivery to this subscription, a UUID: the same at each attempt. */
  readonly deliveryId: string;
  readonly subscription: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly publishedAt: Date;
}

/** The code of a subscription. `generated/handlers.ts` has the typed form for each subscription. */
export interface MessageHandler {
  /**
   * Takes a message. An error ends the attempt and undoes what it wrote; the message is delivered again, as `retry` of the
   * subscription says. A Fault with a status below 500 ends the delivery. Of a subscription with `gives-reply: true` it returns the
   * reply, and a Fault that ends the delivery is the reply.
   */
  onMessage(message: never, context: MessageContext): unknown;
}

/** The fault with which another system has replied later. */
export interface LaterFault<Document = DocumentValue> {
  /** Over SOAP its code: `Client`, `Server`, or `{namespace}local`; over REST `FAULT`. */
  readonly code: string;
  readonly reason: string;
  /** Over SOAP the XML of its detail, over REST its text; may be empty. Secrets in it are masked. */
  readonly detail: string;
  /** The operation's fault document, with `***` for secrets; `undefined` for a fault that does not match it. */
  readonly document: Document | undefined;
}

/** The context of a reply that comes later: that of its delivery. */
export interface ReplyContext<Request = DocumentValue> extends MessageContext {
  /** The message that was delivered. */
  readonly request: Request;
}

/** The code that takes the replies of a subscription which come later. `generated/handlers.ts` has its typed form. */
export interface ReplyHandler {
  /**
   * Takes a reply. What it writes is committed with the end of the delivery. After an error it runs again, as `retry` of the
   * subscription says; nothing is sent again. A Fault with a status below 500 ends the delivery.
   */
  onReply(reply: never, context: ReplyContext): void | Promise<void>;
  /** Takes a fault in the same way; then the delivery is done. Without it a fault ends the delivery, which has failed. */
  onFault?(fault: LaterFault, context: ReplyContext): void | Promise<void>;
}

/**
 * A save of a component's record, as the code that runs after it gets it.
 * @typeParam E the saves that the code runs for
 */
export type RecordSave<R = DocumentValue, E extends SaveEffect = SaveEffect> = Extract<
  | {
      readonly action: 'created';
      /** A new record has no values before the save. */
      readonly before: undefined;
      /** The record as it was written, frozen. */
      readonly after: R;
      /** Id of the save, a UUID. */
      readonly id: string;
    }
  | {
      readonly action: 'updated';
      /** The record before the save, frozen. */
      readonly before: R;
      /** The record as it was written, frozen. */
      readonly after: R;
      /** Id of the save, a UUID. */
      readonly id: string;
    }
  | {
      readonly action: 'deleted';
      /** The record that was deleted, frozen. */
      readonly before: R;
      readonly after: undefined;
      /** Id of the save, a UUID. */
      readonly id: string;
    },
  { readonly action: E }
>;

/**
 * The context of code that runs after a record was written (`after-save:`). What it writes with {@link SqlTransaction.execute},
 * `saveComponent`, `schedule` and `publish` is part of the transaction of the save: it is committed with the record, or not at all.
 */
export interface SaveContext extends Omit<WorkContext, 'transaction'>, SqlTransaction, Pick<Transaction, 'schedule'> {
  /** The transaction of the save. Its `query` sees what the transaction has written, `query` of the context does not. */
  readonly tx: Transaction;
  /** Id of the component. */
  readonly component: string;
}

/** The code that runs after the saves of a component. `generated/handlers.ts` has its typed form. */
export interface SaveHandler {
  /**
   * Runs in the transaction of the save, after the record was written. An error undoes the save; throw a Fault to choose the
   * reply. Call other systems from a subscription instead: on SQLite everything else that writes waits for the transaction, and on
   * PostgreSQL it may run more than once, if the transaction had to give way to another one; it is committed once.
   */
  onSave(save: never, context: SaveContext): void | Promise<void>;
}

/** A row as the database driver returns it, by column name. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** SQL inside a transaction of the gateway's database. */
export interface SqlTransaction {
  /**
   * Runs one statement. `:NAME` in it is a parameter, bound to `values.NAME`; null and undefined are NULL.
   * @returns the rows, and the number of rows that the statement changed
   * @throws Error naming a missing value; errors of the database
   */
  execute<R extends object = SqlRow>(
    sql: string,
    values?: Readonly<Record<string, Value>>,
  ): Promise<{ readonly rows: readonly R[]; readonly changed: number }>;
}

/**
 * One transaction of the gateway's own database, as code of a project uses it: `context.transaction`, `complete` of a process
 * and `tx` of an event. Its calls run one after the other. After its end it is closed, and calls that were not awaited are
 * waited for. After an error of the database, PostgreSQL accepts nothing more in a transaction: let the error end it.
 */
export interface Transaction extends SqlTransaction {
  /**
   * Runs a stored query of the gateway's own database with the caller's grants. It sees what the transaction has written. On
   * SQLite the gateway can't do anything else meanwhile.
   * @throws as {@link WorkContext.query}; an error that is answered as INTERNAL for a query of a datasource
   */
  query(
    name: string,
    prompts?: Readonly<Record<string, Value>>,
    options?: { readonly maxrows?: number },
  ): Promise<Row[]>;
  /** Reads a record of a component, as {@link WorkContext.readComponent}. It sees what the transaction has written. */
  readComponent(component: string, keys: DocumentValue): Promise<StoredRecord>;
  /**
   * Saves or deletes a record of a component, as {@link WorkContext.saveComponent}. Classes before the save run in the same
   * transaction, classes after it once it is committed.
   */
  saveComponent(component: string, record: DocumentValue, options?: SaveOptions): Promise<SavedRecord>;
  /**
   * Enters a request to run a process, which begins once the transaction is committed, and never if that is rolled back. The
   * caller is its operator, with grants of its own. Transactions that schedule wait for each other from here to their end.
   * @param process its id: `LOCATION_EXTRACT`
   * @param parameters by name
   * @returns the instance number of the request
   * @throws Fault FORBIDDEN, also for an anonymous caller; BAD_PARAMETER; UNAVAILABLE when too many requests wait
   */
  schedule(process: string, parameters?: DocumentValue, options?: ScheduleOptions): Promise<number>;
  /**
   * Publishes a message as {@link WorkContext.publish} does: it is delivered once the transaction is committed, and never if
   * that is rolled back. Messages of one partition keep the order of commits: transactions that publish to it wait for each
   * other from here to their end. Attachments are held in memory.
   */
  publish(operation: string, message: DocumentValue): Promise<string>;
}

/** Options of {@link Transaction.schedule}. */
export interface ScheduleOptions {
  /** Run control id of the request; empty by default. */
  readonly runControl?: string;
  /** The earliest start; at once by default. */
  readonly at?: Date;
}
