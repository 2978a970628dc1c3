import type { FlowReply, InvokeReply } from '../invoke-reply.ts';
import type { DocumentValue } from '../value.ts';

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
