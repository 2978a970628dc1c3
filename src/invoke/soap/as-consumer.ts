import { attachmentsIn } from '../../codec/binary.ts';
import type { SoapConsumer } from '../../model/consumer.ts';
import type { Node } from '../../model/node.ts';
import type { Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';

/**
 * A provider operation with a SOAP form as one to call at a node that offers it: at the gateway's own services connector,
 * or at that of another gateway with the same definitions. Binary content of the input travels as attachments.
 * @throws TypeError for one without a SOAP form
 */
export function asConsumer(operation: Operation, target: Node, input: DocumentValue): SoapConsumer {
  const { id, name, service, soap, fault, permissions, active, at } = operation;
  if (soap === undefined) throw new TypeError(`${id} has no SOAP form`);
  return {
    kind: 'soap',
    id,
    name,
    service,
    target,
    soap,
    headers: [],
    properties: {
      mtom: !attachmentsIn(input).next().done,
      upContent: true,
      compress: false,
      segmentContentTransfer: 'binary',
    },
    permissions,
    public: operation.public,
    active,
    ...(fault === undefined ? {} : { fault }),
    at,
  };
}
