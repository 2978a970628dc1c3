import { foldedName } from '../../model/document.ts';
import { isJsonType, parseMediaType } from '../../wire/media-type.ts';
import { isXmlName } from '../../wire/xml/text.ts';
import type { DraftOperation, DraftRest, DraftService, DraftSoap } from '../draft.ts';
import { type DeclaredMap, type DeclaredValue, given } from './declared.ts';

/** The keys of an operation that say how it is reached over REST. @param form its form, declared */
export function restKeys(
  { method, uris, headers, body, mediaType }: DraftRest,
  form: DeclaredValue | undefined,
  isCall: boolean,
): DeclaredMap {
  // A call sends JSON unless it says otherwise; what is served takes JSON and XML.
  const isOther = mediaType !== undefined && !isJsonType(parseMediaType(mediaType)?.essence ?? '');
  const type = isCall && isOther && form === undefined ? { 'Content-Type': mediaType } : {};
  const fields = Object.entries(headers).map(([name, field]) => [name, `{${field}}`] as const);
  const all = { ...type, ...Object.fromEntries(fields) };
  const templates = uris.map((each) => (each === '' ? '/' : each));
  return given({
    [method.toLowerCase()]: templates.length === 1 ? (templates[0] as string) : templates,
    headers: Object.keys(all).length === 0 ? undefined : all,
    body,
    form,
  });
}

/** Whether an operation is called by an element that has its name over SOAP. */
export function hasOwnElement({ soap, uncallable }: DraftOperation): boolean {
  return soap !== undefined && soap.style !== 'bare' && uncallable === undefined;
}

/** Whether no other operation that is called has its name, and the name is one of XML. */
function isNamedAlone({ name, uncallable }: DraftOperation, operations: readonly DraftOperation[]): boolean {
  const same = operations.filter((each) => foldedName(each.name) === foldedName(name));
  return uncallable === undefined && isXmlName(name) && same.length === 1;
}

/** The keys of an operation that say how it is reached over SOAP. @param id its name in the definitions */
export function soapKeys(
  operation: DraftOperation,
  soap: DraftSoap,
  id: string,
  { namespace, operations }: DraftService,
  isCall: boolean,
): DeclaredMap {
  const { style, version, action, actions, request, response, mtom } = soap;
  const { uncallable } = operation;
  const isWrapped = style !== 'bare';
  const map = given({
    // What is served has no further names than those by which it is called, and the one that its WSDL gives it.
    name:
      request === id || !(isCall || hasOwnElement(operation) || isNamedAlone(operation, operations))
        ? undefined
        : request,
    action: action ?? '',
    actions: isCall || uncallable !== undefined ? undefined : actions,
    namespace: isWrapped && soap.namespace !== namespace ? soap.namespace || undefined : undefined,
    addressing: isCall && soap.addressing ? true : undefined,
    reply: isWrapped && response !== undefined && response !== `${request}Response` ? response : undefined,
  });
  return given({
    soap: map,
    style: style === 'rpc' ? 'rpc' : undefined,
    // What can't be sent need not say how.
    wrapped: isWrapped || uncallable !== undefined ? undefined : false,
    headers: isCall && version === '1.2' ? { 'Content-Type': 'application/soap+xml' } : undefined,
    properties: isCall && mtom ? { MTOM: 'Y' } : undefined,
  });
}
