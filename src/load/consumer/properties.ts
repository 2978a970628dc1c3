import type { CallBody, CallHeader, RestProperties, SoapProperties } from '../../model/consumer.ts';
import type { ConfigText } from '../../model/definition.ts';
import type { Message, Method } from '../../model/service.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import { documentOf, messageWords } from '../document/documents.ts';
import type { Linking } from '../linking.ts';
import { given } from '../object.ts';
import type { OperationSpot } from '../operation/spot.ts';
import { PROPERTIES, type PropertiesDeclared } from '../schema/consumer.ts';
import { baseFault, endpointFault, linkAddress } from '../value/address.ts';
import { contentTypeFault, exampleOf, FORM_TYPE, isBinary } from './headers.ts';

type Property = keyof PropertiesDeclared;

/** A property where it is set. */
interface PlacedProperty<K extends Property = Property> {
  readonly property: K;
  readonly value: NonNullable<PropertiesDeclared[K]>;
  readonly at: Place;
  /** False when the service sets it for all of its operations. */
  readonly own: boolean;
}

/** A property of a consumer: set by the routing that overrides its own, by the operation, or else by its service. */
function propertyOf<K extends Property>(
  { places }: Linking,
  { override, declared, above }: OperationSpot,
  property: K,
): PlacedProperty<K> | undefined {
  const ofService = above('properties');
  for (const container of [override?.declared.properties, declared.properties, ofService]) {
    const value = container?.[property];
    if (container !== undefined && value !== undefined)
      return { property, value, at: places.value(container, property), own: container !== ofService };
  }
  return undefined;
}

function refuse({ report }: Linking, { property, at }: PlacedProperty, reason: string, hint: string): void {
  report.raise('bad-property', { property, reason, hint }, at);
}

/** METHOD and Method repeat the method of the operation. */
function checkMethod(linking: Linking, spot: OperationSpot, method: string, why: string): void {
  for (const property of ['METHOD', 'Method'] as const) {
    const found = propertyOf(linking, spot, property);
    if (found === undefined || found.value === method) continue;
    refuse(linking, found, `is ${found.value}, but ${why}`, `Write ${property}: ${method}, or remove it.`);
  }
}

/** Refuses properties of the other protocol, unless the service sets them for all of its operations. */
function refuseForeign(
  { report, places }: Linking,
  { id, override, declared }: OperationSpot,
  protocol: 'rest' | 'soap',
): void {
  for (const container of [override?.declared.properties, declared.properties]) {
    for (const property of Object.keys(container ?? {}) as Property[]) {
      const { over = protocol } = PROPERTIES[property];
      if (container === undefined || over === protocol) continue;
      const hint = `Remove ${property}, or set it for a call that uses it.`;
      const reason = `has no effect on ${id}: it is for calls over ${over.toUpperCase()}`;
      report.raise('bad-property', { property, reason, hint }, places.key(container, property));
    }
  }
}

/** The address that replaces the node's. `fault` checks one without references. */
function linkPrimaryUrl(
  linking: Linking,
  spot: OperationSpot,
  fault: (text: string) => string | undefined,
): ConfigText | undefined {
  const found = propertyOf(linking, spot, 'PRIMARYURL');
  return found && linkAddress(linking, found.value, found.at, { name: 'PRIMARYURL', fault });
}

/** Whether a flag is on: `Y`, `n`, `true`. Without a value it has its default. */
function isOn(found: PlacedProperty | undefined, otherwise: boolean): boolean {
  return /^(?:y|true)$/i.test(String(found?.value ?? otherwise));
}

/** The parts of a call that its properties must fit. */
interface Sent {
  readonly method: Method;
  readonly headers: readonly CallHeader[];
  readonly body: CallBody;
}

/** The connector properties of a consumer over REST. */
export function linkRestProperties(linking: Linking, spot: OperationSpot, sent: Sent): RestProperties {
  refuseForeign(linking, spot, 'rest');
  checkMethod(linking, spot, sent.method, `the operation has ${sent.method.toLowerCase()}`);
  checkTransfer(linking, spot);
  const uncompressed = propertyOf(linking, spot, 'sendUncompressed');
  return {
    base64ToBinary: linkBase64(linking, spot, sent),
    bodyAsBuilt: linkBodyAsBuilt(linking, spot, sent),
    compress: !isOn(uncompressed, true),
    acceptCompressed: !isOn(uncompressed, false),
    ...given({
      primaryUrl: linkPrimaryUrl(linking, spot, baseFault),
      segmentContentType: isBinary(sent.body) ? segmentTypeOf(linking, spot) : undefined,
    }),
  };
}

function linkBase64(linking: Linking, spot: OperationSpot, { body }: Sent): boolean {
  const found = propertyOf(linking, spot, 'Base64toBinary');
  if (found === undefined || !isOn(found, false)) return false;
  const isBytes = linking.doubt.about(body) || isBinary(body);
  const hint = 'Write `body: FIELD` with a field of type binary, or `request: binary`.';
  if (!isBytes && found.own) refuse(linking, found, `is Y, but the body of ${spot.id} is not binary content`, hint);
  return isBytes;
}

