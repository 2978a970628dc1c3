import { expect, it } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from '../support.ts';
import { inOut, message, service, types, wrapper, wsdl } from './wsdl-text.ts';

const place = wrapper('place', 'customer', 'item') + wrapper('placeResponse', 'number');
const placeMessages = message('place', 'element="t:place"') + message('placeReply', 'element="t:placeResponse"');

it('a wrapped operation becomes a call: node, action, namespace, and messages in place', async () => {
  const text = wsdl(types(place) + placeMessages + service({ place: inOut('place', 'placeReply') }));
  const { declared, losses } = await declaredOf({ 'orders.wsdl': text });
  expect(losses).toEqual([]);
  expect(errorsOf(declared)).toEqual([]);
  expect(yamlOf(declared)).toEqual({
    service: `service: Orders.v1
description: Takes orders.
namespace: urn:t
target: PARTNER
permission: PARTNER
operations:
  place:
    soap: { action: urn:t/place }
    request:
      fields:
        customer: { type: string, required: true }
        item: { type: string, required: true }
    response: { fields: { number: { type: string, required: true } } }
`,
    setup: `node: PARTNER
base: \${env:PARTNER_URL:-http://partner.example.org/soap}
---
permission-list: PARTNER
description: Grants the operations of PARTNER.
`,
  });
});

it('the same contract is served here, under the names that its callers use', async () => {
  const text = wsdl(types(place) + placeMessages + service({ place: inOut('place', 'placeReply') }));
  const { declared } = await declaredOf({ 'orders.wsdl': text }, { as: 'provider' });
  expect(errorsOf(declared)).toEqual([]);
  const { service: written = '' } = yamlOf(declared);
  expect(written).toContain('namespace: urn:t\n');
  expect(written).not.toContain('target:');
  expect(declared.map(({ kind }) => kind)).toEqual(['service', 'permission-list']);
});

it('an operation whose reply has another name than its request is bare', async () => {
  const schema = wrapper('OrderRequest', 'item') + wrapper('OrderReply', 'number');
  const messages = message('order', 'element="t:OrderRequest"') + message('orderReply', 'element="t:OrderReply"');
  const text = wsdl(types(schema) + messages + service({ order: inOut('order', 'orderReply') }));
  const { declared } = await declaredOf({ 'orders.wsdl': text });
  expect(errorsOf(declared)).toEqual([]);
  expect(yamlOf(declared).service).toContain('    wrapped: false\n');
});

it('rpc has a field for each part', async () => {
  const messages = `<wsdl:message name="add"><wsdl:part name="a" type="xs:int"/><wsdl:part name="b" type="xs:int"/></wsdl:message>
<wsdl:message name="addReply"><wsdl:part name="sum" type="xs:long"/></wsdl:message>`;
  const text = wsdl(messages + service({ add: inOut('add', 'addReply') }, { style: 'rpc' }));
  const { declared, losses } = await declaredOf({ 'sums.wsdl': text });
  expect(losses).toEqual([]);
  expect(errorsOf(declared)).toEqual([]);
  const { service: written } = yamlOf(declared);
  expect(written).toContain('    style: rpc\n');
  expect(written).toContain('    response: { unqualified: true, fields: { sum: long } }\n');
});

const sums = `<wsdl:message name="add"><wsdl:part name="a" type="xs:int"/></wsdl:message>
<wsdl:message name="addReply"><wsdl:part name="sum" type="xs:long"/></wsdl:message>`;

it.each([
  'consumer',
  'provider',
] as const)('rpc whose bodies name no namespace has none around its messages, as a %s', async (as) => {
  const text = wsdl(sums + service({ add: inOut('add', 'addReply') }, { style: 'rpc' }));
  const { declared, losses } = await declaredOf({ 'sums.wsdl': text }, { as });
  expect(losses).toEqual([]);
  expect(errorsOf(declared)).toEqual([]);
  expect(yamlOf(declared).service).toContain('soap: { action: urn:t/add, namespace: "" }');
});

