import { describe, expect, it } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from '../support.ts';
import { inOut, message, service, types, wrapper, wsdl } from './wsdl-text.ts';

const SCHEMA = types(
  `${wrapper('place', 'item')}${wrapper('placeResponse', 'number')}${wrapper('session', 'token')}${wrapper('gone', 'why')}`,
);
const MESSAGES = `${SCHEMA}${message('place', 'element="t:place"')}${message('placeReply', 'element="t:placeResponse"')}`;
const OPERATION = { place: inOut('place', 'placeReply') };

/** What is listed for a contract, which is written without errors. */
async function toldOf(text: string, as: 'consumer' | 'provider' = 'consumer') {
  const { declared, losses } = await declaredOf({ 'a.wsdl': text }, { as });
  expect(errorsOf(declared)).toEqual([]);
  const told = losses.map(({ what, instead }) => `${what}: ${instead}`);
  return { told, yaml: yamlOf(declared), notes: losses.map(({ kind }) => kind === 'note') };
}

describe('what a binding says', () => {
  it('of header faults and encoded headers is listed', async () => {
    const header = message('session', 'element="t:session"');
    const bound = `<soap:header message="t:session" part="parameters" use="encoded"><soap:headerfault message="t:session" part="parameters" use="literal"/></soap:header>`;
    const { told, yaml } = await toldOf(wsdl(MESSAGES + header + service(OPERATION, { bound })));
    expect(told).toEqual([
      'the encoding of the header "parameters" (use="encoded"): taken as literal',
      'the header fault "parameters": its header block is neither read nor written',
    ]);
    expect(yaml.service).toContain('header: true');
  });

  it('of parts is listed where it fits no message, and makes a Body with several parts inactive', async () => {
    const two =
      '<wsdl:message name="two"><wsdl:part name="a" element="t:place"/><wsdl:part name="b" element="t:session"/></wsdl:message>';
    const both = await toldOf(wsdl(MESSAGES + two + service({ two: inOut('two', 'placeReply') })));
    expect(both.told).toEqual([
      'the operation "two" can\'t be called: the Body of its request has several parts: declared with `active: false`',
    ]);
    const one = service({ two: inOut('two', 'placeReply') }).replace('<soap:body use', '<soap:body parts="a c" use');
    expect((await toldOf(wsdl(MESSAGES + two + one))).told).toEqual([
      'the part "c" of the Body is not a part of its message: left out',
      'the part "b", which the binding puts nowhere: left out',
    ]);
    const typed = message('typed', 'type="xs:string"');
    expect((await toldOf(wsdl(MESSAGES + typed + service({ typed: inOut('typed', 'placeReply') })))).told).toEqual([
      'the operation "typed" can\'t be called: the Body of its request has a type, and no element: declared with `active: false`',
    ]);
  });

  it('of encoded faults, and of further parts of faults, is listed', async () => {
    const gone =
      '<wsdl:message name="gone"><wsdl:part name="fault" element="t:gone"/><wsdl:part name="more" element="t:session"/></wsdl:message>';
    const operation = { place: `${OPERATION.place}<wsdl:fault name="Gone" message="t:gone"/>` };
    const text = wsdl(MESSAGES + gone + service(operation));
    const literal = await toldOf(text);
    expect(literal.told).toEqual(['the part "more" of the fault "Gone", which has several: not read']);
    expect(literal.yaml.service).toContain('faults: { Gone: gone }');
    const encoded = text.replace(
      '</wsdl:output></wsdl:operation></wsdl:binding>',
      '</wsdl:output><wsdl:fault name="Gone"><soap:fault name="Gone" use="encoded"/></wsdl:fault></wsdl:operation></wsdl:binding>',
    );
    expect((await toldOf(encoded)).told).toEqual(['the fault "Gone" is encoded: its detail is not read']);
  });

  it('of faults that the port type does not have is listed', async () => {
    const text = wsdl(MESSAGES + service({ place: OPERATION.place })).replace(
      '</wsdl:output></wsdl:operation></wsdl:binding>',
      '</wsdl:output><wsdl:fault><soap:fault name="Gone" use="literal"/></wsdl:fault></wsdl:operation></wsdl:binding>',
    );
    expect((await toldOf(text)).told).toEqual([
      'the fault "Gone" of the binding, which its port type does not have: its detail is not read',
    ]);
  });

  it('in extension elements that must be understood is listed, and in others is not', async () => {
    const other = '<x:other xmlns:x="urn:x"/>';
    const required = '<x:sealed xmlns:x="urn:x" wsdl:required="true"/>';
    const text = wsdl(MESSAGES + service(OPERATION)).replace('<soap:binding', `${other}${required}<soap:binding`);
    expect((await toldOf(text)).told).toEqual([
      '<sealed> of urn:x, which the contract requires to be understood: ignored, so that messages may be refused',
    ]);
  });
});

