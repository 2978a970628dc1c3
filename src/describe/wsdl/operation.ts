import { type Document, documentName } from '../../model/document.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';
import { nameAllocator, ncName } from '../names.ts';
import { accessNote, soapSchemes } from '../requirements.ts';
import type { Scope, SoapOperation } from '../scope.ts';
import { joined } from '../words.ts';
import type { SchemaSet } from '../xsd/schema.ts';
import { replyName } from '../xsd/wrapper.ts';
import { faultMessageName } from './names.ts';
import type { Policies } from './policy.ts';
import { wrapperStyle } from './unwrap.ts';

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
