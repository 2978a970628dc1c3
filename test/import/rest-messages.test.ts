import { describe, expect, test } from 'vitest';
import { consumeRest } from '../trials/corpus/messages/rest/consumed.ts';
import { callRest } from '../trials/corpus/messages/rest.ts';
import type { ContractOutcome } from '../trials/corpus/messages.ts';
import { readFrom } from './support.ts';

// Requests and replies of imported contracts, written as OpenAPI's tables of styles and media types have them.

const ITEM = `
      type: object
      required: [sku, count]
      properties:
        sku: { type: string, pattern: '^[A-Z]{3}[0-9]$' }
        count: { type: integer, minimum: 1 }
        price: { type: number }
        tags: { type: array, items: { type: string } }
        size: { type: string, nullable: true }`;

const contract = (paths: string, schemas = `    Item:${ITEM}`): string => `openapi: 3.0.3
info: { title: Orders, version: '1' }
servers: [{ url: 'https://old.example.org/v1' }]
paths:
${paths}
components:
  schemas:
${schemas}
`;

const operation = (path: string, method: string, keys: string): string =>
  `  ${path}: { ${method}: { operationId: op, ${keys}, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } } } } }`;

const parameters = (...all: string[]): string => `parameters: [${all.map((each) => `{ ${each} }`).join(', ')}]`;
const text = 'schema: { type: string }';
const list = 'schema: { type: array, minItems: 1, items: { type: integer } }';

const CONTRACTS: Readonly<Record<string, string>> = {
  'parameters of a path': contract(
    operation(
      '/a/{plain}/{dot}/{semi}/{many}',
      'get',
      parameters(
        `name: plain, in: path, required: true, ${text}`,
        `name: dot, in: path, required: true, style: label, explode: true, ${list}`,
        `name: semi, in: path, required: true, style: matrix, explode: true, ${list}`,
        `name: many, in: path, required: true, ${list}`,
      ),
    ),
  ),
  'parameters of a query': contract(
    operation(
      '/a',
      'get',
      parameters(
        `name: one, in: query, required: true, ${text}`,
        `name: 'more[]', in: query, ${list}`,
        `name: joined, in: query, explode: false, ${list}`,
        `name: flag, in: query, schema: { type: boolean }`,
        `name: deep, in: query, style: deepObject, schema: { type: object, properties: { a: { type: string }, b: { type: integer } } }`,
      ),
    ),
  ),
  headers: contract(
    operation(
      '/a',
      'get',
      parameters(
        'name: X-One, in: header, required: true, schema: { type: integer }',
        'name: X-Flag, in: header, schema: { type: boolean }',
      ),
    ),
  ),
  'a reply of 200 without a body': contract(
    "  /a: { delete: { operationId: op, responses: { '200': { description: gone } } } }",
  ),
  'a body in JSON': contract(
    operation(
      '/a',
      'post',
      `requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } }`,
    ),
  ),
  'a body in XML, with lists inside an element': contract(
    "  /a: { post: { operationId: op, requestBody: { required: true, content: { application/xml: { schema: { $ref: '#/components/schemas/Pet' } } } }, responses: { '200': { description: ok, content: { application/xml: { schema: { $ref: '#/components/schemas/Pet' } } } } } } }",
    `    Pet: { type: object, required: [name], properties: { name: { type: string, xml: { attribute: true } }, photoUrls: { type: array, xml: { name: photos, wrapped: true }, items: { type: string, minLength: 1, xml: { name: photo } } }, words: { type: array, xml: { name: said, wrapped: true }, items: { type: string } }, tags: { type: array, xml: { wrapped: true }, items: { $ref: '#/components/schemas/Tag' } }, flat: { type: array, minItems: 1, items: { type: integer, xml: { name: number } } } } }
    Tag: { type: object, properties: { id: { type: integer } } }`,
  ),
  'a form with parts': contract(
    operation(
      '/a',
      'post',
      `requestBody: { required: true, content: { multipart/form-data: { schema: { type: object, required: [name], properties: { name: { type: string }, file: { type: string, format: binary }, item: { $ref: '#/components/schemas/Item' } } } } } }`,
    ),
  ),
};

const found = ({ reason, calls }: ContractOutcome) => ({
  reason,
  bad: calls.filter(({ finding }) => finding !== 'ok' && finding !== 'unmade'),
  calls: calls.some(({ finding }) => finding === 'ok'),
});
const good = { reason: undefined, bad: [], calls: true };

describe.each(Object.entries(CONTRACTS))('%s', (name, source) => {
  const read = readFrom({ '/contract.yaml': source });
  const options = { count: 12, seed: name };

  test('clients of the contract are served', async () => {
    expect(found(await callRest(name, '/contract.yaml', read, options))).toEqual(good);
  });

  test('servers of the contract are called', async () => {
    expect(found(await consumeRest(name, '/contract.yaml', read, options))).toEqual(good);
  });
});
