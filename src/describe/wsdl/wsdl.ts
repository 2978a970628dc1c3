import type { Registry } from '../../model/registry.ts';
import type { Operation, Service } from '../../model/service.ts';
import { soapElements } from '../../model/soap.ts';
import type { SoapVersion } from '../../model/wsdl.ts';
import { buildXml, element, type XmlElement } from '../../wire/xml/build.ts';
import { type Scope, scopeOf } from '../scope.ts';
import { codingNote, deprecationNote, joined, titleOf } from '../words.ts';
import { hasAttachment } from '../xsd/elements.ts';
import { prefixesOf, type SchemaSet } from '../xsd/schema.ts';
import { schemasOf } from '../xsd/xsd.ts';
import {
  messageElements,
  operationElement,
  type WsdlMessage,
  type WsdlOperation,
  wsdlOperations,
} from './operation.ts';
import { policiesOf, WSAM } from './policies.ts';
import { wsdlNames } from './wsdl-names.ts';

// Web Services Description Language 1.1 (W3C Note, 15 March 2001), document/literal and rpc/literal. The parts for SOAP 1.1 conform
// to the WS-I Basic Profile 1.1 (24 August 2004).

/**
 * The WSDL of a service: its operations over SOAP in one port type, a binding and a port each for SOAP 1.1 and 1.2 or for the
 * versions that the service names, and the XML Schemas of its documents inline. Path names belong to REST: over SOAP a service is one. `base` is the gateway's
 * address with its context, without a slash at the end.
 * @throws RangeError when no active operation of the service is called over SOAP
 */
export function describeWsdl(registry: Registry, service: Service, { base }: { readonly base: string }): string {
  const scope = scopeOf(registry, { service });
  if (scope.soap.length === 0) throw new RangeError(`${service.id} has no operation over SOAP`);
  const schemas = schemasOf(scope);
  const inline = inlineSchemas(schemas);
  const policies = policiesOf(scope.soap);
  const operations = wsdlOperations(scope, schemas, policies);
  const names = wsdlNames(scope);
  // All operations of a binding have the same style (WS-I Basic Profile 1.1, R2705).
  const groups = (['document', 'rpc'] as const).flatMap((style): Group[] => {
    const own = operations.filter(({ rpc }) => (rpc !== undefined) === (style === 'rpc'));
    return own.length === 0 ? [] : [{ style, portType: names.portType(style), operations: own }];
  });
  const { targetNamespace, prefix } = targetOf(scope, schemas);
  const qname: QNames = (name) => `${prefix}:${name}`;
  const connector = `${base}/PeopleSoftServiceListeningConnector`;
  // At the connector itself, neither element nor action would tell which service is meant.
  const location = sharesMessages(registry, service) ? `${connector}/${service.id}` : connector;
  const ports = groups.flatMap(({ style }) =>
    names
      .ports(style)
      .map(({ version, port, binding }) =>
        element('wsdl:port', { name: port, binding: qname(binding) }, [
          element(`${SOAP_DIALECTS[version].prefix}:address`, { location }),
        ]),
      ),
  );
  return buildXml(
    element(
      'wsdl:definitions',
      { name: names.definitions, targetNamespace, ...namespacesOf(schemas), [`xmlns:${prefix}`]: targetNamespace },
      [
        documentation(
          titleOf(scope),
          deprecationNote(service),
          attachmentNote(scope, inline),
          codingNote(scope.gateway),
        ),
        ...policies.elements,
        element('wsdl:types', {}, inline),
        ...messageElements(operations),
        ...groups.map((group) =>
          element('wsdl:portType', { name: group.portType }, [
            documentation(service.description),
            ...group.operations.map((each) => operationElement(each, qname)),
          ]),
        ),
        ...groups.flatMap((group) =>
          names
            .ports(group.style)
            .map(({ version, binding }) =>
              bindingElement(binding, SOAP_DIALECTS[version], group, { qname, addressing: policies.addressing }),
            ),
        ),
        element('wsdl:service', { name: names.service }, [documentation(service.description), ...ports]),
      ],
    ),
  );
}

/** Whether another service has an operation with the same request element and the same action. */
function sharesMessages({ operations, gateway }: Registry, service: Service): boolean {
  const keyOf = (operation: Operation): string | undefined => {
    if (operation.soap === undefined || !operation.active) return undefined;
    const { request } = soapElements({ ...operation, soap: operation.soap }, gateway.namespace);
    return JSON.stringify([request?.namespace, request?.name, operation.soap.action]);
  };
  const own = new Set(service.operations.map(keyOf).filter((key) => key !== undefined));
  return [...operations.values()].some((each) => each.service !== service && own.has(keyOf(each) ?? ''));
}

/** The operations of one style, and the name of their port type. */
interface Group {
  readonly style: 'document' | 'rpc';
  readonly portType: string;
  readonly operations: readonly WsdlOperation[];
}

/** The QName of a part of the WSDL. */
type QNames = (name: string) => string;

/** The namespace of the WSDL, with a prefix that is bound to no other one. */
function targetOf({ namespace, service }: Scope, schemas: SchemaSet): { targetNamespace: string; prefix: string } {
  const targetNamespace = service.wsdl?.namespace ?? namespace;
  return { targetNamespace, prefix: schemas.prefixOf(targetNamespace) ?? 'target' };
}

