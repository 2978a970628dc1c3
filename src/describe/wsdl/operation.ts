import { type Document, documentName, type ElementName, foldedName } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import { elementsIn } from '../../model/particles.ts';
import { rangeOf, traitsOf } from '../../model/scalar.ts';
import type { UsernameTokenScheme } from '../../model/security.ts';
import { type Message, replyAction } from '../../model/service.ts';
import { soapElements } from '../../model/soap.ts';
import { integersWithin } from '../../wire/order.ts';
import { FAULT_ACTION } from '../../wire/soap/addressing.ts';
import { WSU } from '../../wire/soap/wsse-names.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import { nameAllocator, ncName } from '../names.ts';
import { accessNote, soapSchemes } from '../requirements.ts';
import type { HeaderBlock, Scope, SoapOperation } from '../scope.ts';
import { joined } from '../words.ts';
import { isThere } from '../xsd/constraint.ts';
import type { SchemaSet } from '../xsd/schema.ts';
import { builtInType } from '../xsd/types.ts';
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
    const name = allocate(faultMessageName(document));
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

/** Whether the reply of an operation is sent to the address that its caller names. */
function takesReplyTo({ answer }: SoapOperation): boolean {
  return answer.kind === 'queue' && answer.replyTo !== undefined;
}

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

/** An operation of a port type: request-response, or one-way. */
export function operationElement(operation: WsdlOperation): XmlElement {
  const { name, text, input, output, requestAction, replyAction, faults, bindings } = operation;
  const addressed = (action: string | undefined): Readonly<Record<string, string>> =>
    action === undefined ? {} : { 'wsam:Action': action };
  return element('wsdl:operation', { name }, [
    element('wsdl:documentation', {}, [text]),
    ...bindings,
    element('wsdl:input', { message: `tns:${input.name}`, ...addressed(requestAction) }),
    output === undefined
      ? undefined
      : element('wsdl:output', { message: `tns:${output.name}`, ...addressed(replyAction) }),
    ...faults.map((fault) =>
      element('wsdl:fault', { name: fault.name, message: `tns:${fault.message.name}`, ...addressed(FAULT_ACTION) }),
    ),
  ]);
}

// Jakarta XML Web Services 3.0, section 2.3.1.2 (wrapper style) and 8.7.2 (enableWrapperStyle).

/** The namespace since JAX-WS 3.0 and the previous one. A tool reads its own and ignores the other. */
const BINDINGS = ['https://jakarta.ee/xml/ns/jaxws', 'http://java.sun.com/xml/ns/jaxws'];

/**
 * Prevents Java code generators from turning each element inside a wrapper into a parameter, when two elements would become
 * one parameter with two types, or one a reserved word: they refuse such a WSDL. The method then takes and returns whole
 * messages. Empty when the elements can be parameters; other tools ignore it.
 */
function wrapperStyle({ soap }: SoapOperation, scope: Scope): XmlElement[] {
  if (soap.style !== undefined) return [];
  const { request, response } = soap;
  const [ins, outs] = [childrenOf(request, scope), childrenOf(response, scope)];
  const taken = new Map(ins.map((child) => [foldedName(child.name), child]));
  const clashes = outs.some(({ name, element, type }) => {
    const other = taken.get(foldedName(name));
    return other !== undefined && (other.element !== element || other.type !== type);
  });
  if (!clashes && ![...ins, ...outs].some(({ name }) => RESERVED.has(name))) return [];
  return BINDINGS.map((namespace) =>
    element('jaxws:bindings', { 'xmlns:jaxws': namespace }, [element('jaxws:enableWrapperStyle', {}, ['false'])]),
  );
}

/** An element inside a wrapper. */
interface Child {
  readonly name: string;
  /** The name with its namespace. */
  readonly element: string;
  /** Distinguishes its Java type from others. */
  readonly type: string;
}

function childrenOf(message: Message, { documents, namespace }: Scope): Child[] {
  if (message.kind === 'document') {
    const { document } = message;
    return elementsIn(document).map(({ field, document: owner }) => {
      const { xmlName: name } = field;
      const own = documents.namespaceOf(owner);
      return { name, element: `{${field.namespace ?? own}}${name}`, type: javaType(field, document) };
    });
  }
  if (message.kind === 'none' || message.raw === 'xml') return [];
  return [{ name: 'content', element: `{${namespace}}content`, type: builtInType({ kind: message.raw }) }];
}

/** JAXB writes the class of a list's element inside the class of its document. */
function javaType(field: Field, document: Document): string {
  const { type, digits, xmlName, space } = field;
  if (type.kind === 'map' || (type.kind === 'list' && !type.flat)) return `${document.id}.${xmlName}`;
  const single = singleType(type);
  const many = type.kind === 'list' ? 'list of ' : '';
  if (single.kind === 'document') return `${many}${single.document.id}`;
  // An integer within bounds is an Integer or a Long, an xs:integer without them a BigInteger. A required one, like a required Boolean, is a primitive type.
  const { xml, primitive } = traitsOf(single);
  const range = xml.type === 'xs:integer' ? field.range : rangeOf(field);
  const { least, most } = primitive === 'integer' ? integersWithin(range ?? {}) : {};
  const bounds = digits !== undefined || (least !== undefined && most !== undefined) ? [least, most, digits] : [];
  const small = primitive === 'boolean' || bounds.length > 0;
  return `${many}${builtInType(single, space)} ${bounds} ${small && isThere(field)}`;
}

