import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Handler } from '../model/handler.ts';
import type { Registry } from '../model/registry.ts';
import type { Handlers } from './answer.ts';
import { GatewayError } from './gateway-error.ts';

/**
 * Imports the code handlers that the registry names; Node strips their types.
 * @param root the project's folder
 * @throws GatewayError where a file is missing, does not run, or exports no handler
 */
export async function importHandlers(registry: Registry, root: string): Promise<Handlers> {
  const files = new Map<string, string>();
  for (const { id, answer, active } of registry.operations.values()) {
    if (answer.kind === 'handler' && active) files.set(answer.file, id);
  }
  const entries = [...files].map(async ([file, operation]): Promise<[string, Handler]> => {
    const path = `${registry.gateway.handlers}/${file}.ts`;
    return [file, await importHandler(join(root, path), path, operation)];
  });
  return new Map(await Promise.all(entries));
}

async function importHandler(file: string, shown: string, operation: string): Promise<Handler> {
  let found: { default?: unknown };
  try {
    found = (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    throw new GatewayError(`${shown} does not load: ${(error as Error).message}`, {
      hint: `It is the handler of ${operation}.`,
      cause: error,
    });
  }
  const handler = found.default as Partial<Handler> | undefined;
  if (typeof handler?.onRequest !== 'function') {
    throw new GatewayError(`${shown} exports no handler`, {
      hint: `Write: export default defineHandler('${operation}', { onRequest(request, context) { ... } });`,
    });
  }
  return handler as Handler;
}