function namespacesOf(schemas: SchemaSet): Record<string, string> {
  const attributes: Record<string, string> = {
    'xmlns:wsdl': 'http://schemas.xmlsoap.org/wsdl/',
    'xmlns:xs': 'http://www.w3.org/2001/XMLSchema',
    'xmlns:wsam': WSAM,
  };
  for (const { prefix, namespace: dialect } of Object.values(SOAP_DIALECTS)) attributes[`xmlns:${prefix}`] = dialect;
  return { ...attributes, ...prefixesOf(schemas) };
}

/** Without the schema of elements that have no namespace: nothing in a WSDL can refer to them. */
function inlineSchemas({ namespaces, schemaOf }: SchemaSet): XmlElement[] {
  return namespaces.filter((namespace) => namespace !== '').map((namespace) => schemaOf(namespace));
}

function attachmentNote({ gateway }: Scope, schemas: readonly XmlElement[]): string | undefined {
  if (!gateway.mtom.services || !schemas.some(hasAttachment)) return undefined;
  return (
    'Binary content is sent in base64 in its place, or as attachments (MTOM). A reply has attachments if the request ' +
    'is MTOM, or its Accept header names application/xop+xml, which may be the type of multipart/related.'
  );
}

function documentation(...texts: readonly (string | undefined)[]): XmlElement | undefined {
  const text = joined('\n', ...texts);
  return text === undefined ? undefined : element('wsdl:documentation', {}, [text]);
}

// SOAP 1.1 (WSDL 1.1, section 3) and SOAP 1.2 (W3C Member Submission WSDL 1.1 Binding Extension for SOAP 1.2, 5 April 2006).

/** A version of SOAP in WSDL. */
interface SoapDialect {
  /** Prefix of the extension elements, declared in the root element. */
  readonly prefix: string;
  readonly namespace: string;
  /** Attributes of an operation besides its action. */
  readonly operation: Readonly<Record<string, string>>;
}

const SOAP_DIALECTS: Readonly<Record<SoapVersion, SoapDialect>> = {
  soap11: { prefix: 'soap', namespace: 'http://schemas.xmlsoap.org/wsdl/soap/', operation: {} },
  soap12: {
    prefix: 'soap12',
    namespace: 'http://schemas.xmlsoap.org/wsdl/soap12/',
    // Without an action the body identifies the operation.
    operation: { soapActionRequired: 'false' },
  },
};

/** The transport, which is the same in both versions. */
const HTTP = 'http://schemas.xmlsoap.org/soap/http';

const literal = { use: 'literal' };

/** Binds every operation of a port type to one version of SOAP over HTTP. */
function bindingElement(
  name: string,
  { prefix, operation: flags }: SoapDialect,
  { style, portType, operations }: Group,
  { qname, addressing }: { readonly qname: QNames; readonly addressing: XmlElement | undefined },
): XmlElement {
  const blocks = (headers: WsdlMessage | undefined): XmlElement[] =>
    (headers?.parts ?? []).map(({ name: part }) =>
      element(`${prefix}:header`, { message: qname(headers?.name ?? ''), part, ...literal }),
    );
  const contentOf = (
    message: WsdlMessage,
    headers: WsdlMessage | undefined,
    namespace: string | undefined,
  ): XmlElement[] => {
    const body = element(`${prefix}:body`, {
      parts: bodyParts(message),
      ...literal,
      namespace: namespace || undefined,
    });
    const root = [body, ...blocks(headers)];
    return message.attachments === undefined ? root : [relatedElement(root, message.attachments)];
  };
  const bound = operations.map(({ name, action, rpc, input, output, headers, faults, policy }) => {
    return element('wsdl:operation', { name }, [
      element(`${prefix}:operation`, { soapAction: action, ...flags }),
      element('wsdl:input', {}, [policy, ...contentOf(input, headers.input, rpc?.request)]),
      output === undefined ? undefined : element('wsdl:output', {}, contentOf(output, headers.output, rpc?.reply)),
      ...faults.map((fault) =>
        element('wsdl:fault', { name: fault.name }, [element(`${prefix}:fault`, { name: fault.name, ...literal })]),
      ),
    ]);
  });
  return element('wsdl:binding', { name, type: qname(portType) }, [
    element(`${prefix}:binding`, { style, transport: HTTP }),
    addressing,
    ...bound,
  ]);
}

// SOAP with Attachments (WSDL 1.1, section 5; WS-I Attachments Profile 1.0).

const MIME = 'http://schemas.xmlsoap.org/wsdl/mime/';

/** The parts of a message in its Body, where others are beside it. */
function bodyParts({ parts, attachments }: WsdlMessage): string | undefined {
  if (attachments === undefined) return undefined;
  return parts
    .slice(0, parts.length - attachments.length)
    .map(({ name }) => name)
    .join(' ');
}

/** @param root what is in the part with the envelope */
function relatedElement(root: readonly XmlElement[], attachments: NonNullable<WsdlMessage['attachments']>): XmlElement {
  return element('mime:multipartRelated', { 'xmlns:mime': MIME }, [
    element('mime:part', {}, root),
    ...attachments.map(({ part, mediaTypes }) =>
      element(
        'mime:part',
        {},
        mediaTypes.map((type) => element('mime:content', { part, type })),
      ),
    ),
  ]);
}
