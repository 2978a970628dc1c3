import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Handler, type ProcessHandler, type ServiceClass, ServiceInterface } from '../../model/handler.ts';
import type { Registry } from '../../model/registry.ts';
import type { Handlers } from '../answer/call.ts';
import { GatewayError } from '../gateway-error.ts';

/** The code of a project, by file name without its extension. */
export interface ProjectCode {
  /** Answers operations. */
  readonly handlers: Handlers;
  /** Runs processes. */
  readonly processes: ReadonlyMap<string, ProcessHandler>;
  /** Classes registered at the events of components. */
  readonly classes: ReadonlyMap<string, ServiceClass>;
}

/** One use of a file, with the export that it requires. */
interface Wanted<T> {
  /** The operation, process or service, for messages. */
  readonly id: string;
  readonly what: string;
  /** Returns the export if it has the required form, else `undefined`. */
  readonly read: (exported: unknown) => T | undefined;
  readonly hint: string;
}

/**
 * Imports the code that the registry names; Node strips its types.
 * @param root the project's folder
 * @throws GatewayError when a file is missing, does not run, or exports something else
 */
export async function importCode(registry: Registry, root: string): Promise<ProjectCode> {
  const handlers = new Map<string, Wanted<Handler>>();
  for (const { id, answer, active } of registry.operations.values())
    if (answer.kind === 'handler' && active) handlers.set(answer.file, wantedHandler(id));
  const processes = new Map<string, Wanted<ProcessHandler>>();
  for (const { id, answer } of registry.processes.values())
    if (answer.kind === 'handler') processes.set(answer.file, wantedProcess(id));
  const classes = new Map<string, Wanted<ServiceClass>>();
  for (const { id, file } of registry.relatedContent.values()) classes.set(file, wantedClass(id));
  const folder = { root, handlers: registry.gateway.handlers };
  const [handlersFound, processesFound, classesFound] = await Promise.all([
    importAll(folder, handlers),
    importAll(folder, processes),
    importAll(folder, classes),
  ]);
  return { handlers: handlersFound, processes: processesFound, classes: classesFound };
}

function wantedHandler(id: string): Wanted<Handler> {
  return {
    id,
    what: 'handler',
    read: (exported) =>
      typeof (exported as Partial<Handler> | undefined)?.onRequest === 'function' ? (exported as Handler) : undefined,
    hint: `Write: export default defineHandler('${id}', { onRequest(request, context) { ... } });`,
  };
}

function wantedProcess(id: string): Wanted<ProcessHandler> {
  return {
    id,
    what: 'process',
    read: (exported) =>
      typeof (exported as Partial<ProcessHandler> | undefined)?.run === 'function'
        ? (exported as ProcessHandler)
        : undefined,
    hint: `Write: export default defineProcess('${id}', { run(parameters, context) { ... } });`,
  };
}

function wantedClass(id: string): Wanted<ServiceClass> {
  return {
    id,
    what: 'class that extends ServiceInterface',
    read: (exported) =>
      typeof exported === 'function' && exported.prototype instanceof ServiceInterface
        ? (exported as ServiceClass)
        : undefined,
    hint: 'Write: export default class extends ServiceInterface { async execute(event) { ... } }',
  };
}

interface Folder {
  readonly root: string;
  /** Relative to it. */
  readonly handlers: string;
}

async function importAll<T>(folder: Folder, wanted: ReadonlyMap<string, Wanted<T>>): Promise<Map<string, T>> {
  const entries = [...wanted].map(async ([file, each]): Promise<[string, T]> => {
    const path = `${folder.handlers}/${file}.ts`;
    return [file, await importOne(join(folder.root, path), path, each)];
  });
  return new Map(await Promise.all(entries));
}

async function importOne<T>(file: string, shown: string, { id, what, read, hint }: Wanted<T>): Promise<T> {
  let found: { default?: unknown };
  try {
    found = (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    throw new GatewayError(`${shown} does not load: ${(error as Error).message}`, {
      hint: `It is the ${what} of ${id}.`,
      cause: error,
    });
  }
  const exported = read(found.default);
  if (exported === undefined) throw new GatewayError(`${shown} does not export a ${what}`, { hint });
  return exported;
}
