import type { Field } from '../../model/field.ts';
import type { MediaMessage, Message, NamedFault, Operation, Service, SoapForm } from '../../model/service.ts';
import { attachmentFields, bareMessages, bodyMessage, headerFields } from '../../model/soap.ts';
import { isXmlType } from '../../wire/media-type.ts';
import { placeOf } from '../diagnostic/diagnostic.ts';
import { type Documents, documentOf } from '../document/documents.ts';
import { type Linking, refuseBoth, refuseKey } from '../linking.ts';
import { given } from '../object.ts';
import type { OperationDeclared } from '../schema/operation.ts';
import type { SoapDeclared } from '../schema/soap.ts';
import { noMessage } from './payload.ts';
import type { OperationSpot } from './spot.ts';

/** The name of an operation over SOAP: its id, or that of its twin; `undefined` when it is not offered over SOAP. */
export function soapName(id: string, { soap }: OperationDeclared): string | undefined {
  if (soap === undefined || soap === false) return undefined;
  return typeof soap === 'string' ? soap : ((typeof soap === 'object' ? soap.name : undefined) ?? id);
}

/**
 * The SOAP form of an operation. Of several media types, it has the XML document, or else the first, because SOAP has one form.
 */
export function linkSoapForm(
  documents: Documents,
  spot: OperationSpot,
  service: Pick<Service, 'version'>,
  request: Message,
  responses: readonly MediaMessage[],
): SoapForm {
  const { linking } = documents;
  const { soap: said } = spot.declared;
  const declared: SoapDeclared = typeof said === 'object' ? said : {};
  const name = soapName(spot.name, spot.declared) ?? spot.name;
  const inDocuments = responses.filter(({ message }) => message.kind === 'document');
  const response =
    inDocuments.find(({ mediaType }) => isXmlType(mediaType.toLowerCase())) ?? inDocuments[0] ?? responses[0];
  const faults = linkFaults(documents, spot, responses);
  const form: SoapForm = {
    ...{ name, action: declared.action ?? `${name}.${service.version}` },
    ...{ request, response: response?.message ?? noMessage() },
    ...given({ style: styleOf(linking, spot), faults, namespace: declared.namespace }),
    ...given({
      actions: declared.actions,
      replyNamespace: declared['reply-namespace'],
      replyElement: declared['reply-element'],
    }),
    ...(declared.addressing === true ? { addressing: true } : {}),
  };
  checkElementKeys(linking, spot, declared, form);
  checkNoNamespace(linking, spot, declared, form);
  for (const message of [form.request, form.response]) checkHeaders(linking, spot, message);
  for (const message of bareMessages(form)) checkBare(linking, spot, message);
  if (form.style === 'rpc')
    for (const message of [form.request, form.response]) checkParts(linking, spot, bodyMessage(message));
  return form;
}

/** Refuses keys about elements that are not there. */
function checkElementKeys(linking: Linking, { id }: OperationSpot, declared: SoapDeclared, form: SoapForm): void {
  const { style, response } = form;
  const isBare = style === 'bare' && [form.request, response].every(({ kind }) => kind !== 'raw');
  const why = 'with `wrapped: false` the elements are those of the documents';
  for (const key of ['namespace', 'reply-element'] as const) if (isBare) refuseKey(linking, declared, key, id, why);
  for (const key of ['reply-element', 'reply-namespace'] as const)
    if (!isBare && response.kind === 'none') refuseKey(linking, declared, key, id, 'a one-way operation has no reply');
  if (style !== 'rpc' && response.kind !== 'none')
    refuseKey(
      linking,
      declared,
      'reply-namespace',
      id,
      'it needs `style: rpc`: other replies have the namespace of `soap`',
    );
}

/** Outside rpc, WSDL refers to the elements of messages, and each of its schemas has a namespace (WS-I Basic Profile 1.1, R2105). */
function checkNoNamespace(
  { report, places }: Linking,
  { id }: OperationSpot,
  declared: SoapDeclared,
  { style }: SoapForm,
): void {
  if (declared.namespace !== '' || style === 'rpc') return;
  const reason = 'an empty `namespace` of `soap` needs `style: rpc`';
  report.raise('bad-soap', { operation: id, reason }, places.key(declared, 'namespace'));
}

