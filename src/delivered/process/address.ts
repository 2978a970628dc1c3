import type { Operation } from '../../model/service.ts';

/**
 * The address of a request over REST.
 * @param base the gateway's address with its context
 * @param operation any of the service
 */
export function requestAddress(base: string, { pathName, service }: Operation, instance: number): string {
  return `${base}/RESTListeningConnector/${pathName}.${service.version}/requests/${instance}`;
}
