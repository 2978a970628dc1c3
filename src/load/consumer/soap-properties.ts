import type { Message } from '../../model/service.ts';
import type { SoapProperties } from '../../model/soap-properties.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import type { OperationSpot } from '../operation/spot.ts';
import { endpointFault } from '../value/address.ts';
import { checkMethod, isYes, linkPrimaryUrl, refuseProperties, saidProperty } from './connector-properties.ts';

/**
 * The connector properties of a consumer over SOAP.
 * @param request undefined where it is not known
 */
export function linkSoapProperties(
  linking: Linking,
  spot: OperationSpot,
  request: Message | undefined,
): SoapProperties {
  refuseProperties(linking, spot, ['Base64toBinary', 'Disable_URLEncodingBody'], 'it is for calls over REST');
  checkMethod(linking, spot, 'POST', 'a call over SOAP is a POST');
  return {
    mtom: isYes(saidProperty(linking, spot, 'MTOM')?.value, false),
    upContent: linkUpContent(linking, spot, request),
    compress: !isYes(saidProperty(linking, spot, 'sendUncompressed')?.value, true),
    segmentContentTransfer: saidProperty(linking, spot, 'SegmentContentTransfer')?.value ?? 'binary',
    ...given({
      primaryUrl: linkPrimaryUrl(linking, spot, endpointFault),
      segmentContentType: linkSegmentType(linking, spot),
    }),
  };
}

/** Whether the gateway writes the envelope; where the caller does, the request is a text. */
function linkUpContent(linking: Linking, spot: OperationSpot, request: Message | undefined): boolean {
  const said = saidProperty(linking, spot, 'SOAPUpContent');
  const isUp = isYes(said?.value, true);
  if (!isUp && said !== undefined && request !== undefined && !isEnvelope(request)) {
    const reason = `is N, so that the caller's text is the envelope, and the request of ${spot.id} is ${messageWords(request)}`;
    const hint = 'Say `request: xml`, or SOAPUpContent: Y, so that the gateway writes the envelope.';
    linking.report.raise('bad-property', { property: 'SOAPUpContent', reason, hint }, said.at);
  }
  return isUp;
}

function linkSegmentType(linking: Linking, spot: OperationSpot): string | undefined {
  const said = saidProperty(linking, spot, 'SegmentContentType');
  if (said?.value !== 'binary') return said?.value;
  const reason = 'is `binary`, and over SOAP it is the media type of segments';
  const hint = 'For example: SegmentContentType: application/xml.';
  linking.report.raise('bad-property', { property: 'SegmentContentType', reason, hint }, said.at);
  return undefined;
}

function isEnvelope(request: Message): boolean {
  return request.kind === 'raw' && (request.raw === 'xml' || request.raw === 'text');
}

function messageWords(message: Message): string {
  if (message.kind === 'none') return 'none';
  return message.kind === 'raw' ? message.raw : `the document ${message.document.id}`;
}
