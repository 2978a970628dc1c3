import { expect, test } from 'vitest';
import { describeWsdl } from '../../src/describe/index.ts';
import type { Service } from '../../src/model/service.ts';
import { load } from '../load/linked.ts';
import { RULES } from './basic-profile.ts';
import { base } from './samples.ts';
import { attribute, children, components, readWsdl, WSDL } from './wsdl-reader.ts';

/** Rules for SOAP 1.1 and for document/literal, which contracts with SOAP 1.2 or with rpc/literal break. */
const BESIDES: ReadonlySet<string> = new Set([
  'R2401',
  'R2101',
  'R2204',
  'R2206',
  'R2210',
  'R2705',
  'R2710',
  'R2711',
  'R2716',
]);

const OPERATIONS = `operations:
  Quote: { soap: true, request: { fields: { SYMBOL: string } }, response: { fields: { PRICE: integer } }, faults: { Unknown: UNKNOWN }, handler: a }
---
document: UNKNOWN
fields: { SYMBOL: string }`;

/** The names in the WSDL of a service with some keys, whose references are all to something that exists. */
function namesOf(keys: string, operations = OPERATIONS) {
  const registry = load(`service: Desk.v1\nnamespace: urn:desk\npublic: true\n${keys}\n${operations}`);
  const service = registry.services.get('Desk.v1') as Service;
  const wsdl = readWsdl(describeWsdl(registry, service, { base }));
  for (const [number, , broken] of RULES)
    if (!BESIDES.has(number)) expect({ number, broken: broken(wsdl) }).toEqual({ number, broken: [] });
  const all = (kind: Parameters<typeof components>[1]) => [...components(wsdl, kind).keys()];
  const services = children(wsdl.root, WSDL, 'service');
  const ports = services.flatMap((each) => children(each, WSDL, 'port'));
  return {
    namespace: attribute(wsdl.root, 'targetNamespace'),
    services: services.map((each) => attribute(each, 'name')),
    portTypes: all('portType'),
    bindings: all('binding'),
    ports: ports.map((each) => attribute(each, 'name')),
    messages: all('message'),
  };
}

test('names of a WSDL follow from the name of the service', () => {
  expect(namesOf('')).toEqual({
    namespace: 'urn:desk',
    services: ['DeskService'],
    portTypes: ['{urn:desk}DeskPortType'],
    bindings: ['{urn:desk}DeskSoap11Binding', '{urn:desk}DeskSoap12Binding'],
    ports: ['DeskSoap11Port', 'DeskSoap12Port'],
    messages: ['{urn:desk}QuoteRequest', '{urn:desk}QuoteResponse', '{urn:desk}UNKNOWNMessage'],
  });
});

test('a service that takes the place of another has the names of its WSDL, and its ports alone', () => {
  const keys =
    'wsdl: { namespace: "urn:desk:wsdl", service: Desk, port-type: pt, soap12: { port: p, binding: b }, faults: { UnknownSymbol: UNKNOWN } }';
  expect(namesOf(keys)).toEqual({
    namespace: 'urn:desk:wsdl',
    services: ['Desk'],
    portTypes: ['{urn:desk:wsdl}pt'],
    bindings: ['{urn:desk:wsdl}b'],
    ports: ['p'],
    messages: ['{urn:desk:wsdl}QuoteRequest', '{urn:desk:wsdl}QuoteResponse', '{urn:desk:wsdl}UnknownSymbol'],
  });
});

test('ports are in the order in which they are named', () => {
  expect(namesOf('wsdl: { soap12: { port: Second }, soap11: { binding: Desk } }')).toMatchObject({
    bindings: ['{urn:desk}DeskSoap12Binding', '{urn:desk}Desk'],
    ports: ['Second', 'DeskSoap11Port'],
  });
});

test('operations in rpc/literal beside others have a port type with another name', () => {
  const operations = `operations:
  A: { soap: true, request: { fields: { N: integer } }, response: { fields: { N: integer } }, handler: a }
  B: { soap: true, style: rpc, request: { fields: { N: integer } }, response: { fields: { N: integer } }, handler: a }`;
  expect(namesOf('wsdl: { port-type: pt, soap11: { port: p, binding: b } }', operations)).toMatchObject({
    portTypes: ['{urn:desk}pt', '{urn:desk}ptRpc'],
    bindings: ['{urn:desk}b', '{urn:desk}bRpc'],
    ports: ['p', 'pRpc'],
  });
});
