/** Contracts with defaults and single values in every place that has them. */
export const CONTRACTS = {
  'stores.yaml': `openapi: 3.0.3
info: { title: Stores, version: '1' }
servers: [{ url: 'https://stores.example.org' }]
paths:
  /stores/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: readStore
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Store' } } } } }
    patch:
      operationId: updateStore
      parameters:
        - { name: notify, in: query, schema: { type: boolean, default: true } }
        - { name: format, in: query, schema: { type: string, enum: [meta] } }
        - { name: X-Mode, in: header, schema: { type: string, default: test } }
        - { name: X-Kind, in: header, schema: { type: string, enum: [A] } }
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                label: { type: string }
                private: { type: boolean, default: false }
                kind: { type: string, enum: [shop] }
                tone: { type: string, default: A, enum: [A, B] }
                size: { type: integer, default: 3, maximum: 9 }
                braces: { type: string, default: 'x{y}' }
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Store' } } } } }
  /stores/{id}/name:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    post:
      operationId: rename_urlencoded
      requestBody: { required: true, content: { application/x-www-form-urlencoded: { schema: { $ref: '#/components/schemas/Name' } } } }
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Store' } } } } }
    put:
      operationId: rename_multipart
      requestBody: { required: true, content: { multipart/form-data: { schema: { $ref: '#/components/schemas/Name' } } } }
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Store' } } } } }
  /sales:
    post:
      operationId: addSale
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [amount, channel]
              properties:
                amount: { type: integer }
                channel: { type: string, enum: [web] }
                mode: { type: string, enum: [TEST] }
                dryRun: { type: boolean, enum: [true] }
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Store' } } } } }
  /sales/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: readSale
      responses:
        '200':
          description: ok
          content:
            application/json:
              schema: { type: object, required: [channel], properties: { id: { type: string }, channel: { type: string, enum: [web] } } }
components:
  schemas:
    Name:
      type: object
      properties:
        name: { type: string }
        state: { type: string, default: open }
        kind: { type: string, enum: [A] }
    Store:
      type: object
      properties:
        id: { type: string }
        note: { type: string }
        paid: { type: boolean, default: true }
        state: { type: string, enum: [DONE] }
        live: { type: boolean, enum: [true] }
`,
  'old.json': JSON.stringify({
    swagger: '2.0',
    info: { title: 'Old', version: '1' },
    host: 'old.example.org',
    schemes: ['https'],
    paths: {
      '/old': {
        get: {
          operationId: 'listOld',
          produces: ['application/json'],
          parameters: [
            { name: 'page', in: 'query', type: 'integer', default: 1 },
            { name: 'meta', in: 'query', type: 'string', enum: ['yes'] },
            { name: 'X-Mode', in: 'header', type: 'string', default: 'test' },
          ],
          responses: {
            200: {
              description: 'ok',
              schema: { type: 'object', properties: { id: { type: 'string', default: 'a' } } },
            },
          },
        },
        post: {
          operationId: 'addOld',
          consumes: ['application/x-www-form-urlencoded'],
          produces: ['application/json'],
          parameters: [
            { name: 'name', in: 'formData', type: 'string' },
            { name: 'state', in: 'formData', type: 'string', default: 'open' },
            { name: 'kind', in: 'formData', type: 'string', enum: ['A'] },
          ],
          responses: { 200: { description: 'ok', schema: { type: 'object', properties: { id: { type: 'string' } } } } },
        },
      },
    },
  }),
  'pay.wadl': `<application xmlns="http://wadl.dev.java.net/2009/02" xmlns:x="http://www.w3.org/2001/XMLSchema"><resources base="https://pay.example.org/"><resource path="pay"><method name="GET" id="listPay"><request><param name="page" style="query" type="x:int" default="1"/><param name="deleted" style="query" type="x:boolean" fixed="true"/><param name="mode" style="query" type="x:string"><option value="test"/></param><param name="since" style="query" type="x:date" default="2020-01-31"/><param name="page-size" style="query" type="x:int" default="10"/></request><response><representation mediaType="application/json"/></response></method></resource></resources></application>`,
  'desk.wsdl': `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:desk" targetNamespace="urn:desk">
 <types><x:schema targetNamespace="urn:desk" elementFormDefault="qualified">
  <x:simpleType name="Yes"><x:restriction base="x:boolean"><x:pattern value="true|1"/></x:restriction></x:simpleType>
  <x:element name="UpdateDesk"><x:complexType><x:sequence>
    <x:element name="name" type="x:string"/>
    <x:element name="volume" type="x:int" minOccurs="0" default="7"/>
    <x:element name="forward" type="x:boolean" minOccurs="0" default="false"/>
    <x:element name="dryRun" type="x:boolean" minOccurs="0" fixed="true"/>
   </x:sequence>
   <x:attribute name="mode" type="x:string" default="basic"/>
   <x:attribute name="only" type="x:string" fixed="A"/>
   <x:attribute name="yes" type="t:Yes"/></x:complexType></x:element>
  <x:element name="UpdateDeskResponse"><x:complexType><x:sequence>
    <x:element name="state" type="x:string" minOccurs="0" fixed="OPEN"/>
    <x:element name="size" type="x:int" minOccurs="0" default="3"/>
    <x:element name="id" type="x:string" minOccurs="0"/>
    <x:element name="note" type="x:string" minOccurs="0"/>
   </x:sequence></x:complexType></x:element>
 </x:schema></types>
 <message name="i"><part name="p" element="t:UpdateDesk"/></message><message name="o"><part name="p" element="t:UpdateDeskResponse"/></message>
 <portType name="pt"><operation name="UpdateDesk"><input message="t:i"/><output message="t:o"/></operation></portType>
 <binding name="b" type="t:pt"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="UpdateDesk"><s:operation soapAction="urn:desk/UpdateDesk"/><input><s:body use="literal"/></input><output><s:body use="literal"/></output></operation></binding>
 <service name="Desk"><port name="p" binding="t:b"><s:address location="https://desk.example.org/"/></port></service>
</definitions>`,
} as const;
