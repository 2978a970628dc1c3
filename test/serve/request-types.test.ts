import { expect, it } from 'vitest';
import { compileProvided } from '../../src/invoke/provided.ts';
import { loadTexts } from '../../src/load/index.ts';
import { declaredOf, errorsOf, yamlOf } from '../import/support.ts';
import { startTestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';

const DEFINITIONS = `service: Parts.v1
public: true
operations:
  CHANGE:
    patch: "parts/{ID}"
    request: { application/merge-patch+json: PART }
    response: { fields: { GIVEN: json } }
    handler: echo
  VERSIONED:
    post: versioned
    request: { application/vnd.acme+json;version=2: PART, application/vnd.acme+xml: PART }
    response: { fields: { GIVEN: json } }
    handler: echo
  ROWS: { put: rows, request: { text/csv: text }, response: { fields: { GIVEN: json } }, handler: echo }
  PICTURE: { post: picture, request: { image/png: binary }, handler: nothing }
  PLAIN: { post: plain, request: PART, response: { fields: { GIVEN: json } }, handler: echo }
---
document: PART
fields: { ID: integer, NAME: string }
`;

const HANDLERS = {
  'src/handlers/echo.ts': 'export default { onRequest: (given) => ({ GIVEN: { ...given } }) };\n',
  'src/handlers/nothing.ts': 'export default { onRequest: () => ({}) };\n',
};

async function gateway() {
  return startTestGateway({
    files: { 'definitions/gateway.yaml': gatewayText(''), 'definitions/parts.yaml': DEFINITIONS, ...HANDLERS },
  });
}

const PNG = Buffer.from([0x89, 0x50]);

it('a request is taken in the media types that it declares, and in the general one of their syntax', async () => {
  const { call, stop } = await gateway();
  const xml = '<PART xmlns="urn:x"/>';
  const cases: [string, string, string, string | Buffer, number][] = [
    ['PATCH', 'parts/7', 'application/merge-patch+json', '{"NAME":"a"}', 200],
    ['PATCH', 'parts/7', 'application/json; charset=utf-8', '{"NAME":"a"}', 200],
    ['PATCH', 'parts/7', 'application/json-patch+json', '[]', 415],
    ['PATCH', 'parts/7', 'application/xml', xml, 415],
    ['POST', 'versioned', 'application/vnd.acme+json;version=2', '{"NAME":"a"}', 200],
    ['POST', 'versioned', 'application/vnd.acme+json', '{"NAME":"a"}', 200],
    ['POST', 'versioned', 'application/vnd.acme+json;version=1', '{"NAME":"a"}', 415],
    ['POST', 'versioned', 'application/vnd.other+json', '{"NAME":"a"}', 415],
    ['POST', 'versioned', 'application/vnd.acme+xml', '<PART xmlns="urn:test:Parts.v1"><NAME>a</NAME></PART>', 200],
    ['POST', 'versioned', 'text/xml', '<PART xmlns="urn:test:Parts.v1"><NAME>a</NAME></PART>', 200],
    ['PUT', 'rows', 'text/csv', 'a,b', 200],
    ['PUT', 'rows', 'text/plain', 'a,b', 415],
    ['POST', 'picture', 'image/png', PNG, 204],
    ['POST', 'picture', 'application/octet-stream', PNG, 415],
    ['POST', 'plain', 'application/vnd.any+json', '{"NAME":"a"}', 200],
  ];
  const got = [];
  for (const [method, path, type, body] of cases) {
    const reply = await call(`/gateway/RESTListeningConnector/Parts.v1/${path}`, {
      method,
      headers: { 'content-type': type },
      body,
    });
    got.push([method, path, type, body, reply.status]);
  }
  expect(got).toEqual(cases);
  await stop();
});

it('a media type that is not taken is answered by 415, which names those that are', async () => {
  const { call, stop } = await gateway();
  const refused = async (method: string, path: string) => {
    const { status, headers, text } = await call(`/gateway/RESTListeningConnector/Parts.v1/${path}`, {
      ...{ method, headers: { 'content-type': 'text/html' }, body: '<p>' },
    });
    const { accept, 'accept-patch': patch, 'accept-post': post } = headers;
    return { status, accept, patch, post, detail: (JSON.parse(text) as { detail: string }).detail };
  };
  const types = 'application/merge-patch+json, application/json';
  expect(await refused('PATCH', 'parts/7')).toEqual({
    ...{ status: 415, accept: types, patch: types, post: undefined },
    detail: expect.stringContaining(types) as string,
  });
  const versioned = 'application/vnd.acme+json;version=2, application/vnd.acme+xml, application/json, application/xml';
  expect(await refused('POST', 'versioned')).toMatchObject({ status: 415, accept: versioned, post: versioned });
  expect(await refused('PUT', 'rows')).toMatchObject({ accept: 'text/csv', patch: undefined, post: undefined });
  await stop();
});

const openApi = (types: readonly string[]): string => `
openapi: 3.0.3
info: { title: Parts, version: '1' }
paths:
  /parts:
    patch:
      operationId: changePart
      requestBody:
        required: true
        content: { ${types.map((each) => `'${each}': { schema: { $ref: '#/components/schemas/Part' } }`).join(', ')} }
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Part' } } } } }
components: { schemas: { Part: { type: object, properties: { name: { type: string } } } } }
`;

const wadl = (type: string): string => `<application xmlns="http://wadl.dev.java.net/2009/02" xmlns:t="urn:parts">
  <grammars><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:parts" elementFormDefault="qualified">
    <xs:element name="Part"><xs:complexType><xs:sequence><xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
  </xs:schema></grammars>
  <resources base="https://parts.example.org"><resource path="parts"><method name="POST" id="addPart">
    <request><representation mediaType="${type}" element="t:Part"/></request>
  </method></resource></resources></application>`;

it.each([
  ['application/merge-patch+json'],
  ['application/vnd.acme.v2+json'],
  ['application/json', 'application/merge-patch+json'],
  ['application/vnd.acme+xml'],
])('a served contract takes and describes %s %s', async (...types) => {
  const { declared, losses } = await declaredOf({ 'parts.yaml': openApi(types) }, { as: 'provider' });
  expect([errorsOf(declared), losses]).toEqual([[], []]);
  const files = Object.entries(yamlOf(declared)).map(([name, text]) => [
    `definitions/${name}.yaml`,
    text.replace(/^permission: PARTNER$/m, 'public: true'),
  ]);
  const { call, stop } = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(''),
      ...Object.fromEntries(files),
      'src/handlers/change-part.ts': 'export default { onRequest: (given) => given };\n',
    },
  });
  const described = await call('/gateway/RESTListeningConnector/Parts.v1.openapi.json');
  const { paths } = JSON.parse(described.text) as {
    paths: Record<string, { patch: { requestBody: { content: object } } }>;
  };
  expect(Object.keys(Object.values(paths)[0]?.patch.requestBody.content ?? {})).toEqual(types);
  const inWadl = await call('/gateway/RESTListeningConnector/Parts.v1.wadl');
  for (const type of types) expect(inWadl.text).toContain(`mediaType="${type}"`);
  const html = await call('/gateway/RESTListeningConnector/Parts.v1/parts', {
    ...{ method: 'PATCH', headers: { 'content-type': 'text/html' }, body: '<p>' },
  });
  expect([html.status, html.headers['accept-patch']]).toEqual([415, expect.stringContaining(types.join(', '))]);
  await stop();
});

