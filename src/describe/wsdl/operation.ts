import { type Document, documentName, type ElementName } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { type Message, replyAction } from '../../model/service.ts';
import { soapElements } from '../../model/soap.ts';
import { FAULT_ACTION } from '../../wire/soap/addressing.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import { nameAllocator, ncName } from '../names.ts';
import { accessNote, soapSchemes } from '../requirements.ts';
import type { HeaderBlock, Scope, SoapOperation } from '../scope.ts';
import { joined } from '../words.ts';
import type { SchemaSet } from '../xsd/schema.ts';
import { builtInType } from '../xsd/types.ts';
import { type Policies, takesReplyTo } from './policies.ts';
import { wrapperStyle } from './wrapper-style.ts';
import { faultMessageName } from './wsdl-names.ts';

/** A message. It has no part if the Body is empty. */
export interface WsdlMessage {
  readonly name: string;
  readonly parts: readonly WsdlPart[];
  /** Parts beside the envelope, which come last; `undefined` for none. */
  readonly attachments?: readonly WsdlAttachment[];
}

/** A part of a message that is beside the envelope. */
interface WsdlAttachment {
  readonly part: string;
  /** At least one. */
  readonly mediaTypes: readonly string[];
}

/** A part of a message, with the QName of its element, or in rpc/literal that of its type. */
type WsdlPart = { readonly name: string } & ({ readonly element: string } | { readonly type: string });

/** An operation for port type and bindings. */
export interface WsdlOperation {
  readonly name: string;
  readonly action: string;
  /** In rpc/literal, the namespaces of the elements of its messages; `undefined` for document/literal. */
  readonly rpc: { readonly request: string | undefined; readonly reply: string | undefined } | undefined;
  readonly text: string | undefined;
  readonly input: WsdlMessage;
  /** `undefined` for a one-way operation. */
  readonly output: WsdlMessage | undefined;
  /** The header blocks of its messages, each a part; `undefined` for none. */
  readonly headers: { readonly input: WsdlMessage | undefined; readonly output: WsdlMessage | undefined };
  /** Of a request whose element other operations have, too, or of a service that describes WS-Addressing. */
  readonly requestAction: string | undefined;
  /** `undefined` for a one-way operation. */
  readonly replyAction: string | undefined;
  readonly faults: readonly { readonly name: string; readonly message: WsdlMessage }[];
  /** References to the policy of its requests. */
  readonly policy: XmlElement | undefined;
  /** Bindings for Java code generators. */
  readonly bindings: readonly XmlElement[];
}

/** The operations of a scope, with their messages; operations with the same fault document share its message. */
export function wsdlOperations(scope: Scope, schemas: SchemaSet, policies: Policies): WsdlOperation[] {
  const { soap, documents, gateway } = scope;
  const allocate = nameAllocator(
    soap.flatMap(({ soap: form }) => [requestMessage(form.name), replyMessage(form.name)]),
  );
  const headersOf = (name: string, blocks: readonly HeaderBlock[]): WsdlMessage | undefined =>
    blocks.length === 0 ? undefined : { name: allocate(`${name}Headers`), parts: blocks.map(partOf) };
  const partOf = ({ field, document }: HeaderBlock): WsdlPart => {
    const prefix = schemas.prefixOf(field.namespace ?? documents.namespaceOf(document));
    return { name: ncName(field.xmlName), element: `${prefix}:${field.xmlName}` };
  };
  const faults = new Map<Document, WsdlMessage>();
  const faultOf = (document: Document): WsdlMessage | undefined => {
    const prefix = schemas.prefixOf(documents.namespaceOf(document));
    // An element without a namespace can't be referred to: every schema in a WSDL has one (WS-I Basic Profile 1.1, R2105).
    if (prefix === undefined || !schemas.hasElement(document)) return undefined;
    const known = faults.get(document);
    if (known !== undefined) return known;
    const name = allocate(faultMessageName(document, scope.service));
    const message: WsdlMessage = { name, parts: [{ name: 'fault', element: `${prefix}:${document.xmlName}` }] };
    faults.set(document, message);
    return message;
  };
  const shared = sharedElements(scope);
  const isAddressed = (operation: SoapOperation): boolean =>
    shared.has(operation) || operation.service.addressing !== undefined;
  return soap.map((operation): WsdlOperation => {
    const { name, action, response, style } = operation.soap;
    const elements = soapElements(operation, gateway.namespace);
    const bodyParts = (element: ElementName | undefined, message: Message, taken: readonly string[]): WsdlPart[] => {
      if (style === 'rpc') return partsOf(message, schemas);
      if (element === undefined) return [];
      const qname = `${schemas.prefixOf(element.namespace)}:${element.name}`;
      // JAX-WS takes parts of request and reply with one name for one parameter (3.0, 2.3.2).
      const bare = element === elements.request ? 'body' : 'result';
      return [{ name: nameAllocator(taken)(style === 'bare' ? bare : 'parameters'), element: qname }];
    };
    const messageOf = (
      name: string,
      element: ElementName | undefined,
      message: Message,
      beside: readonly Field[],
    ): WsdlMessage => {
      const attachments = beside.map(attachmentOf);
      const names = attachments.map(({ part }) => part);
      const parts = bodyParts(element, message, names);
      if (attachments.length === 0) return { name, parts };
      const others = names.map((part): WsdlPart => ({ name: part, type: 'xs:base64Binary' }));
      return { name, parts: [...parts, ...others], attachments };
    };
    const oneWay = response.kind === 'none';
    const fault = oneWay ? undefined : operation.fault;
    const message = fault === undefined ? undefined : faultOf(fault);
    const named = (operation.soap.faults ?? []).flatMap(({ name, document }) => {
      const found = faultOf(document);
      return found === undefined ? [] : [{ name: ncName(name), message: found }];
    });
    const nameOfFault = nameAllocator(named.map(({ name }) => name));
    return {
      name,
      action,
      rpc: style === 'rpc' ? { request: elements.request?.namespace, reply: elements.reply?.namespace } : undefined,
      text: textOf(operation, message),
      input: messageOf(requestMessage(name), elements.request, operation.soap.request, operation.attachments.request),
      output: oneWay ? undefined : messageOf(replyMessage(name), elements.reply, response, operation.attachments.reply),
      headers: {
        input: headersOf(requestMessage(name), operation.blocks.request),
        output: oneWay ? undefined : headersOf(replyMessage(name), operation.blocks.reply),
      },
      requestAction: isAddressed(operation) && action !== '' ? action : undefined,
      replyAction: oneWay ? undefined : replyAction(operation, gateway.namespace),
      faults: [
        ...named,
        ...(fault === undefined || message === undefined
          ? []
          : [{ name: nameOfFault(ncName(documentName(fault))), message }]),
      ],
      policy: policies.referenceOf(operation),
      bindings: wrapperStyle(operation, scope),
    };
  });
}

