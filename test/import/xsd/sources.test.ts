import { describe, expect, it } from 'vitest';
import { Losses } from '../../../src/import/place.ts';
import { schemasOf, XSD_LANGUAGE } from '../../../src/import/xsd/sources.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const XSD = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"';

describe('the references of schemas', () => {
  it('are those of includes, imports and redefinitions, also inside a WSDL', () => {
    const wsdl = `<definitions ${XSD} xmlns="http://schemas.xmlsoap.org/wsdl/"><types>
<xs:schema><xs:include schemaLocation=" a.xsd "/><xs:import namespace="urn:x"/></xs:schema>
<xs:schema><xs:redefine schemaLocation="b.xsd"/><xs:import namespace="urn:c" schemaLocation="c.xsd"/></xs:schema>
</types></definitions>`;
    const content = XSD_LANGUAGE.parse(bytes(wsdl), 'a.wsdl', new Losses());
    expect(schemasOf(content)).toHaveLength(2);
    expect(XSD_LANGUAGE.referencesOf(content, 'a.wsdl').map(({ to, place }) => `${to} ${place.line}`)).toEqual([
      'a.xsd 2',
      'b.xsd 3',
      'c.xsd 3',
    ]);
  });

  it('mark schemas that every reader knows', () => {
    const schema = `<xs:schema ${XSD}><xs:import namespace="http://www.w3.org/XML/1998/namespace" schemaLocation="http://www.w3.org/2001/xml.xsd"/><xs:import namespace="http://schemas.xmlsoap.org/soap/encoding/" schemaLocation="http://schemas.xmlsoap.org/soap/encoding/"/></xs:schema>`;
    const references = XSD_LANGUAGE.referencesOf(XSD_LANGUAGE.parse(bytes(schema), 'a.xsd', new Losses()), 'a.xsd');
    expect(references.map(({ known }) => known)).toEqual([true, true]);
  });
});
