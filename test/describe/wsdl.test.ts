import { describe, expect, test } from 'vitest';
import { describeWsdl, describeXsdFiles, exampleSoapRequest } from '../../src/describe/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { Operation, Service } from '../../src/model/service.ts';
import { childrenOf, textOf } from '../../src/wire/xml/tree.ts';
import { document, FAILURE, field, type OperationOptions, registry, type ServiceOptions } from '../support/registry.ts';
import { hasXmllint, validateXml, wsdlSchema } from '../support/xmllint.ts';
import { RULES } from './basic-profile.ts';
import { base, samples } from './samples.ts';
import {
  attribute,
  below,
  children,
  inlineSchemas,
  named,
  readWsdl,
  SOAP11,
  SOAP12,
  schemaComponents,
  WSDL,
} from './wsdl-reader.ts';

const { soap } = samples;
const exchange = soap.services.get('Exchange.v2') as Service;
const text = describeWsdl(soap, exchange, { base });

function serviceOf(built: Registry): Service {
  return built.services.get('Test.v1') as Service;
}

/** The WSDL of a service with these operations. */
function wsdlOf(operations: Readonly<Record<string, OperationOptions>>, options: Partial<ServiceOptions> = {}): string {
  const built = registry({ 'Test.v1': { ...options, operations } });
  return describeWsdl(built, serviceOf(built), { base });
}

describe('WS-I Basic Profile 1.1', () => {
  test.each(RULES)('%s: %s', (_number, _says, broken, spoil) => {
    expect(broken(readWsdl(text))).toEqual([]);
    const spoiled = spoil(text);
    expect(spoiled).not.toBe(text);
    expect(broken(readWsdl(spoiled))).not.toEqual([]);
  });

  test('every rule stands once', () => {
    expect(new Set(RULES.map(([number]) => number)).size).toBe(RULES.length);
  });
});

describe.skipIf(!hasXmllint || wsdlSchema === undefined)('WSDL 1.1 (needs xmllint and ../shared/corpus)', () => {
  const valid = (wsdl: string): string => validateXml(wsdlSchema as NonNullable<typeof wsdlSchema>, [wsdl]);

  test('R2028, R2029: valid by the schemas of WSDL and of both SOAP bindings', () => {
    expect(valid(text)).toBe('');
  });

  test.each([
    ['<wsdl:part name=', '<wsdl:part title=', 'title'],
    ['<soap:body use="literal"', '<soap:body use="verbatim"', 'verbatim'],
    ['soapActionRequired="false"', 'soapActionRequired="perhaps"', 'perhaps'],
    ['<soap12:address location=', '<soap12:address place=', 'place'],
  ])('%s as %s is refused', (right, wrong, word) => {
    expect(valid(text.replace(right, wrong))).toContain(word);
  });
});

/** Every tag on a line of its own, without the files that imports lead to from outside a WSDL. */
function lines(xml: string): string[] {
  return xml
    .replace(/ schemaLocation="[^"]*"/g, '')
    .split('\n')
    .map((line) => line.trim());
}

