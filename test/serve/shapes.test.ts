import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Call, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';
import { bodyOf, envelope, post as postSoap } from './soap-client.ts';

// Documents of the shapes that JSON has, through a provider and a consumer of it, in every form of a message.

const DOCUMENTS = `document: TAG
fields: { NAME: { type: string(10), required: true } }
---
document: NOTES
fields:
  ID: { type: integer, required: true }
  NOTE: { type: string(5), nullable: true }
  PRICE: { type: decimal(10.2), nullable: true, required: true }
  TAG: { type: TAG, nullable: true }
  TAGS: { type: list of TAG, nullable: true }
  BYTES: { type: binary, nullable: true }
---
`;

const OPERATIONS: Readonly<Record<string, string>> = { NOTES: 'NOTES' };

const PROVIDER = `${DOCUMENTS}service: Shapes.v1
public: true
operations:
${Object.entries(OPERATIONS)
  .map(
    ([id, shape]) => `  ${id}_POST: { post: ${id}, request: ${shape}, response: ${shape}, soap: ${id}, handler: back }`,
  )
  .join('\n')}
  ROWS_GET: { get: Rows, query: PETS }
  LISTED_GET: { get: Listed, query: PETS, response: list of PET }
  RECORD_PUT: { put: "Records/{ID}", save: RECORDS }
  RECORD_PATCH: { patch: "Records/{ID}", save: RECORDS }
  RECORD_GET: { get: "Records/{ID}", read: RECORDS }
---
document: PET
fields: { NAME: string, LEGS: { type: integer, nullable: true }, COLOUR: string }
---
query: PETS
public: true
columns: { NAME: string, LEGS: { type: integer, nullable: true }, COLOUR: string }
sql: "select 'Nemo' as NAME, null as LEGS, null as COLOUR"
---
document: RECORD
fields: { ID: { type: string, required: true }, SIZE: { type: integer, nullable: true, required: true }, NOTE: { type: string, nullable: true }, OLD: string }
---
component: RECORDS
table: records
shape: RECORD
keys: [ID]
`;

const CONSUMER = `${DOCUMENTS}node: UPSTREAM
base: \${env:UPSTREAM_URL}/gateway/RESTListeningConnector/Shapes.v1
---
node: UPSTREAM_SOAP
base: \${env:UPSTREAM_URL}/gateway/PeopleSoftServiceListeningConnector
---
service: Shapes.v1
namespace: urn:test:Shapes.v1
permission: EVERYTHING
operations:
${Object.entries(OPERATIONS)
  .map(([id, shape]) =>
    [
      `  UP_${id}: { target: UPSTREAM, post: ${id}, request: ${shape}, response: ${shape} }`,
      `  XML_${id}: { target: UPSTREAM, post: ${id}, request: ${shape}, headers: { Content-Type: application/xml, Accept: application/xml }, response: { application/xml: ${shape} } }`,
      `  ${id}: { target: UPSTREAM_SOAP, soap: true, request: ${shape}, response: ${shape} }`,
    ].join('\n'),
  )
  .join('\n')}
---
service: Front.v1
permission: EVERYTHING
operations:
${Object.entries(OPERATIONS)
  .flatMap(([id, shape]) =>
    [`UP_${id}`, `XML_${id}`, id].map(
      (call) => `  FRONT_${call}: { post: ${call}, request: ${shape}, call: ${call}, response: ${shape} }`,
    ),
  )
  .join('\n')}
`;

let provider: TestGateway;
let consumer: TestGateway;
beforeAll(async () => {
  provider = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText('sample-data: data/*.sql'),
      'definitions/shapes.yaml': PROVIDER,
      'definitions/data/records.sql':
        'create table records (id text primary key, size integer, note text, old text);\n',
      'src/handlers/back.ts': 'export default { onRequest: (given) => given };\n',
    },
  });
  consumer = await startTestGateway({
    files: { 'definitions/gateway.yaml': gatewayText(), 'definitions/shapes.yaml': CONSUMER },
    env: { UPSTREAM_URL: `http://127.0.0.1:${provider.port}` },
  });
});
afterAll(async () => {
  await consumer?.stop();
  await provider?.stop();
});

const call = (path: string, options?: Call): Promise<Reply> =>
  provider.call(`/gateway/RESTListeningConnector/Shapes.v1/${path}`, options);

const send = (body: string, type = 'json', accept = type, method = 'POST'): Call => ({
  method,
  body,
  headers: { 'content-type': `application/${type}`, accept: `application/${accept}` },
});

