import type { ProcessContext } from '../model/process-handler.ts';
import type { CallTypes, FlowTypes } from './call-types.ts';
import type { QueryTypes, TypedContext } from './handler-types.ts';

// The type that the processes of `generated/handlers.ts` are written in. It holds at compile time only: nothing here runs.

/** What the code of a process is given beside its parameters, with the project's own queries, calls and flows. */
export interface TypedProcess<Q extends QueryTypes<Q>, C extends CallTypes<C>, F extends FlowTypes<F>>
  extends Omit<ProcessContext, 'query' | 'call' | 'flow' | 'faultOf'>,
    Pick<TypedContext<Q, C, F, number, never>, 'query' | 'call' | 'flow' | 'faultOf'> {}
