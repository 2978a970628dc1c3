import { expect, it } from 'vitest';
import { ImportError, importContracts } from '../../src/import/index.ts';
import { readFrom } from './support.ts';

it.each([
  ['an HTML page', '<!DOCTYPE html>\n<html><body><br></body></html>'],
  ['an HTML page', '<?xml version="1.0"?>\n<!-- a -->\n<html xmlns="http://www.w3.org/1999/xhtml"/>'],
  ['a SOAP message', '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body/></s:Envelope>'],
  ['OData metadata', '<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0"/>'],
  ['a discovery document (DISCO)', '<discovery xmlns="http://schemas.xmlsoap.org/disco/"/>'],
  ['a compressed archive', 'PK\u0003\u0004abc'],
  ['RAML', '#%RAML 1.0\ntitle: A\n'],
  ['a Postman collection', '{"info":{"_postman_id":"x","name":"n"},"item":[]}'],
  ['AsyncAPI', 'asyncapi: 2.6.0\ninfo: { title: a, version: "1" }\n'],
  ['AsyncAPI', '{"asyncapi":"2.6.0"}'],
  ['JSON Schema', '{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}'],
  ['Protocol Buffers', '// a\nsyntax = "proto3";\nmessage A { string b = 1; }\n'],
  ['a GraphQL schema', 'type Query { a: String }\n'],
  ['JSON with comments', '{ // c\n "openapi": "3.0.0", "paths": {} }'],
])('%s is refused by its name', async (name, text) => {
  const error = await importContracts(['a'], readFrom({ a: text })).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ImportError);
  expect(error).toMatchObject({ message: `a:1:1: ${name} is not read`, hint: expect.any(String) });
});

it('an invalid contract is not taken for another format', async () => {
  const text = 'x-source: "$schema: json-schema.org"\nopenapi: 3.0.3\ninfo: { title: "_postman_id" }\npaths: {}\n';
  await expect(importContracts(['a'], readFrom({ a: text }))).rejects.toThrow(/^a:3:.*version/);
});
