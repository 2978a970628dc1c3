import type { Service } from './service.ts';

/**
 * The XML namespace of a service's messages: its own where it names one, else `<prefix>:<Service>.<version>`.
 * @param prefix of the gateway (`namespace:` of gateway.yaml)
 */
export function serviceNamespace({ namespace, id }: Pick<Service, 'namespace' | 'id'>, prefix: string): string {
  return namespace ?? `${prefix}:${id}`;
}
