import type { Registry } from '../../model/registry.ts';
import { isMessageScheme, type SecurityScheme } from '../../model/security.ts';
import { type Operation, type RawKind, type SoapForm, serviceNamespace } from '../../model/service.ts';
import { PASSWORD_TEXT, WSSE } from '../../wire/soap/wsse-names.ts';
import { buildXmlFragment, element, type XmlElement } from '../../wire/xml/build.ts';
import { documentsOf } from '../documents.ts';
import { soapSchemes } from '../requirements.ts';
import { isSoap, type SoapOperation } from '../scope.ts';
import type { ExampleRequest } from './example.ts';
import { exampleElement } from './text.ts';
import { emptyExample, exampleDocument, tellingFields } from './value.ts';

/**
 * An example of a call of an operation over SOAP 1.1: fields that are required or have an example, or all of them where none
 * is; an empty wrapper where no value can be made up. Of credentials it has a UsernameToken, where the message has to show
 * them and a person can write them.
 * Undefined for an operation without a SOAP form. `base` is the gateway's address with its context, without a slash at the
 * end.
 */
export function exampleSoapRequest(registry: Registry, operation: Operation, base: string): ExampleRequest | undefined {
  if (!isSoap(operation)) return undefined;
  const envelope = element('soap:Envelope', { 'xmlns:soap': 'http://schemas.xmlsoap.org/soap/envelope/' }, [
    credentials(soapSchemes(operation)),
    element('soap:Body', {}, [payload(operation, serviceNamespace(operation.service, registry.gateway.namespace))]),
  ]);
  return {
    method: 'POST',
    url: `${base}/PeopleSoftServiceListeningConnector`,
    headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${operation.soap.action}"` },
    body: buildXmlFragment(envelope),
  };
}

/** A SOAP header with places for user and password (UsernameToken Profile 1.1.1, section 3.1). */
function credentials(schemes: readonly SecurityScheme[]): XmlElement | undefined {
  const inMessage = schemes.every(isMessageScheme);
  if (!inMessage || !schemes.some((each) => each.kind === 'username-token' && each.passwords.includes('text'))) return;
  const token = element('wsse:UsernameToken', {}, [
    element('wsse:Username', {}, ['USER']),
    element('wsse:Password', { Type: PASSWORD_TEXT }, ['PASSWORD']),
  ]);
  return element('soap:Header', {}, [element('wsse:Security', { 'xmlns:wsse': WSSE }, [token])]);
}

function payload(operation: SoapOperation, namespace: string): XmlElement {
  const { name, request }: SoapForm = operation.soap;
  if (request.kind !== 'document')
    return element(name, { xmlns: namespace }, request.kind === 'raw' ? [rawContent[request.raw]] : []);
  const { document } = request;
  const value = exampleDocument({ fields: tellingFields(document.fields) }) ?? emptyExample();
  const documents = documentsOf({ rest: [], soap: [operation] }, namespace);
  return exampleElement(document, value, documents, { name, namespace });
}

const rawContent: Readonly<Record<RawKind, XmlElement>> = {
  json: element('content', {}, ['{}']),
  xml: element('value', { xmlns: '' }),
  text: element('content', {}, ['text']),
  binary: element('content', {}, ['U2lnbmFsYm94']),
};
