import type { Limits } from '../../src/model/gateway.ts';
import type { Registry } from '../../src/model/registry.ts';
import { type RestOptions, restConsumer } from '../support/consumer.ts';
import { registry } from '../support/registry.ts';
import { node } from './support.ts';

/** A registry with one consumer operation over REST, SOME_CALL, at this address. */
export function remote(url: string, options: RestOptions, limits: Partial<Limits> = {}): Registry {
  const built = registry({});
  const operation = restConsumer(options, node('TARGET', [url]));
  const gateway = { ...built.gateway, limits: { ...built.gateway.limits, ...limits } };
  return { ...built, gateway, consumers: new Map([[operation.id, operation]]) };
}
