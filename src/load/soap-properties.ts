import type { ConfigText } from '../model/config.ts';
import type { Message } from '../model/service.ts';
import type { SoapProperties } from '../model/soap-properties.ts';
import type { FlagDeclared, PropertiesDeclared } from './declared.ts';
import type { Place } from './diagnostic.ts';
import { given } from './given.ts';
import type { Linking } from './linking.ts';
import { endpointFault, linkAddress } from './nodes.ts';
import type { OperationSpot } from './operation-spot.ts';

/** A property, and the map that says it: the operation's, or else its service's. */
interface Said<V> {
  readonly value: V;
  readonly at: Place;
}

/**
 * The connector properties of a consumer. Its method is not among them: SOAP has one, and the JSON Schema has seen to it.
 * @param request undefined where it is not known
 */
export function linkProperties(linking: Linking, spot: OperationSpot, request: Message | undefined): SoapProperties {
  const { report, places } = linking;
  const find = <K extends keyof PropertiesDeclared>(key: K): Said<NonNullable<PropertiesDeclared[K]>> | undefined => {
    for (const container of [spot.declared.properties, spot.above('properties')]) {
      const value = container?.[key];
      if (container !== undefined && value !== undefined) return { value, at: places.value(container, key) };
    }
    return undefined;
  };
  const upContent = find('SOAPUpContent');
  const isUp = isYes(upContent?.value, true);
  if (!isUp && upContent !== undefined && request !== undefined && !isEnvelope(request)) {
    const reason = `is N, so that the caller's text is the envelope, and the request of ${spot.id} is ${messageWords(request)}`;
    report.raise('bad-property', { property: 'SOAPUpContent', reason }, upContent.at);
  }
  return {
    mtom: isYes(find('MTOM')?.value, false),
    upContent: isUp,
    compress: !isYes(find('sendUncompressed')?.value, true),
    segmentContentTransfer: find('SegmentContentTransfer')?.value ?? 'binary',
    ...given({
      primaryUrl: linkPrimaryUrl(linking, find('PRIMARYURL')),
      segmentContentType: find('SegmentContentType')?.value,
    }),
  };
}

function linkPrimaryUrl(linking: Linking, said: Said<string> | undefined): ConfigText | undefined {
  if (said === undefined) return undefined;
  return linkAddress(linking, said.value, said.at, { name: 'PRIMARYURL', fault: endpointFault });
}

function isYes(said: FlagDeclared | undefined, otherwise: boolean): boolean {
  return typeof said === 'string' ? said.toUpperCase() === 'Y' : (said ?? otherwise);
}

function isEnvelope(request: Message): boolean {
  return request.kind === 'raw' && (request.raw === 'xml' || request.raw === 'text');
}

function messageWords(message: Message): string {
  if (message.kind === 'none') return 'none';
  return message.kind === 'raw' ? message.raw : `the document ${message.document.id}`;
}
