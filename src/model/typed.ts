import type { SavedRecord, SaveOptions, StoredRecord } from './component.ts';
import type { Fault } from './fault.ts';
import type {
  HandlerContext,
  MessageContext,
  OutboundCallOptions,
  OutboundOptions,
  ProcessContext,
  Reply,
  ReplyOptions,
  SaveContext,
  ScheduleOptions,
  Transaction,
} from './handler.ts';
import type { FlowReply, InvokeReply } from './invoke-reply.ts';
import type { ComponentEvent } from './service-interface.ts';
import type { Attachment, DocumentValue, JsonValue } from './value.ts';

// The types that `generated/handlers.ts` and `generated/client.ts` are built from. Nothing here exists at run time.

/** Prompts and rows of stored queries, by id: `Queries` of `generated/types.ts`. */
export type QueryTypes<Q> = { [Id in keyof Q]: { prompts: readonly unknown[]; row: object } };

/** {@link HandlerContext} with the types of the project's queries, calls, flows and components, and of the operation's reply. */
export interface TypedContext<
  Q extends QueryTypes<Q>,
  C extends CallTypes<C>,
  F extends FlowTypes<F>,
  UriIndex extends number,
  Message,
  S extends ComponentTypes<S> = AnyComponents,
  P extends ProcessTypes<P> = AnyProcesses,
  M extends MessageTypes<M> = NoMessages,
  St extends object = NoSettings,
> extends Omit<HandlerContext, OwnTypes | 'transaction' | 'reply' | 'uriIndex'>,
    TypedSaves<S>,
    TypedTransactions<Q, S, P, M>,
    TypedPublish<M> {
  /** The settings of the project: see {@link WorkContext.settings}. */
  readonly settings: St;
  /** Number of the URI template that matched, from 1. Over SOAP, the first that has all given values; 0 if none has. */
  readonly uriIndex: UriIndex;
  /**
   * Runs a stored query with the caller's grants.
   * @returns the rows; columns have their declared names, and NULL is null
   * @throws Fault FORBIDDEN, BAD_PARAMETER, TIMEOUT; an error that is answered as INTERNAL for an undeclared name
   */
  query<Id extends keyof Q & string>(
    name: Id,
    ...call: [...prompts: Q[Id]['prompts'], options?: { readonly maxrows?: number }]
  ): Promise<Q[Id]['row'][]>;
  /**
   * Calls an operation of another system with the caller's grants, and waits for the value of the reply. The request id is
   * passed on. Replies that are still open are closed when the work ends.
   * @throws Fault FORBIDDEN, UNAVAILABLE; an error that is answered as INTERNAL for an undeclared name; InvokeError for a failed call, as SoapFault or ReplyFault with the
   * target's own fault. An InvokeError that a handler does not catch is answered as UPSTREAM_FAILED or UPSTREAM_TIMEOUT
   */
  call<Id extends keyof C & string>(
    operation: Id,
    input: C[Id]['request'],
    options?: OutboundCallOptions,
  ): Promise<TypedReply<C[Id]['reply']>>;
  /**
   * Runs a flow, as {@link TypedContext.call} calls an operation. The caller needs the grants of all steps.
   * @throws as {@link TypedContext.call}
   */
  flow<Id extends keyof F & string>(
    flow: Id,
    input: F[Id]['request'],
    options?: OutboundOptions,
  ): Promise<TypedFlowReply<F[Id]['reply']>>;
  /**
   * The fault document with which another system answered, found in an error that `call` or `flow` has thrown.
   * @param operation id of the operation that was called, by itself or as a step of the flow
   * @returns `undefined` for any other error, and for a fault that does not match the operation's fault document
   */
  faultOf<Id extends keyof C & string>(operation: Id, error: unknown): C[Id]['fault'] | undefined;
  /** A reply with its own status (200 to 399) or headers. */
  reply(value: Message, options?: ReplyOptions): Reply;
}

/** Handlers by the names of their operations: `Handlers` of `generated/handlers.ts`. */
type HandlerTypes<All> = { [Id in keyof All]: AnyHandler };

/** The type of an operation's handler. For a union of ids, the type of the handler that these operations share. */
export type HandlerOf<All extends HandlerTypes<All>, Id extends keyof All> = [Id] extends [Only<Id>]
  ? All[Id]
  : SharedHandler<All[Id]>;

/** The member of a union that has only one; never for larger unions. */
type Only<Union, Whole = Union> = Union extends unknown ? ([Whole] extends [Union] ? Union : never) : never;

/**
 * The ids of operations that a handler `H` matches. For an operation that it does not match, the id carries a
 * {@link Complaint}. The compiler first tries the ids with the expected type of the handler itself, which is accepted.
 */
