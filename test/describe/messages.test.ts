import SwaggerParser from '@apidevtools/swagger-parser';
import { describe, expect, it } from 'vitest';
import { describeOpenApi, describeWadl, describeWsdl } from '../../src/describe/index.ts';
import type { Service } from '../../src/model/service.ts';
import { load } from '../load/linked.ts';
import { hasXmllint, validateXml, wsdlSchema } from '../support/xmllint.ts';
import { RULES } from './basic-profile.ts';
import { base } from './samples.ts';
import { readWsdl } from './wsdl-reader.ts';

const registry = load(`queue: LOCATION_EVENTS
---
service: LocationEvents.v1
public: true
operations:
  LOCATION_CHANGED:
    post: changed
    soap: true
    request: { fields: { LOCATION: { type: string(10), required: true } } }
    queue: LOCATION_EVENTS
`);
const service = registry.services.get('LocationEvents.v1') as Service;

describe('an operation that publishes messages, in contracts', () => {
  it('answers 202 with the id and the address of the message in OpenAPI', async () => {
    const api = JSON.parse(describeOpenApi(registry, service, { base }));
    await expect(SwaggerParser.validate(structuredClone(api))).resolves.toBeDefined();
    const { responses } = api.paths['/LocationEvents.v1/changed'].post;
    expect(Object.keys(responses).filter((status) => status < '300')).toEqual(['202']);
    expect(responses['202']).toMatchObject({
      description: 'Accepted: the message is stored, and is delivered afterwards.',
      headers: { Location: { schema: { type: 'string', format: 'uri' } } },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/LOCATION_CHANGED_RECEIPT' } } },
    });
    expect(api.components.schemas.LOCATION_CHANGED_RECEIPT).toMatchObject({
      properties: { message: { type: 'string', format: 'uuid' } },
      required: ['message'],
    });
  });

  it('answers 202 in WADL', () => {
    expect(describeWadl(registry, service, { base })).toContain('<response status="202">');
  });

  it('is one-way in WSDL: it has no output and no fault', () => {
    const wsdl = describeWsdl(registry, service, { base });
    expect(wsdl).toMatch(/<wsdl:operation name="LOCATION_CHANGED">[\s\S]*?<wsdl:input [^>]*\/>\s*<\/wsdl:operation>/);
    expect(wsdl).not.toContain('LOCATION_CHANGEDResponse');
  });
});

describe('an operation whose reply is sent to its caller, in contracts', () => {
  const replying = load(`queue: ORDERS
---
{ node: SHOP, base: "https://shop.example.org/hooks" }
---
document: ORDER
fields: { NUMBER: { type: integer, required: true }, CALLBACK: { type: string(500), json: call/back } }
---
document: RESULT
fields: { PRICE: decimal(8.2) }
---
service: Orders.v1
public: true
operations:
  BY_BODY:
    post: body
    soap: true
    request: ORDER
    response: RESULT
    queue: ORDERS
    reply-to: { nodes: SHOP, field: CALLBACK }
  BY_QUERY: { post: "query{?CALLBACK}", request: ORDER, response: { application/xml: RESULT }, queue: ORDERS, reply-to: { nodes: SHOP, field: CALLBACK } }
  BY_HEADER: { post: header, headers: { X-Back: "{CALLBACK}" }, request: ORDER, response: RESULT, queue: ORDERS, reply-to: { nodes: SHOP, field: CALLBACK } }
  OVER_SOAP: { post: soap, soap: true, request: ORDER, response: RESULT, queue: ORDERS, reply-to: SHOP }
  PLAIN: { soap: true, request: ORDER, queue: ORDERS }
---
{ subscription: A, operation: BY_BODY, handler: answers, gives-reply: true }
---
{ subscription: B, operation: BY_QUERY, handler: answers, gives-reply: true }
---
{ subscription: C, operation: BY_HEADER, handler: answers, gives-reply: true }
---
{ subscription: D, operation: OVER_SOAP, handler: answers, gives-reply: true }
`);
  const orders = replying.services.get('Orders.v1') as Service;

  it('has a callback in OpenAPI, at the address in its request', async () => {
    const api = JSON.parse(describeOpenApi(replying, orders, { base }));
    await expect(SwaggerParser.validate(structuredClone(api))).resolves.toBeDefined();
    const callbackOf = (path: string) => Object.entries(api.paths[`/Orders.v1/${path}`].post.callbacks?.reply ?? {})[0];
    const [address, { post }] = callbackOf('body') as [string, Record<string, never>];
    expect(address).toBe('{$request.body#/call~1back}');
    expect(post).toMatchObject({
      parameters: [{ name: 'X-Correlation-ID', in: 'header' }, { name: 'Idempotency-Key' }],
      requestBody: {
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/RESULT' } },
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    });
    expect(callbackOf('query')?.[0]).toBe('{$request.query.CALLBACK}');
    expect(callbackOf('query')?.[1]).toMatchObject({ post: { requestBody: { content: { 'application/xml': {} } } } });
    expect(callbackOf('header')?.[0]).toBe('{$request.header.X-Back}');
    expect(callbackOf('soap')).toBeUndefined();
  });

  const wsdl = describeWsdl(replying, orders, { base });

  it('has an output with its action in WSDL, and a policy of WS-Addressing that is optional', () => {
    expect(wsdl).toMatch(
      /<wsdl:output message="tns:BY_BODYResponse" wsam:Action="urn:signalbox:local:Orders.v1:BY_BODYResponse"/,
    );
    expect(wsdl.match(/wsp:Optional="true">\s*<wsp:Policy>\s*<wsam:NonAnonymousResponses\/>/g)).toHaveLength(2);
    expect(wsdl).not.toContain('PLAINResponse');
    for (const [rule, , broken] of RULES) expect(broken(readWsdl(wsdl)), rule).toEqual([]);
  });

  it.skipIf(!hasXmllint || wsdlSchema === undefined)(
    'is valid by the schemas of WSDL and SOAP (needs xmllint and ../shared/corpus)',
    () => {
      expect(validateXml(wsdlSchema as NonNullable<typeof wsdlSchema>, [wsdl])).toBe('');
    },
  );
});
