import { type Document, documentName, foldedName } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import { primitiveOf } from '../../model/scalar.ts';
import type { UsernameTokenScheme } from '../../model/security.ts';
import type { Message } from '../../model/service.ts';
import { WSU } from '../../wire/soap/wsse-names.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import { nameAllocator, ncName } from '../names.ts';
import { accessNote, soapSchemes } from '../requirements.ts';
import type { Scope, SoapOperation } from '../scope.ts';
import { joined } from '../words.ts';
import { faultMessageName } from '../xsd/class-names.ts';
import { replyName } from '../xsd/elements.ts';
import type { SchemaSet } from '../xsd/schema.ts';
import { builtInType } from '../xsd/types.ts';

/** A message: its name, and the QName of the element that its one part is. */
interface WsdlMessage {
  readonly name: string;
  readonly part: 'parameters' | 'fault';
  readonly element: string;
}

/** An operation as port type and bindings have it. */
export interface WsdlOperation {
  readonly name: string;
  readonly action: string;
  readonly text: string | undefined;
  readonly input: WsdlMessage;
  /** Undefined for one that is one-way. */
  readonly output: WsdlMessage | undefined;
  readonly fault: { readonly name: string; readonly message: WsdlMessage } | undefined;
  /** What refers to the policy of its requests. */
  readonly policy: XmlElement | undefined;
  /** What generators of Java have to know about it. */
  readonly bindings: readonly XmlElement[];
}

/** The operations of a scope, with their messages; operations with the same fault document share its message. */
export function wsdlOperations(scope: Scope, schemas: SchemaSet, policies: Policies): WsdlOperation[] {
  const { soap, documents } = scope;
  const names = soap.map(({ soap: { name } }) => name);
  const allocate = nameAllocator(names.flatMap((name) => [requestMessage(name), replyName(name)]));
  const faults = new Map<Document, WsdlMessage>();
  const faultOf = (document: Document): WsdlMessage | undefined => {
    const prefix = schemas.prefixOf(documents.namespaceOf(document));
    // An element without a namespace can't be named: no schema in a WSDL has none (WS-I Basic Profile 1.1, R2105).
    if (prefix === undefined || !schemas.hasElement(document)) return undefined;
    const known = faults.get(document);
    if (known !== undefined) return known;
    const name = allocate(faultMessageName(document));
    const message: WsdlMessage = { name, part: 'fault', element: `${prefix}:${document.xmlName}` };
    faults.set(document, message);
    return message;
  };
  return soap.map((operation): WsdlOperation => {
    const { name, action, response } = operation.soap;
    const oneWay = response.kind === 'none';
    const fault = oneWay ? undefined : operation.fault;
    const message = fault === undefined ? undefined : faultOf(fault);
    return {
      name,
      action,
      text: textOf(operation, message),
      input: { name: requestMessage(name), part: 'parameters', element: `tns:${name}` },
      output: oneWay ? undefined : { name: replyName(name), part: 'parameters', element: `tns:${replyName(name)}` },
      fault: fault === undefined || message === undefined ? undefined : { name: ncName(documentName(fault)), message },
      policy: policies.referenceOf(operation),
      bindings: wrapperStyle(operation, scope),
    };
  });
}

function requestMessage(name: string): string {
  return `${name}Request`;
}

function textOf(operation: SoapOperation, faultMessage: WsdlMessage | undefined): string | undefined {
  const { description, fault, soap } = operation;
  const untold = soap.response.kind !== 'none' && fault !== undefined && faultMessage === undefined;
  return joined(
    '\n',
    description,
    soap.response.kind === 'none' ? 'One-way: the answer is empty.' : undefined,
    untold ? `The detail of a fault holds the element ${fault.xmlName}, which WSDL can't name.` : undefined,
    accessNote(soapSchemes(operation)),
  );
}

/** The messages of operations, each once. */
export function messageElements(operations: readonly WsdlOperation[]): XmlElement[] {
  const messages = operations.flatMap(({ input, output, fault }) => [input, output ?? [], fault?.message ?? []].flat());
  return [...new Set(messages)].map(({ name, part, element: qname }) =>
    element('wsdl:message', { name }, [element('wsdl:part', { name: part, element: qname })]),
  );
}

/** An operation of a port type: request-response, or one-way. */
export function operationElement({ name, text, input, output, fault, bindings }: WsdlOperation): XmlElement {
  return element('wsdl:operation', { name }, [
    element('wsdl:documentation', {}, [text]),
    ...bindings,
    element('wsdl:input', { message: `tns:${input.name}` }),
    output === undefined ? undefined : element('wsdl:output', { message: `tns:${output.name}` }),
    fault === undefined ? undefined : element('wsdl:fault', { name: fault.name, message: `tns:${fault.message.name}` }),
  ]);
}

