import { ConfigError, resolveAll } from '../../load/value/config.ts';
import type { ConfigText } from '../../model/definition.ts';
import type { Datasource, Query } from '../../model/query.ts';
import type { Registry } from '../../model/registry.ts';
import { type QueryDatabase, type ReachedDatasource, reachDatabase } from '../../query/index.ts';
import { StoreError } from '../../store/index.ts';
import { GatewayError } from '../gateway-error.ts';
import type { Environment } from './settings.ts';

/** The configured texts of the datasources that queries name. */
export function datasourceSettings(registry: Registry): ConfigText[] {
  return [...usedDatasources(registry)].flatMap(textsOf);
}

/**
 * How the datasources are reached that queries name; nothing is opened yet.
 * @throws GatewayError for what is not set, and for an address that can't be opened
 */
export async function reachDatasources(
  registry: Registry,
  { root, env }: { readonly root: string; readonly env: Environment },
): Promise<ReachedDatasource[]> {
  const reached: ReachedDatasource[] = [];
  for (const datasource of usedDatasources(registry)) {
    try {
      reached.push({ datasource, database: await reachDatasource(datasource, { root, env }) });
    } catch (error) {
      if (!(error instanceof ConfigError || error instanceof StoreError)) throw error;
      throw new GatewayError(`datasource ${datasource.id}: ${error.message}`);
    }
  }
  return reached;
}

/** How one is reached. @throws ConfigError for what is not set; StoreError for an address that can't be opened */
export async function reachDatasource(
  datasource: Datasource,
  { root, env }: { readonly root: string; readonly env: Environment },
): Promise<QueryDatabase> {
  const [url = '', password] = resolveAll(textsOf(datasource), env);
  return reachDatabase(url, root, password);
}

/** Datasources that queries name. */
export function usedDatasources({ queries }: Registry): Set<Datasource> {
  return new Set([...queries.values()].flatMap(({ datasource }) => datasource ?? []));
}

/** The queries of a datasource; those of the gateway's own database for undefined. */
export function queriesOf({ queries }: Registry, datasource: Datasource | undefined): Query[] {
  return [...queries.values()].filter((query) => query.datasource === datasource);
}

function textsOf({ url, password }: Datasource): ConfigText[] {
  return password === undefined ? [url] : [url, password];
}
