import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from '../import/support.ts';
import { inOut, message, types, wrapper, wsdl } from '../import/wsdl/wsdl-text.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { bodyOf, envelope, faultOf, post, type SoapReply, TYPES, type Version } from './soap-client.ts';

// An old service whose messages share elements, served here for the callers that it has.

const WSA = 'http://www.w3.org/2005/08/addressing';

const binding = (name: string, action: string, more = ''): string =>
  `<wsdl:operation name="${name}"><soap:operation soapAction="${action}"/><wsdl:input>${more}<soap:body use="literal" parts="parameters"/></wsdl:input>
<wsdl:output><soap:body use="literal"/></wsdl:output></wsdl:operation>`;

const operation = (name: string, input: string, output: string, fault = ''): string =>
  `<wsdl:operation name="${name}">${inOut(input, output)}${fault}</wsdl:operation>`;

const WSDL = wsdl(
  types(wrapper('order', 'number') + wrapper('receipt', 'number', 'done')) +
    message('order', 'element="t:order"') +
    message('receipt', 'element="t:receipt"') +
    `<wsdl:message name="headed"><wsdl:part name="parameters" element="t:order"/><wsdl:part name="again" element="t:order"/></wsdl:message>` +
    `<wsdl:portType name="Port">${
      operation('place', 'order', 'receipt') +
      operation('cancel', 'order', 'receipt', '<wsdl:fault name="unknown" message="t:order"/>') +
      operation('echo', 'headed', 'order')
    }</wsdl:portType>
<wsdl:binding name="Binding" type="t:Port"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>${
      binding('place', 'urn:t/place') +
      binding('cancel', 'urn:t/cancel') +
      binding('echo', 'urn:t/echo', '<soap:header message="t:headed" part="again" use="literal"/>')
    }</wsdl:binding>
<wsdl:service name="Orders"><wsdl:port name="Soap" binding="t:Binding"><soap:address location="http://old.example.org/soap"/></wsdl:port></wsdl:service>`,
);

const HANDLERS = {
  'src/handlers/place.ts': "export default { onRequest: ({ number }) => ({ number, done: 'placed' }) };\n",
  'src/handlers/cancel.ts': `import { Fault } from 'signalbox';
export default {
  onRequest({ number }) {
    if (number === '0') throw Fault.custom('unknown', 404, 'Unknown.', { document: { number } });
    return { number, done: 'cancelled' };
  },
};
`,
  'src/handlers/echo.ts':
    'export default { onRequest: ({ number, order }) => ({ number: `${number} after ${order?.number}` }) };\n',
};

let gateway: TestGateway;
beforeAll(async () => {
  const { declared } = await declaredOf({ 'orders.wsdl': WSDL }, { as: 'provider' });
  expect(errorsOf(declared)).toEqual([]);
  const files = Object.entries(yamlOf(declared)).map(([name, text]) => [
    `definitions/${name}.yaml`,
    text.replace('permission: PARTNER', 'permission: EVERYTHING'),
  ]);
  gateway = await startTestGateway({ files: { ...Object.fromEntries(files), ...HANDLERS } });
});
afterAll(() => gateway?.stop());

const order = (number: string): string => `<order xmlns="urn:t"><number>${number}</number></order>`;

interface Asked {
  readonly version?: Version;
  readonly header?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = (number: string, { version = '1.1', header = '', headers = {} }: Asked): Promise<SoapReply> =>
  post(gateway, envelope(order(number), version, header), version, headers);

const soapAction = (action: string): Asked => ({ headers: { soapaction: `"${action}"` } });

const wsaAction = (action: string, attributes = ''): string =>
  `<a:Action xmlns:a="${WSA}" ${attributes}>${action}</a:Action>`;

describe('operations of an old contract whose requests have one element', () => {
  it.each([
    ['SOAPAction', 'placed', soapAction('urn:t/place')],
    ['SOAPAction', 'cancelled', soapAction('urn:t/cancel')],
    ['the action of SOAP 1.2', 'cancelled', withType('urn:t/cancel')],
    ['the action of WS-Addressing', 'cancelled', { header: wsaAction('urn:t/cancel') }],
    [
      'the action of WS-Addressing, which is to be understood',
      'placed',
      { header: wsaAction('urn:t/place', 's:mustUnderstand="1"') },
    ],
  ] as const)('are called by %s: %s', async (_, done, asked) => {
    const { version = '1.1' }: Asked = asked;
    expect(bodyOf(await ask('7', asked), version)).toBe(
      `<receipt xmlns="urn:t"><number>7</number><done>${done}</done></receipt>`,
    );
  });

  function withType(action: string): Asked {
    return { version: '1.2', headers: { 'content-type': `${TYPES['1.2']}; action="${action}"` } };
  }

  it('are told apart by nothing else: a message without an action, or with an unknown one, is refused', async () => {
    expect(faultOf(await ask('7', {})).reason).toContain(
      '"order" may be Orders.v1.cancel or Orders.v1.echo or Orders.v1.place, and it has no action',
    );
    expect(faultOf(await ask('7', soapAction('urn:t/other'))).reason).toContain('and its action is "urn:t/other"');
    expect(faultOf(await ask('7', { header: wsaAction('urn:t/other') })).reason).toContain('"urn:t/other"');
  });

  it('are refused where the action of WS-Addressing is another than SOAPAction', async () => {
    const header = wsaAction('urn:t/other', 's:mustUnderstand="1"');
    expect((await ask('7', { ...soapAction('urn:t/place'), header })).text).toContain('q:ActionMismatch</faultcode>');
    expect((await ask('7', { ...soapAction('urn:t/place'), header: wsaAction('urn:t/cancel') })).text).toContain(
      'wsa:Action is "urn:t/cancel", and SOAPAction is "urn:t/place"',
    );
  });
});

describe('one element in several roles', () => {
  it('is the request, a header block and the reply of an operation', async () => {
    const asked = { ...soapAction('urn:t/echo'), header: order('2') };
    expect(bodyOf(await ask('1', asked))).toBe(order('1 after 2'));
  });

  it('is a fault as well', async () => {
    const reply = await ask('0', soapAction('urn:t/cancel'));
    expect(reply.text).toContain(order('0'));
  });

  it('has one declaration in the contract, to which all roles refer', async () => {
    const { text } = await gateway.call('/gateway/RESTListeningConnector/Orders.v1.wsdl');
    expect(text.match(/<xs:element name="order"/g)).toHaveLength(1);
    expect(text.match(/element="tns:order"/g)?.length).toBeGreaterThan(3);
  });
});
