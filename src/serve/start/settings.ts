import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigError, type Environment, resolveAll } from '../../load/value/config.ts';
import type { ConfigText } from '../../model/definition.ts';
import type { Gateway } from '../../model/gateway.ts';
import type { Replicas } from '../../model/query.ts';
import type { LookAtFile } from '../../security/security-port.ts';
import type { ReplicaAccess, StoreOptions } from '../../store/index.ts';
import { GatewayError } from '../gateway-error.ts';

/** What configuration is read from. */
export type { Environment };

/** Resolves a text of gateway.yaml. @throws GatewayError naming the missing setting */
export function resolveSetting(text: ConfigText, env: Environment): string {
  return resolveSettings([text], env)[0] as string;
}

/** Resolves several texts, and reports all missing settings at once. @throws GatewayError */
export function resolveSettings(texts: readonly ConfigText[], env: Environment): string[] {
  try {
    return resolveAll(texts, env);
  } catch (error) {
    if (error instanceof ConfigError)
      throw new GatewayError(error.message, {
        hint: 'Set it in the environment of the gateway; the definitions refer to it.',
      });
    throw error;
  }
}

/** How to open the database of a gateway. @throws GatewayError naming the missing setting */
export function databaseOptions({ database }: Gateway, root: string, env: Environment): StoreOptions {
  const { url, schema, engine, connections, bounds } = database;
  const [address = '', name] = resolveSettings(schema === undefined ? [url] : [url, schema], env);
  const renewed = (): string => resolveSetting(url, env);
  const replicas = replicaAccess(database.replicas, (texts) => resolveSettings(texts, env));
  const given = { ...(name === undefined ? {} : { schema: name }), ...(replicas === undefined ? {} : { replicas }) };
  return { url: address, renewed, engine, connections, bounds, root, ...given };
}

/** The replicas whose URLs are not empty: `${env:REPLICA:-}` makes one optional. */
export function replicaAccess(
  replicas: Replicas | undefined,
  resolve: (texts: readonly ConfigText[]) => readonly string[],
): ReplicaAccess | undefined {
  if (replicas === undefined) return undefined;
  const urls = (): readonly string[] => resolve(replicas.urls).filter((url) => url !== '');
  return urls().length === 0 ? undefined : { lag: replicas.lag, urls };
}

/** Reads files by names relative to a project, without a byte order mark. */
export function projectFiles(folder: string): LookAtFile {
  return async (name) => {
    const path = resolve(folder, name);
    return {
      seen: fileMark(await stat(path)),
      read: async () => (await readFile(path, 'utf8')).replace(/^\uFEFF/, ''),
    };
  };
}

/** A text that changes whenever the file is written or replaced. */
export function fileMark({ ino, mtimeMs, size }: Stats): string {
  return `${ino} ${mtimeMs} ${size}`;
}
