import type { CallBody, CallHeader, RestProperties, SoapProperties } from '../../model/consumer.ts';
import type { ConfigText } from '../../model/definition.ts';
import type { Message, Method } from '../../model/service.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import { documentOf, messageWords } from '../document/documents.ts';
import type { Linking } from '../linking.ts';
import { given } from '../object.ts';
import type { OperationSpot } from '../operation/spot.ts';
import type { FlagDeclared, PropertiesDeclared } from '../schema/consumer.ts';
import { baseFault, endpointFault, linkAddress } from '../value/address.ts';
import { contentTypeFault, exampleOf, FORM_TYPE, isBinary } from './headers.ts';

type Property = keyof PropertiesDeclared;

/** A property, and where it is said. */
interface SaidProperty<K extends Property> {
  readonly value: NonNullable<PropertiesDeclared[K]>;
  readonly at: Place;
  /** Not said by the service for all of its operations. */
  readonly own: boolean;
}

/** A property of a consumer: what overrides its routing says it, or the operation, or else its service. */
function saidProperty<K extends Property>(
  { places }: Linking,
  { override, declared, above }: OperationSpot,
  key: K,
): SaidProperty<K> | undefined {
  const ofService = above('properties');
  for (const container of [override?.declared.properties, declared.properties, ofService]) {
    const value = container?.[key];
    if (container !== undefined && value !== undefined)
      return { value, at: places.value(container, key), own: container !== ofService };
  }
  return undefined;
}

/** METHOD and Method say again what is known. */
function checkMethod(linking: Linking, spot: OperationSpot, method: string, why: string): void {
  for (const property of ['METHOD', 'Method'] as const) {
    const said = saidProperty(linking, spot, property);
    if (said === undefined || said.value === method) continue;
    const hint = `Say ${property}: ${method}, or leave it out.`;
    linking.report.raise('bad-property', { property, reason: `is ${said.value}, and ${why}`, hint }, said.at);
  }
}

/** Refuses properties that mean nothing for a consumer; those that its service says for all are passed over. */
function refuseProperties(
  { report, places }: Linking,
  { id, override, declared }: OperationSpot,
  properties: readonly Property[],
  why: string,
): void {
  for (const container of [override?.declared.properties, declared.properties]) {
    for (const property of properties) {
      if (container?.[property] === undefined) continue;
      const hint = `Take ${property} out, or say it where it has a meaning.`;
      const reason = `means nothing for ${id}: ${why}`;
      report.raise('bad-property', { property, reason, hint }, places.key(container, property));
    }
  }
}

/** The address that takes the place of the node's. `fault` says what is wrong with one that is written out. */
function linkPrimaryUrl(
  linking: Linking,
  spot: OperationSpot,
  fault: (text: string) => string | undefined,
): ConfigText | undefined {
  const said = saidProperty(linking, spot, 'PRIMARYURL');
  return said && linkAddress(linking, said.value, said.at, { name: 'PRIMARYURL', fault });
}

/** `Y`, `n`, `true`. */
function isYes(said: FlagDeclared | undefined, otherwise: boolean): boolean {
  return typeof said === 'string' ? said.toUpperCase() === 'Y' : (said ?? otherwise);
}

/** What of a call its properties are held against. */
interface Sent {
  readonly method: Method;
  readonly headers: readonly CallHeader[];
  readonly body: CallBody;
}

/** The connector properties of a consumer over REST. */
export function linkRestProperties(linking: Linking, spot: OperationSpot, sent: Sent): RestProperties {
  refuseProperties(linking, spot, ['MTOM', 'SOAPUpContent'], 'it is for calls over SOAP');
  checkMethod(linking, spot, sent.method, `the operation says ${sent.method.toLowerCase()}`);
  checkTransfer(linking, spot);
  const uncompressed = saidProperty(linking, spot, 'sendUncompressed')?.value;
  return {
    base64ToBinary: linkBase64(linking, spot, sent),
    bodyAsBuilt: linkBodyAsBuilt(linking, spot, sent),
    compress: !isYes(uncompressed, true),
    acceptCompressed: !isYes(uncompressed, false),
    ...given({ primaryUrl: linkPrimaryUrl(linking, spot, baseFault) }),
  };
}

