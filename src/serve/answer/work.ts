import { replySecrets } from '../../codec/redact/declared.ts';
import type { Components } from '../../event/event-port.ts';
import { faultOf } from '../../invoke/find.ts';
import type { Messages, PublishFacts } from '../../messaging/run/index.ts';
import type { BlobStore, Blobs } from '../../model/blob.ts';
import type { Component, SavedRecord, SaveOptions, StoredRecord } from '../../model/component.ts';
import type { ConsumerOperation } from '../../model/consumer.ts';
import { Fault, throwWithoutPlaces } from '../../model/fault.ts';
import type { Flow } from '../../model/flow.ts';
import type {
  Caller,
  OutboundCallOptions,
  OutboundOptions,
  RenderOptions,
  ScheduleOptions,
  Settings,
  Transaction,
  WorkContext,
} from '../../model/handler.ts';
import type { FlowReply, InvokeReply } from '../../model/invoke-reply.ts';
import type { Process } from '../../model/process.ts';
import type { Query } from '../../model/query.ts';
import type { Redactor } from '../../model/redactor.ts';
import type { Registry } from '../../model/registry.ts';
import type { Role, User } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import type { Attachment, DocumentValue, Row, Value } from '../../model/value.ts';
import { type QueryPort, renderRows } from '../../query/index.ts';
import { authorise, may } from '../../security/authorise.ts';
import { type Db, requireOutside, runInTransaction, type Store, sqlTransaction } from '../../store/index.ts';
import { duration } from '../../wire/duration.ts';
import { type Log, loggedError } from '../log/log.ts';
import { Names } from './names.ts';
import type { OpenReply, Outbound } from './outbound.ts';
import type { QueryRows } from './query-rows.ts';

/** The registry and the ports that all work can use. */
export interface WorkPorts {
  readonly registry: Registry;
  /** Stored binary content, by service. */
  readonly blobs: BlobStore;
  readonly queries: QueryPort;
  readonly components: Components;
  readonly outbound: Outbound;
  readonly transactions: Transactions;
  readonly settings: Settings;
  readonly log: Log;
  readonly redactor: Redactor;
}

/** Transactions of the gateway's own database, for code of the project. */
export interface Transactions {
  readonly kind: Store['kind'];
  /** Runs work in a transaction: see {@link Store.transaction}. @param user for whom it may queue work */
  run<T>(user: User | undefined, work: (tx: Db) => Promise<T>): Promise<T>;
  /** Enters a request to run a process. @returns its instance number @throws Fault FORBIDDEN, BAD_PARAMETER, UNAVAILABLE */
  schedule(tx: Db, process: Process, parameters: DocumentValue, options: ScheduleOptions, user: User): Promise<number>;
  /** Publishes a message: see {@link Messages}. */
  readonly messages: Pick<Messages, 'publish' | 'publishInside'>;
  /** Wakes the queues, once a transaction that entered work is committed. @param published operations that had messages */
  wake(published: Iterable<string>): void;
}

/** The identity and the purpose under which code runs. */
interface WorkFacts {
  readonly user: User | undefined;
  /** The address of an anonymous caller. */
  readonly address?: string | undefined;
  /** The role whose lists replace the caller's when access is checked. */
  readonly as?: Role | undefined;
  readonly requestId: string;
  /** The scope of blobs that the code can see. */
  readonly scope: string;
  /** Members of its log lines in addition to the request's id: `{ operation: 'LOCATIONS_GET' }`. */
  readonly named: Readonly<Record<string, unknown>>;
  /** The file of the code in the handlers folder, without its extension; `undefined` for code of the package. */
  readonly file?: string | undefined;
  /** What kind of code it is, for messages that it publishes; a handler by default. */
  readonly origin?: 'component' | 'process' | undefined;
  /** Masks secrets; without it, {@link WorkFacts.secrets} lists them. */
  readonly redactor?: Redactor | undefined;
  readonly secrets?: () => Iterable<string>;
  /** Creates the signal when it is first needed. */
  readonly gone: () => AbortSignal;
  /** Records, as the last part of each transaction, that a call has taken effect which its caller may repeat. */
  readonly takeEffect?: ((tx: Db) => Promise<void>) | undefined;
}