describe('schemas inside', () => {
  test('are those of the XSD, but for elements that have no namespace', () => {
    const files = describeXsdFiles(soap, exchange);
    const inline = [...text.matchAll(/<xs:schema [\s\S]*?<\/xs:schema>/g)].map(([schema]) => lines(schema));
    const own = [...files].filter(([name]) => !name.endsWith('.none.xsd')).map(([, file]) => lines(file).slice(1));
    expect(inline.map((schema) => schema.slice(1))).toEqual(
      own.map((schema) =>
        // The main file imports every other one, so that it is an entrance to all.
        schema.slice(1, -1).filter((line) => !/^<xs:import(?: namespace="urn:faults")?\/>$/.test(line)),
      ),
    );
    expect(files.get('Exchange.v2.none.xsd')).toContain('<xs:element name="BARE_FAULT" type="tns:BARE_FAULT"/>');
  });

  test('the wrappers are in the namespace of the service', () => {
    const names = schemaComponents(readWsdl(text), 'element');
    for (const { soap: form } of exchange.operations) {
      if (form === undefined) continue;
      expect(names).toContain(`{urn:signalbox:test:Exchange.v2}${form.name}`);
      expect(names.has(`{urn:signalbox:test:Exchange.v2}${form.name}Response`)).toBe(form.response.kind !== 'none');
    }
  });

  test.each([
    ['a document', { response: document('D', [field('A')]) }, '<xs:element name="XResponse" type="tns:D">'],
    ['nothing', {}, '<xs:element name="X"><xs:complexType><xs:sequence/></xs:complexType></xs:element>'],
    [
      'XML',
      { request: 'xml' },
      '<xs:complexType><xs:sequence><xs:any processContents="lax" maxOccurs="unbounded"/></xs:sequence></xs:complexType>',
    ],
    ['text', { request: 'text' }, '<xs:sequence><xs:element name="content" type="xs:string"/></xs:sequence>'],
    ['JSON', { response: 'json' }, '<xs:sequence><xs:element name="content" type="xs:string"/></xs:sequence>'],
    [
      'bytes',
      { request: 'binary' },
      '<xs:element name="content" type="xs:base64Binary" xmime:expectedContentTypes="application/octet-stream"/>',
    ],
  ] as const)('a message that is %s', (_what, options, declaration) => {
    const wsdl = wsdlOf({ X: { soap: true, ...options } });
    expect(wsdl.replace(/\n\s*/g, '')).toContain(declaration);
  });

  test('say which elements may travel as attachments, where SOAP is spoken', () => {
    const file = document('FILE', [field('BYTES', 'binary'), field('MARK', 'binary', { attribute: true })]);
    const declared = '<xs:element name="BYTES" type="xs:base64Binary" minOccurs="0"';
    const wsdl = wsdlOf({ X: { soap: true, request: file } });
    expect(wsdl).toContain(`${declared} xmime:expectedContentTypes="application/octet-stream"/>`);
    expect(wsdl.match(/ xmime:/g)).toHaveLength(1);
    const built = registry({ 'Test.v1': { operations: { X: { templates: ['X'], response: file } } } });
    const [xsd = ''] = describeXsdFiles(built, serviceOf(built)).values();
    expect(xsd).toContain(`${declared}/>`);
    expect(xsd).not.toContain('xmime');
  });

  test('a wrapper keeps its name from a document that is called the same', () => {
    const wsdl = wsdlOf({
      X: { soap: true, response: document('X', [field('A')]), fault: document('XResponse', [field('B')]) },
    });
    expect(wsdl.match(/<xs:element name="X"/g)).toHaveLength(1);
    // The wrapper X is a class in Java: the type of the document is another.
    expect(wsdl).toContain('<xs:element name="XResponse" type="tns:X_2">');
    // Its fault can't be told from the reply then.
    expect(wsdl).not.toContain('<wsdl:fault');
  });

  test.skipIf(!hasXmllint)('R2800: they are a schema, by which example requests are valid (needs xmllint)', () => {
    const schema = { name: '0.xsd', files: inlineSchemas(text) };
    const payloads = exchange.operations.flatMap((operation) => {
      const { body } = exampleSoapRequest(soap, operation, base) ?? {};
      return body === undefined ? [] : [body.replace(/^.*?<soap:Body>|<\/soap:Body>.*$/g, '')];
    });
    expect(payloads).toHaveLength(8);
    expect(validateXml(schema, payloads)).toBe('');
    expect(
      validateXml(schema, [(payloads[0] as string).replace('<name>', '<nome>').replace('</name>', '</nome>')]),
    ).toContain('nome');
  });
});

