import { expect, it } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from './support.ts';

const openApi = (request: string, reply: string): string => `
openapi: 3.0.3
info: { title: Parts, version: '1' }
servers: [{ url: 'https://parts.example.org' }]
paths:
  /parts:
    patch:
      operationId: changePart
      requestBody: { required: true, content: { '${request}': { schema: { $ref: '#/components/schemas/Part' } } } }
      responses: { '200': { description: ok, content: { '${reply}': { schema: { $ref: '#/components/schemas/Part' } } } } }
components: { schemas: { Part: { type: object, properties: { name: { type: string } } } } }
`;

async function serviceOf(request: string, reply: string, as: 'consumer' | 'provider' = 'consumer') {
  const { declared, losses } = await declaredOf({ 'parts.yaml': openApi(request, reply) }, { as });
  expect(errorsOf(declared)).toEqual([]);
  return { text: yamlOf(declared).service ?? '', losses };
}

it.each([
  'application/merge-patch+json',
  'application/vnd.api+json',
  'application/vnd.acme.v2+json',
  'application/json;version=1',
  'application/vnd.acme+xml',
  'text/xml',
])('the media type %s of a contract is that of calls and of what they accept', async (type) => {
  const { text, losses } = await serviceOf(type, type);
  expect(text).toContain(`Content-Type: ${type}`);
  expect(text).toContain(`response: { ${type}: Part }`);
  expect(losses).toEqual([]);
});

it('application/json is named in the replies of calls, which are not asked for in XML, and nowhere else', async () => {
  const { text } = await serviceOf('application/json', 'application/json');
  expect(text).toContain('request: Part, response: { application/json: Part }');
  expect(text).not.toContain('Content-Type');
  const served = await serviceOf('application/json', 'application/json', 'provider');
  expect(served.text).not.toMatch(/Content-Type|application/);
});

it.each(['application/vnd.api+json', 'application/json;version=1'])('a served contract answers %s', async (type) => {
  const { text } = await serviceOf('application/json', type, 'provider');
  expect(text).toContain(`response: { ${type}: Part }`);
});