/** The queries whose rows arrays are, as code got them. */
const queriesOf = new WeakMap<object, Query>();

/** The context of the project's code. The signal is created only when it is used. */
export class Work implements WorkContext {
  readonly #facts: WorkFacts;
  readonly #ports: WorkPorts;
  readonly #rows: QueryRows;
  readonly #names: Names;
  #redactor: Redactor | undefined;
  #controller: AbortController | undefined;
  #over: unknown;
  #truncated = false;
  #replies: OpenReply[] | undefined;
  #isDone = false;
  #hasQueued = false;
  /** Operations that messages were published of. */
  readonly #published = new Set<string>();

  constructor(ports: WorkPorts, rows: QueryRows, facts: WorkFacts) {
    this.#ports = ports;
    this.#rows = rows;
    this.#facts = facts;
    this.#names = new Names(ports.registry, facts);
  }

  get user(): User | undefined {
    return this.#facts.user;
  }

  /** The role whose lists replace the caller's when access is checked. */
  get as(): Role | undefined {
    return this.#facts.as;
  }

  /** The user to whose share of the readers queries count, or the address of an anonymous caller. */
  get sharer(): string | undefined {
    const { user, address } = this.#facts;
    return user === undefined ? address : `user ${user.id}`;
  }

  get requestId(): string {
    return this.#facts.requestId;
  }

  get caller(): Caller {
    return { user: this.user?.id };
  }

  get blobs(): Blobs {
    return this.#ports.blobs.scope(this.#facts.scope);
  }

  get settings(): Settings {
    return this.#ports.settings;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      const gone = this.#facts.gone();
      if (this.#over !== undefined) controller.abort(this.#over);
      else if (gone.aborted) controller.abort(gone.reason);
      else gone.addEventListener('abort', () => controller.abort(gone.reason), { once: true });
    }
    return this.#controller.signal;
  }

  /** Aborts everything that still runs for this call. */
  abort(reason: unknown): void {
    this.#over = reason;
    this.#controller?.abort(reason);
  }

  /** Whether a row cap truncated a query of this call. The reply reports it (`Rows-Truncated`). */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** Must be called when a row cap truncates a query. */
  onTruncated(): void {
    this.#truncated = true;
  }

  /** @throws Fault FORBIDDEN when the caller is not permitted to run the query */
  authorise(query: Query): void {
    authorise(this.user, query, 'query', this.as);
  }

  /** @throws Fault FORBIDDEN when the caller is not permitted to use the component */
  authoriseComponent(component: Component): void {
    authorise(this.user, component, 'component', this.as);
  }

  /** Whether the caller is permitted to run the query. */
  may(query: Query): boolean {
    return may(this.user, query, this.as);
  }

  query(
    name: string,
    prompts?: Readonly<Record<string, Value>>,
    options?: { readonly maxrows?: number },
  ): Promise<Row[]> {
    return this.#query(undefined, name, prompts, options);
  }