function linkBase64(linking: Linking, spot: OperationSpot, { body }: Sent): boolean {
  const said = saidProperty(linking, spot, 'Base64toBinary');
  if (!isYes(said?.value, false)) return false;
  const isBytes = linking.doubt.about(body) || isBinary(body);
  if (!isBytes && said?.own === true) {
    const reason = `is Y, and the body of ${spot.id} is not binary content`;
    const hint = 'Say `body: FIELD` with a field of type binary, or `request: binary`.';
    linking.report.raise('bad-property', { property: 'Base64toBinary', reason, hint }, said.at);
  }
  return isBytes;
}

/** Whether a form is sent as it was built. What `form:` builds is encoded already. */
function linkBodyAsBuilt(linking: Linking, spot: OperationSpot, { body, headers }: Sent): boolean {
  const property = 'Disable_URLEncodingBody';
  const said = saidProperty(linking, spot, property);
  const isOn = String(said?.value ?? false).toLowerCase() === 'true';
  const isForm = body.kind === 'form';
  if (said === undefined || linking.doubt.about(body)) return isForm || isOn;
  const raise = (reason: string, hint: string): void =>
    linking.report.raise('bad-property', { property, reason, hint }, said.at);
  if (isForm && !isOn)
    raise('is false, and `form:` has encoded each value, which would be encoded twice', `Say ${property}: true.`);
  else if (!isForm && said.own && !isFormText(body, headers))
    raise(
      `means nothing for ${spot.id}: its body is no form`,
      `Say \`form:\`, or \`request: text\` with the header Content-Type: ${FORM_TYPE}.`,
    );
  return isForm || isOn;
}

/** A form that the caller writes. */
function isFormText(body: CallBody, headers: readonly CallHeader[]): boolean {
  const type = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.text.source ?? '';
  return body.kind === 'raw' && body.raw === 'text' && parseMediaType(type)?.essence === FORM_TYPE;
}

function checkTransfer(linking: Linking, spot: OperationSpot): void {
  const property = 'SegmentContentTransfer';
  const said = saidProperty(linking, spot, property);
  if (said?.own !== true || said.value === 'binary') return;
  const reason = `is ${said.value}, and a body over REST is binary`;
  const hint = 'With Base64toBinary: Y the caller may give it as Base64 text.';
  linking.report.raise('bad-property', { property, reason, hint }, said.at);
}

/** The headers with Content-Type, where SegmentContentType says a media type and no header one. */
export function withSegmentType(
  linking: Linking,
  spot: OperationSpot,
  headers: readonly CallHeader[],
  body: CallBody,
): CallHeader[] {
  const property = 'SegmentContentType';
  const said = saidProperty(linking, spot, property);
  const isSaid = headers.some(({ name }) => name.toLowerCase() === 'content-type');
  if (said === undefined || said.value === 'binary' || isSaid || body.kind === 'none' || body.kind === 'form')
    return [...headers];
  const { value } = said;
  const reason = contentTypeFault(value, body);
  if (reason === undefined)
    return [...headers, { name: 'Content-Type', text: { source: value, parts: [{ kind: 'literal', text: value }] } }];
  const hint = `For example: ${property}: ${exampleOf(body, value)}.`;
  if (said.own) linking.report.raise('bad-property', { property, reason, hint }, said.at);
  return [...headers];
}

/** The connector properties of a consumer over SOAP. */
export function linkSoapProperties(linking: Linking, spot: OperationSpot, request: Message): SoapProperties {
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
function linkUpContent(linking: Linking, spot: OperationSpot, request: Message): boolean {
  const said = saidProperty(linking, spot, 'SOAPUpContent');
  const isUp = isYes(said?.value, true);
  if (!isUp && said !== undefined && !linking.doubt.about(documentOf(request)) && !isEnvelope(request)) {
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