it.each(['application/vnd.acme+xml', 'application/vnd.acme.v2+json'])('a served WADL takes %s', async (type) => {
  const { declared } = await declaredOf({ 'parts.wadl': wadl(type) }, { as: 'provider' });
  expect(errorsOf(declared)).toEqual([]);
  expect(yamlOf(declared).service).toContain(`request: { ${type}: `);
});

it.each([
  ['get: parts\n    request: { application/json: PART }', 'GET has no body'],
  ['post: parts\n    request: { text/csv: PART }', 'the body is a document, which is JSON or XML'],
  ['post: parts\n    request: { application/json: PART, application/xml: OTHER }', 'application/xml differs from'],
  ['post: parts\n    form: multipart\n    request: { application/json: PART }', 'form: multipart has its own'],
  ['soap: true\n    request: { application/json: PART }', 'that of the envelope'],
])('check refuses a media type that a request can not have: %s', (text, reason) => {
  const documents = 'document: PART\nfields: { NAME: string }\n---\ndocument: OTHER\nfields: { NAME: string }\n';
  const service = `service: Parts.v1\npublic: true\noperations:\n  ONE:\n    ${text}\n---\n${documents}`;
  const { diagnostics } = loadTexts(
    new Map([
      ['definitions/gateway.yaml', 'gateway: LOCAL\n'],
      ['definitions/parts.yaml', service],
    ]),
  );
  expect(diagnostics.map(({ message }) => message).join('\n')).toContain(reason);
});

