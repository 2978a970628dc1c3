import { ConfigError, resolveConfig } from '../load/config.ts';
import type { ConfigText } from '../model/config.ts';
import { GatewayError } from './gateway-error.ts';

/** What configuration is read from. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Resolves a text of gateway.yaml. @throws GatewayError naming what is not set */
export function resolveSetting(text: ConfigText, env: Environment): string {
  try {
    return resolveConfig(text, env);
  } catch (error) {
    if (error instanceof ConfigError)
      throw new GatewayError(error.message, { hint: 'gateway.yaml names what has to be set.' });
    throw error;
  }
}