/** A header block is qualified (SOAP 1.1, section 4.2; SOAP 1.2 part 1, section 5.2.1). */
function checkHeaders({ report }: Linking, { id }: OperationSpot, message: Message): void {
  for (const { name, namespace = documentOf(message)?.namespace, at } of headerFields(message)) {
    if (namespace !== '') continue;
    const reason = `the field ${name} is a header block, which needs a namespace`;
    report.raise('bad-soap', { operation: id, reason }, placeOf(at));
  }
}

/** A signature covers the Body and the timestamp: anyone on the way could change a field that is elsewhere. */
export function checkSigned({ report }: Linking, { id }: OperationSpot, { soap, requires }: Operation): void {
  const scheme = requires.find(({ kind }) => kind === 'signature');
  if (soap === undefined || scheme === undefined) return;
  const refuse = ({ name, at }: Field, what: string): void => {
    const reason = `the field ${name} is ${what}, which the signature of ${scheme.id} does not cover`;
    report.raise('bad-soap', { operation: id, reason }, placeOf(at));
  };
  for (const field of headerFields(soap.request)) refuse(field, 'a header block');
  for (const field of attachmentFields(soap.request)) refuse(field, 'an attachment');
}

/** The faults with names. Those that the service of a one-way operation sets are ignored. */
function linkFaults(
  documents: Documents,
  spot: OperationSpot,
  responses: readonly MediaMessage[],
): readonly NamedFault[] | undefined {
  const { report, places } = documents.linking;
  const found = spot.inherited('faults');
  if (found === undefined) return undefined;
  if (responses.every(({ message }) => message.kind === 'none')) {
    if (spot.declared.faults !== undefined)
      report.raise('one-way-fault', { operation: spot.id }, places.key(spot.declared, 'faults'));
    return undefined;
  }
  const elements = new Map<string, string>();
  return Object.entries(found.value).map(([name, id]) => {
    const at = places.value(found.value, name);
    const document = documents.resolve(id, at);
    const element = `{${document.namespace ?? ''}}${document.xmlName}`;
    const other = elements.get(element);
    elements.set(element, name);
    if (other !== undefined && !documents.linking.doubt.about(document))
      report.raise(
        'element-name',
        { name: document.xmlName, first: `the fault ${other}`, second: `the fault ${name}` },
        at,
      );
    return { name, document };
  });
}

/** What the operation says about itself has precedence over what its service says. */
function styleOf(linking: Linking, { declared, service }: OperationSpot): SoapForm['style'] {
  for (const container of [declared, service])
    if (container.style === 'rpc' && container.wrapped === false)
      refuseBoth(linking, container, 'style', 'wrapped', 'in rpc/literal the element of the operation is always there');
  if (declared.style === 'rpc') return 'rpc';
  const isRpc = service.style === 'rpc' && declared.style === undefined && declared.wrapped === undefined;
  if (isRpc) return 'rpc';
  return (declared.wrapped ?? service.wrapped) === false ? 'bare' : undefined;
}

/** In rpc/literal each field is a part with a type, which occurs once (WSDL 1.1, section 3.5). */
function checkParts({ report, doubt }: Linking, { id, at, inherited }: OperationSpot, message: Message): void {
  const refuse = (reason: string): void =>
    report.raise('bad-soap', { operation: id, reason: `with \`style: rpc\` ${reason}` }, inherited('style')?.at ?? at);
  if (message.kind === 'raw' && message.raw === 'xml')
    refuse('the fields of a message are its parts, and `xml` has no fields');
  const document = documentOf(message);
  if (document === undefined || doubt.about(document)) return;
  const { choice, open, fields } = document;
  if (choice !== undefined) refuse(`${document.id} can't be a message, because it is one of several documents`);
  if (open) refuse(`${document.id} can't be a message, because it accepts undeclared fields`);
  for (const { name, attribute, type } of fields) {
    if (attribute) refuse(`the field ${name} is a part, which is an element, and can't be an attribute`);
    if (type.kind === 'list' && type.flat)
      refuse(`the field ${name} is a part, which occurs once, so that its list needs an element of its own`);
  }
}

/** WSDL can't refer to an element without a namespace: every schema in it has one (WS-I Basic Profile 1.1, R2105). */
function checkBare({ report, doubt }: Linking, { id, at, inherited }: OperationSpot, message: Message): void {
  const document = documentOf(message);
  if (document?.namespace !== '' || doubt.about(document)) return;
  const reason = `with \`wrapped: false\` the root element of ${document.id} is in the Body, and it has no namespace`;
  report.raise('bad-soap', { operation: id, reason }, inherited('wrapped')?.at ?? at);
}
