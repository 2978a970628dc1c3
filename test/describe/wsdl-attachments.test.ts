import { describe, expect, test } from 'vitest';
import { describeWsdl, describeXsdFiles } from '../../src/describe/index.ts';
import type { Service } from '../../src/model/service.ts';
import { load } from '../load/linked.ts';
import { hasXmllint, validateXml, wsdlSchema } from '../support/xmllint.ts';
import { base } from './samples.ts';

const registry = load(`
document: SCAN
namespace: urn:scans
fields:
  TITLE: { type: string(20), required: true }
  TRACE: { type: string, header: true }
  PHOTO: { type: binary, attachment: [image/gif, image/jpeg] }
  NOTES: { type: binary, attachment: true, xml: notes }
---
document: LINKED
namespace: urn:linked
fields: { TITLE: string, LINK: { type: binary, attachment: reference } }
---
service: Scans.v1
public: true
operations:
  SCAN_SAVE: { soap: true, request: SCAN, response: { fields: { PARAMETERS: { type: binary, attachment: true, xml: parameters } } } }
  SCAN_RPC: { soap: true, style: rpc, request: SCAN }
  SCAN_LINK: { soap: true, request: LINKED, response: { fields: { NUMBER: integer } } }
`);
const [service] = [...registry.services.values()].filter(({ delivered }) => !delivered) as [Service];
const text = describeWsdl(registry, service, { base });

/** The text without white space between its elements, from one text on and up to another. */
function between(start: string, end: string): string {
  const flat = text.replace(/>\s+</g, '><');
  const from = flat.indexOf(start);
  return flat.slice(from, flat.indexOf(end, from) + end.length);
}

describe('the WSDL of operations with attachments', () => {
  test('is valid', () => {
    if (hasXmllint && wsdlSchema !== undefined) expect(validateXml(wsdlSchema, [text])).toBe('');
  });

  test('has a part for each, after those of the Body', () => {
    expect(between('<wsdl:message name="SCAN_SAVERequest">', '</wsdl:message>')).toBe(
      '<wsdl:message name="SCAN_SAVERequest"><wsdl:part name="parameters" element="tns:SCAN_SAVE"/>' +
        '<wsdl:part name="PHOTO" type="xs:base64Binary"/><wsdl:part name="notes" type="xs:base64Binary"/></wsdl:message>',
    );
    // The part of the Body has another name if an attachment has the usual one.
    expect(between('<wsdl:message name="SCAN_SAVEResponse">', '</wsdl:message>')).toBe(
      '<wsdl:message name="SCAN_SAVEResponse"><wsdl:part name="parameters_2" element="tns:SCAN_SAVEResponse"/>' +
        '<wsdl:part name="parameters" type="xs:base64Binary"/></wsdl:message>',
    );
  });

  test('binds them to parts of multipart/related with their media types', () => {
    const binding = between('<wsdl:operation name="SCAN_SAVE"><soap:operation', '</wsdl:input>');
    expect(binding.slice(binding.indexOf('<wsdl:input>'))).toBe(
      '<wsdl:input><mime:multipartRelated xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/">' +
        '<mime:part><soap:body parts="parameters" use="literal"/>' +
        '<soap:header message="tns:SCAN_SAVERequestHeaders" part="TRACE" use="literal"/></mime:part>' +
        '<mime:part><mime:content part="PHOTO" type="image/gif"/><mime:content part="PHOTO" type="image/jpeg"/></mime:part>' +
        '<mime:part><mime:content part="notes" type="*/*"/></mime:part></mime:multipartRelated></wsdl:input>',
    );
    expect(between('<wsdl:operation name="SCAN_RPC"><soap:operation', '</wsdl:input>')).toContain(
      '<soap:body parts="TITLE" use="literal"',
    );
  });

  test('has no elements for them', () => {
    expect(text).not.toContain('name="PHOTO" minOccurs');
    expect(text).not.toContain('<xs:element name="notes"');
  });

  test('has elements of the type swaRef for references, which is declared', () => {
    expect(text).toMatch(/<xs:element name="LINK" type="ns\d:swaRef" minOccurs="0"\/>/);
    expect(between('<xs:simpleType name="swaRef">', '</xs:simpleType>')).toBe(
      '<xs:simpleType name="swaRef"><xs:restriction base="xs:anyURI"/></xs:simpleType>',
    );
    expect(text).toContain('targetNamespace="http://ws-i.org/profiles/basic/1.1/xsd"');
    expect([...describeXsdFiles(registry, service).values()].join('')).toContain(':swaRef"');
  });
});