export type Fitting<All extends HandlerTypes<All>, Id extends keyof All, H extends AnyHandler> = [
  HandlerOf<All, Id>,
] extends [H]
  ? Id
  : { [Each in Id]: Each & Complaint<H, All[Each]> }[Id];

/**
 * What is wrong with a handler `H`; unknown if its replies have no undeclared field, at any depth. TypeScript checks an
 * inferred return type for missing and mistyped fields, but not for excess ones: a misspelt optional field would go
 * unnoticed. The compiler reports the complaint at the operation's id, because the expected type of the handler has to be
 * simple: its parameters are inferred from it.
 */
export type Complaint<H extends AnyHandler, Expected extends AnyHandler> =
  Exclude<keyof H, 'onRequest' | 'onError'> extends never
    ? Surplus<Message<H>, Message<Expected>, []> extends infer Path extends string
      ? [Path] extends [never]
        ? unknown
        : { 'the reply has no field': Path }
      : unknown
    : { 'a handler has onRequest and onError, not': Exclude<keyof H, 'onRequest' | 'onError'> };

interface AnyHandler {
  onRequest(request: never, context: never): unknown;
}

/**
 * The handler of several operations; `H` is the union of their handlers. It accepts the requests of all of them, and its
 * reply matches all of them.
 */
interface SharedHandler<H extends AnyHandler> {
  /** Answers a request, or throws a Fault. */
  onRequest(request: Given<H>[0], context: Given<H>[1]): InAll<H> | Promise<InAll<H>>;
  /** Words the message of a fault document. */
  onError?(fault: Fault, request: Given<H>[0] | undefined, context: Given<H>[1]): string | Promise<string>;
}

type Given<H extends AnyHandler> = Parameters<H['onRequest']>;

/**
 * What the members of a union of handlers may all return. A {@link Reply} stands beside the intersection, not in it: the
 * compiler would multiply out `(A | Reply) & (B | Reply) & …`, for every operation of a project where an id is misspelt.
 */
type InAll<H extends AnyHandler> =
  | ((H extends unknown ? (box: [Message<H>]) => void : never) extends (box: infer Box extends [unknown]) => void
      ? Box[0]
      : never)
  | Reply;

/** What a handler returns, except a {@link Reply}, whose value `reply()` has checked. */
type Message<H extends AnyHandler> = Exclude<Awaited<ReturnType<H['onRequest']>>, Reply>;

/**
 * Paths (`LOC_DATA.CITY`) of fields that `Given` has and `Shape` lacks; never if there are none, or if the compiler does not
 * know the names (`any`, a record). `Level` counts nested documents: recursive types are followed to the eighth level.
 */
type Surplus<Given, Shape, Level extends 0[]> = 0 extends 1 & Given
  ? never
  : Level['length'] extends 8
    ? never
    : JsonValue extends Shape
      ? never
      : Attachment extends Shape
        ? never
        : SurplusOf<Given, Exclude<Shape, null | undefined>, Level>;

type SurplusOf<Given, Shape, Level extends 0[]> =
  Same<Given, Shape> extends true
    ? never
    : Given extends readonly (infer Item)[]
      ? Shape extends readonly (infer Expected)[]
        ? Surplus<Item, Expected, Level>
        : never
      : Given extends object
        ? { [Key in keyof Given & string]-?: SurplusAt<Key, Given[Key], Shape, Level> }[keyof Given & string]
        : never;

type SurplusAt<Key extends string, Given, Shape, Level extends 0[]> = string extends Key
  ? never
  : Key extends KeyOf<Shape>
    ? Below<Key, Surplus<Given, At<Shape, Key>, [...Level, 0]>>
    : Key;

type Below<Key extends string, Path> = Path extends string ? `${Key}.${Path}` : never;

/** Keys of any member of a union. */
type KeyOf<Shape> = Shape extends unknown ? keyof Shape : never;

type At<Shape, Key> = Shape extends unknown ? (Key extends keyof Shape ? Shape[Key] : never) : never;

/** Whether two types are identical: there is nothing to compare if a handler uses the generated type itself. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Operations of other systems by id: `Calls` of `generated/client.ts`. */
export type CallTypes<C> = { [Id in keyof C]: { request: object; reply: object; fault: object } };

/** Flows by id: `Flows` of `generated/client.ts`. */
export type FlowTypes<F> = { [Id in keyof F]: { request: object; reply: object } };

/** Operations without generated types. */
export type AnyCalls = Record<string, { request: DocumentValue; reply: DocumentValue; fault: DocumentValue }>;

