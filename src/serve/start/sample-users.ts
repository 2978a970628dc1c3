import type { Registry } from '../../model/registry.ts';
import { GatewayError } from '../gateway-error.ts';
import { isLoopback } from '../listen/loopback.ts';
import type { Address } from './address.ts';
import type { Environment } from './settings.ts';

/**
 * Whether users of the sample may call. They have well-known passwords: they work on addresses that only this machine
 * reaches, or not at all.
 * @throws GatewayError where others can reach the address
 */
export function readSampleUsers({ users, gateway }: Registry, { host }: Address, env: Environment): boolean {
  const off = env.SIGNALBOX_SAMPLE_USERS === 'off';
  const sample = [...users.values()].filter((user) => user.sample).map((user) => user.id);
  if (off || sample.length === 0) return !off;
  const isFronted = gateway.proxies.length > 0;
  if (isLoopback(host) && !isFronted) return true;
  const how = isFronted ? ' through its proxies' : '';
  throw new GatewayError(
    `${host} can be reached by others${how}, and the users ${sample.join(', ')} have well-known passwords`,
    { hint: 'Set SIGNALBOX_SAMPLE_USERS=off, or remove them, or listen on 127.0.0.1 without proxies.' },
  );
}
