import { describe, expect, test } from 'vitest';
import { describeWsdl, exampleSoapRequest } from '../../src/describe/index.ts';
import type { Service } from '../../src/model/service.ts';
import { load } from '../load/linked.ts';
import { hasXmllint, validateXml, wsdlSchema } from '../support/xmllint.ts';
import { RULES } from './basic-profile.ts';
import { base } from './samples.ts';
import {
  attribute,
  below,
  children,
  components,
  has,
  inlineSchemas,
  named,
  readWsdl,
  schemaComponents,
  WSDL,
} from './wsdl-reader.ts';

/** The WSDL of the only service of some definitions. */
function describeOnly(definitions: string) {
  const registry = load(definitions);
  const [service] = [...registry.services.values()].filter(({ delivered }) => !delivered) as [Service];
  const text = describeWsdl(registry, service, { base });
  const envelopeOf = (operation: string): string => {
    const found = service.operations.find(({ name }) => name === operation);
    return (found && exampleSoapRequest(registry, found, base)?.body) ?? '';
  };
  const exampleOf = (operation: string): string =>
    /<soap:Body>(.*)<\/soap:Body>/.exec(envelopeOf(operation))?.[1] ?? '';
  return { text, wsdl: readWsdl(text), envelopeOf, exampleOf };
}

type Described = ReturnType<typeof describeOnly>;

/** The parts of a message, as `name=QName`. */
function partsOf({ wsdl }: Described, name: string): string[] {
  const message = components(wsdl, 'message').get(`{${attribute(wsdl.root, 'targetNamespace')}}${name}`);
  if (message === undefined) throw new Error(`no message ${name}`);
  return children(message, WSDL, 'part').map((part) =>
    has(part, 'type')
      ? `${attribute(part, 'name')}: ${attribute(part, 'type')}`
      : `${attribute(part, 'name')}=${attribute(part, 'element')}`,
  );
}

/** Rules about the parts of document/literal, which are elements. */
const OF_DOCUMENTS: ReadonlySet<string> = new Set(['R2101', 'R2204', 'R2206', 'R2210', 'R2705', 'R2710', 'R2716']);

/** What every WSDL has to be. */
function expectSound(
  { text, wsdl, exampleOf }: Described,
  operations: readonly string[],
  besides: ReadonlySet<string> = new Set(),
): void {
  for (const [number, , broken] of RULES.filter(([each]) => !besides.has(each)))
    expect({ number, broken: broken(wsdl) }).toEqual({ number, broken: [] });
  if (hasXmllint && wsdlSchema !== undefined) expect(validateXml(wsdlSchema, [text])).toBe('');
  if (hasXmllint && operations.length > 0)
    expect(validateXml({ name: '0.xsd', files: inlineSchemas(text) }, operations.map(exampleOf))).toBe('');
}

describe('document/literal bare', () => {
  const described = describeOnly(`
document: ORDER
xml: Order
namespace: urn:orders
fields: { NUMBER: { type: integer, required: true }, NOTE: text }
---
service: Bare.v1
public: true
wrapped: false
operations:
  ORDER_PLACE: { soap: true, request: ORDER, response: { xml: Receipt, fields: { NUMBER: integer } } }
  ORDER_CANCEL: { soap: true, request: { xml: Cancel, fields: { NUMBER: integer } }, response: text }
  STATUS_GET: { soap: true, response: ORDER }
  WRAPPED: { soap: true, wrapped: true, request: ORDER }
`);

  test('a message has the element of its document, or no part', () => {
    expect(partsOf(described, 'ORDER_PLACERequest')).toEqual(['body=ns1:Order']);
    expect(partsOf(described, 'ORDER_PLACEResponse')).toEqual(['result=tns:Receipt']);
    expect(partsOf(described, 'ORDER_CANCELRequest')).toEqual(['body=tns:Cancel']);
    expect(partsOf(described, 'ORDER_CANCELResponse')).toEqual(['result=tns:ORDER_CANCELResponse']);
    expect(partsOf(described, 'STATUS_GETRequest')).toEqual([]);
    expect(partsOf(described, 'WRAPPEDRequest')).toEqual(['parameters=tns:WRAPPED']);
    expectSound(described, ['ORDER_PLACE', 'ORDER_CANCEL', 'WRAPPED']);
  });

  test('an example has no wrapper', () => {
    expect(described.exampleOf('ORDER_PLACE')).toBe('<Order xmlns="urn:orders"><NUMBER>1</NUMBER></Order>');
    expect(described.exampleOf('STATUS_GET')).toBe('');
  });
});

