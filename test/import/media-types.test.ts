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

const VERSIONS = `
openapi: 3.0.3
info: { title: Parts, version: '1' }
servers: [{ url: 'https://parts.example.org' }]
paths:
  /parts:
    get:
      operationId: readParts
      responses:
        '200':
          description: ok
          content:
            application/vnd.acme+json;version=1: { schema: { $ref: '#/components/schemas/Old' } }
            application/vnd.acme+json;version=2: { schema: { $ref: '#/components/schemas/New' } }
            application/vnd.acme+json;version="2": { schema: { $ref: '#/components/schemas/Old' } }
components:
  schemas:
    Old: { type: object, properties: { old: { type: string } } }
    New: { type: object, properties: { new: { type: string } } }
`;

it.each([
  'consumer',
  'provider',
] as const)('replies that differ in a parameter of their type are all carried by a %s', async (as) => {
  const { declared, losses } = await declaredOf({ 'parts.yaml': VERSIONS }, { as });
  expect(errorsOf(declared)).toEqual([]);
  const text = yamlOf(declared).service ?? '';
  expect(text).toMatch(/application\/vnd\.acme\+json;version=1"?: Old/);
  expect(text).toMatch(/application\/vnd\.acme\+json;version=2"?: New/);
  expect(losses.map(({ what }) => what)).toEqual([
    'the reply as application/vnd.acme+json;version="2", which differs from that as application/vnd.acme+json;version=2',
  ]);
});
