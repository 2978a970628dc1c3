import type { ConsumerOperation } from '../model/service.ts';
import type { SoapProperties } from '../model/soap-properties.ts';
import type { JsonTree } from './json-text.ts';
import { soapTree } from './registry-operation.ts';

/** A consumer of `registry.json`. References to configuration stand as written. */
export function consumerTree(consumer: ConsumerOperation): JsonTree {
  const { headers } = consumer;
  return {
    service: consumer.service.id,
    description: consumer.description,
    target: consumer.target.id,
    soap: soapTree(consumer.soap),
    headers: headers.length === 0 ? undefined : Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    properties: propertiesTree(consumer.properties),
    fault: consumer.fault?.id,
    permissions: consumer.permissions.map(({ id }) => id).sort(),
    public: consumer.public || undefined,
    active: consumer.active ? undefined : false,
  };
}

/** By the names of specification 4.4. */
function propertiesTree(properties: SoapProperties): JsonTree {
  const flag = (value: boolean): string => (value ? 'Y' : 'N');
  return {
    MTOM: flag(properties.mtom),
    SOAPUpContent: flag(properties.upContent),
    sendUncompressed: flag(!properties.compress),
    PRIMARYURL: properties.primaryUrl?.source,
    SegmentContentType: properties.segmentContentType,
    SegmentContentTransfer: properties.segmentContentTransfer,
  };
}
