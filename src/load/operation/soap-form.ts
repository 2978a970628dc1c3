import type { MediaMessage, Message, Service, SoapForm } from '../../model/service.ts';
import { bareMessages } from '../../model/soap.ts';
import { isXmlType } from '../../wire/media-type.ts';
import { documentOf } from '../document/documents.ts';
import type { Linking } from '../linking.ts';
import type { OperationDeclared } from '../schema/operation.ts';
import { noMessage } from './message.ts';
import type { OperationSpot } from './spot.ts';

/** The name of an operation over SOAP: its id, or that of its twin; `undefined` when it is not offered over SOAP. */
export function soapName(id: string, { soap }: OperationDeclared): string | undefined {
  if (soap === undefined || soap === false) return undefined;
  return soap === true ? id : soap;
}

/**
 * The SOAP form of an operation. Of several media types, it has the XML document, or else the first, because SOAP has one form.
 */
export function linkSoapForm(
  linking: Linking,
  spot: OperationSpot,
  service: Pick<Service, 'version'>,
  request: Message,
  responses: readonly MediaMessage[],
): SoapForm {
  const name = soapName(spot.name, spot.declared) ?? spot.name;
  const documents = responses.filter(({ message }) => message.kind === 'document');
  const response =
    documents.find(({ mediaType }) => isXmlType(mediaType.toLowerCase())) ?? documents[0] ?? responses[0];
  const form: SoapForm = {
    ...{ name, action: `${name}.${service.version}`, request, response: response?.message ?? noMessage() },
    ...(spot.inherited('wrapped')?.value === false ? { style: 'bare' } : {}),
  };
  for (const message of bareMessages(form)) checkBare(linking, spot, message);
  return form;
}

/** WSDL can't refer to an element without a namespace: every schema in it has one (WS-I Basic Profile 1.1, R2105). */
function checkBare({ report, doubt }: Linking, { id, at, inherited }: OperationSpot, message: Message): void {
  const document = documentOf(message);
  if (document?.namespace !== '' || doubt.about(document)) return;
  const reason = `with \`wrapped: false\` the root element of ${document.id} is in the Body, and it has no namespace`;
  report.raise('bad-soap', { operation: id, reason }, inherited('wrapped')?.at ?? at);
}
