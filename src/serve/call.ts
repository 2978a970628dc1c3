import { validateHeaderValue } from 'node:http';
import { faultOf } from '../invoke/fault-of.ts';
import { flowNamed } from '../invoke/find.ts';
import type { BlobStore, Blobs } from '../model/blob.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import { Fault } from '../model/fault.ts';
import type { Flow } from '../model/flow.ts';
import {
  type Bytes,
  type Caller,
  type HandlerContext,
  type OutboundCallOptions,
  type OutboundOptions,
  Reply,
  type ReplyOptions,
} from '../model/handler.ts';
import type { FlowReply, InvokeReply } from '../model/invoke-reply.ts';
import type { Query } from '../model/query.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import type { Operation } from '../model/service.ts';
import type { Attachment, DocumentValue, Row, Value } from '../model/value.ts';
import { compilePrompts, type QueryPort } from '../query/index.ts';
import { authorise } from '../security/authorise.ts';
import { checkHeaders } from './headers.ts';
import type { Log } from './log.ts';
import type { OpenReply, Outbound } from './outbound.ts';

/** What every call can reach: the registry, and the ports behind it. */
export interface CallPorts {
  readonly registry: Registry;
  /** Binary content that is kept, by service. */
  readonly blobs: BlobStore;
  readonly queries: QueryPort;
  readonly outbound: Outbound;
  readonly log: Log;
}

/** What runs a query in a caller's name: finds it, checks the grant and the prompts, and asks the port for its rows. */
export type QueryRows = (
  user: User | undefined,
  name: string,
  prompts: Readonly<Record<string, Value>>,
  options: { readonly maxrows?: number; readonly signal: AbortSignal; readonly onTruncated: () => void },
) => Promise<Row[]>;

/** Compiles the prompts' checks of every query once. */
export function compileQueryRows({ registry, queries }: CallPorts): QueryRows {
  const compiled = new Map(
    [...registry.queries.values()].map((query) => [query.id, { query, read: compilePrompts(query).fromValues }]),
  );
  return async (user, name, prompts, options) => {
    const found = compiled.get(name);
    if (found === undefined) throw Fault.of('NOT_FOUND', { what: `query ${name}` });
    const { query, read } = found;
    authorise(user, query, 'query');
    return queries.rows({ ...options, query, prompts: read(prompts) });
  };
}

/** One call of one operation: the context that its handler sees. The signal is made only where somebody asks for it. */
export class Call implements HandlerContext {
  readonly operation: Operation;
  readonly uriIndex: number;
  readonly requestId: string;
  readonly user: User | undefined;
  readonly #segments: (() => AsyncIterable<Attachment>) | undefined;
  readonly #ports: CallPorts;
  readonly #rows: QueryRows;
  readonly #gone: () => AbortSignal;
  #controller: AbortController | undefined;
  #over: unknown;
  #truncated = false;
  #replies: OpenReply[] | undefined;
  #isDone = false;

  constructor(
    ports: CallPorts,
    rows: QueryRows,
    facts: {
      operation: Operation;
      uriIndex: number;
      requestId: string;
      user: User | undefined;
      gone: () => AbortSignal;
      segments?: (() => AsyncIterable<Attachment>) | undefined;
    },
  ) {
    this.#ports = ports;
    this.#rows = rows;
    this.operation = facts.operation;
    this.uriIndex = facts.uriIndex;
    this.requestId = facts.requestId;
    this.user = facts.user;
    this.#gone = facts.gone;
    this.#segments = facts.segments;
  }

  get caller(): Caller {
    return { user: this.user?.id };
  }

  get blobs(): Blobs {
    return this.#ports.blobs.scope(this.operation.service.id);
  }

