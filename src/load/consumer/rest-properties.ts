import type { CallBody, CallHeader, RestProperties } from '../../model/consumer.ts';
import type { Method } from '../../model/service.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { given } from '../given.ts';
import type { Linking } from '../linking.ts';
import type { OperationSpot } from '../operation/spot.ts';
import { baseFault } from '../value/address.ts';
import { checkMethod, isYes, linkPrimaryUrl, refuseProperties, saidProperty } from './connector-properties.ts';
import { contentTypeFault, exampleOf, FORM_TYPE, isBinary } from './rest-headers.ts';

/** What of a call its properties are held against. */
interface Sent {
  readonly method: Method;
  readonly headers: readonly CallHeader[];
  /** Undefined where it is not known. */
  readonly body: CallBody | undefined;
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
  const isBytes = body === undefined || isBinary(body);
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
  const isForm = body?.kind === 'form';
  if (said === undefined || body === undefined) return isForm || isOn;
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
