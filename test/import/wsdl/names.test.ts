import { describe, expect, it } from 'vitest';
import { declaredOf, errorsOf } from '../support.ts';
import { inOut, message, service, types, wrapper, wsdl } from './wsdl-text.ts';

const PARTS = `${types(wrapper('place', 'item') + wrapper('placeResponse', 'number') + wrapper('gone', 'why'))}${message('place', 'element="t:place"')}${message('placeReply', 'element="t:placeResponse"')}${message('GoneException', 'element="t:gone"')}`;
const GONE = '<wsdl:fault name="Gone" message="t:GoneException"/>';
const SERVICE = service({ place: inOut('place', 'placeReply') + GONE });

/** A second binding and port, for SOAP 1.2, before those for SOAP 1.1. */
const BOTH = SERVICE.replace(
  '<wsdl:binding name="Binding"',
  '<wsdl:binding name="Newer" type="t:Port"><soap12:binding transport="http://schemas.xmlsoap.org/soap/http"/></wsdl:binding>$&',
).replace(
  '<wsdl:port name="Soap"',
  '<wsdl:port name="Soap12" binding="t:Newer"><soap12:address location="http://partner.example.org/"/></wsdl:port>$&',
);

async function namesOf(inside: string, as: 'consumer' | 'provider' = 'provider') {
  const { declared, losses } = await declaredOf({ 'a.wsdl': wsdl(PARTS + inside) }, { as });
  expect(errorsOf(declared)).toEqual([]);
  const keys = declared.find(({ kind }) => kind === 'service')?.keys;
  return { wsdl: keys?.wsdl, told: losses.map(({ what, instead }) => `${what}: ${instead}`) };
}

describe('the names of a WSDL', () => {
  it('are those of the contract for a service that is served', async () => {
    expect(await namesOf(SERVICE)).toEqual({
      wsdl: {
        service: 'Orders',
        'port-type': 'Port',
        soap11: { port: 'Soap', binding: 'Binding' },
        faults: { GoneException: 'gone' },
      },
      told: [],
    });
  });

  it('have ports for both versions of SOAP in the order of the contract', async () => {
    const { wsdl: keys, told } = await namesOf(BOTH);
    expect(JSON.stringify(keys)).toContain(
      '"soap12":{"port":"Soap12","binding":"Newer"},"soap11":{"port":"Soap","binding":"Binding"}',
    );
    expect(told).toEqual([]);
  });

  it('are not declared for calls, which use one port', async () => {
    expect(await namesOf(BOTH, 'consumer')).toEqual({
      wsdl: undefined,
      told: ['the port "Soap12" offers the same operations (SOAP 1.2): those of the port "Soap" are taken'],
    });
  });

  it('are not declared where they are the usual ones', async () => {
    const usual = SERVICE.replaceAll('"t:Port"', '"t:OrdersPortType"')
      .replaceAll('name="Port"', 'name="OrdersPortType"')
      .replaceAll('"Binding"', '"OrdersSoap11Binding"')
      .replaceAll('"t:Binding"', '"t:OrdersSoap11Binding"')
      .replace('name="Soap"', 'name="OrdersSoap11Port"');
    expect((await namesOf(usual)).wsdl).toEqual({ service: 'Orders', soap11: {}, faults: { GoneException: 'gone' } });
  });

  it('that can not be kept are listed', async () => {
    const rpc = SERVICE.replace(
      '</wsdl:portType>',
      `<wsdl:operation name="count">${inOut('count')}</wsdl:operation></wsdl:portType>`,
    ).replace(
      '</wsdl:binding>',
      '<wsdl:operation name="count"><soap:operation style="rpc" soapAction="c"/><wsdl:input><soap:body use="literal" namespace="urn:t"/></wsdl:input></wsdl:operation></wsdl:binding>',
    );
    const { told } = await namesOf(message('count', 'type="xs:string"') + rpc);
    expect(told).toContain(
      'the port type "Port", with operations in rpc/literal and in document/literal: its WSDL has two, "Port" and "PortRpc"',
    );
  });
});
