import type { SoapConsumer } from '../../model/consumer.ts';
import type { Message } from '../../model/service.ts';
import type { Documents } from '../document/documents.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import { linkDocument, linkRequest, linkResponses } from '../operation/message.ts';
import { isFaultless, soapForm, soapName } from '../operation/soap.ts';
import type { OperationSpot } from '../operation/spot.ts';
import { type ConsumerFacts, isSchemeOnly, saidTarget } from './facts.ts';
import { linkFixedHeaders } from './soap-headers.ts';
import { linkSoapProperties } from './soap-properties.ts';

const NONE: Message = { kind: 'none' };

/** Links an operation that calls another system over SOAP. */
export function linkSoapConsumer(documents: Documents, spot: OperationSpot, facts: ConsumerFacts): SoapConsumer {
  const { linking } = documents;
  const { name, declared } = spot;
  const request = linkRequest(documents, spot);
  const responses = linkResponses(documents, spot);
  const properties = linkSoapProperties(linking, spot, request);
  if (properties.primaryUrl === undefined) checkAddress(linking, spot, facts);
  const fault = isFaultless(linking, spot, responses) ? undefined : linkDocument(documents, spot, 'fault');
  const consumer: SoapConsumer = {
    kind: 'soap',
    ...facts,
    soap: soapForm(soapName(name, declared) ?? name, facts.service, request ?? NONE, responses ?? []),
    headers: linkFixedHeaders(linking, spot),
    properties,
    ...given({ fault }),
  };
  if (request === undefined || responses === undefined) linking.incomplete.add(consumer);
  return consumer;
}

/** Over SOAP there is no URI template to begin with the host. */
function checkAddress(linking: Linking, spot: OperationSpot, { id, target }: ConsumerFacts): void {
  if (!target.base.some(isSchemeOnly)) return;
  linking.report.raise('no-address', { operation: id, node: target.id }, saidTarget(linking, spot).at);
}