describe('port type, bindings and service', () => {
  const wsdl = readWsdl(text);

  test('names are those of the service and its operations', () => {
    const [portType] = wsdl.portTypes;
    expect(wsdl.portTypes).toHaveLength(1);
    expect(attribute(wsdl.root, 'name')).toBe('Exchange');
    expect(attribute(wsdl.root, 'targetNamespace')).toBe('urn:signalbox:test:Exchange.v2');
    expect(attribute(portType!, 'name')).toBe('ExchangePortType');
    expect(children(portType!, WSDL, 'operation').map((each) => attribute(each, 'name'))).toEqual(
      exchange.operations.flatMap((operation) => operation.soap?.name ?? []),
    );
    expect(wsdl.bindings.map(({ name, dialect }) => [name, dialect])).toEqual([
      ['ExchangeSoap11Binding', SOAP11],
      ['ExchangeSoap12Binding', SOAP12],
    ]);
  });

  test('both ports have the address of the services connector', () => {
    const [service] = children(wsdl.root, WSDL, 'service');
    const ports = children(service!, WSDL, 'port');
    expect(attribute(service!, 'name')).toBe('ExchangeService');
    expect(ports.map((port) => [attribute(port, 'name'), named(port, 'binding')])).toEqual([
      ['ExchangeSoap11Port', '{urn:signalbox:test:Exchange.v2}ExchangeSoap11Binding'],
      ['ExchangeSoap12Port', '{urn:signalbox:test:Exchange.v2}ExchangeSoap12Binding'],
    ]);
    for (const [address] of ports.flatMap(childrenOf).map((each) => [attribute(each, 'location')]))
      expect(address).toBe(`${base}/PeopleSoftServiceListeningConnector`);
  });

  test('a one-way operation has an input alone, and no fault', () => {
    const operation = children(wsdl.portTypes[0]!, WSDL, 'operation').find(
      (each) => attribute(each, 'name') === 'NOTE_SEND',
    )!;
    expect(childrenOf(operation).map((each) => each.local)).toEqual(['documentation', 'input']);
    const one = wsdlOf({ X: { soap: true, request: 'text', fault: FAILURE } });
    expect(one).not.toContain('<wsdl:fault');
    expect(one).not.toContain('<wsdl:output');
  });

  test('operations with one fault document share its message', () => {
    expect(text.match(/<wsdl:message name="EXCHANGE_FAULTMessage"/g)).toHaveLength(1);
    expect(text.match(/<wsdl:fault name="EXCHANGE_FAULT" message="tns:EXCHANGE_FAULTMessage"/g)).toHaveLength(2);
  });

  test('the message of a fault makes way for those of operations', () => {
    const wsdl = wsdlOf({
      A: { soap: true, response: document('D', [field('A')]), fault: document('F', [field('M')]) },
      FMessage: { soap: true, request: 'text' },
      FMessageRequest: { soap: true, request: 'text' },
    });
    const names = [...wsdl.matchAll(/<wsdl:message name="([^"]*)"/g)].map(([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('documentation tells of the service, its operations and what they need', () => {
    const texts = [...below(wsdl.root)].flatMap(([each]) =>
      each.local === 'documentation' && each.namespace === WSDL ? [textOf(each)] : [],
    );
    expect(texts[0]).toContain('Exchanges <files> & notes.');
    expect(texts[0]).toContain('It ends on 2030-01-01.');
    expect(texts[0]).toContain('MTOM');
    expect(texts).toContain('Keeps a file.\nRequires credentials: HTTP Basic.');
    expect(texts).toContain('Nobody waits.\nOne-way: the reply is empty.\nPublic.');
    expect(texts.join('\n')).toContain('The detail of a fault contains the element BARE_FAULT');
    expect(text).toContain('<xs:documentation>Name of the file.</xs:documentation>');
  });

  test('tells of MTOM where there is binary content and the connector takes it', () => {
    const told = (request: 'binary' | 'text', services: boolean): boolean => {
      const operations = { X: { soap: true, request } } as const;
      const built = registry({ 'Test.v1': { operations } }, { mtom: { services, http: true } });
      return describeWsdl(built, serviceOf(built), { base }).includes('(MTOM)');
    };
    expect([told('binary', true), told('binary', false), told('text', true)]).toEqual([true, false, false]);
  });

  test('leaves out what is inactive, and what has URIs alone', () => {
    const wsdl = wsdlOf({ A: { soap: true }, B: { soap: true, active: false }, C: { templates: ['C'] } });
    expect(wsdl).toContain('<wsdl:operation name="A">');
    expect(wsdl).not.toMatch(/name="[BC]"/);
    expect(() => wsdlOf({ C: { templates: ['C'] } })).toThrow(RangeError);
  });
});

describe('an example request', () => {
  const example = (id: string) => exampleSoapRequest(soap, soap.operations.get(id) as Operation, base);

  test('is an envelope of SOAP 1.1 with the action in quotes (R2744)', () => {
    expect(example('FILE_PUT')).toEqual({
      method: 'POST',
      url: `${base}/PeopleSoftServiceListeningConnector`,
      headers: { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: '"FILE_PUT.v2"' },
      body:
        '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>' +
        '<FILE_PUT xmlns="urn:signalbox:test:Exchange.v2"><name>report.pdf</name><contentType>application/pdf</contentType>' +
        '<content>U2lnbmFsYm94</content></FILE_PUT></soap:Body></soap:Envelope>',
    });
  });

  test('has fields in the namespace of their document', () => {
    expect(example('BARE_GET')?.body).toContain(
      '<BARE_GET xmlns="urn:signalbox:test:Exchange.v2"><A xmlns="">text</A></BARE_GET>',
    );
  });

  test('is an empty wrapper where no value can be made up, and nothing without a SOAP form', () => {
    const code = document('D', [field('CODE', 'string', { required: true, patterns: ['a\\bb'] })]);
    const built = registry({ 'Test.v1': { operations: { X: { soap: true, request: code } } } });
    const body = exampleSoapRequest(built, serviceOf(built).operations[0] as Operation, base)?.body;
    expect(body).toContain('<soap:Body><X xmlns="urn:signalbox:test:Test.v1"/></soap:Body>');
    expect(example('LIST_GET')).toBeUndefined();
  });
});