describe('rpc/literal', () => {
  const described = describeOnly(`
document: BASKET
namespace: urn:baskets
fields:
  OWNER: { type: string(20), required: true }
  ITEMS: list of ITEM
  TIMES: map of integer
  COUNT: integer
  SHIP: { fields: { CITY: string } }
---
document: ITEM
namespace: urn:items
fields: { CODE: string }
---
service: Rpc.v1
public: true
style: rpc
operations:
  BASKET_SAVE: { soap: true, request: BASKET, response: BASKET }
  TEXT_SEND: { soap: true, request: text }
  WRAPPED: { soap: true, style: document, request: ITEM, response: ITEM }
`);

  test('each field is a part with a named type', () => {
    const parts = partsOf(described, 'BASKET_SAVERequest');
    expect(parts).toEqual([
      'OWNER: tns:BASKET_OWNER',
      'ITEMS: tns:BASKET_ITEMS',
      'TIMES: tns:BASKET_TIMES',
      'COUNT: xs:integer',
      'SHIP: ns2:BASKET_SHIP',
    ]);
    expect(partsOf(described, 'BASKET_SAVEResponse')).toEqual(parts);
    expect(partsOf(described, 'TEXT_SENDRequest')).toEqual(['content: xs:string']);
    const known = schemaComponents(described.wsdl, 'simpleType', 'complexType');
    for (const part of below(described.wsdl.root))
      if (part[0].local === 'part' && has(part[0], 'type') && !attribute(part[0], 'type').startsWith('xs:'))
        expect(known).toContain(named(part[0], 'type'));
    // Ports of two styles have one address, which R2711 advises against.
    expectSound(described, ['WRAPPED'], new Set([...OF_DOCUMENTS, 'R2711']));
  });

  test('its operations have a binding of their own, with the namespace of their elements', () => {
    expect(
      described.wsdl.bindings.map(({ element, operations }) => [attribute(element, 'name'), operations.length]),
    ).toEqual([
      ['RpcSoap11Binding', 1],
      ['RpcSoap12Binding', 1],
      ['RpcRpcSoap11Binding', 2],
      ['RpcRpcSoap12Binding', 2],
    ]);
    expect(described.text).toContain('<soap:binding style="rpc"');
    expect(described.text).toContain('<soap:body use="literal" namespace="urn:signalbox:local:Rpc.v1"/>');
    expect(described.text).toContain('<soap:body use="literal"/>');
  });

  test('an example has parts without a namespace', () => {
    expect(described.exampleOf('TEXT_SEND')).toBe(
      '<TEXT_SEND xmlns="urn:signalbox:local:Rpc.v1"><content xmlns="">text</content></TEXT_SEND>',
    );
    expect(described.exampleOf('BASKET_SAVE')).toBe(
      '<BASKET_SAVE xmlns="urn:signalbox:local:Rpc.v1"><OWNER xmlns="">text</OWNER></BASKET_SAVE>',
    );
  });
});

describe('header blocks', () => {
  const described = describeOnly(`
document: HEADED
namespace: urn:headed
fields:
  Session: { type: SESSION, header: true, required: true }
  TRACE: { type: string(5), header: true, namespace: urn:trace, xml: Trace, example: abc }
  NUMBER: { type: integer, required: true }
---
document: SESSION
namespace: urn:session
fields: { TOKEN: { type: text, required: true } }
---
service: Headed.v1
public: true
operations:
  SAVE: { post: save, soap: true, request: HEADED, response: { fields: { Trace: { type: string(5), header: true, namespace: urn:trace } } } }
  SEND: { soap: true, request: HEADED }
`);

  test('are parts of a message of their own, and not of the Body', () => {
    const own = partsOf(described, 'SAVERequestHeaders');
    expect(own).toEqual(['Session=ns1:Session', 'Trace=ns3:Trace']);
    expect(partsOf(described, 'SAVEResponseHeaders')).toEqual(['Trace=ns3:Trace']);
    expect(partsOf(described, 'SAVERequest')).toEqual(['parameters=tns:SAVE']);
    expect(described.text).toContain('<soap12:header message="tns:SAVERequestHeaders" part="Session" use="literal"/>');
    expectSound(described, ['SAVE', 'SEND']);
  });

  test('are in an example', () => {
    expect(described.envelopeOf('SEND')).toContain(
      '<soap:Header><Session xmlns="urn:headed"><TOKEN xmlns="urn:session">text</TOKEN></Session>' +
        '<Trace xmlns="urn:trace">abc</Trace></soap:Header>',
    );
  });
});

