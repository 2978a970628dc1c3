import { checkComponents } from '../../event/index.ts';
import type { Position } from '../../model/definition.ts';
import type { Registry } from '../../model/registry.ts';
import {
  checkQueries,
  type QueryDatabase,
  type QueryProblem,
  type ReachedDatasource,
  unboundedFiles,
} from '../../query/index.ts';
import { usersInBoth } from '../../security/directory/from-database.ts';
import { errorText } from '../../store/error.ts';
import type { Store } from '../../store/index.ts';
import { GatewayError } from '../gateway-error.ts';
import { queriesOf } from './datasources.ts';

/**
 * Prepares each query on its database. A datasource that can't be reached is no reason not to start: only calls of its
 * queries fail until it comes back.
 * @returns a sentence for each of those, and for each database that does not bound temporary files
 * @throws GatewayError with all of what the databases say against the queries. Types are for `check --connect` to tell
 */
export async function refuseBrokenQueries(
  registry: Registry,
  store: Store,
  datasources: readonly ReachedDatasource[],
): Promise<string[]> {
  const all: QueryProblem[] = await checkQueries(store, queriesOf(registry, undefined));
  const warnings: string[] = [];
  const bound = async (database: QueryDatabase): Promise<void> => {
    const warning = await unboundedFiles(database, registry.gateway.limits.temporary);
    if (warning !== undefined) warnings.push(`${warning}.`);
  };
  await bound(store);
  for (const { datasource, database } of datasources) {
    try {
      all.push(...(await checkQueries(database, queriesOf(registry, datasource))));
      await bound(database);
    } catch (error) {
      warnings.push(`The datasource ${datasource.id} can't be reached: ${errorText(error)}.`);
    }
  }
  const problems = all.filter(({ kind }) => kind === 'refused' || kind === 'missing-column');
  const lines = problems.map(({ query, column, message }) =>
    lineOf(column?.at ?? query.at, `query ${query.id}`, message),
  );
  if (lines.length > 0) throw new GatewayError(`the database refuses stored queries\n${lines.join('\n')}`);
  return warnings;
}

/** @throws GatewayError with all that is wrong with the tables of components */
export async function refuseBrokenComponents({ components }: Registry, store: Store): Promise<void> {
  const problems = await checkComponents(store, components.values());
  const lines = problems.map(({ component, message }) => lineOf(component.at, `component ${component.id}`, message));
  if (lines.length > 0) throw new GatewayError(`the database does not fit the components\n${lines.join('\n')}`);
}

/** @throws GatewayError with all users whose ids are in the definitions and in the database */
export async function refuseUsersInBoth({ users }: Registry, store: Store): Promise<void> {
  const doubled = await usersInBoth(await store.tables(), users);
  const lines = doubled.map(({ id, at }) => lineOf(at, `user ${id}`, `${store.location} has a user ${id} too`));
  if (lines.length > 0)
    throw new GatewayError(`users are in the definitions and in the database\n${lines.join('\n')}`, {
      hint: 'Rename them in the definitions, or remove them there: ids of the database are never free again.',
    });
}

function lineOf({ file, line, column }: Position, what: string, message: string): string {
  return `  ${file}:${line}:${column}: ${what}: ${message}`;
}
