import type { SavedRecord, SaveOptions } from './component.ts';
import type { Fault } from './fault.ts';
import type {
  ComponentEvent,
  HandlerContext,
  OutboundCallOptions,
  OutboundOptions,
  ProcessContext,
  Reply,
  ReplyOptions,
} from './handler.ts';
import type { FlowReply, InvokeReply } from './invoke-reply.ts';
import type { Attachment, DocumentValue, JsonValue } from './value.ts';

// The types that `generated/handlers.ts` is written in. They hold at compile time only: nothing here runs.

/** Prompts and rows of stored queries, by id: `Queries` of `generated/types.ts`. */
export type QueryTypes<Q> = { [Id in keyof Q]: { prompts: readonly unknown[]; row: object } };

/**
 * What a handler is given beside the request, with the project's own queries, calls, flows and components, and the
 * operation's own reply.
 */
export interface TypedContext<
  Q extends QueryTypes<Q>,
  C extends CallTypes<C>,
  F extends FlowTypes<F>,
  UriIndex extends number,
  Message,
  S extends ComponentTypes<S> = AnyComponents,
> extends Omit<HandlerContext, 'query' | 'call' | 'flow' | 'faultOf' | 'saveComponent' | 'reply' | 'uriIndex'>,
    TypedSaves<S> {
  /** Which of the operation's URI templates matched, from 1; over SOAP the one that carries what was given, 0 where none does. */
  readonly uriIndex: UriIndex;
  /**
   * Runs a stored query under the caller's own grants and returns its rows, columns by their declared names.
   * @throws Fault FORBIDDEN, NOT_FOUND, BAD_PARAMETER, TIMEOUT
   */
  query<Id extends keyof Q & string>(
    name: Id,
    ...call: [...prompts: Q[Id]['prompts'], options?: { readonly maxrows?: number }]
  ): Promise<Q[Id]['row'][]>;
  /** See {@link HandlerContext.call}. */
  call<Id extends keyof C & string>(
    operation: Id,
    input: C[Id]['request'],
    options?: OutboundCallOptions,
  ): Promise<TypedReply<C[Id]['reply']>>;
  /** See {@link HandlerContext.flow}. */
  flow<Id extends keyof F & string>(
    flow: Id,
    input: F[Id]['request'],
    options?: OutboundOptions,
  ): Promise<TypedFlowReply<F[Id]['reply']>>;
  /** See {@link HandlerContext.faultOf}. */
  faultOf<Id extends keyof C & string>(operation: Id, error: unknown): C[Id]['fault'] | undefined;
  /** A reply with a status or headers of its own. `status` from 200 to 399. */
  reply(value: Message, options?: ReplyOptions): Reply;
}

/** Handlers by the names of their operations: `Handlers` of `generated/handlers.ts`. */
type HandlerTypes<All> = { [Id in keyof All]: AnyHandler };

/** The handler of an operation; of several, by the union of their names, the one that they share. */
export type HandlerOf<All extends HandlerTypes<All>, Id extends keyof All> = [Id] extends [Only<Id>]
  ? All[Id]
  : SharedHandler<All[Id]>;

/** A union that has one member; never where it has more. */
type Only<Union, Whole = Union> = Union extends unknown ? ([Whole] extends [Union] ? Union : never) : never;

/**
 * The names of operations that a handler `H` fits; at the name of one that it does not fit, what it is found wanting in. Before
 * the compiler has looked at the handler, it tries the names with what is expected of it: that is no complaint.
 */
export type Fitting<All extends HandlerTypes<All>, Id extends keyof All, H extends AnyHandler> = [
  HandlerOf<All, Id>,
] extends [H]
  ? Id
  : { [Each in Id]: Each & Complaint<H, All[Each]> }[Id];

/**
 * What a handler `H` is found wanting in; unknown where its replies have no field that the document lacks, at any depth.
 * TypeScript checks an inferred return type for missing and mistyped fields, but not for ones too many: a misspelt
 * optional field would go unnoticed. The complaint stands at the operation's id rather than at the handler, whose
 * parameters are inferred from the type that is expected of it: that one has to be plain.
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
 * The handler of several operations, of which `H` is the union of their own: its request and its context are those of any of
 * them, and what it returns fits all of them.
 */
interface SharedHandler<H extends AnyHandler> {
  /** Takes the request message, returns the reply or throws a Fault. */
  onRequest(request: Given<H>[0], context: Given<H>[1]): InAll<H> | Promise<InAll<H>>;
  /** Takes a fault, returns the text that the fault document gets. A request that could not be read is undefined. */
  onError?(fault: Fault, request: Given<H>[0] | undefined, context: Given<H>[1]): string | Promise<string>;
}

type Given<H extends AnyHandler> = Parameters<H['onRequest']>;