test('faults with names are faults of the port type and of each binding', () => {
  const described = describeOnly(`
document: GONE
namespace: urn:faults
fields: { REASON: text }
---
document: DENIED
xml: denied
fields: { WHO: text }
---
document: FAILED
fields: { MESSAGE: { type: text, default: "{fault.message}" } }
---
service: Failing.v1
public: true
faults: { Gone: GONE, Denied: DENIED }
operations:
  BUY: { soap: true, response: text, fault: FAILED }
  BUY_RPC: { soap: true, style: rpc, response: text }
  SEND: { soap: true, request: text }
`);
  expect(partsOf(described, 'GONEMessage')).toEqual(['fault=ns1:GONE']);
  expect(partsOf(described, 'DENIEDMessage')).toEqual(['fault=tns:denied']);
  expect(
    described.text.match(/<wsdl:fault name="Gone" message="tns:GONEMessage" wsam:Action="[^"]*"\/>/g),
  ).toHaveLength(2);
  expect(described.text.match(/<soap:fault name="(\w+)" use="literal"\/>/g)).toHaveLength(5);
  expectSound(described, ['BUY'], new Set([...OF_DOCUMENTS, 'R2711']));
});

test('declared names are those of elements and actions', () => {
  const described = describeOnly(`
document: DONE
fields: { REASON: text }
---
service: Named.v1
public: true
namespace: http://shop.example.org/stock
operations:
  GET: { soap: { name: GetStock, action: "urn:get", namespace: "urn:requests", reply-element: Done }, request: text, response: DONE }
  PUT: { soap: { action: "", namespace: "urn:requests", reply-element: Done }, request: { fields: { A: integer } }, response: DONE }
`);
  expect(partsOf(described, 'GetStockRequest')).toEqual(['parameters=ns1:GetStock']);
  expect(partsOf(described, 'GetStockResponse')).toEqual(['parameters=ns1:Done']);
  expect(partsOf(described, 'PUTResponse')).toEqual(['parameters=ns1:Done']);
  expect(described.text).toContain('<soap:operation soapAction="urn:get"/>');
  expect(described.text).toContain('<soap:operation soapAction=""/>');
  // R2744 wants an action, which a contract may lack.
  expectSound(described, [], new Set(['R2744']));
});

describe('operations with the same element', () => {
  const operations = (soap: string): string =>
    `service: Tokens.v1\npublic: true\nwrapped: false\noperations:\n  ISSUE: { soap: { action: urn:issue }, request: TOKEN, response: TOKEN }
  RENEW: { soap: { action: ${soap} }, request: TOKEN, response: TOKEN }\n  LIST: { soap: true, request: ALL, response: TOKEN }
---\ndocument: TOKEN\nfields: { id: string }\n---\ndocument: ALL\nfields: { of: string }`;
  const actionsOf = (definitions: string): string[] =>
    [...describeOnly(definitions).text.matchAll(/<wsdl:input[^>]*?wsam:Action="([^"]*)"/g)].map(
      ([, action]) => action ?? '',
    );

  test('state their actions for WS-Addressing, too, which tells them apart', () => {
    expect(actionsOf(operations('urn:renew'))).toEqual(['urn:issue', 'urn:renew']);
  });

  test('an empty action tells nothing', () => {
    expect(actionsOf(operations('""'))).toEqual(['urn:issue']);
  });
});

test.each([
  ['-128', '127', 'xs:byte'],
  ['-32768', '32767', 'xs:short'],
  ['0', '255', 'xs:unsignedByte'],
  ['0', '65535', 'xs:unsignedShort'],
  ['0', '4294967295', 'xs:unsignedInt'],
])('integers from %s to %s are %s', (minimum, maximum, type) => {
  const of = (more: string): string =>
    describeOnly(
      `service: A.v1\npublic: true\noperations:\n  A: { soap: true, request: { fields: { n: { type: integer, minimum: ${minimum}, ${more} } } } }`,
    ).text;
  expect(of(`maximum: ${maximum}`)).toContain(`<xs:element name="n" type="${type}" minOccurs="0"/>`);
  expect(of(`maximum: 100`)).toContain('<xs:restriction base="xs:integer">');
  expect(of(`maximum: ${maximum}, enum: [1, 2]`)).toContain('<xs:restriction base="xs:integer">');
});
