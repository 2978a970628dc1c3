import { afterAll, beforeAll, expect, it } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from '../import/support.ts';
import { message, types, wrapper, wsdl } from '../import/wsdl/wsdl-text.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { envelope, post, TYPES, type Version } from './soap-client.ts';

// A contract whose bindings state actions of their own, served for clients of each.

const binding = (prefix: string, action: string): string =>
  `<wsdl:binding name="${prefix}" type="t:Port"><${prefix}:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
<wsdl:operation name="Ping"><${prefix}:operation soapAction="${action}"/><wsdl:input><${prefix}:body use="literal"/></wsdl:input><wsdl:output><${prefix}:body use="literal"/></wsdl:output></wsdl:operation></wsdl:binding>`;

const port = (prefix: string): string =>
  `<wsdl:port name="${prefix}" binding="t:${prefix}"><${prefix}:address location="http://old.example.org/${prefix}"/></wsdl:port>`;

const WSDL = wsdl(
  types(wrapper('Ping', 'text') + wrapper('PingResponse', 'text')) +
    message('in', 'element="t:Ping"') +
    message('out', 'element="t:PingResponse"') +
    `<wsdl:portType name="Port"><wsdl:operation name="Ping"><wsdl:input message="t:in" xmlns:wsam="http://www.w3.org/2007/05/addressing/metadata" wsam:Action="urn:t/addressed"/><wsdl:output message="t:out"/></wsdl:operation></wsdl:portType>` +
    binding('soap', 'urn:t/first') +
    binding('soap12', 'urn:t/second') +
    `<wsdl:service name="Pings">${port('soap')}${port('soap12')}</wsdl:service>`,
);

let gateway: TestGateway;
beforeAll(async () => {
  const { declared } = await declaredOf({ 'pings.wsdl': WSDL }, { as: 'provider' });
  expect(errorsOf(declared)).toEqual([]);
  const files = Object.entries(yamlOf(declared)).map(([name, text]) => [
    `definitions/${name}.yaml`,
    text.replace('permission: PARTNER', 'permission: EVERYTHING'),
  ]);
  const handlers = { 'src/handlers/ping.ts': 'export default { onRequest: ({ text }) => ({ text }) };\n' };
  gateway = await startTestGateway({ files: { ...Object.fromEntries(files), ...handlers } });
});
afterAll(() => gateway?.stop());

it.each<[Version, string, boolean]>([
  ['1.1', 'urn:t/first', true],
  ['1.2', 'urn:t/second', true],
  ['1.1', 'urn:t/addressed', true],
  ['1.1', 'urn:t/third', false],
])('SOAP %s with the action %s is served: %s', async (version, action, isServed) => {
  const named = {
    '1.1': { soapaction: `"${action}"` },
    '1.2': { 'content-type': `${TYPES['1.2']}; action="${action}"` },
  };
  const ping = envelope('<Ping xmlns="urn:t"><text>a</text></Ping>', version);
  const { text } = await post(gateway, ping, version, named[version]);
  expect(text).toContain(isServed ? '<PingResponse' : 'its action is');
});

it('a call has the action of its binding alone', async () => {
  const { declared } = await declaredOf({ 'pings.wsdl': WSDL }, { as: 'consumer' });
  const yaml = Object.values(yamlOf(declared)).join();
  expect(yaml).toContain('action: urn:t/first');
  expect(yaml).not.toContain('actions');
});
