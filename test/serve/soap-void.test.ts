import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileSoap } from '../../src/binding/soap/soap.ts';
import { loadTexts } from '../../src/load/index.ts';
import type { SoapConsumer } from '../../src/model/consumer.ts';
import { declaredOf, errorsOf, yamlOf } from '../import/support.ts';
import { inOut, message, service, types, wrapper, wsdl } from '../import/wsdl/wsdl-text.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { envelope, faultOf, post, SERVICES, send } from './soap-client.ts';

// An operation of an old contract whose reply is an empty Body, which is not the same as one without a reply.

const touch = `${inOut('touch', 'nothing')}<wsdl:fault name="Gone" message="t:gone"/>`;
const WSDL = wsdl(
  types(wrapper('touch', 'number') + wrapper('gone', 'number') + wrapper('forget', 'number')) +
    message('touch', 'element="t:touch"') +
    message('forget', 'element="t:forget"') +
    message('gone', 'element="t:gone"') +
    '<wsdl:message name="nothing"/>' +
    service({ touch, forget: inOut('forget') }),
);

const HANDLERS = {
  'src/handlers/touch.ts': `import { Fault } from 'signalbox';
export default {
  onRequest({ number }) {
    if (number === '0') throw Fault.custom('Gone', 410, 'Gone.', { document: { number } });
    return {};
  },
};
`,
  'src/handlers/forget.ts': 'export default { onRequest: () => ({}) };\n',
};

describe('a reply with an empty Body', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const { declared, losses } = await declaredOf({ 'orders.wsdl': WSDL }, { as: 'provider' });
    expect(losses).toEqual([]);
    expect(errorsOf(declared)).toEqual([]);
    const files = Object.entries(yamlOf(declared)).map(([name, text]) => [
      `definitions/${name}.yaml`,
      text.replace('permission: PARTNER', 'permission: EVERYTHING'),
    ]);
    gateway = await startTestGateway({ files: { ...Object.fromEntries(files), ...HANDLERS } });
  });
  afterAll(() => gateway?.stop());

  const ask = (element: string, number: string) =>
    post(gateway, envelope(`<${element} xmlns="urn:t"><number>${number}</number></${element}>`));

  it('is an envelope', async () => {
    const { status, text } = await ask('touch', '7');
    expect([status, text]).toEqual([200, expect.stringMatching(/<soap:Body><\/soap:Body><\/soap:Envelope>$/)]);
  });

  it('may be a fault instead, with its detail', async () => {
    expect(faultOf(await ask('touch', '0')).detail).toContain('<gone xmlns="urn:t"><number>0</number></gone>');
  });

  it('is not that of a one-way operation', async () => {
    const { status, text } = await ask('forget', '7');
    expect([status, text]).toEqual([202, '']);
  });

  it('is described as a message without parts', async () => {
    const { text } = await send(gateway, { path: `${SERVICES}/Orders.v1.wsdl`, method: 'GET' });
    const [, name] = /<wsdl:message name="(touch\w*)"\/>/.exec(text) ?? [];
    expect(text).toContain(`<wsdl:output message="tns:${name}"`);
    expect(text).not.toContain('touch_RESPONSE');
  });
});

describe('a message with an element that has no fields', () => {
  it('has that element in its Body, beside header blocks', async () => {
    const empty = '<xs:element name="list"><xs:complexType><xs:sequence/></xs:complexType></xs:element>';
    const text = wsdl(
      types(empty + wrapper('session', 'key') + wrapper('found', 'number')) +
        message('list', 'element="t:list"') +
        message('found', 'element="t:found"') +
        message('session', 'element="t:session"') +
        service(
          { list: inOut('list', 'found') },
          { bound: '<soap:header message="t:session" part="parameters" use="literal"/>' },
        ),
    );
    const { declared } = await declaredOf({ 'orders.wsdl': text }, { as: 'consumer' });
    const texts = Object.entries(yamlOf(declared)).map(([name, yaml]) => [`definitions/${name}.yaml`, yaml] as const);
    const { registry } = loadTexts(new Map([['definitions/gateway.yaml', 'gateway: LOCAL\n'], ...texts]));
    const consumer = registry?.services.get('Orders.v1')?.consumers[0] as SoapConsumer;
    const soap = compileSoap(consumer, 'urn:test');
    expect(soap.writeRequest({ session: { key: 'k' } }).join('')).toBe('<list xmlns="urn:t"/>');
    expect(soap.writeRequestHeaders({ session: { key: 'k' } })).toContain('<key>k</key>');
  });
});
