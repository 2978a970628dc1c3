import { describe, expect, it } from 'vitest';
import type { DraftDocument, DraftField, DraftOperation } from '../../src/import/draft.ts';
import { importContracts } from '../../src/import/index.ts';
import { readFrom } from './support.ts';

const WADL = `<application xmlns="http://wadl.dev.java.net/2009/02" xmlns:xsd="http://www.w3.org/2001/XMLSchema">
 <resources base="https://api.example.org/v2">
  <resource path="servers">
   <method name="GET" id="listServers">
    <request>
     <param name="limit" style="query" type="xsd:int" default="20"/>
     <param name="all" style="query" type="xsd:boolean" required="true"/>
     <param name="status" style="query" type="xsd:string"><option value="ACTIVE"/><option value="ERROR"/></param>
     <param name="tag" style="query" type="xsd:string" repeating="true"/>
     <param name="since" style="query" type="xsd:date"/>
     <param name="X-Auth-Token" style="header" type="xsd:string" required="true"/>
    </request>
    <response status="200"><representation mediaType="application/json"/></response>
   </method>
   <method name="POST" id="createServer">
    <request><representation mediaType="application/json"/></request>
    <response status="202"/>
   </method>
   <resource path="{server_id}/os-interfaces">
    <param name="server_id" style="template" type="xsd:string"/>
    <method name="GET" id="listInterfaces"><response status="200"/></method>
    <resource path="{interface-id}">
     <param name="interface-id" style="template" type="xsd:long"/>
     <method name="DELETE" id="deleteInterface"><response status="204"/></method>
     <method name="PUT" id="renameInterface">
      <request>
       <representation mediaType="application/x-www-form-urlencoded"><param name="name" style="query" type="xsd:string" required="true"/></representation>
      </request>
     </method>
    </resource>
   </resource>
  </resource>
 </resources>
</application>`;

const SWAGGER = `
swagger: '2.0'
info: { title: servers, version: Unknown }
host: api.example.org
basePath: /v2
schemes: [https]
consumes: [application/json]
produces: [application/json]
paths:
  /servers:
    get:
      operationId: listServers
      parameters:
        - { name: limit, in: query, type: integer, format: int32, default: 20 }
        - { name: all, in: query, type: boolean, required: true }
        - { name: status, in: query, type: string, enum: [ACTIVE, ERROR] }
        - { name: tag, in: query, type: array, items: { type: string }, collectionFormat: multi }
        - { name: since, in: query, type: string, format: date }
        - { name: X-Auth-Token, in: header, type: string, required: true }
      responses: { '200': { description: 200 response, schema: {} } }
    post:
      operationId: createServer
      parameters: [{ name: body, in: body, required: true, schema: {} }]
      responses: { '202': { description: 202 response } }
  /servers/{server_id}/os-interfaces:
    parameters: [{ name: server_id, required: true, in: path, type: string }]
    get:
      operationId: listInterfaces
      produces: []
      responses: { '200': { description: 200 response } }
  /servers/{server_id}/os-interfaces/{interface-id}:
    parameters:
      - { name: server_id, required: true, in: path, type: string }
      - { name: interface-id, required: true, in: path, type: integer, format: int64 }
    delete: { operationId: deleteInterface, responses: { '204': { description: 204 response } } }
    put:
      operationId: renameInterface
      consumes: [application/x-www-form-urlencoded]
      parameters: [{ name: name, in: formData, type: string, required: true }]
      responses: { '200': { description: ok } }
`;

/**
 * What calls an operation: method, path, names in the query, headers, form, status, and the fields with their types and options.
 * OpenAPI requires what its template writes out, `?all={all}`; WADL leaves it to the field. Any JSON is a field of the request in
 * WADL, and the request itself in OpenAPI: the same body.
 */
function callOf({ name, rest, request, status = 200 }: DraftOperation): unknown {
  const { method, uris, headers, form, body, template } = rest as NonNullable<typeof rest>;
  const documents = [template, request.kind === 'document' ? request.document : undefined];
  const all = documents.flatMap((document: DraftDocument | undefined) => document?.fields ?? []);
  const isAny = request.kind === 'raw' || all.some((field) => field.name === body && isJson(field));
  const fields = all.filter((field) => field.name !== body).map(fieldOf);
  return { name, method, uris: uris.map(partsOf), headers, form, isAny, status, fields: fields.sort() };
}

function partsOf(uri: string): readonly string[] {
  const [path = '', ...query] = uri.split(/[?&]|\{[?&]/);
  const names = query.flatMap((each) => each.replace(/=.*|\}$/g, '').split(','));
  return [path, ...names.filter((each) => each !== '').sort()];
}

const isJson = ({ type }: DraftField): boolean => type.kind === 'scalar' && type.word === 'json';

function fieldOf({ name, type, options: { xml: _, json: __, flat: ___, ...options } }: DraftField): string {
  const words =
    type.kind === 'list' && type.item.kind === 'scalar' ? `list of ${type.item.word}` : JSON.stringify(type);
  return `${name} ${type.kind === 'scalar' ? type.word : words} ${JSON.stringify(Object.entries(options).sort())}`;
}

describe('a service that is described in WADL and in OpenAPI 2.0', () => {
  it('has the same operations by both ways', async () => {
    const operationsOf = async (files: Readonly<Record<string, string>>) => {
      const [imported] = await importContracts(Object.keys(files), readFrom(files));
      return imported?.contract.services.flatMap((service) => [service.addresses, ...service.operations.map(callOf)]);
    };
    const wadl = await operationsOf({ 'servers.wadl': WADL });
    expect(wadl).toHaveLength(6);
    expect(wadl).toEqual(await operationsOf({ 'servers.yaml': SWAGGER }));
  });
});