/** Flows without generated types. */
export type AnyFlows = Record<string, { request: DocumentValue; reply: DocumentValue }>;

/** {@link InvokeReply} with the type of the operation's value. */
export interface TypedReply<Value> extends Omit<InvokeReply, 'value'> {
  /** The response document. Binary fields are attachments, which can be read once, until {@link InvokeReply.close}. */
  readonly value: Value;
}

/** {@link FlowReply} with the type of the last operation's value. */
export interface TypedFlowReply<Value> extends Omit<FlowReply, 'value'> {
  /** The response document of the last step; see {@link InvokeReply.value}. */
  readonly value: Value;
}

/** {@link ComponentEvent} with the types of the record and of the project's queries, calls, flows and components. */
export interface TypedEvent<
  Q extends QueryTypes<Q>,
  C extends CallTypes<C>,
  F extends FlowTypes<F>,
  R,
  S extends ComponentTypes<S> = AnyComponents,
  P extends ProcessTypes<P> = AnyProcesses,
  M extends MessageTypes<M> = NoMessages,
  St extends object = NoSettings,
> extends Omit<ComponentEvent<R>, OwnTypes | 'tx'>,
    Pick<TypedContext<Q, C, F, number, never>, 'query' | 'call' | 'flow' | 'faultOf'>,
    TypedSaves<S>,
    TypedPublish<M> {
  /** The settings of the project: see {@link WorkContext.settings}. */
  readonly settings: St;
  /** The transaction of the event: see {@link ComponentEvent.tx}. */
  readonly tx: TypedTransaction<Q, S, P, M>;
}

/** What is typed in the context of code that runs in a transaction of the gateway. */
interface TypedInTransaction<
  Q extends QueryTypes<Q>,
  C extends CallTypes<C>,
  F extends FlowTypes<F>,
  S extends ComponentTypes<S>,
  P extends ProcessTypes<P>,
  M extends MessageTypes<M>,
  St extends object,
> extends Pick<TypedContext<Q, C, F, number, never>, 'query' | 'call' | 'flow' | 'faultOf'>,
    Pick<TypedTransaction<Q, S, P, M>, 'schedule'>,
    TypedSaves<S>,
    TypedPublish<M> {
  /** The settings of the project: see {@link WorkContext.settings}. */
  readonly settings: St;
  /** The transaction of the gateway: see {@link MessageContext.tx} and {@link SaveContext.tx}. */
  readonly tx: TypedTransaction<Q, S, P, M>;
}

/** {@link MessageContext} with the types of the project's queries, calls, flows, components, processes and messages. */
export interface TypedMessage<
  Q extends QueryTypes<Q>,
  C extends CallTypes<C>,
  F extends FlowTypes<F>,
  S extends ComponentTypes<S> = AnyComponents,
  P extends ProcessTypes<P> = AnyProcesses,
  M extends MessageTypes<M> = NoMessages,
  St extends object = NoSettings,
> extends Omit<MessageContext, OwnTypes | 'tx' | 'schedule'>,
    TypedInTransaction<Q, C, F, S, P, M, St> {}

/** {@link SaveContext} with the types of the project's queries, calls, flows, components, processes and messages. */
export interface TypedSaveContext<
  Q extends QueryTypes<Q>,
  C extends CallTypes<C>,
  F extends FlowTypes<F>,
  S extends ComponentTypes<S> = AnyComponents,
  P extends ProcessTypes<P> = AnyProcesses,
  M extends MessageTypes<M> = NoMessages,
  St extends object = NoSettings,
> extends Omit<SaveContext, OwnTypes | 'tx' | 'schedule'>,
    TypedInTransaction<Q, C, F, S, P, M, St> {}

/** {@link ProcessContext} with the types of the project's queries, calls, flows and components. */
export interface TypedProcess<
  Q extends QueryTypes<Q>,
  C extends CallTypes<C>,
  F extends FlowTypes<F>,
  S extends ComponentTypes<S> = AnyComponents,
  P extends ProcessTypes<P> = AnyProcesses,
  M extends MessageTypes<M> = NoMessages,
  St extends object = NoSettings,
> extends Omit<ProcessContext, OwnTypes | 'transaction' | 'complete'>,
    Pick<TypedContext<Q, C, F, number, never>, 'query' | 'call' | 'flow' | 'faultOf'>,
    TypedSaves<S>,
    TypedTransactions<Q, S, P, M>,
    TypedPublish<M> {
  /** The settings of the project: see {@link WorkContext.settings}. */
  readonly settings: St;
  /**
   * Writes to the gateway's database and ends the request with success, in one transaction: the effects there happen exactly
   * once. Call it at most once, at the end.
   */
  complete(work: (tx: TypedTransaction<Q, S, P, M>) => void | Promise<void>): Promise<void>;
}

