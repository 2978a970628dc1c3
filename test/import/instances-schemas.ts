/** Schemas by the construct that they show. Each has at least one global element. */
export const SCHEMAS: Readonly<Record<string, string>> = {
  'a sequence with optional and repeated elements': `
    <xs:element name="a"><xs:complexType><xs:sequence>
      <xs:element name="one" type="xs:string"/><xs:element name="two" type="xs:int" minOccurs="0"/>
      <xs:element name="many" type="xs:token" minOccurs="0" maxOccurs="unbounded"/><xs:element name="some" type="xs:boolean" minOccurs="2" maxOccurs="4"/>
    </xs:sequence></xs:complexType></xs:element>`,
  'a repeated sequence': `
    <xs:element name="a"><xs:complexType><xs:sequence maxOccurs="unbounded">
      <xs:element name="key" type="xs:string"/><xs:element name="value" type="xs:int" minOccurs="0"/>
    </xs:sequence></xs:complexType></xs:element>`,
  'an optional sequence within a sequence': `
    <xs:element name="a"><xs:complexType><xs:sequence>
      <xs:element name="first" type="xs:string"/>
      <xs:sequence minOccurs="0"><xs:element name="x" type="xs:int"/><xs:element name="y" type="xs:int"/></xs:sequence>
      <xs:element name="last" type="xs:string" minOccurs="0"/>
    </xs:sequence></xs:complexType></xs:element>`,
  'a choice': `
    <xs:element name="a"><xs:complexType><xs:choice>
      <xs:element name="card" type="xs:string"/><xs:element name="iban" type="xs:token"/><xs:element name="cash" type="xs:boolean"/>
    </xs:choice></xs:complexType></xs:element>`,
  'a choice of sequences among elements': `
    <xs:element name="a"><xs:complexType><xs:sequence>
      <xs:element name="id" type="xs:int"/>
      <xs:choice><xs:sequence><xs:element name="street" type="xs:string"/><xs:element name="town" type="xs:string"/></xs:sequence><xs:element name="box" type="xs:int"/></xs:choice>
      <xs:element name="note" type="xs:string" minOccurs="0"/>
    </xs:sequence></xs:complexType></xs:element>`,
  'a repeated choice': `
    <xs:element name="a"><xs:complexType><xs:choice minOccurs="0" maxOccurs="unbounded">
      <xs:element name="x" type="xs:int"/><xs:element name="y" type="xs:string"/><xs:element name="z"><xs:complexType><xs:attribute name="q" type="xs:int"/></xs:complexType></xs:element>
    </xs:choice></xs:complexType></xs:element>`,
  'an optional choice with repeated branches': `
    <xs:element name="a"><xs:complexType><xs:sequence><xs:choice minOccurs="0">
      <xs:element name="x" type="xs:int" maxOccurs="3"/><xs:element name="y" type="xs:string" minOccurs="0"/>
    </xs:choice><xs:element name="end" type="xs:string"/></xs:sequence></xs:complexType></xs:element>`,
  'the same element in two branches': `
    <xs:element name="a"><xs:complexType><xs:choice>
      <xs:sequence><xs:element name="x" type="xs:int"/><xs:element name="y" type="xs:int"/></xs:sequence>
      <xs:sequence><xs:element name="y" type="xs:int"/><xs:element name="z" type="xs:int"/></xs:sequence>
    </xs:choice></xs:complexType></xs:element>`,
  'an xs:all': `
    <xs:element name="a"><xs:complexType><xs:all>
      <xs:element name="x" type="xs:int"/><xs:element name="y" type="xs:string" minOccurs="0"/><xs:element name="z" type="xs:date"/>
    </xs:all></xs:complexType></xs:element>`,
  'groups and attribute groups': `
    <xs:group name="g"><xs:sequence><xs:element name="x" type="xs:int"/><xs:element name="y" type="xs:string" minOccurs="0"/></xs:sequence></xs:group>
    <xs:group name="h"><xs:choice><xs:element name="p" type="xs:int"/><xs:element name="q" type="xs:string"/></xs:choice></xs:group>
    <xs:attributeGroup name="ag"><xs:attribute name="k" type="xs:int"/><xs:attribute name="l" use="required"/></xs:attributeGroup>
    <xs:element name="a"><xs:complexType><xs:sequence><xs:group ref="t:g" minOccurs="0"/><xs:group ref="t:h" maxOccurs="3"/></xs:sequence><xs:attributeGroup ref="t:ag"/></xs:complexType></xs:element>
    <xs:element name="b"><xs:complexType><xs:group ref="t:h"/><xs:attributeGroup ref="t:ag"/></xs:complexType></xs:element>`,
  'attributes of all forms': `
    <xs:attribute name="global" type="xs:int"/>
    <xs:element name="a"><xs:complexType>
      <xs:attribute name="s"/><xs:attribute name="n" type="xs:decimal" use="required"/><xs:attribute name="f" fixed="x y"/><xs:attribute name="d" type="xs:int" default="5"/>
      <xs:attribute ref="t:global"/><xs:attribute name="q" form="qualified" type="xs:boolean"/><xs:attribute ref="xml:lang"/>
      <xs:attribute name="e"><xs:simpleType><xs:restriction base="xs:NMTOKEN"><xs:enumeration value="on"/><xs:enumeration value="off"/></xs:restriction></xs:simpleType></xs:attribute>
    </xs:complexType></xs:element>`,
  'an attribute and an element of the same name': `
    <xs:element name="a"><xs:complexType><xs:sequence><xs:element name="id" type="xs:int"/><xs:element name="value" type="xs:string" minOccurs="0"/></xs:sequence><xs:attribute name="id" type="xs:token"/><xs:attribute name="value"/></xs:complexType></xs:element>`,
  'simple content': `
    <xs:complexType name="money"><xs:simpleContent><xs:extension base="xs:decimal"><xs:attribute name="currency" type="xs:string" use="required"/></xs:extension></xs:simpleContent></xs:complexType>
    <xs:element name="a"><xs:complexType><xs:sequence><xs:element name="price" type="t:money" maxOccurs="3"/><xs:element name="tax" type="t:money" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
    <xs:element name="b" type="t:money"/>`,
  'mixed content': `
    <xs:element name="a"><xs:complexType mixed="true"><xs:choice minOccurs="0" maxOccurs="unbounded"><xs:element name="b" type="xs:string"/><xs:element name="i" type="xs:string"/></xs:choice><xs:attribute name="k"/></xs:complexType></xs:element>`,
  'mixed texts beside the attributes of a base': `
    <xs:complexType name="thing" abstract="true"><xs:attribute name="flag" type="xs:string"/></xs:complexType>
    <xs:complexType name="text" mixed="true"><xs:complexContent><xs:extension base="t:thing"><xs:attribute name="lang" type="xs:language"/></xs:extension></xs:complexContent></xs:complexType>
    <xs:complexType name="part" mixed="true"><xs:complexContent><xs:restriction base="t:text"><xs:attribute name="lang" type="xs:language" use="required"/></xs:restriction></xs:complexContent></xs:complexType>
    <xs:element name="a"><xs:complexType><xs:sequence><xs:element name="title" type="t:text"/><xs:element name="part" type="t:part" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>`,
  'texts with facets': `
    <xs:simpleType name="code"><xs:restriction base="xs:string"><xs:pattern value="[A-Z]{2}\\d{3}"/><xs:pattern value="X[^a-c]*"/></xs:restriction></xs:simpleType>
    <xs:simpleType name="short"><xs:restriction base="t:code"><xs:maxLength value="6"/><xs:pattern value=".*[0-9]"/></xs:restriction></xs:simpleType>
    <xs:element name="a"><xs:complexType><xs:sequence>
      <xs:element name="code" type="t:code"/><xs:element name="short" type="t:short" minOccurs="0"/>
      <xs:element name="exact"><xs:simpleType><xs:restriction base="xs:string"><xs:length value="4"/></xs:restriction></xs:simpleType></xs:element>
      <xs:element name="range"><xs:simpleType><xs:restriction base="xs:token"><xs:minLength value="2"/><xs:maxLength value="5"/></xs:restriction></xs:simpleType></xs:element>
      <xs:element name="enum"><xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value=""/><xs:enumeration value="a b"/><xs:enumeration value=" c"/></xs:restriction></xs:simpleType></xs:element>
      <xs:element name="space"><xs:simpleType><xs:restriction base="xs:string"><xs:whiteSpace value="replace"/><xs:maxLength value="9"/></xs:restriction></xs:simpleType></xs:element>
    </xs:sequence></xs:complexType></xs:element>`,
  'numbers with facets': `
    <xs:element name="a"><xs:complexType><xs:sequence>
      <xs:element name="i"><xs:simpleType><xs:restriction base="xs:integer"><xs:minInclusive value="-5"/><xs:maxExclusive value="10"/></xs:restriction></xs:simpleType></xs:element>
      <xs:element name="d"><xs:simpleType><xs:restriction base="xs:decimal"><xs:totalDigits value="5"/><xs:fractionDigits value="2"/></xs:restriction></xs:simpleType></xs:element>
      <xs:element name="e"><xs:simpleType><xs:restriction base="xs:decimal"><xs:minExclusive value="0.5"/><xs:maxInclusive value="99.75"/></xs:restriction></xs:simpleType></xs:element>
      <xs:element name="f"><xs:simpleType><xs:restriction base="xs:double"><xs:minInclusive value="0"/><xs:maxInclusive value="1000"/></xs:restriction></xs:simpleType></xs:element>
      <xs:element name="g"><xs:simpleType><xs:restriction base="xs:int"><xs:enumeration value="1"/><xs:enumeration value="20"/></xs:restriction></xs:simpleType></xs:element>
      <xs:element name="h"><xs:simpleType><xs:restriction base="xs:positiveInteger"><xs:totalDigits value="3"/></xs:restriction></xs:simpleType></xs:element>
      <xs:element name="j"><xs:simpleType><xs:restriction base="xs:int"><xs:pattern value="\\d{3}"/></xs:restriction></xs:simpleType></xs:element>
    </xs:sequence></xs:complexType></xs:element>`,
  'all built-in types': `<xs:element name="a"><xs:complexType><xs:sequence>${[
    'string normalizedString token language Name NCName NMTOKEN ID IDREF anyURI boolean decimal float double',
    'long int short byte unsignedInt unsignedShort unsignedByte nonNegativeInteger positiveInteger nonPositiveInteger negativeInteger integer',
    'date time dateTime duration gYear gYearMonth gMonth gMonthDay gDay hexBinary base64Binary QName anySimpleType',
  ]
    .join(' ')
    .split(' ')
    .map((type) => `<xs:element name="${type}" type="xs:${type}" minOccurs="0" maxOccurs="2"/>`)
    .join('')}</xs:sequence></xs:complexType></xs:element>`,
  'attributes of built-in types': `<xs:element name="a"><xs:complexType>${'string normalizedString token NMTOKEN anyURI boolean decimal double long date dateTime duration gYear hexBinary base64Binary'
    .split(' ')
    .map((type) => `<xs:attribute name="${type}" type="xs:${type}"/>`)
    .join('')}</xs:complexType></xs:element>`,
  unions: `
    <xs:simpleType name="size"><xs:union memberTypes="xs:int"><xs:simpleType><xs:restriction base="xs:token"><xs:enumeration value="small"/><xs:enumeration value="large"/></xs:restriction></xs:simpleType></xs:union></xs:simpleType>
    <xs:element name="a"><xs:complexType><xs:sequence><xs:element name="size" type="t:size" maxOccurs="3"/><xs:element name="when"><xs:simpleType><xs:union memberTypes="xs:date xs:dateTime"/></xs:simpleType></xs:element></xs:sequence><xs:attribute name="size" type="t:size"/></xs:complexType></xs:element>`,
  'nil, default and fixed': `
    <xs:element name="a"><xs:complexType><xs:sequence>
      <xs:element name="n" type="xs:int" nillable="true"/><xs:element name="o" type="xs:string" nillable="true" minOccurs="0"/>
      <xs:element name="c" nillable="true" minOccurs="0"><xs:complexType><xs:sequence><xs:element name="x" type="xs:int"/></xs:sequence></xs:complexType></xs:element>
      <xs:element name="d" type="xs:string" default="dd" minOccurs="0"/><xs:element name="f" type="xs:string" fixed="ff"/><xs:element name="g" type="xs:int" fixed="7" minOccurs="0"/>
    </xs:sequence></xs:complexType></xs:element>`,
  'entries of lists that may be nil': `
    <xs:complexType name="Row"><xs:sequence><xs:element name="x" type="xs:int" minOccurs="0"/></xs:sequence></xs:complexType>
    <xs:complexType name="ArrayOfString"><xs:sequence><xs:element name="string" type="xs:string" nillable="true" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
    <xs:element name="a"><xs:complexType><xs:sequence>
      <xs:element name="texts" type="t:ArrayOfString" nillable="true"/><xs:element name="number" type="xs:int" nillable="true" minOccurs="2" maxOccurs="4"/>
      <xs:element name="row" type="t:Row" nillable="true" minOccurs="0" maxOccurs="unbounded"/>
    </xs:sequence></xs:complexType></xs:element>`,
  'a nillable element with attributes': `
    <xs:element name="a"><xs:complexType><xs:sequence>
      <xs:element name="c" nillable="true"><xs:complexType><xs:sequence><xs:element name="x" type="xs:int"/></xs:sequence><xs:attribute name="why"/></xs:complexType></xs:element>
    </xs:sequence></xs:complexType></xs:element>`,
  'elements and attributes of any name': `
    <xs:element name="a"><xs:complexType><xs:sequence><xs:element name="x" type="xs:int"/><xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence><xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType></xs:element>
    <xs:element name="b"><xs:complexType><xs:sequence><xs:any processContents="skip"/></xs:sequence></xs:complexType></xs:element>
    <xs:element name="c"/><xs:element name="d"><xs:complexType><xs:sequence><xs:element name="any" type="xs:anyType" maxOccurs="2"/></xs:sequence></xs:complexType></xs:element>`,
  'references and recursion': `
    <xs:element name="leaf" type="xs:string"/>
    <xs:element name="tree"><xs:complexType><xs:sequence><xs:element ref="t:leaf" minOccurs="0"/><xs:element ref="t:tree" minOccurs="0" maxOccurs="3"/></xs:sequence></xs:complexType></xs:element>`,
  'unqualified elements': `
    <xs:element name="a"><xs:complexType><xs:sequence><xs:element name="x" type="xs:int" form="unqualified"/><xs:element name="y" minOccurs="0"><xs:complexType><xs:sequence><xs:element name="z" type="xs:int" form="unqualified"/></xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>`,
  'substitution groups': `
    <xs:element name="shape" type="xs:string" abstract="true"/><xs:element name="circle" type="xs:string" substitutionGroup="t:shape"/><xs:element name="square" substitutionGroup="t:shape"/>
    <xs:element name="a"><xs:complexType><xs:sequence><xs:element ref="t:shape" maxOccurs="4"/></xs:sequence></xs:complexType></xs:element>`,
  'the same name twice in a sequence': `
    <xs:element name="a"><xs:complexType><xs:sequence><xs:element name="x" type="xs:int"/><xs:element name="y" type="xs:string" minOccurs="0"/><xs:element name="x" type="xs:int"/></xs:sequence></xs:complexType></xs:element>`,
  'a choice within a choice': `
    <xs:element name="a"><xs:complexType><xs:choice><xs:choice><xs:element name="p" type="xs:int"/><xs:element name="q" type="xs:string"/></xs:choice><xs:sequence><xs:element name="r" type="xs:int"/><xs:choice minOccurs="0"><xs:element name="s" type="xs:int"/><xs:element name="u" type="xs:int"/></xs:choice></xs:sequence></xs:choice></xs:complexType></xs:element>`,
  'a choice whose branches may be empty': `
    <xs:element name="a"><xs:complexType><xs:choice><xs:element name="p" type="xs:int" minOccurs="0"/><xs:sequence minOccurs="0"><xs:element name="q" type="xs:int"/></xs:sequence></xs:choice></xs:complexType></xs:element>`,
  'names that are not those of fields': `
    <xs:element name="a"><xs:complexType><xs:sequence><xs:element name="a-b" type="xs:int"/><xs:element name="a.b" type="xs:int"/><xs:element name="a_b" type="xs:int"/><xs:element name="type" type="xs:string"/><xs:element name="constructor" type="xs:string"/><xs:element name="Größe" type="xs:int"/></xs:sequence></xs:complexType></xs:element>`,
};

