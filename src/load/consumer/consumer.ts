import type { ConsumerOperation, SoapConsumer } from '../../model/consumer.ts';
import { CALL_RETRY } from '../../model/retry.ts';
import type { Message, Service } from '../../model/service.ts';
import { attachmentFields } from '../../model/soap.ts';
import { positionOf } from '../diagnostic/diagnostic.ts';
import type { Documents } from '../document/documents.ts';
import { type Linking, refuseBoth, refuseKey } from '../linking.ts';
import { given } from '../object.ts';
import { linkGrants } from '../operation/access.ts';
import { isFaultless, linkDocument, linkRequest, linkResponses, refuseRequestTypes } from '../operation/payload.ts';
import { linkSoapForm } from '../operation/soap-form.ts';
import { checkConsumerKeys, methodOf, type OperationSpot } from '../operation/spot.ts';
import { linkRetry } from '../value/retry.ts';
import { linkDuration } from '../value/units.ts';
import { type ConsumerContext, type ConsumerFacts, isSchemeOnly, linkTarget, saidTarget } from './facts.ts';
import { checkCredentialHeader, linkFixedHeaders } from './headers.ts';
import { linkSoapProperties } from './properties.ts';
import { linkRestConsumer } from './rest.ts';

/** Links an operation that calls another system. */
export function linkConsumer(context: ConsumerContext, spot: OperationSpot, service: Service): ConsumerOperation {
  const { linking } = context.documents;
  const method = methodOf(spot);
  checkConsumerKeys(linking, spot, method === undefined ? 'soap' : 'rest');
  const facts = linkFacts(context, spot, service);
  checkCredentialHeader(linking, spot, facts.target);
  if (method === undefined) return linkSoapConsumer(context.documents, spot, facts);
  checkOverRest(linking, spot, facts);
  checkOneWay(linking, spot, method.toLowerCase());
  return linkRestConsumer(context.documents, spot, facts, method);
}

function linkFacts(context: ConsumerContext, spot: OperationSpot, service: Service): ConsumerFacts {
  const { linking } = context.documents;
  const { id, name, declared, override, at } = spot;
  const target = linkTarget(linking, spot, context.nodes);
  const grants = linkGrants(linking, context, spot, service.delivered);
  return {
    id,
    name,
    service,
    target,
    ...grants,
    active: declared.active !== false && service.active && override?.declared.active !== false,
    ...given({
      description: declared.description,
      timeout: linkDuration(linking, declared.timeout === undefined ? spot.service : declared, 'timeout'),
      retry: linkRetry(linking, declared.retry === undefined ? spot.service : declared, CALL_RETRY),
      lenient: (declared.lenient ?? spot.service.lenient ?? target.lenient) || undefined,
      routing: override?.id,
      log: override?.declared.log,
    }),
    at: positionOf(at),
  };
}

/** A call uses either REST or SOAP, whereas an operation that is answered here may be offered over both. */
function checkOneWay(linking: Linking, { declared }: OperationSpot, method: string): void {
  if (declared.soap !== false)
    refuseBoth(linking, declared, method, 'soap', 'a call to another system uses one of them');
}

/** Links an operation that calls another system over SOAP. */
function linkSoapConsumer(documents: Documents, spot: OperationSpot, facts: ConsumerFacts): SoapConsumer {
  const { linking } = documents;
  const request = linkRequest(documents, spot);
  refuseRequestTypes(linking, spot);
  const responses = linkResponses(documents, spot);
  const properties = linkSoapProperties(linking, spot, request);
  if (typeof spot.declared.soap === 'object')
    refuseKey(linking, spot.declared.soap, 'actions', spot.id, 'a call has one action');
  if (properties.primaryUrl === undefined) checkAddress(linking, spot, facts);
  checkSigned(linking, spot, facts, properties.mtom, request);
  const fault = isFaultless(linking, spot, responses) ? undefined : linkDocument(documents, spot, 'fault');
  return {
    kind: 'soap',
    ...facts,
    soap: linkSoapForm(documents, spot, facts.service, request, responses),
    headers: linkFixedHeaders(linking, spot),
    properties,
    ...given({ fault }),
  };
}

function checkOverRest({ report }: Linking, { at }: OperationSpot, { id, target }: ConsumerFacts): void {
  if (target.credential?.kind === 'ws-security')
    report.raise('security-over-rest', { operation: id, node: target.id }, at);
}

/** A signature covers the envelope alone. */
function checkSigned(
  { report }: Linking,
  { at }: OperationSpot,
  { id, target: { id: node, credential } }: ConsumerFacts,
  mtom: boolean,
  request: Message,
): void {
  if (credential?.kind !== 'ws-security' || credential.signature === undefined) return;
  const what = mtom ? 'parts of MTOM' : attachmentFields(request).length > 0 ? 'attachments' : undefined;
  if (what !== undefined) report.raise('unsigned-attachments', { operation: id, node, what }, at);
}

/** Over SOAP there is no URI template that could begin with the host. */
function checkAddress(linking: Linking, spot: OperationSpot, { id, target }: ConsumerFacts): void {
  if (!target.base.some(isSchemeOnly)) return;
  linking.report.raise('no-address', { operation: id, node: target.id }, saidTarget(linking, spot).at);
}