/** What each member of a union of handlers may return. */
type InAll<H extends AnyHandler> = (
  H extends unknown
    ? (box: [Awaited<ReturnType<H['onRequest']>>]) => void
    : never
) extends (box: infer Box extends [unknown]) => void
  ? Box[0]
  : never;

/** What a handler returns, replies made by the context aside: those were checked when they were made. */
type Message<H extends AnyHandler> = Exclude<Awaited<ReturnType<H['onRequest']>>, Reply>;

/**
 * Paths (`LOC_DATA.CITY`) of fields that `Given` has and `Shape` lacks; never where there is none, or where the compiler
 * knows no names (`any`, a record). `Level` counts the documents round it: a type that holds itself is followed down to
 * the eighth.
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

/** Whether two types are one: the walk ends where a handler uses the generated type itself. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

// The types that calls to other systems are written in. They hold at compile time only: nothing here runs.

/** Operations of other systems by id: `Calls` of `generated/client.ts`. */
export type CallTypes<C> = { [Id in keyof C]: { request: object; reply: object; fault: object } };

/** Flows by id: `Flows` of `generated/client.ts`. */
export type FlowTypes<F> = { [Id in keyof F]: { request: object; reply: object } };

/** Operations of which nothing is known but what the definitions say at run time. */
export type AnyCalls = Record<string, { request: DocumentValue; reply: DocumentValue; fault: DocumentValue }>;

/** Flows of which no more is known. */
export type AnyFlows = Record<string, { request: DocumentValue; reply: DocumentValue }>;

/** What another system answered, as a value of the operation's type. */
export interface TypedReply<Value> extends Omit<InvokeReply, 'value'> {
  /** See {@link InvokeReply.value}. */
  readonly value: Value;
}

/** The reply of a flow's last step, as a value of that operation's type. */
export interface TypedFlowReply<Value> extends Omit<FlowReply, 'value'> {
  /** See {@link InvokeReply.value}. */
  readonly value: Value;
}

// The type that the events of `generated/handlers.ts` are written in. It holds at compile time only: nothing here runs.

/** What a class is given that is registered at a component, with the project's own queries, calls, flows and components. */
export interface TypedEvent<
  Q extends QueryTypes<Q>,
  C extends CallTypes<C>,
  F extends FlowTypes<F>,
  R,
  S extends ComponentTypes<S> = AnyComponents,
> extends Omit<ComponentEvent<R>, 'query' | 'call' | 'flow' | 'faultOf' | 'saveComponent'>,
    Pick<TypedContext<Q, C, F, number, never>, 'query' | 'call' | 'flow' | 'faultOf'>,
    TypedSaves<S> {}

// The type that the processes of `generated/handlers.ts` are written in. It holds at compile time only: nothing here runs.

/** What the code of a process is given beside its parameters, with the project's own queries, calls, flows and components. */
export interface TypedProcess<
  Q extends QueryTypes<Q>,
  C extends CallTypes<C>,
  F extends FlowTypes<F>,
  S extends ComponentTypes<S> = AnyComponents,
> extends Omit<ProcessContext, 'query' | 'call' | 'flow' | 'faultOf' | 'saveComponent'>,
    Pick<TypedContext<Q, C, F, number, never>, 'query' | 'call' | 'flow' | 'faultOf'>,
    TypedSaves<S> {}

// The types that saves of components are written in. They hold at compile time only: nothing here runs.

/** Components by id: `Components` of `generated/types.ts`. */
export type ComponentTypes<S> = { [Id in keyof S]: { keys: object; given: object; record: object } };

/** Components of which nothing is known but what the definitions say at run time. */
export type AnyComponents = Record<string, { keys: DocumentValue; given: DocumentValue; record: DocumentValue }>;

/** What a save came to, with the record as the component has it. */
export interface TypedSaved<R> extends Omit<SavedRecord, 'record'> {
  /** See {@link SavedRecord.record}. */
  readonly record?: R;
}

/** What saves the project's own components. */
export interface TypedSaves<S extends ComponentTypes<S>> {
  /**
   * Saves a whole record of a component, with the events that follow.
   * @throws Fault NOT_FOUND, CONFLICT, PRECONDITION_FAILED, BAD_BODY; what a class throws that runs before the save
   */
  saveComponent<Id extends keyof S & string>(
    component: Id,
    record: S[Id]['given'],
    options?: SaveOptions & { readonly action?: 'create' | 'put' },
  ): Promise<TypedSaved<S[Id]['record']>>;
  /** The same with `patch`, which changes what it is given, null taking a field away, and with `delete`. */
  saveComponent<Id extends keyof S & string>(
    component: Id,
    record: S[Id]['keys'] & Partial<S[Id]['given']>,
    options: SaveOptions & { readonly action: 'patch' | 'delete' },
  ): Promise<TypedSaved<S[Id]['record']>>;
}