/** The reserved words of Java (Java Language Specification 17, 3.9), with the literals. */
const RESERVED = new Set(
  (
    'abstract assert boolean break byte case catch char class const continue default do double else enum extends final ' +
    'finally float for goto if implements import instanceof int interface long native new package private protected ' +
    'public return short static strictfp super switch synchronized this throw throws transient try void volatile while ' +
    '_ true false null'
  ).split(' '),
);

// Web Services Policy 1.5 - Framework and Attachment (W3C Recommendations, 4 September 2007); WS-SecurityPolicy 1.3 (OASIS,
// 2 February 2009), section 8 (supporting tokens) and 5.4.1 (UsernameToken).

/** The policies of a WSDL and the references to them. */
interface Policies {
  /** `wsp:Policy` elements for the root. */
  readonly elements: readonly XmlElement[];
  /** For each binding; `undefined` when nothing is stated about WS-Addressing. */
  readonly addressing: XmlElement | undefined;
  /** A reference for the input of an operation in a binding; `undefined` if only its documentation states what it requires. */
  referenceOf(operation: SoapOperation): XmlElement | undefined;
}

const WSP = 'http://www.w3.org/ns/ws-policy';
/** Metadata of WS-Addressing, whose prefix the root element declares. */
export const WSAM = 'http://www.w3.org/2007/05/addressing/metadata';
const SP = 'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702';

/**
 * Policies of the operations that require a UsernameToken and nothing else. A client that reads policies does exactly what
 * they state, so other requirements are documented in words only:
 * - of several schemes, or forms of the password, a client would take the first one that it supports, not the one for which
 *   its user has credentials;
 * - a transport binding or a signature policy covers replies too (IncludeTimestamp, a recipient's token). Replies are not
 *   signed and have no timestamp, so the client would refuse them.
 * A policy of the input does not apply to the reply.
 */
export function policiesOf(operations: readonly SoapOperation[]): Policies {
  const wanted = new Map<string, UsernameTokenScheme>();
  for (const operation of operations) {
    const scheme = tokenOf(operation);
    if (scheme !== undefined) wanted.set(scheme.id, scheme);
  }
  const names = new Map(
    [...wanted.keys()].map((id, index) => [id, `UsernameTokenPolicy${index === 0 ? '' : index + 1}`]),
  );
  return {
    elements: [...wanted.values()].map((scheme) => policyElement(names.get(scheme.id) as string, scheme)),
    addressing: addressingPolicy(operations),
    referenceOf(operation) {
      const scheme = tokenOf(operation);
      if (scheme === undefined) return undefined;
      return element('wsp:PolicyReference', { 'xmlns:wsp': WSP, URI: `#${names.get(scheme.id)}` });
    },
  };
}

/** The scheme of an operation that only accepts a UsernameToken, with a single form of the password. */
function tokenOf(operation: SoapOperation): UsernameTokenScheme | undefined {
  const [scheme, ...others] = soapSchemes(operation);
  if (scheme?.kind !== 'username-token' || scheme.passwords.length > 1) return undefined;
  return others.length === 0 ? scheme : undefined;
}

/**
 * WS-Addressing 1.0 - Metadata (W3C Recommendation, 4 September 2007), section 3.1: requests may have its headers, or must. It is
 * stated where the service says so, or where the address of a reply may be another one than that of the request. A nested policy
 * applies to each operation of a binding: required headers allow both addresses, where some operations take only one.
 */
function addressingPolicy(operations: readonly SoapOperation[]): XmlElement | undefined {
  const isLater = operations.some(takesReplyTo);
  const declared = operations[0]?.service.addressing;
  if (declared === undefined && !isLater) return undefined;
  const isRequired = declared === 'required';
  const response = isLater ? !isRequired && 'wsam:NonAnonymousResponses' : 'wsam:AnonymousResponses';
  return element('wsp:Policy', { 'xmlns:wsp': WSP }, [
    element('wsam:Addressing', { 'wsp:Optional': isRequired ? undefined : 'true' }, [
      element('wsp:Policy', {}, [response === false ? undefined : element(response)]),
    ]),
  ]);
}

function policyElement(name: string, { passwords }: UsernameTokenScheme): XmlElement {
  return element('wsp:Policy', { 'xmlns:wsp': WSP, 'xmlns:sp': SP, 'xmlns:wsu': WSU, 'wsu:Id': name }, [
    element('sp:SupportingTokens', {}, [
      element('wsp:Policy', {}, [
        element('sp:UsernameToken', { 'sp:IncludeToken': `${SP}/IncludeToken/AlwaysToRecipient` }, [
          // Without an assertion the password is sent as text.
          element('wsp:Policy', {}, [passwords.includes('digest') ? element('sp:HashPassword') : undefined]),
        ]),
      ]),
    ]),
  ]);
}
