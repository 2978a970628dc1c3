import { describe, expect, test } from 'vitest';
import { describeWsdl, exampleSoapRequest } from '../../src/describe/index.ts';
import type { Service } from '../../src/model/service.ts';
import { load } from '../load/linked.ts';
import { hasXmllint, validateXml, wsdlSchema } from '../support/xmllint.ts';
import { RULES } from './basic-profile.ts';
import { base } from './samples.ts';
import { attribute, children, components, has, inlineSchemas, readWsdl, WSDL } from './wsdl-reader.ts';

/** The WSDL of the only service of some definitions. */
function describeOnly(definitions: string) {
  const registry = load(definitions);
  const [service] = [...registry.services.values()].filter(({ delivered }) => !delivered) as [Service];
  const text = describeWsdl(registry, service, { base });
  const exampleOf = (operation: string): string => {
    const found = service.operations.find(({ name }) => name === operation);
    const body = found && exampleSoapRequest(registry, found, base)?.body;
    return /<soap:Body>(.*)<\/soap:Body>/.exec(body ?? '')?.[1] ?? '';
  };
  return { text, wsdl: readWsdl(text), exampleOf };
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

/** What every WSDL has to be. */
function expectSound({ text, wsdl, exampleOf }: Described, operations: readonly string[]): void {
  for (const [number, , broken] of RULES) expect({ number, broken: broken(wsdl) }).toEqual({ number, broken: [] });
  if (hasXmllint && wsdlSchema !== undefined) expect(validateXml(wsdlSchema, [text])).toBe('');
  if (hasXmllint)
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
    expect(partsOf(described, 'ORDER_PLACEResponse')).toEqual(['body=tns:Receipt']);
    expect(partsOf(described, 'ORDER_CANCELRequest')).toEqual(['body=tns:Cancel']);
    expect(partsOf(described, 'ORDER_CANCELResponse')).toEqual(['body=tns:ORDER_CANCELResponse']);
    expect(partsOf(described, 'STATUS_GETRequest')).toEqual([]);
    expect(partsOf(described, 'WRAPPEDRequest')).toEqual(['parameters=tns:WRAPPED']);
    expectSound(described, ['ORDER_PLACE', 'ORDER_CANCEL', 'WRAPPED']);
  });

  test('an example has no wrapper', () => {
    expect(described.exampleOf('ORDER_PLACE')).toBe('<Order xmlns="urn:orders"><NUMBER>1</NUMBER></Order>');
    expect(described.exampleOf('STATUS_GET')).toBe('');
  });
});
