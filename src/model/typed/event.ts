import type { ComponentEvent } from '../component-event.ts';
import type { CallTypes, FlowTypes } from './calls.ts';
import type { QueryTypes, TypedContext } from './handler.ts';
import type { AnyComponents, ComponentTypes, TypedSaves } from './saves.ts';

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