const NAMESPACE = 'urn:test:Shapes.v1';
const NIL = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"';
const element = (name: string, content: string): string => `<${name} xmlns="${NAMESPACE}">${content}</${name}>`;

/** A value in JSON, and the content of its element. */
interface Sample {
  readonly id: string;
  readonly json: string;
  readonly xml: string;
}

const SAMPLES: readonly Sample[] = [
  {
    id: 'NOTES',
    json: '{"ID":1,"NOTE":null,"PRICE":null,"TAG":null,"TAGS":null,"BYTES":null}',
    xml: `<ID>1</ID><NOTE ${NIL}/><PRICE ${NIL}/><TAG ${NIL}/><TAGS ${NIL}/><BYTES ${NIL}/>`,
  },
  { id: 'NOTES', json: '{"ID":1,"PRICE":null,"TAGS":[]}', xml: `<ID>1</ID><PRICE ${NIL}/><TAGS/>` },
  {
    id: 'NOTES',
    json: '{"ID":1,"NOTE":"","PRICE":1.50,"TAG":{"NAME":"a"},"TAGS":[{"NAME":"b"}],"BYTES":"aGVsbG8="}',
    xml: '<ID>1</ID><NOTE/><PRICE>1.50</PRICE><TAG><NAME>a</NAME></TAG><TAGS><TAG><NAME>b</NAME></TAG></TAGS><BYTES>aGVsbG8=</BYTES>',
  },
];

describe.each(SAMPLES)('$json', ({ id, json, xml }) => {
  it('is the same over REST in JSON and XML, and over SOAP', async () => {
    const whole = element(OPERATIONS[id] as string, xml);
    expect((await call(id, send(json))).text).toBe(json);
    expect((await call(id, send(json, 'json', 'xml'))).text).toBe(whole);
    expect((await call(id, send(whole, 'xml'))).text).toBe(whole);
    expect((await call(id, send(whole, 'xml', 'json'))).text).toBe(json);
    const reply = await postSoap(provider, envelope(element(id, xml)));
    expect(bodyOf(reply)).toBe(element(`${id}Response`, xml));
  });

  it('is the same through calls over REST in JSON and XML, and over SOAP', async () => {
    for (const name of [`UP_${id}`, `XML_${id}`, id]) {
      const reply = await consumer.call(`/gateway/RESTListeningConnector/Front.v1/${name}`, send(json));
      expect([name, reply.text]).toEqual([name, json]);
    }
  });
});

describe('a nullable field', () => {
  it.each([
    ['NOTES', '{"ID":1}', 'PRICE is missing.'],
    ['NOTES', '{"ID":null,"PRICE":null}', 'ID is missing.'],
    ['NOTES', '{"ID":1,"PRICE":null,"TAGS":[null]}', 'TAGS[0] is null, not an object'],
  ])('%s refuses %s', async (id, json, reason) => {
    const reply = await call(id, send(json));
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('is null where the column of a query is NULL, and others are left out', async () => {
    expect((await call('Rows')).text).toBe('{"rows":[{"NAME":"Nemo","LEGS":null}]}');
    expect((await call('Rows', { headers: { accept: 'application/xml' } })).text).toContain(
      `<row><NAME>Nemo</NAME><LEGS ${NIL}/></row>`,
    );
    expect((await call('Listed')).text).toBe('[{"NAME":"Nemo","LEGS":null}]');
  });

  it('of a record is null where its column is NULL, and null in a change clears it', async () => {
    const put = (body: string): Promise<Reply> => call('Records/a', send(body, 'json', 'json', 'PUT'));
    const change = (body: string): Promise<Reply> => call('Records/a', send(body, 'json', 'json', 'PATCH'));
    expect((await put('{"OLD":"x"}')).text).toContain('SIZE is missing');
    expect((await put('{"SIZE":null,"OLD":"x"}')).status).toBe(201);
    expect((await call('Records/a')).text).toBe('{"ID":"a","SIZE":null,"NOTE":null,"OLD":"x"}');
    expect((await change('{"SIZE":5,"NOTE":"n"}')).text).toBe('{"ID":"a","SIZE":5,"NOTE":"n","OLD":"x"}');
    expect((await change('{"SIZE":null,"NOTE":null,"OLD":null}')).text).toBe('{"ID":"a","SIZE":null,"NOTE":null}');
  });
});
