import { join } from 'node:path';
import {
  type CallOptions,
  type Client,
  createClient,
  type FlowOptions,
  faultOfNamed,
  type PreparedRequest,
  type Timeouts,
} from '../invoke/index.ts';
import { type LoadedProject, loadProject, registryOf } from '../load/index.ts';
import type { Registry } from '../model/registry.ts';
import type { AnyCalls, AnyFlows, CallTypes, FlowTypes, TypedFlowReply, TypedReply } from '../model/typed.ts';
import { createSpool } from '../store/file/spool.ts';

export interface OpenOptions {
  /** The project's folder; the one that the process works in where it is left out. */
  readonly folder?: string;
  /** Folder of the definitions, relative to the project's; `definitions` where it is left out. */
  readonly definitions?: string;
  /** A project that is loaded already; it is not loaded again. */
  readonly project?: LoadedProject;
  /** What the definitions refer to; the environment of the process where it is left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** In milliseconds, each phase of a call; what a node says stands above them. */
  readonly timeouts?: Partial<Timeouts>;
}

/**
 * Loads a project's definitions and opens a client for what they call elsewhere; `generated/client.ts` has the form of it
 * that knows the project's own operations. Nothing is sent before the first call.
 * @throws DefinitionsError
 */
export async function openClient<C extends CallTypes<C> = AnyCalls, F extends FlowTypes<F> = AnyFlows>(
  options: OpenOptions = {},
): Promise<TypedClient<C, F>> {
  const { folder = process.cwd(), definitions, env = process.env, timeouts = {} } = options;
  const place = definitions === undefined ? { root: folder } : { root: folder, definitions };
  // Handlers are no part of this.
  const project = options.project ?? loadProject({ ...place, handlers: 'ignore-missing' });
  const spool = createSpool({ folder: join(folder, '.signalbox/spool') });
  const registry = registryOf(project);
  return typed<C, F>(registry, createClient(registry, { env, spool, timeouts, folder }));
}

/** The same client: what it is given has been checked by the compiler, and is checked again as it is written. */
function typed<C extends CallTypes<C>, F extends FlowTypes<F>>(registry: Registry, client: Client): TypedClient<C, F> {
  return { ...client, faultOf: (operation, error) => faultOfNamed(registry, operation, error) };
}

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