it.each([
  'consumer',
  'provider',
] as const)('a namespace of a reply in rpc that is not that of its request is kept, as a %s', async (as) => {
  const bodies = service({ add: inOut('add', 'addReply') }, { style: 'rpc' })
    .replace('<wsdl:input><soap:body', '<wsdl:input><soap:body namespace="urn:asked"')
    .replace('<wsdl:output><soap:body', '<wsdl:output><soap:body namespace="urn:answered"');
  const { declared, losses } = await declaredOf({ 'sums.wsdl': wsdl(sums + bodies) }, { as });
  expect(errorsOf(declared)).toEqual([]);
  expect(losses).toEqual([]);
  expect(yamlOf(declared).service).toContain('reply-namespace: urn:answered');
});

it('what can not be called is declared and told: encoded messages, and operations that no binding has', async () => {
  const messages = message('add', 'type="xs:int"') + message('addReply', 'type="xs:int"');
  const text = wsdl(messages + service({ add: inOut('add', 'addReply') }, { style: 'rpc', use: 'encoded' }));
  const { declared, losses } = await declaredOf({ 'sums.wsdl': text });
  expect(errorsOf(declared)).toEqual([]);
  expect(yamlOf(declared).service).toContain('    active: false\n');
  expect(losses.map(({ what, instead }) => `${what}: ${instead}`)).toEqual([
    'the operation "add" can\'t be called: its messages are encoded (use="encoded"): declared with `active: false`',
  ]);
});

it('credentials of messages are settings of the node, and an address that can not be called is told', async () => {
  const policy =
    '<wsp:Policy xmlns:wsp="http://www.w3.org/ns/ws-policy"><sp:UsernameToken xmlns:sp="urn:sp"/></wsp:Policy>';
  const text = wsdl(
    types(place) +
      placeMessages +
      service({ place: inOut('place', 'placeReply') }, { address: 'jms:queue' }).replace(
        '<soap:binding',
        `${policy}<soap:binding`,
      ),
  );
  const { declared, losses } = await declaredOf({ 'orders.wsdl': text });
  expect(errorsOf(declared)).toEqual([]);
  expect(losses.map(({ what, instead }) => `${what}: ${instead}`)).toEqual([
    'the address "jms:queue" can\'t be called: the setting PARTNER_URL is the address',
  ]);
  expect(yamlOf(declared).setup).toContain('credential: { username-token: {');
});

it('a one-way operation has no response', async () => {
  const text = wsdl(types(place) + placeMessages + service({ place: inOut('place') }));
  const { declared } = await declaredOf({ 'orders.wsdl': text });
  expect(errorsOf(declared)).toEqual([]);
  expect(yamlOf(declared).service).not.toContain('response:');
});

it('parts of other files are read, in circles too, and a missing one is told with its place', async () => {
  const root = wsdl(
    '<wsdl:import namespace="urn:t" location="types/abstract.wsdl"/><wsdl:import namespace="urn:u" location="gone.wsdl"/>',
  );
  const abstract = wsdl(
    `<wsdl:import namespace="urn:t" location="../orders.wsdl"/>${types(place)}${placeMessages}${service({ place: inOut('place', 'placeReply') })}`,
  );
  const { declared, losses } = await declaredOf({ 'orders.wsdl': root, 'types/abstract.wsdl': abstract });
  expect(errorsOf(declared)).toEqual([]);
  expect(yamlOf(declared).service).toContain('  place:\n');
  expect(losses).toMatchObject([
    { what: 'the part "gone.wsdl" does not exist', place: { source: 'orders.wsdl', line: 4 } },
  ]);
});

it.each([
  ['<a/>', 'a.wsdl:1:4: the root element <a> is not that of a contract'],
  ['<a', 'a.wsdl:1:3: not valid XML'],
  ['<wsdl:definitions/>', 'a.wsdl:1:2: not valid XML'],
  ['<description xmlns="http://www.w3.org/ns/wsdl"/>', 'a.wsdl:1:48: WSDL 2.0 is not read'],
  [
    '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"\n targetNamespace="urn:t" xmlns:t="http://{{host}}/t"/>',
    'a.wsdl:2:26: the namespace "http://{{host}}/t" is not a URI',
  ],
  ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'a.wsdl:1:33: the root element <a>'],
])('%s is refused', async (text, words) => {
  await expect(declaredOf({ 'a.wsdl': text })).rejects.toThrow(words);
});