/** Members of a context that have types of the project. */
type OwnTypes = 'settings' | 'query' | 'call' | 'flow' | 'faultOf' | 'readComponent' | 'saveComponent' | 'publish';

/** Processes by id: their parameters, in `Programs` of `generated/types.ts`. */
export type ProcessTypes<P> = { [Id in keyof P]: object };

/** Processes without generated types. */
export type AnyProcesses = Record<string, DocumentValue>;

/** Messages by the operations that publish them: `Messages` of `generated/types.ts`. */
export type MessageTypes<M> = { [Id in keyof M]: object };

/** A project without operations that publish messages. */
export type NoMessages = Record<never, never>;

/** A project without settings. */
export type NoSettings = Record<never, never>;

/** Publishes with the types of the project's messages. */
export interface TypedPublish<M extends MessageTypes<M>> {
  /** Publishes a message: see {@link WorkContext.publish} and {@link Transaction.publish}. */
  publish<Id extends keyof M & string>(operation: Id, message: M[Id]): Promise<string>;
}

/** {@link Transaction} with the types of the project's queries, components, processes and messages. */
export interface TypedTransaction<
  Q extends QueryTypes<Q>,
  S extends ComponentTypes<S>,
  P extends ProcessTypes<P>,
  M extends MessageTypes<M> = NoMessages,
> extends Omit<Transaction, 'query' | 'readComponent' | 'saveComponent' | 'schedule' | 'publish'>,
    TypedSaves<S>,
    TypedPublish<M> {
  /** Runs a stored query of the gateway's own database: see {@link Transaction.query}. */
  query<Id extends keyof Q & string>(
    name: Id,
    ...call: [...prompts: Q[Id]['prompts'], options?: { readonly maxrows?: number }]
  ): Promise<Q[Id]['row'][]>;
  /** Enters a request to run a process, which begins once the transaction is committed: see {@link Transaction.schedule}. */
  schedule<Id extends keyof P & string>(
    process: Id,
    ...given: Record<never, never> extends P[Id]
      ? [parameters?: P[Id], options?: ScheduleOptions]
      : [parameters: P[Id], options?: ScheduleOptions]
  ): Promise<number>;
}

/** Transactions with the types of the project. */
interface TypedTransactions<
  Q extends QueryTypes<Q>,
  S extends ComponentTypes<S>,
  P extends ProcessTypes<P>,
  M extends MessageTypes<M>,
> {
  /** Runs work in one transaction of the gateway's own database: see {@link HandlerContext.transaction}. */
  transaction<T>(work: (tx: TypedTransaction<Q, S, P, M>) => T | Promise<T>): Promise<T>;
}

/** Components by id: `Components` of `generated/types.ts`. */
export type ComponentTypes<S> = { [Id in keyof S]: { keys: object; given: object; record: object } };

/** Components without generated types. */
export type AnyComponents = Record<string, { keys: DocumentValue; given: DocumentValue; record: DocumentValue }>;

/** {@link SavedRecord} with the type of the component's record. */
export interface TypedSaved<R> extends Omit<SavedRecord, 'record'> {
  /** The record after the save; absent if it was deleted. */
  readonly record?: R;
}

/** {@link StoredRecord} with the type of the component's record. */
export interface TypedStored<R> extends Omit<StoredRecord, 'record'> {
  readonly record: R;
}

/** Reads and saves with the types of the project's components. */
export interface TypedSaves<S extends ComponentTypes<S>> {
  /**
   * Reads a record of a component, with its entity tag.
   * @throws Fault NOT_FOUND, FORBIDDEN, BAD_PARAMETER
   */
  readComponent<Id extends keyof S & string>(component: Id, keys: S[Id]['keys']): Promise<TypedStored<S[Id]['record']>>;
  /**
   * Saves a whole record of a component; its events run.
   * @throws Fault NOT_FOUND, CONFLICT, PRECONDITION_FAILED, BAD_BODY; what a class before the save throws
   */
  saveComponent<Id extends keyof S & string>(
    component: Id,
    record: S[Id]['given'],
    options?: SaveOptions & { readonly action?: 'create' | 'put' },
  ): Promise<TypedSaved<S[Id]['record']>>;
  /** Changes the given fields of a record (`patch`; null clears a field), or deletes it (`delete`). */
  saveComponent<Id extends keyof S & string>(
    component: Id,
    record: S[Id]['keys'] & Partial<S[Id]['given']>,
    options: SaveOptions & { readonly action: 'patch' | 'delete' },
  ): Promise<TypedSaved<S[Id]['record']>>;
}