describe('a message with an empty Body', () => {
  it('has its header blocks all the same', async () => {
    const header = `<wsdl:message name="empty"/>${message('session', 'element="t:session"')}`;
    const bound = '<soap:header message="t:session" part="parameters" use="literal"/>';
    const text = wsdl(MESSAGES + header + service({ status: inOut('empty', 'placeReply') }, { bound }));
    for (const as of ['consumer', 'provider'] as const) {
      const { told, yaml } = await toldOf(text, as);
      expect(told).toEqual([]);
      expect(yaml.service).not.toContain('active');
      expect(yaml.service).toContain('header: true');
    }
  });
});

describe('a header with a type and no element', () => {
  it('is left out: a header block has a namespace', async () => {
    const header = message('session', 'type="xs:string"');
    const bound = '<soap:header message="t:session" part="parameters" use="literal"/>';
    const { told, yaml } = await toldOf(wsdl(MESSAGES + header + service(OPERATION, { bound })));
    expect(told).toEqual(['the header "parameters", which has a type and no element: left out']);
    expect(yaml.service).not.toContain('header: true');
  });
});

describe('a contract without bindings', () => {
  it('has operations to call at an address of your own', async () => {
    const portType = `<wsdl:portType name="Orders"><wsdl:operation name="place">${OPERATION.place}</wsdl:operation></wsdl:portType>`;
    const { told, yaml } = await toldOf(wsdl(MESSAGES + portType));
    expect(told).toEqual([
      'the binding of the port type "Orders", which the contract does not have: its operations are literal, over SOAP 1.1, at an address that is yours to set',
    ]);
    expect(yaml.service).not.toContain('active');
    expect(yaml.setup).toContain('base: ${env:PARTNER_URL}');
  });
});

describe('an HTTP binding', () => {
  const bound = (content: string, reply: string): string =>
    wsdl(`${MESSAGES}<wsdl:portType name="Port"><wsdl:operation name="place">${OPERATION.place}</wsdl:operation></wsdl:portType>
<wsdl:binding name="Binding" type="t:Port"><http:binding verb="POST"/><wsdl:operation name="place"><http:operation location="/place"/>
<wsdl:input><mime:content type="${content}" part="parameters"/></wsdl:input><wsdl:output><mime:content type="${reply}"/></wsdl:output></wsdl:operation></wsdl:binding>
<wsdl:service name="Orders"><wsdl:port name="Http" binding="t:Binding"><http:address location="http://partner.example.org"/></wsdl:port></wsdl:service>`);

  it('sends XML where it says so', async () => {
    const { yaml } = await toldOf(bound('application/xml', 'application/xml'));
    expect(yaml.service).toContain('Content-Type: application/xml');
    expect(yaml.service).toContain('request: place');
    expect(yaml.service).not.toContain('form');
  });

  it('sends forms of both kinds, and reads texts and files', async () => {
    const form = await toldOf(bound('multipart/form-data', 'text/plain'));
    expect(form.yaml.service).toContain('form: multipart');
    expect(form.yaml.service).toContain('text/plain: text');
    const url = await toldOf(bound('application/x-www-form-urlencoded', 'image/png'));
    expect(url.yaml.service).toContain('form: { item: "{item}" }');
    expect(url.yaml.service).toContain('image/png: binary');
  });
});

describe('a schema that every reader knows', () => {
  it('is named when it is not there, and nothing is lost by it', async () => {
    const known = types(
      '<xs:import namespace="http://www.w3.org/2005/05/xmlmime" schemaLocation="http://www.w3.org/2005/05/xmlmime"/><xs:import namespace="http://www.w3.org/XML/1998/namespace" schemaLocation="xml.xsd"/>',
    );
    const { told, notes } = await toldOf(wsdl(known));
    expect(told.slice(0, 2)).toEqual([
      'the part "http://www.w3.org/2005/05/xmlmime" is an address: not needed: its namespace is known',
      'the part "xml.xsd" does not exist: not needed: its namespace is known',
    ]);
    expect(notes.slice(0, 2)).toEqual([true, true]);
  });
});
