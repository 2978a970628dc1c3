/** A WSDL with these parts inside its definitions; the namespace `t` is `urn:t`. */
export function wsdl(inside: string): string {
  return `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
 xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:http="http://schemas.xmlsoap.org/wsdl/http/"
 xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"
 targetNamespace="urn:t">${inside}</wsdl:definitions>`;
}

/** The types of a WSDL. */
export function types(schema: string): string {
  return `<wsdl:types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified">${schema}</xs:schema></wsdl:types>`;
}

/** An element with fields of type string. */
export function wrapper(name: string, ...fields: readonly string[]): string {
  const elements = fields.map((each) => `<xs:element name="${each}" type="xs:string"/>`).join('');
  return `<xs:element name="${name}"><xs:complexType><xs:sequence>${elements}</xs:sequence></xs:complexType></xs:element>`;
}

/** A message with one part. */
export function message(name: string, part: string): string {
  return `<wsdl:message name="${name}"><wsdl:part name="parameters" ${part}/></wsdl:message>`;
}

/** A port type, its binding and a service, with one operation for each name: its messages are `<name>` and `<name>Reply`. */
export function service(
  operations: Readonly<Record<string, string>>,
  { style = 'document', use = 'literal', address = 'http://partner.example.org/soap', bound = '' } = {},
): string {
  const names = Object.keys(operations);
  const abstract = names.map((name) => `<wsdl:operation name="${name}">${operations[name]}</wsdl:operation>`);
  const sides = `<wsdl:input><soap:body use="${use}"/>${bound}</wsdl:input><wsdl:output><soap:body use="${use}"/></wsdl:output>`;
  const binding = names.map(
    (name) => `<wsdl:operation name="${name}"><soap:operation soapAction="urn:t/${name}"/>${sides}</wsdl:operation>`,
  );
  return `<wsdl:portType name="Port">${abstract.join('')}</wsdl:portType>
<wsdl:binding name="Binding" type="t:Port"><soap:binding style="${style}" transport="http://schemas.xmlsoap.org/soap/http"/>${binding.join('')}</wsdl:binding>
<wsdl:service name="Orders"><wsdl:documentation>Takes orders.</wsdl:documentation><wsdl:port name="Soap" binding="t:Binding"><soap:address location="${address}"/></wsdl:port></wsdl:service>`;
}

/** The input and output of an operation. */
export function inOut(input: string, output?: string): string {
  return `<wsdl:input message="t:${input}"/>${output === undefined ? '' : `<wsdl:output message="t:${output}"/>`}`;
}