it.each([
  ['{ application/vnd.acme.v2+json: PART }', '', []],
  [
    '{ application/json: PART, application/vnd.acme.v2+json: PART }',
    '',
    ['A call sends its request in one media type'],
  ],
  ['{ text/csv: PART }', '', ['must be a type of JSON or XML']],
  ['{ application/json: PART }', 'headers: { Content-Type: text/json }', ['both say what is sent']],
])('a call sends its request as %s %s', (request, headers, reasons) => {
  const text = `service: Partner.v1
target: PARTNER
operations:
  ADD: { post: parts, request: ${request}${headers === '' ? '' : `, ${headers}`}, public: true }
---
node: PARTNER
base: https://partner.example.org
---
document: PART
fields: { NAME: string }
`;
  const { diagnostics, registry } = loadTexts(
    new Map([
      ['definitions/gateway.yaml', 'gateway: LOCAL\n'],
      ['definitions/partner.yaml', text],
    ]),
  );
  const messages = diagnostics.map(({ message }) => message);
  expect(messages).toEqual(reasons.map((each) => expect.stringContaining(each) as string));
  const [call] = registry?.services.get('Partner.v1')?.consumers ?? [];
  const sent = call?.kind === 'rest' ? call.headers.map(({ name, text: { source } }) => [name, source]) : [];
  if (reasons.length === 0) expect(sent).toEqual([['Content-Type', 'application/vnd.acme.v2+json']]);
});

it.each(['ROWS', 'list of PART'])('a reply as text/csv is a text: %s is refused, and not sent as JSON', (message) => {
  const text = `service: Parts.v1
public: true
operations:
  READ: { get: parts, response: { text/csv: ${message} } }
---
document: PART
fields: { NAME: string }
---
document: ROWS
fields: { ROW: list of PART }
`;
  const { diagnostics } = loadTexts(
    new Map([
      ['definitions/gateway.yaml', 'gateway: LOCAL\n'],
      ['definitions/parts.yaml', text],
    ]),
  );
  expect(diagnostics.map(({ message: each }) => each)).toEqual([
    expect.stringContaining("A reply as text/csv can't be"),
  ]);
});

it.each([
  ['ROWS', { content: 'a,b' }, 'text/csv'],
  ['CHANGE', { ID: 7n, NAME: 'a' }, 'application/merge-patch+json'],
  ['PLAIN', { NAME: 'a' }, 'application/json'],
])('the console sends a request of %s in the type that it declares', (id, input, type) => {
  const { registry } = loadTexts(
    new Map([
      ['definitions/gateway.yaml', gatewayText('')],
      ['definitions/parts.yaml', DEFINITIONS],
    ]),
  );
  const operation = registry?.operations.get(id);
  if (registry === undefined || operation === undefined) throw new Error('the definitions are not valid');
  const { headers } = compileProvided(registry, operation, { kind: 'rest', uriIndex: 1 }).write(input);
  expect(headers['Content-Type']).toBe(type);
});

it('OPTIONS names the media types of the requests that a path takes (RFC 5789, section 3.1)', async () => {
  const { call, stop } = await gateway();
  const told = async (path: string) => {
    const { status, headers } = await call(`/gateway/RESTListeningConnector/Parts.v1/${path}`, { method: 'OPTIONS' });
    return [status, headers.allow, headers['accept-patch'], headers['accept-post']];
  };
  expect(await told('parts/7')).toEqual([
    204,
    'PATCH, OPTIONS',
    'application/merge-patch+json, application/json',
    undefined,
  ]);
  expect(await told('picture')).toEqual([204, 'POST, OPTIONS', undefined, 'image/png']);
  expect(await told('rows')).toEqual([204, 'PUT, OPTIONS', undefined, undefined]);
  await stop();
});
