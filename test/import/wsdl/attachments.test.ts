import { describe, expect, it } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from '../support.ts';
import { inOut, types, wrapper, wsdl } from './wsdl-text.ts';

const SOAP_BODY = '<soap:body use="literal" parts="parameters"/>';

/** An operation `save` whose request has its Body and these parts of multipart/related. */
function bound(style: 'document' | 'rpc', mimeParts: string, body = SOAP_BODY): string {
  return `<wsdl:portType name="Port"><wsdl:operation name="save">${inOut('save', 'saveReply')}</wsdl:operation></wsdl:portType>
<wsdl:binding name="Binding" type="t:Port"><soap:binding style="${style}" transport="http://schemas.xmlsoap.org/soap/http"/>
<wsdl:operation name="save"><soap:operation soapAction="urn:t/save"/><wsdl:input><mime:multipartRelated>
<mime:part>${body}</mime:part>${mimeParts}</mime:multipartRelated></wsdl:input>
<wsdl:output><soap:body use="literal"/></wsdl:output></wsdl:operation></wsdl:binding>
<wsdl:service name="Scans"><wsdl:port name="Soap" binding="t:Binding"><soap:address location="http://partner.example.org/soap"/></wsdl:port></wsdl:service>`;
}

const MESSAGES = `${types(`${wrapper('save', 'title')}${wrapper('saveResponse', 'number')}<xs:element name="report" type="xs:string"/>`)}
<wsdl:message name="save"><wsdl:part name="parameters" element="t:save"/><wsdl:part name="photo" type="xs:base64Binary"/>
<wsdl:part name="title" type="xs:string"/><wsdl:part name="report" element="t:report"/></wsdl:message>
<wsdl:message name="saveReply"><wsdl:part name="parameters" element="t:saveResponse"/></wsdl:message>`;

const PHOTO =
  '<mime:part><mime:content part="photo" type="image/jpeg"/><mime:content part="photo" type="image/gif"/></mime:part>';

describe('a MIME binding', () => {
  it('declares fields beside the Body, with their media types', async () => {
    const titles = '<mime:part><mime:content part="title" type="text/plain"/></mime:part>';
    const { declared, losses } = await declaredOf({ 'a.wsdl': wsdl(MESSAGES + bound('document', PHOTO + titles)) });
    expect(errorsOf(declared)).toEqual([]);
    expect(losses).toEqual([]);
    const { service } = yamlOf(declared) as Record<string, string>;
    expect(service).not.toContain('active');
    expect(service).toContain('photo: { type: binary, attachment: [ image/jpeg, image/gif ] }');
    // The element of the Body has the name of the attachment.
    expect(service).toContain('title: { type: string, required: true }');
    expect(service).toContain('title_2: { type: binary, attachment: text/plain, xml: title }');
  });

  it('is rpc/literal too, where any media type may be meant', async () => {
    const any = '<mime:part><mime:content part="photo" type="*/*"/></mime:part>';
    const text = wsdl(MESSAGES + bound('rpc', any, '<soap:body use="literal" namespace="urn:t" parts="title"/>'));
    const { declared } = await declaredOf({ 'a.wsdl': text });
    expect(errorsOf(declared)).toEqual([]);
    expect(yamlOf(declared).service).toContain('photo: { type: binary, attachment: true }');
  });

  it('lists what is not carried', async () => {
    const others =
      '<mime:part><mime:content part="report" type="text/xml"/></mime:part><mime:part><mime:content type="text/plain"/></mime:part>' +
      '<mime:part><mime:content part="other" type="text/plain"/></mime:part><mime:part><mime:content part="photo" type="image"/></mime:part>';
    const { declared, losses } = await declaredOf({ 'a.wsdl': wsdl(MESSAGES + bound('document', others)) });
    expect(errorsOf(declared)).toEqual([]);
    expect(losses.map(({ what }) => what)).toEqual([
      '<content> of multipart/related does not name a part',
      'the media type "image" of the attachment "photo"',
      'the attachment "other" is not a part of its message',
      'the XML of the attachment "report"',
    ]);
  });
});

describe('swaRef', () => {
  const REF = 'http://ws-i.org/profiles/basic/1.1/xsd';
  const schema = (inside: string): string =>
    wsdl(
      `<wsdl:types><xs:schema targetNamespace="urn:t" xmlns:ref="${REF}" elementFormDefault="qualified">${inside}</xs:schema></wsdl:types>`,
    );

  it('is content that an element refers to, and a text in an attribute', async () => {
    const type =
      '<xs:complexType name="scan"><xs:sequence><xs:element name="one" type="ref:swaRef"/><xs:element name="many" type="ref:swaRef" maxOccurs="unbounded"/></xs:sequence><xs:attribute name="at" type="ref:swaRef"/></xs:complexType>';
    const { declared } = await declaredOf({ 'a.wsdl': schema(type) });
    expect(errorsOf(declared)).toEqual([]);
    const documents = yamlOf(declared).documents;
    expect(documents).toContain('one: { type: binary, attachment: reference, required: true }');
    expect(documents).toMatch(/many:\n {4}type: list of binary\n(?: {4}.*\n)*? {4}attachment: reference\n/);
    expect(documents).toContain('at: { type: string, space: collapse, attribute: true }');
  });
});
