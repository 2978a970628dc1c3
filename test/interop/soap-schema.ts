import { inlineSchemas } from '../describe/wsdl-reader.ts';
import type { Session } from './soap-support.ts';

const ENVELOPES = {
  '1.1': { namespace: 'http://schemas.xmlsoap.org/soap/envelope/', detail: 'detail' },
  '1.2': { namespace: 'http://www.w3.org/2003/05/soap-envelope', detail: 'env:Detail' },
} as const;

/**
 * A schema for whole messages: an envelope whose Body holds one element that the schemas in a WSDL declare, or a fault with
 * declared elements in its detail, or with others.
 */
export function messageSchema(
  version: Session['version'],
  wsdl: string,
): { readonly name: string; readonly files: ReadonlyMap<string, string> } {
  const files = inlineSchemas(wsdl);
  const imports = [...files].map(([name, text]) => {
    const [, namespace] = /targetNamespace="([^"]*)"/.exec(text) ?? [];
    return `<xs:import namespace="${namespace}" schemaLocation="${name}"/>`;
  });
  return {
    name: 'message.xsd',
    files: new Map([...files, ['message.xsd', envelopeSchema(version, imports.join(''))]]),
  };
}

function envelopeSchema(version: Session['version'], imports: string): string {
  const { namespace } = ENVELOPES[version];
  const fault =
    version === '1.1'
      ? `<xs:element name="faultcode" type="xs:QName" form="unqualified"/>
         <xs:element name="faultstring" type="xs:string" form="unqualified"/>
         <xs:element name="detail" type="env:detail" form="unqualified" minOccurs="0"/>`
      : `<xs:element name="Code"><xs:complexType><xs:sequence><xs:element name="Value" type="xs:QName"/></xs:sequence></xs:complexType></xs:element>
         <xs:element name="Reason"><xs:complexType><xs:sequence><xs:element name="Text" type="xs:anyType"/></xs:sequence></xs:complexType></xs:element>
         <xs:element name="Detail" type="env:detail" minOccurs="0"/>`;
  return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:env="${namespace}" targetNamespace="${namespace}" elementFormDefault="qualified">
  ${imports}
  <xs:element name="Envelope"><xs:complexType><xs:sequence>
    <xs:element name="Body"><xs:complexType><xs:sequence><xs:any processContents="strict"/></xs:sequence></xs:complexType></xs:element>
  </xs:sequence></xs:complexType></xs:element>
  <xs:element name="Fault"><xs:complexType><xs:sequence>${fault}</xs:sequence></xs:complexType></xs:element>
  <xs:complexType name="detail"><xs:sequence><xs:any processContents="lax" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
</xs:schema>`;
}
