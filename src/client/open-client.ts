import { join } from 'node:path';
import { type Client, createClient, faultOfNamed, type Timeouts } from '../invoke/index.ts';
import { type LoadedProject, loadProject, registryOf } from '../load/index.ts';
import type { Registry } from '../model/registry.ts';
import type { AnyCalls, AnyFlows, CallTypes, FlowTypes } from '../model/typed.ts';
import { createSpool } from '../store/file/spool.ts';
import type { TypedClient } from './typed-client.ts';

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
