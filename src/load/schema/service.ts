import { type FlowDeclared, flows } from './flow.ts';
import {
  cors,
  date,
  description,
  idItem,
  type JsonSchema,
  keys,
  matching,
  reference,
  word,
  yesNo,
} from './json-schema.ts';
import { type OperationDeclared, type SharedDeclared, sharedKeys } from './operation.ts';

export interface ServiceDeclared extends SharedDeclared {
  readonly description?: string;
  readonly namespace?: string;
  readonly default?: boolean;
  readonly active?: boolean;
  readonly call?: string;
  readonly cors?: readonly string[];
  readonly addressing?: 'optional' | 'required';
  readonly wsdl?: WsdlDeclared;
  readonly deprecated?: boolean | { readonly since?: string; readonly sunset?: string };
  readonly operations: Readonly<Record<string, OperationDeclared>>;
  readonly flows?: Readonly<Record<string, FlowDeclared>>;
}

export interface WsdlDeclared {
  readonly namespace?: string;
  readonly service?: string;
  readonly 'port-type'?: string;
  readonly soap11?: PortDeclared;
  readonly soap12?: PortDeclared;
  readonly faults?: Readonly<Record<string, string>>;
}

interface PortDeclared {
  readonly port?: string;
  readonly binding?: string;
}

const ncName = (description: string, example: string): JsonSchema =>
  matching('a name of XML without a colon', '^[\\p{L}_][\\p{L}\\p{N}_.-]*$', description, example);

const port = (version: string): JsonSchema => ({
  ...keys<keyof PortDeclared>(
    {},
    {
      port: ncName(
        'The name of the port, `<Service>Soap11Port` or `<Service>Soap12Port` by default.',
        'StockQuotePort',
      ),
      binding: ncName(
        'The name of its binding, `<Service>Soap11Binding` or `<Service>Soap12Binding` by default.',
        'StockQuoteBinding',
      ),
    },
  ),
  description: `Names of the port for SOAP ${version}.`,
  examples: [{ port: 'StockQuotePort', binding: 'StockQuoteBinding' }],
});

const wsdl: JsonSchema = {
  ...keys<keyof WsdlDeclared>(
    {},
    {
      namespace: {
        title: 'a namespace URI',
        type: 'string',
        pattern: '^[^\\s<>"{}|\\\\^`]+$',
        description: 'The target namespace of the WSDL, in place of the namespace of the service.',
        examples: ['http://partner.example.org/orders.wsdl'],
      },
      service: ncName('The name of the service, `<Service>Service` by default.', 'StockQuote'),
      'port-type': ncName(
        'The name of the port type, `<Service>PortType` by default. With operations in rpc/literal and others, the port type of the former ends in `Rpc`, as their bindings and ports do.',
        'StockQuotePortType',
      ),
      soap11: port('1.1'),
      soap12: port('1.2'),
      faults: {
        type: 'object',
        propertyNames: ncName('The name of the message of a fault.', 'UnknownSymbolException'),
        additionalProperties: idItem('document-id'),
        description:
          'Names of the messages of faults, each with the id of its document; `<document>Message` by default. Java names exceptions after them.',
        examples: [{ UnknownSymbolException: 'UNKNOWN_SYMBOL' }],
      },
    },
  ),
  description:
    'Names in the WSDL of its operations over SOAP, after which clients name their classes: for a service that takes the place of another, whose clients are then generated as before. With `soap11` or `soap12`, the WSDL has the ports of these alone, in this order, since many clients expect one port; messages of both versions are answered at any time.',
  examples: [{ service: 'StockQuote', 'port-type': 'StockQuotePortType', soap11: { port: 'StockQuotePort' } }],
};

export const service = keys<'service' | keyof ServiceDeclared>(
  {
    title: 'service',
    description:
      'A named, versioned group of operations. Its permission, requires, limits, once, fault, faults, request, response, variables, headers, wrapped, style, alias, strict, tags, target, properties, values, timeout, retry and lenient are the defaults of its operations; maps are merged.',
    required: ['service', 'operations'],
    examples: [
      {
        service: 'Locations.v1',
        description: 'Locations of a region, and the people who work at one.',
        permission: 'LOCATIONS',
        fault: 'LOC_FAULT',
        operations: {
          LOCATIONS_GET: {
            get: ['Locations/?region={REGION}', 'Locations/{REGION}/?location={LOCATION}'],
            request: 'LOC_REQUEST',
            response: 'LOC_RESPONSE',
            wrapper: 'psnonxml',
          },
        },
      },
    ],
  },
  {
    service: matching(
      'a name with its version',
      '^[A-Za-z][A-Za-z0-9_]*\\.v[1-9][0-9]*$',
      'Name and version, as in paths.',
      'Locations.v1',
    ),
    description,
    namespace: {
      title: 'a namespace URI',
      type: 'string',
      // Old services have relative references such as `API`, which Namespaces in XML 1.0 deprecates.
      pattern: '^[^\\s<>"{}|\\\\^`]+$',
      description:
        "XML namespace of its messages, instead of `<namespace of the gateway>:<Service>.<version>`: for example that of a partner's service, or of a service that this one replaces.",
      examples: ['http://partner.example.org/orders'],
    },
    default: {
      type: 'boolean',
      description: 'Makes this the version that paths without a version lead to. By default it is the lowest version.',
      examples: [true],
    },
    active: yesNo('Whether it is served. Otherwise its paths return 404.', true),
    deprecated: {
      ...keys(
        {},
        { since: date('The date of deprecation (RFC 9745).'), sunset: date('The date of its end (RFC 8594).') },
      ),
      type: ['boolean', 'object'],
      description:
        'The service is deprecated, as its contracts say. With `since`, the date of deprecation, replies have the header Deprecation (RFC 9745); with `sunset`, the date of its end, Sunset (RFC 8594).',
      examples: [true, { since: '2026-06-01', sunset: '2027-01-01' }],
    },
    call: matching(
      'a service with its version',
      '^[A-Za-z][A-Za-z0-9_]*\\.v[1-9][0-9]*$',
      'A service that answers: each operation without an answer of its own is answered by the operation of the same name there, in this process (its `map` says how fields differ), or by a call if the service has a `target`.',
      'Locations.v2',
    ),
    cors: {
      ...cors,
      description:
        "Origins whose pages may call it from a browser, instead of the gateway's. An empty list allows none.",
    },
    addressing: word(
      ['optional', 'required'],
      "What the WSDL of its operations over SOAP states about WS-Addressing 1.0. Requests with its header blocks are understood and answered with them whatever is set; `optional` offers that in the WSDL, as a policy that clients' tools read. With `required`, a request without `Action`, or without `MessageID` where it has a reply, is refused with the fault MessageAddressingHeaderRequired.",
      { examples: ['required'] },
    ),
    wsdl,
    ...sharedKeys,
    operations: {
      type: 'object',
      propertyNames: {
        title: 'an operation name',
        pattern: '^[A-Za-z][A-Za-z0-9_]*$',
        examples: ['LOCATIONS_GET'],
      },
      additionalProperties: reference('operation'),
      description:
        'Its operations by name. Names are unique within one version of a service; other versions and services may use them too.',
      examples: [{ EMPLOYEES_GET: { get: 'Employees/{DEPTNAME}', query: 'EMPLOYEES_BY_DEPT' } }],
    },
    flows,
  },
);