  async *segments(): AsyncGenerator<Attachment> {
    if (this.#segments !== undefined) yield* this.#segments();
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      const gone = this.#gone();
      if (this.#over !== undefined) controller.abort(this.#over);
      else if (gone.aborted) controller.abort(gone.reason);
      else gone.addEventListener('abort', () => controller.abort(gone.reason), { once: true });
    }
    return this.#controller.signal;
  }

  /** Ends whatever still works for this call. */
  abort(reason: unknown): void {
    this.#over = reason;
    this.#controller?.abort(reason);
  }

  /** A row cap cut what a query of this call returned: the reply says so (`Rows-Truncated`). */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** To be called at such a cut. */
  onTruncated(): void {
    this.#truncated = true;
  }

  /** @throws Fault FORBIDDEN where the caller may not run the query */
  authorise(query: Query): void {
    authorise(this.user, query, 'query');
  }

  query(
    name: string,
    prompts: Readonly<Record<string, Value>> = {},
    options: { readonly maxrows?: number } = {},
  ): Promise<Row[]> {
    return this.#rows(this.user, name, prompts, {
      ...options,
      signal: this.signal,
      onTruncated: () => this.onTruncated(),
    });
  }

  async call(id: string, input: DocumentValue, options: OutboundCallOptions = {}): Promise<InvokeReply> {
    const operation = this.#ports.registry.consumers.get(id);
    if (operation?.active !== true) throw Fault.of('NOT_FOUND', { what: `operation ${id} of another system` });
    return this.callOut(operation, input, options);
  }

  async flow(id: string, input: DocumentValue, options: OutboundOptions = {}): Promise<FlowReply> {
    const flow = flowNamed(this.#ports.registry, id);
    if (flow?.active !== true) throw Fault.of('NOT_FOUND', { what: `flow ${id}` });
    return this.#runFlow(flow, input, options);
  }

  faultOf(operation: string, error: unknown): DocumentValue | undefined {
    return faultOf(operation, error);
  }

  /** Calls another system in the caller's name. @throws Fault FORBIDDEN, UNAVAILABLE; InvokeError */
  callOut(
    callee: ConsumerOperation | Flow,
    input: DocumentValue,
    options: OutboundCallOptions = {},
  ): Promise<InvokeReply> {
    return 'steps' in callee ? this.#runFlow(callee, input, options) : this.#callOperation(callee, input, options);
  }

  async #callOperation(
    operation: ConsumerOperation,
    input: DocumentValue,
    { segments, uriIndex, timeout }: OutboundCallOptions,
  ): Promise<InvokeReply> {
    this.#authoriseOut([operation]);
    return this.#keep(
      await this.#ports.outbound.call(operation, input, {
        ...this.#outgoing(timeout),
        ...(segments === undefined ? {} : { segments }),
        ...(uriIndex === undefined ? {} : { uriIndex }),
      }),
    );
  }

  async #runFlow(flow: Flow, input: DocumentValue, { timeout }: OutboundOptions): Promise<FlowReply> {
    this.#authoriseOut(flow.steps.map(({ operation }) => operation));
    return this.#keep(await this.#ports.outbound.flow(flow, input, this.#outgoing(timeout)));
  }

  #outgoing(timeout: number | undefined): { requestId: string; signal: AbortSignal; timeout?: number } {
    const { requestId, signal } = this;
    return { requestId, signal, ...(timeout === undefined ? {} : { timeout }) };
  }

  #authoriseOut(operations: readonly ConsumerOperation[]): void {
    for (const operation of operations) authorise(this.user, operation, 'operation');
  }

  /** A reply that comes when this call has been answered already is nobody's. */
  #keep<R extends OpenReply>(reply: R): R {
    if (this.#isDone) reply.close();
    else {
      this.#replies ??= [];
      this.#replies.push(reply);
    }
    return reply;
  }

  /** To be called once the reply is out, or given up: closes what is left open of the calls that it took. */
  done(): void {
    this.#isDone = true;
    for (const reply of this.#replies ?? []) reply.close();
    this.#replies = undefined;
  }

  reply(value: DocumentValue | string, options: ReplyOptions = {}): Reply {
    checkReply(options);
    return new Reply({ kind: 'value', value, ...options });
  }

  bytes(bytes: Bytes): Reply {
    checkReply(bytes);
    validateHeaderValue('Content-Type', bytes.contentType);
    if (!Number.isSafeInteger(bytes.length) || bytes.length < 0) {
      throw new RangeError(`the length of a reply must be a number of bytes, not ${bytes.length}`);
    }
    return new Reply({ kind: 'bytes', bytes });
  }

  log(
    level: 'debug' | 'info' | 'warn' | 'error',
    message: string,
    facts: Readonly<Record<string, unknown>> = {},
  ): void {
    this.#ports.log[level]({ ...facts, requestId: this.requestId, operation: this.operation.id }, message);
  }
}

/** What a handler gets wrong is told where its line is on the stack. @throws TypeError, RangeError */
function checkReply(reply: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> }): void {
  const { status = 200, headers } = reply;
  if (!Number.isInteger(status) || status < 200 || status > 399) {
    throw new RangeError(`the status of a reply must be 200 to 399, not ${status}; throw a Fault for an error`);
  }
  if (headers !== undefined) checkHeaders(headers);
}
