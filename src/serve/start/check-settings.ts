import type { Registry } from '../../model/registry.ts';
import { securitySettings } from './authentication.ts';
import { datasourceSettings } from './datasources.ts';
import { type Environment, resolveSettings } from './settings.ts';

/**
 * What gateway.yaml, the datasources, schemes and users refer to and is not set is told at once, before anything is opened.
 * @throws GatewayError
 */
export function checkSettings(registry: Registry, env: Environment): void {
  const { listen, database, publicUrl } = registry.gateway;
  const texts = [listen, database.url, ...(publicUrl === undefined ? [] : [publicUrl])];
  resolveSettings([...texts, ...datasourceSettings(registry), ...securitySettings(registry)], env);
}