/** Whether a form is sent as it was built. `form:` has encoded its values already. */
function linkBodyAsBuilt(linking: Linking, spot: OperationSpot, { body, headers }: Sent): boolean {
  const found = propertyOf(linking, spot, 'Disable_URLEncodingBody');
  const asBuilt = isOn(found, false);
  const isForm = body.kind === 'form';
  if (found === undefined || linking.doubt.about(body)) return isForm || asBuilt;
  if (isForm && !asBuilt) {
    const reason = 'is false, but `form:` has already encoded each value';
    refuse(linking, found, reason, `Write ${found.property}: true.`);
  } else if (!isForm && found.own && !isFormText(body, headers)) {
    const hint = `Use \`form:\`, or \`request: text\` with the header Content-Type: ${FORM_TYPE}.`;
    refuse(linking, found, `has no effect on ${spot.id}: its body is not a form`, hint);
  }
  return isForm || asBuilt;
}

/** Whether the body is a form that the caller writes as text. */
function isFormText(body: CallBody, headers: readonly CallHeader[]): boolean {
  const type = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.text.source ?? '';
  return body.kind === 'raw' && body.raw === 'text' && parseMediaType(type)?.essence === FORM_TYPE;
}

function checkTransfer(linking: Linking, spot: OperationSpot): void {
  const found = propertyOf(linking, spot, 'SegmentContentTransfer');
  if (found?.own !== true || found.value === 'binary') return;
  const hint = 'With Base64toBinary: Y the caller may pass Base64 text.';
  refuse(linking, found, `is ${found.value}, but a body over REST is binary`, hint);
}

/** The media type of `SegmentContentType`; over REST, `binary` is none. */
function segmentTypeOf(linking: Linking, spot: OperationSpot): string | undefined {
  const value = propertyOf(linking, spot, 'SegmentContentType')?.value;
  return value === 'binary' ? undefined : value;
}

/**
 * The headers, with a Content-Type when SegmentContentType has a media type and no header sets one. Binary content may have a type of
 * its own, which takes precedence.
 */
export function withSegmentType(
  linking: Linking,
  spot: OperationSpot,
  headers: readonly CallHeader[],
  body: CallBody,
): CallHeader[] {
  const found = propertyOf(linking, spot, 'SegmentContentType');
  const isSet = headers.some(({ name }) => name.toLowerCase() === 'content-type');
  const isFixed = isSet || body.kind === 'none' || body.kind === 'form' || isBinary(body);
  if (found === undefined || found.value === 'binary' || isFixed) return [...headers];
  const { value } = found;
  const reason = contentTypeFault(value, body);
  if (reason === undefined)
    return [...headers, { name: 'Content-Type', text: { source: value, parts: [{ kind: 'literal', text: value }] } }];
  if (found.own) refuse(linking, found, reason, `For example: ${found.property}: ${exampleOf(body, value)}.`);
  return [...headers];
}

/** The connector properties of a consumer over SOAP. */
export function linkSoapProperties(linking: Linking, spot: OperationSpot, request: Message): SoapProperties {
  refuseForeign(linking, spot, 'soap');
  checkMethod(linking, spot, 'POST', 'a call over SOAP is a POST');
  return {
    mtom: isOn(propertyOf(linking, spot, 'MTOM'), false),
    upContent: linkUpContent(linking, spot, request),
    compress: !isOn(propertyOf(linking, spot, 'sendUncompressed'), true),
    segmentContentTransfer: propertyOf(linking, spot, 'SegmentContentTransfer')?.value ?? 'binary',
    ...given({
      primaryUrl: linkPrimaryUrl(linking, spot, endpointFault),
      segmentContentType: linkSegmentType(linking, spot),
    }),
  };
}

/** Whether the gateway writes the envelope. Otherwise the caller does, and the request is text. */
function linkUpContent(linking: Linking, spot: OperationSpot, request: Message): boolean {
  const found = propertyOf(linking, spot, 'SOAPUpContent');
  if (found === undefined || isOn(found, true)) return true;
  if (!linking.doubt.about(documentOf(request)) && !isEnvelope(request)) {
    const reason = `is N, so the request must be the envelope as text, but the request of ${spot.id} is ${messageWords(request)}`;
    refuse(linking, found, reason, 'Write `request: xml`, or SOAPUpContent: Y to have the gateway write the envelope.');
  }
  return false;
}

function linkSegmentType(linking: Linking, spot: OperationSpot): string | undefined {
  const found = propertyOf(linking, spot, 'SegmentContentType');
  if (found?.value !== 'binary') return found?.value;
  const hint = 'For example: SegmentContentType: application/xml.';
  refuse(linking, found, 'is `binary`, but over SOAP it must be the media type of segments', hint);
  return undefined;
}

function isEnvelope(request: Message): boolean {
  return request.kind === 'raw' && (request.raw === 'xml' || request.raw === 'text');
}
