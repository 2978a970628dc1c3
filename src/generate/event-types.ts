import type { ComponentEvent } from '../model/component-event.ts';
import type { CallTypes, FlowTypes } from './call-types.ts';
import type { QueryTypes, TypedContext } from './handler-types.ts';

// The type that the events of `generated/handlers.ts` are written in. It holds at compile time only: nothing here runs.

/** What a class is given that is registered at a component, with the project's own queries, calls and flows. */
export interface TypedEvent<Q extends QueryTypes<Q>, C extends CallTypes<C>, F extends FlowTypes<F>, R>
  extends Omit<ComponentEvent<R>, 'query' | 'call' | 'flow' | 'faultOf'>,
    Pick<TypedContext<Q, C, F, number, never>, 'query' | 'call' | 'flow' | 'faultOf'> {}
