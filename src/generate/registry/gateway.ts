import type { Gateway, Tls } from '../../model/gateway.ts';
import type { JsonTree } from '../json-text.ts';
import { idsOf, some, sortedIds } from './tree.ts';

/** The gateway of `registry.json`. References to configuration stand as written. */
export function gatewayTree(gateway: Gateway): JsonTree {
  return {
    gateway: gateway.id,
    context: gateway.context,
    listen: gateway.listen.source,
    database: gateway.database.url.source,
    publicUrl: gateway.publicUrl?.source,
    'sample-data': gateway.sampleData,
    handlers: gateway.handlers,
    namespace: gateway.namespace,
    timezone: gateway.timezone,
    requires: idsOf(gateway.requires),
    tls: gateway.tls && tlsTree(gateway.tls),
    proxies: some(gateway.proxies),
    audit: gateway.audit?.source,
    delivered: gateway.delivered,
    contracts: gateway.contracts,
    metrics: gateway.metrics.length === 0 ? undefined : { permission: sortedIds(gateway.metrics) },
    cors: gateway.cors,
    compress: { ...gateway.compress },
    limits: { ...gateway.limits },
    properties: {
      'ig.MTOM.enablePeopleSoftServiceListeningConnector': gateway.mtom.services,
      'ig.MTOM.enableHttpListeningConnector': gateway.mtom.http,
      'ig.UseDomainName.ExternalOperationNames': some(gateway.domainNames),
    },
  };
}

function tlsTree({ certificate, key, passphrase, clientCa, minimum }: Tls): JsonTree {
  return {
    certificate: certificate.source,
    key: key.source,
    passphrase: passphrase?.source,
    'client-ca': clientCa?.source,
    minimum,
  };
}
