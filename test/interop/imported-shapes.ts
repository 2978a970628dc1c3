// Contracts of shapes that are rare, for clients and servers that know nothing of ours.

const SOAP = { '1.1': 'soap', '1.2': 'soap12' } as const;

const head = (
  namespace: string,
): string => `<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
 xmlns:s12="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:wsaw="http://www.w3.org/2006/05/addressing/wsdl"
 xmlns:t="urn:t" xmlns:m="urn:m" xmlns:b="urn:b" targetNamespace="${namespace}">`;

const element = (name: string, field: string): string =>
  `<xs:element name="${name}"><xs:complexType><xs:sequence><xs:element name="${field}" type="xs:int"/></xs:sequence></xs:complexType></xs:element>`;

const types = (inside: string): string =>
  `<w:types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified">${inside}</xs:schema></w:types>`;

const ELEMENTS = types(
  ['ask', 'askResponse', 'tell', 'other', 'otherResponse', 'gone', 'key'].map((name) => element(name, 'n')).join(''),
);

const message = (name: string, element = name): string =>
  `<w:message name="${name}"><w:part name="body" element="t:${element}"/></w:message>`;

const MESSAGES = ['ask', 'askResponse', 'tell', 'other', 'otherResponse', 'gone', 'key']
  .map((name) => message(name))
  .join('');

const ASK = '<w:input message="t:ask"/><w:output message="t:askResponse"/>';

interface Bound {
  readonly action?: string;
  readonly input?: string;
  readonly output?: string | null;
  readonly fault?: string;
}

/** An operation in a binding; `output: null` for one without a reply. */
const bound = (
  name: string,
  { action = `urn:t/${name}`, input = '', output = '', fault = '' }: Bound = {},
  prefix: 's' | 's12' = 's',
): string => {
  const body = (more: string): string => `<${prefix}:body use="literal"/>${more}`;
  const reply = output === null ? '' : `<w:output>${body(output)}</w:output>`;
  return `<w:operation name="${name}"><${prefix}:operation soapAction="${action}"/><w:input>${body(input)}</w:input>${reply}${fault}</w:operation>`;
};

const binding = (
  name: string,
  inside: string,
  { version = '1.1', portType = 't:T' }: { version?: '1.1' | '1.2'; portType?: string } = {},
): string => {
  const prefix = SOAP[version] === 'soap' ? 's' : 's12';
  return `<w:binding name="${name}" type="${portType}"><${prefix}:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>${inside}</w:binding>`;
};

const portType = (inside: string, name = 'T'): string => `<w:portType name="${name}">${inside}</w:portType>`;
const operation = (name: string, inside = ASK): string => `<w:operation name="${name}">${inside}</w:operation>`;

const port = (name: string, to: string, prefix = 's'): string =>
  `<w:port name="${name}" binding="${to}"><${prefix}:address location="http://old.example.org/${name}"/></w:port>`;
const service = (name: string, ...ports: readonly string[]): string =>
  `<w:service name="${name}">${ports.join('')}</w:service>`;

/** A contract of one file in the namespace `urn:t`. */
const one = (...parts: readonly string[]): Readonly<Record<string, string>> => ({
  'main.wsdl': `${head('urn:t')}${parts.join('')}</w:definitions>`,
});

/** rpc/literal without the `namespace` of a body: the elements around its messages have none (WSDL 1.1, section 3.5). */
const RPC = `<w:message name="i"><w:part name="to" type="xs:string"/></w:message><w:message name="o"><w:part name="id" type="xs:string"/></w:message>
${portType(operation('send', '<w:input message="t:i"/><w:output message="t:o"/>'))}${binding('B', bound('send')).replace('style="document"', 'style="rpc"')}
${service('Short', port('P', 't:B'))}`;