  async #query(
    tx: Db | undefined,
    name: string,
    prompts: Readonly<Record<string, Value>> = {},
    options: { readonly maxrows?: number } = {},
  ): Promise<Row[]> {
    const { queries } = this.#ports.registry;
    const query = this.#names.declared('query', name, queries);
    const found = this.#rows(this, query, prompts, {
      ...options,
      signal: this.signal,
      onTruncated: () => this.onTruncated(),
      tx,
    });
    const rows = await found;
    queriesOf.set(rows, query);
    return rows;
  }

  render(
    rows: Iterable<object> | AsyncIterable<object>,
    format: 'xlsx' | 'csv',
    { query: id, name }: RenderOptions = {},
  ): Attachment {
    if (format !== 'xlsx' && format !== 'csv') throw new TypeError(`rows are written as xlsx or csv, not ${format}`);
    const { queries, gateway } = this.#ports.registry;
    const query = id === undefined ? queriesOf.get(rows) : this.#names.declared('query', id, queries);
    return renderRows(rows, format, { query, name, timezone: gateway.timezone });
  }

  async call(id: string, input: DocumentValue, options: OutboundCallOptions = {}): Promise<InvokeReply> {
    return this.callOut(this.#names.active('operation', id), input, options);
  }

  async flow(id: string, input: DocumentValue, options: OutboundOptions = {}): Promise<FlowReply> {
    return this.#runFlow(this.#names.active('flow', id), input, options);
  }

  faultOf(operation: string, error: unknown): DocumentValue | undefined {
    return faultOf(this.#names.consumer(operation).id, error);
  }

  async readComponent(id: string, keys: DocumentValue): Promise<StoredRecord> {
    requireOutside('readComponent');
    const component = this.component(id);
    this.authoriseComponent(component);
    return this.#ports.components.read(component, keys).catch(throwWithoutPlaces);
  }

  async transaction<T>(work: (tx: Transaction) => T | Promise<T>): Promise<T> {
    requireOutside('transaction');
    const { transactions, registry } = this.#ports;
    const { timeout: limit } = registry.gateway.limits;
    const late = (): Fault => Fault.of('TIMEOUT', { what: 'A transaction', time: duration(limit) });
    const { signal } = this;
    const done = await transactions.run(this.user, async (tx) => {
      const result = await runInTransaction(this.inside(tx), work, { signal, limit, late });
      await this.#facts.takeEffect?.(tx);
      return result;
    });
    this.#wake();
    return done;
  }

  /** What this code does in a transaction: see {@link OpenedWork.inside}. */
  inside(tx: Db, depth?: number): Transaction {
    const { components, registry, transactions } = this.#ports;
    const permitted = (id: string): Component => {
      const component = this.component(id);
      if (depth === undefined) this.authoriseComponent(component);
      return component;
    };
    return {
      ...sqlTransaction(tx, transactions.kind),
      query: (name, prompts, options) => this.#query(tx, name, prompts, options),
      readComponent: async (id, keys) => components.read(permitted(id), keys, tx).catch(throwWithoutPlaces),
      saveComponent: async (id, record, { action = 'put', ...expected } = {}) => {
        const { user, requestId, signal } = this;
        const facts = { ...expected, user, requestId, signal, depth: depth === undefined ? 0 : depth + 1 };
        const saved = await components.saveInside(tx, permitted(id), action, record, facts).catch(throwWithoutPlaces);
        this.#hasQueued = true;
        return saved;
      },
      schedule: async (id, parameters = {}, options = {}) => {
        const process = this.#names.declared('process', id, registry.processes);
        const { user } = this;
        const what = `process ${id}`;
        if (user === undefined) throw Fault.of('FORBIDDEN', { user: 'An anonymous caller', what });
        const instance = await transactions.schedule(tx, process, parameters, options, user).catch(throwWithoutPlaces);
        this.#hasQueued = true;
        return instance;
      },
      publish: async (id, message) => {
        const operation = this.#publishing(id);
        const published = await transactions.messages.publishInside(tx, operation, message, this.#publisher());
        this.#hasQueued = true;
        this.#published.add(operation.id);
        return published;
      },
    };
  }

  async publish(id: string, message: DocumentValue): Promise<string> {
    requireOutside('publish');
    return this.#ports.transactions.messages.publish(this.#publishing(id), message, this.#publisher());
  }

  /** The operation that code publishes by. @throws UndeclaredName; Fault FORBIDDEN */
  #publishing(id: string): Operation {
    const operation = this.#names.published(id);
    authorise(this.user, operation, 'operation', this.as);
    return operation;
  }

  #publisher(): PublishFacts {
    const { requestId, signal, user } = this;
    const { origin = 'handler', takeEffect } = this.#facts;
    return { user, requestId, connector: origin, signal, takeEffect };
  }

  /** Called when a transaction has ended. */
  #wake(): void {
    if (this.#hasQueued) this.#ports.transactions.wake(this.#published);
    this.#hasQueued = false;
    this.#published.clear();
  }

  async saveComponent(id: string, record: DocumentValue, options: SaveOptions = {}): Promise<SavedRecord> {
    requireOutside('saveComponent');
    const component = this.component(id);
    this.authoriseComponent(component);
    const { action = 'put', ...expected } = options;
    const { user, requestId, signal } = this;
    const { takeEffect } = this.#facts;
    return this.#ports.components
      .save(component, action, record, { user, requestId, signal, takeEffect, ...expected })
      .catch(throwWithoutPlaces);
  }

  /** The component that code names. @throws UndeclaredName */
  component(id: string): Component {
    return this.#names.declared('component', id, this.#ports.registry.components);
  }

  /** Calls another system on behalf of the caller. @throws Fault FORBIDDEN, UNAVAILABLE; InvokeError */
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
    { segments, uriIndex, ...options }: OutboundCallOptions,
  ): Promise<InvokeReply> {
    this.#authoriseOut([operation]);
    return this.#keep(
      await this.#ports.outbound.call(operation, input, {
        ...this.#outgoing(options),
        ...(segments === undefined ? {} : { segments }),
        ...(uriIndex === undefined ? {} : { uriIndex }),
      }),
      operation,
    );
  }

  async #runFlow(flow: Flow, input: DocumentValue, options: OutboundOptions): Promise<FlowReply> {
    this.#authoriseOut(flow.steps.map(({ operation }) => operation));
    const last = flow.steps.at(-1)?.operation;
    return this.#keep(await this.#ports.outbound.flow(flow, input, this.#outgoing(options)), last);
  }

  #outgoing({ timeout, messageId }: OutboundOptions): OutboundOptions & { requestId: string; signal: AbortSignal } {
    const { requestId, signal } = this;
    return {
      ...{ requestId, signal },
      ...(timeout === undefined ? {} : { timeout }),
      ...(messageId === undefined ? {} : { messageId }),
    };
  }

  #authoriseOut(operations: readonly ConsumerOperation[]): void {
    for (const operation of operations) authorise(this.user, operation, 'operation', this.as);
  }

  /** A reply that arrives after this call was answered is discarded. */
  #keep<R extends OpenReply>(reply: R, operation: ConsumerOperation | undefined): R {
    const secrets = operation === undefined ? [] : [...replySecrets(operation, reply.value)];
    if (secrets.length > 0) this.redactor.learn(secrets);
    if (this.#isDone) reply.close();
    else {
      this.#replies ??= [];
      this.#replies.push(reply);
    }
    return reply;
  }

  /** Must be called once the reply was sent or abandoned: closes the replies of calls that are still open. */
  done(): void {
    this.#isDone = true;
    this.#wake();
    for (const reply of this.#replies ?? []) reply.close();
    this.#replies = undefined;
  }

  log(
    level: 'debug' | 'info' | 'warn' | 'error',
    message: string,
    facts: Readonly<Record<string, unknown>> = {},
  ): void {
    const { log } = this.#ports;
    if (!log.isLevelEnabled(level)) return;
    const { err, ...given } = facts;
    const shown = this.redactor.value(err instanceof Error ? { err: loggedError(err), ...given } : facts);
    const own = { requestId: this.requestId, ...this.#facts.named };
    log[level]({ ...(typeof shown === 'object' ? shown : { facts: shown }), ...own }, this.redactor.text(message));
  }

  /** Masks the secrets in the data of this work. */
  get redactor(): Redactor {
    const { redactor, secrets = () => [] } = this.#facts;
    this.#redactor ??= redactor ?? this.#ports.redactor.knowing({ secrets });
    return this.#redactor;
  }
}
