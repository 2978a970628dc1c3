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
  /** The project's folder; default: the working directory of the process. */
  readonly folder?: string;
  /** Folder of the definitions, relative to the project's folder; default: `definitions`. */
  readonly definitions?: string;
  /** A project that is already loaded. */
  readonly project?: LoadedProject;
  /** The environment that the definitions refer to; default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The time limit of each phase of a call, in milliseconds. The limits of a node take precedence. */
  readonly timeouts?: Partial<Timeouts>;
}

/**
 * Loads a project's definitions and opens a client for the operations of other systems and the flows. `generated/client.ts`
 * exports the same function with the types of the project. Nothing is sent before the first call.
 * @throws DefinitionsError
 */
export async function openClient<C extends CallTypes<C> = AnyCalls, F extends FlowTypes<F> = AnyFlows>(
  options: OpenOptions = {},
): Promise<TypedClient<C, F>> {
  const { folder = process.cwd(), definitions, env = process.env, timeouts = {} } = options;
  const place = definitions === undefined ? { root: folder } : { root: folder, definitions };
  // A client needs no handlers.
  const project = options.project ?? loadProject({ ...place, handlers: 'ignore-missing' });
  const spool = createSpool({ folder: join(folder, '.signalbox/spool') });
  const registry = registryOf(project);
  return typed<C, F>(registry, createClient(registry, { env, spool, timeouts, folder }));
}

/** The same client with types. The compiler checks requests, and the client checks them again when it writes them. */
function typed<C extends CallTypes<C>, F extends FlowTypes<F>>(registry: Registry, client: Client): TypedClient<C, F> {
  return { ...client, faultOf: (operation, error) => faultOfNamed(registry, operation, error) };
}

/** Calls the operations of other systems and runs flows, by the types that the definitions give them. */
export interface TypedClient<C extends CallTypes<C>, F extends FlowTypes<F>> {
  /**
   * Calls an operation and returns the value of the reply.
   * @throws SoapFault, ReplyFault when the target answers with a fault; InvokeError
   */
  call<Id extends keyof C & string>(
    operation: Id,
    input: C[Id]['request'],
    options?: CallOptions,
  ): Promise<TypedReply<C[Id]['reply']>>;
  /**
   * Runs a flow and returns the value of its last reply. Values that steps keep, such as tokens, are used again by later runs
   * with this client as long as they are valid.
   * @throws FlowError with the failed step; InvokeError before anything is sent
   */
  flow<Id extends keyof F & string>(
    flow: Id,
    input: F[Id]['request'],
    options?: FlowOptions,
  ): Promise<TypedFlowReply<F[Id]['reply']>>;
  /**
   * The request that {@link TypedClient.call} would send, with secrets masked. Nothing is sent.
   * @throws InvokeError UNKNOWN_OPERATION, CONFIGURATION, BAD_INPUT
   */
  preview<Id extends keyof C & string>(operation: Id, input: C[Id]['request'], options?: CallOptions): PreparedRequest;
  /**
   * The requests that {@link TypedClient.flow} would send, in order. Values that earlier steps keep are written as `<NAME>`.
   * @throws InvokeError UNKNOWN_OPERATION, CONFIGURATION, BAD_INPUT
   */
  previewFlow<Id extends keyof F & string>(flow: Id, input: F[Id]['request']): PreparedRequest[];
  /**
   * The fault document in an error that a call of the operation, or a flow with it, has thrown. `undefined` for any other
   * error, and for a fault that does not fit the document.
   */
  faultOf<Id extends keyof C & string>(operation: Id, error: unknown): C[Id]['fault'] | undefined;
  /** Closes all connections, and aborts calls that still use them. */
  close(): Promise<void>;
}