/** Operations whose requests have the same element. CXF refuses a WSDL in which nothing but SOAPAction tells them apart. */
function sharedElements({ soap, gateway }: Scope): ReadonlySet<SoapOperation> {
  const groups = Map.groupBy(soap, (operation) => {
    const { request } = soapElements(operation, gateway.namespace);
    return request === undefined ? '' : `{${request.namespace}}${request.name}`;
  });
  return new Set([...groups].flatMap(([element, found]) => (element === '' || found.length < 2 ? [] : found)));
}

function attachmentOf({ xmlName, attachment }: Field): WsdlAttachment {
  const mediaTypes = Array.isArray(attachment) && attachment.length > 0 ? attachment : ['*/*'];
  return { part: ncName(xmlName), mediaTypes };
}

/** The parts of a message in rpc/literal: its fields. */
function partsOf(message: Message, schemas: SchemaSet): WsdlPart[] {
  if (message.kind === 'document')
    return message.document.fields.map((field) => ({ name: field.xmlName, type: schemas.partType(field) }));
  return message.kind === 'none' ? [] : [{ name: 'content', type: builtInType({ kind: message.raw }) }];
}

function replyMessage(name: string): string {
  return `${name}Response`;
}

function requestMessage(name: string): string {
  return `${name}Request`;
}

function textOf(operation: SoapOperation, faultMessage: WsdlMessage | undefined): string | undefined {
  const { description, fault, soap } = operation;
  const hasUnnamedDetail = soap.response.kind !== 'none' && fault !== undefined && faultMessage === undefined;
  return joined(
    '\n',
    description,
    soap.response.kind === 'none' ? 'One-way: the reply is empty.' : undefined,
    takesReplyTo(operation) ? REPLIED_LATER : undefined,
    hasUnnamedDetail
      ? `The detail of a fault contains the element ${fault.xmlName}, which WSDL can't refer to.`
      : undefined,
    accessNote(soapSchemes(operation)),
  );
}

const REPLIED_LATER =
  'The reply comes later, to the address in ReplyTo of WS-Addressing. A request without one is answered with the status 202 and nothing else.';

/** The messages of operations, each once. */
export function messageElements(operations: readonly WsdlOperation[]): XmlElement[] {
  const messages = operations.flatMap(({ input, output, headers, faults }) =>
    [input, headers.input ?? [], output ?? [], headers.output ?? [], ...faults.map(({ message }) => message)].flat(),
  );
  return [...new Set(messages)].map(({ name, parts }) =>
    element(
      'wsdl:message',
      { name },
      parts.map((part) => element('wsdl:part', { ...part })),
    ),
  );
}

/** An operation of a port type: request-response, or one-way. @param qname the QName of a message */
export function operationElement(operation: WsdlOperation, qname: (name: string) => string): XmlElement {
  const { name, text, input, output, requestAction, replyAction, faults, bindings } = operation;
  const addressed = (action: string | undefined): Readonly<Record<string, string>> =>
    action === undefined ? {} : { 'wsam:Action': action };
  return element('wsdl:operation', { name }, [
    element('wsdl:documentation', {}, [text]),
    ...bindings,
    element('wsdl:input', { message: qname(input.name), ...addressed(requestAction) }),
    output === undefined
      ? undefined
      : element('wsdl:output', { message: qname(output.name), ...addressed(replyAction) }),
    ...faults.map((fault) =>
      element('wsdl:fault', { name: fault.name, message: qname(fault.message.name), ...addressed(FAULT_ACTION) }),
    ),
  ]);
}
