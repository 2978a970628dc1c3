import SwaggerParser from '@apidevtools/swagger-parser';
import { describe, expect, it } from 'vitest';
import { describeOpenApi, describeWadl, describeWsdl } from '../../src/describe/index.ts';
import type { Service } from '../../src/model/service.ts';
import { load } from '../load/linked.ts';
import { base } from './samples.ts';

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