/** Schemas of OpenAPI 3.1 by the construct that they show, in YAML. */
export const JSON_SCHEMAS: Readonly<Record<string, string>> = {
  'an object with required members': `
    type: object
    required: [id]
    properties: { id: { type: integer, minimum: 1, maximum: 99 }, name: { type: string, minLength: 2, maxLength: 8 }, on: { type: boolean } }`,
  'texts with facets': `
    type: object
    properties: { code: { type: string, pattern: '^[A-Z]{2}[0-9]+$' }, at: { type: string, format: date-time }, day: { type: string, format: date }, key: { type: string, format: uuid }, colour: { enum: [red, green] } }`,
  'numbers with facets': `
    type: object
    properties: { a: { type: number, exclusiveMinimum: 0, maximum: 10 }, b: { type: integer, enum: [1, 5] }, c: { type: number } }`,
  'lists and maps': `
    type: object
    properties:
      many: { type: array, minItems: 1, maxItems: 3, items: { type: string } }
      map: { type: object, additionalProperties: { type: integer } }
      objects: { type: array, items: { type: object, properties: { a: { type: string } } } }`,
  'null as a value': `
    type: object
    required: [a]
    properties: { a: { type: [string, 'null'] }, b: { type: [integer, 'null'] } }`,
  'what is composed of others': `
    allOf:
      - { type: object, required: [a], properties: { a: { type: string } } }
      - { type: object, properties: { b: { type: integer }, c: { $ref: '#/components/schemas/Part' } } }`,
  'one of several objects': `
    type: object
    properties:
      pay:
        oneOf:
          - { type: object, additionalProperties: false, required: [card], properties: { card: { type: string } } }
          - { type: object, additionalProperties: false, required: [iban], properties: { iban: { type: integer } } }`,
  'members of any name': `
    type: object
    additionalProperties: true
    properties: { a: { type: string } }`,
  recursion: `
    type: object
    properties: { value: { type: integer }, inner: { $ref: '#/components/schemas/Tried' }, list: { type: array, items: { $ref: '#/components/schemas/Tried' } } }`,
};
