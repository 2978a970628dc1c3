import type { ProcessContext } from '../process-handler.ts';
import type { CallTypes, FlowTypes } from './calls.ts';
import type { QueryTypes, TypedContext } from './handler.ts';
import type { AnyComponents, ComponentTypes, TypedSaves } from './saves.ts';

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