// Jakarta XML Web Services 3.0, section 2.3.1.2 (wrapper style) and 8.7.2 (enableWrapperStyle).

/** The namespace since JAX-WS 3.0, and the one before. A tool takes its own and passes over the other. */
const BINDINGS = ['https://jakarta.ee/xml/ns/jaxws', 'http://java.sun.com/xml/ns/jaxws'];

/**
 * What keeps generators of Java from making a parameter of each element inside a wrapper, where two of these would be one
 * parameter of two types or a reserved word: they refuse such a WSDL. The method then takes and returns the messages as
 * they are. Empty where the elements can be parameters; other tools pass over it.
 */
function wrapperStyle({ soap: { request, response } }: SoapOperation, scope: Scope): XmlElement[] {
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
  /** With its namespace. */
  readonly element: string;
  /** What tells its Java type from others. */
  readonly type: string;
}

function childrenOf(message: Message, { documents, namespace }: Scope): Child[] {
  if (message.kind === 'document') {
    const { document } = message;
    const own = documents.namespaceOf(document);
    return document.fields
      .filter((field) => !field.attribute)
      .map((field) => {
        const { xmlName: name } = field;
        return { name, element: `{${field.namespace ?? own}}${name}`, type: javaType(field, document) };
      });
  }
  if (message.kind === 'none' || message.raw === 'xml') return [];
  return [{ name: 'content', element: `{${namespace}}content`, type: builtInType({ kind: message.raw }) }];
}

/** JAXB writes the class of a list's element inside that of its document. */
function javaType({ type, minimum, maximum, required, absent, xmlName }: Field, document: Document): string {
  if (type.kind === 'list' && !type.flat) return `${document.id}.${xmlName}`;
  const single = singleType(type);
  const many = type.kind === 'list' ? 'list of ' : '';
  if (single.kind === 'document') return `${many}${single.document.id}`;
  // An integer within bounds is an Integer or a Long. That and a Boolean are no objects where they are always there.
  const bounds =
    primitiveOf(single) === 'integer' && minimum !== undefined && maximum !== undefined ? [minimum, maximum] : [];
  const small = primitiveOf(single) === 'boolean' || bounds.length > 0;
  return `${many}${builtInType(single)} ${bounds} ${small && required && absent !== 'blank'}`;
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

/** The policies of a WSDL, and which of them a request has. */
interface Policies {
  /** `wsp:Policy` elements for the root. */
  readonly elements: readonly XmlElement[];
  /** A reference for the input of an operation in a binding; undefined where words alone tell what it needs. */
  referenceOf(operation: SoapOperation): XmlElement | undefined;
}

const WSP = 'http://www.w3.org/ns/ws-policy';
const SP = 'http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702';

/**
 * Policies of the requests that a UsernameToken alone opens. A client that reads policies does exactly what one says, so
 * that all others are told in words:
 * - of several schemes, or forms of the password, a client would take the first that it knows, not the one that its user
 *   has credentials for;
 * - a transport binding or a signature policy is about replies too (IncludeTimestamp, a recipient's token), and replies
 *   are not signed and have no timestamp: the client would refuse them.
 * A policy at the input says nothing about the reply.
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
    referenceOf(operation) {
      const scheme = tokenOf(operation);
      if (scheme === undefined) return undefined;
      return element('wsp:PolicyReference', { 'xmlns:wsp': WSP, URI: `#${names.get(scheme.id)}` });
    },
  };
}

/** The scheme of an operation that takes nothing but a UsernameToken, with the password in one form. */
function tokenOf(operation: SoapOperation): UsernameTokenScheme | undefined {
  const [scheme, ...others] = soapSchemes(operation);
  if (scheme?.kind !== 'username-token' || scheme.passwords.length > 1) return undefined;
  return others.length === 0 ? scheme : undefined;
}

function policyElement(name: string, { passwords }: UsernameTokenScheme): XmlElement {
  return element('wsp:Policy', { 'xmlns:wsp': WSP, 'xmlns:sp': SP, 'xmlns:wsu': WSU, 'wsu:Id': name }, [
    element('sp:SupportingTokens', {}, [
      element('wsp:Policy', {}, [
        element('sp:UsernameToken', { 'sp:IncludeToken': `${SP}/IncludeToken/AlwaysToRecipient` }, [
          // Without an assertion the password is text.
          element('wsp:Policy', {}, [passwords.includes('digest') ? element('sp:HashPassword') : undefined]),
        ]),
      ]),
    ]),
  ]);
}