/** Files by name; the first one is the root. */
export const SHAPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'two ports of one port type, whose bindings have actions of their own': one(
    ELEMENTS,
    MESSAGES,
    portType(operation('ask')),
    binding('B', bound('ask', { action: 'urn:first' })),
    binding('B12', bound('ask', { action: 'urn:second' }, 's12'), { version: '1.2' }),
    service('Orders', port('P', 't:B'), port('P12', 't:B12', 's12')),
  ),
  'several services, each with a port type of its own': one(
    ELEMENTS,
    MESSAGES,
    portType(operation('ask')),
    portType(operation('other', '<w:input message="t:other"/><w:output message="t:otherResponse"/>'), 'U'),
    binding('B', bound('ask')),
    binding('C', bound('other'), { portType: 't:U' }),
    service('Orders', port('P', 't:B')),
    service('Others', port('Q', 't:C')),
  ),
  'a one-way operation beside others': one(
    ELEMENTS,
    MESSAGES,
    portType(operation('ask') + operation('tell', '<w:input message="t:tell"/>')),
    binding('B', bound('ask') + bound('tell', { output: null })),
    service('Orders', port('P', 't:B')),
  ),
  'operations that share their name': one(
    ELEMENTS,
    MESSAGES,
    portType(operation('ask') + operation('ask', '<w:input message="t:other"/><w:output message="t:otherResponse"/>')),
    binding('B', bound('ask') + bound('ask', { action: 'urn:t/other' })),
    service('Orders', port('P', 't:B')),
  ),
  'a fault whose soap:fault has no name': one(
    ELEMENTS,
    MESSAGES,
    portType(operation('ask', `${ASK}<w:fault name="Gone" message="t:gone"/>`)),
    binding('B', bound('ask', { fault: '<w:fault name="Gone"><s:fault use="literal"/></w:fault>' })),
    service('Orders', port('P', 't:B')),
  ),
  'header blocks of both directions, of a message of their own': one(
    ELEMENTS,
    MESSAGES,
    portType(operation('ask')),
    binding(
      'B',
      bound('ask', {
        input: '<s:header message="t:key" part="body" use="literal"/>',
        output: '<s:header message="t:key" part="body" use="literal"/>',
      }),
    ),
    service('Orders', port('P', 't:B')),
  ),
  'rpc whose bodies name no namespace': one(RPC),
  'actions of WS-Addressing alone': one(
    ELEMENTS,
    MESSAGES,
    portType(operation('ask', '<w:input message="t:ask" wsaw:Action="urn:a"/><w:output message="t:askResponse"/>')),
    binding('B', bound('ask', { action: '' })),
    service('Orders', port('P', 't:B')),
  ),
  'imports from file to file, each with a namespace of its own': {
    'main.wsdl': `${head('urn:t')}<w:import namespace="urn:b" location="binding.wsdl"/>${service('Orders', port('P', 'b:B'))}</w:definitions>`,
    'binding.wsdl': `${head('urn:b')}<w:import namespace="urn:m" location="abstract.wsdl"/>${binding('B', bound('ask'), { portType: 'm:T' })}</w:definitions>`,
    'abstract.wsdl': `${head('urn:m')}${ELEMENTS}${message('ask')}${message('askResponse')}${portType(
      operation('ask', '<w:input message="m:ask"/><w:output message="m:askResponse"/>'),
    )}</w:definitions>`,
  },
};

/** Contracts with operations that can't be served or called: each is reported. */
export const INACTIVE: Readonly<Record<string, readonly [Readonly<Record<string, string>>, RegExp]>> = {
  'begins with its output (solicit-response)': [
    one(
      ELEMENTS,
      MESSAGES,
      portType(operation('ask', '<w:output message="t:askResponse"/><w:input message="t:ask"/>')),
      binding('B', bound('ask')),
      service('Orders', port('P', 't:B')),
    ),
    /solicit-response/,
  ],
  'has a part by its type in document/literal': [
    one(
      ELEMENTS,
      MESSAGES,
      '<w:message name="typed"><w:part name="body" type="xs:string"/></w:message>',
      portType(operation('ask', '<w:input message="t:typed"/><w:output message="t:askResponse"/>')),
      binding('B', bound('ask')),
      service('Orders', port('P', 't:B')),
    ),
    /has a type, and no element/,
  ],
  'is encoded': [
    one(
      ELEMENTS,
      MESSAGES,
      portType(operation('ask')),
      binding('B', bound('ask').replaceAll('use="literal"', 'use="encoded"')),
      service('Orders', port('P', 't:B')),
    ),
    /encoded/,
  ],
};
