import type { CallOptions, FlowOptions, PreparedRequest } from '../invoke/index.ts';
import type { CallTypes, FlowTypes, TypedFlowReply, TypedReply } from '../model/typed.ts';

/** Calls the operations of other systems and runs flows, by the types that the definitions give them. */
export interface TypedClient<C extends CallTypes<C>, F extends FlowTypes<F>> {
  /**
   * Calls an operation and waits for the reply's value.
   * @throws SoapFault, ReplyFault where the target answers with one; InvokeError
   */
  call<Id extends keyof C & string>(
    operation: Id,
    input: C[Id]['request'],
    options?: CallOptions,
  ): Promise<TypedReply<C[Id]['reply']>>;
  /**
   * Runs a flow and waits for the value of its last reply. What earlier steps keep, as a token, is used again by later runs
   * of this client as long as it holds.
   * @throws FlowError naming the step; InvokeError before anything is sent
   */
  flow<Id extends keyof F & string>(
    flow: Id,
    input: F[Id]['request'],
    options?: FlowOptions,
  ): Promise<TypedFlowReply<F[Id]['reply']>>;
  /**
   * The request that {@link TypedClient.call} would send, what is secret in it masked. Nothing is sent.
   * @throws InvokeError UNKNOWN_OPERATION, CONFIGURATION, BAD_INPUT
   */
  preview<Id extends keyof C & string>(operation: Id, input: C[Id]['request'], options?: CallOptions): PreparedRequest;
  /**
   * The requests that {@link TypedClient.flow} would send, in order; what steps keep stands as `<NAME>` in later ones.
   * @throws InvokeError UNKNOWN_OPERATION, CONFIGURATION, BAD_INPUT
   */
  previewFlow<Id extends keyof F & string>(flow: Id, input: F[Id]['request']): PreparedRequest[];
  /**
   * The fault document that an operation has answered with, by what a call of it has thrown, or a flow that it is a step
   * of. Undefined where that is something else, or a fault whose content the document does not fit.
   */
  faultOf<Id extends keyof C & string>(operation: Id, error: unknown): C[Id]['fault'] | undefined;
  /** Ends all connections, and what still runs on them. */
  close(): Promise<void>;
}
