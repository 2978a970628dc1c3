import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareTexts } from '../diff/sample.ts';
import { declaredOf, errorsOf, yamlOf } from '../import/support.ts';
import { inOut, message, service, types, wsdl } from '../import/wsdl/wsdl-text.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';
import { envelope, post } from './soap-client.ts';

// Integers without bounds of 64 bits: xs:integer of contracts, and `big-integer` of definitions.

const LONG = '123456789012345678901234567890123456789';

const FIELDS = `<xs:element name="any" type="xs:integer"/>
<xs:element name="serial" type="xs:unsignedLong" minOccurs="0"/>
<xs:element name="digits" minOccurs="0"><xs:simpleType><xs:restriction base="xs:integer"><xs:totalDigits value="22"/></xs:restriction></xs:simpleType></xs:element>
<xs:element name="one" minOccurs="0"><xs:simpleType><xs:restriction base="xs:integer"><xs:enumeration value="1"/><xs:enumeration value="99999999999999999999"/></xs:restriction></xs:simpleType></xs:element>
<xs:element name="small" minOccurs="0"><xs:simpleType><xs:restriction base="xs:nonNegativeInteger"><xs:maxInclusive value="99"/></xs:restriction></xs:simpleType></xs:element>
<xs:element name="many" type="xs:negativeInteger" minOccurs="0" maxOccurs="unbounded"/>`;

const element = (name: string): string =>
  `<xs:element name="${name}"><xs:complexType><xs:sequence>${FIELDS}</xs:sequence></xs:complexType></xs:element>`;

const WSDL = wsdl(
  types(element('count') + element('counted')) +
    message('count', 'element="t:count"') +
    message('counted', 'element="t:counted"') +
    service({ count: inOut('count', 'counted') }),
);

const OPENAPI = `openapi: 3.1.0
info: { title: Meters, version: '1' }
servers: [{ url: 'https://meters.example.org' }]
paths:
  /meters:
    post:
      operationId: readMeter
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Meter' } } } }
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Meter' } } } } }
components:
  schemas:
    Meter:
      type: object
      properties:
        reading: { type: integer, format: uint64 }
        most: { type: integer, maximum: 1000000000000000000001 }
        plain: { type: integer }
        other: { type: integer, minimum: 0 }
        shown: { type: integer, example: 12345678901234567890 }
        listed: { type: integer, examples: [1, 12345678901234567890] }
        usual: { type: integer, default: 98765432109876543210 }
        wide: { type: integer, format: uint256 }
        beyond: { type: integer, format: int64, default: 18446744073709551615, example: 18446744073709551615 }
        one: { type: integer, format: int64, default: 1.0, example: 2e3 }
        exact: { type: integer, format: int64, example: 9007199254740993 }
        long: { type: integer, format: int64, maximum: 9223372036854775807 }
`;

const RELAY = `service: Relay.v1
permission: EVERYTHING
operations:
  RELAY: { post: relay, request: count, response: counted, call: count }
`;

const OWN = `document: ROW
fields:
  ID: { type: big-integer, required: true }
  AMOUNT: { type: big-integer, minimum: 0, maximum: 99999999999999999999999999 }
  KEPT: { type: big-integer, default: 123456789012345678901234567890 }
---
component: ROWS
table: counts
shape: ROW
keys: [ID]
---
query: NARROW
public: true
sql: select n from narrow where n >= :LEAST
prompts: { LEAST: big-integer }
columns: { N: big-integer }
---
service: Own.v1
public: true
operations:
  ROW_SAVE: { put: "rows/{ID}", save: ROWS }
  ROW_READ: { get: "rows/{ID}", read: ROWS }
  NARROW_GET: { get: "narrow{?LEAST}", query: NARROW }
  TYPES: { post: types, request: ROW, response: { fields: { KINDS: text } } }
`;

let gateway: TestGateway;
let relaying: TestGateway;
let partner: Server;
const got: string[] = [];
let files: Readonly<Record<string, string>>;

beforeAll(async () => {
  partner = createServer(async (request, response) => {
    const body = await text(request);
    got.push(body);
    response
      .writeHead(200, { 'Content-Type': 'text/xml; charset=utf-8' })
      .end(body.replaceAll(/(<\/?(?:\w+:)?)count\b/g, '$1counted'));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => partner.once('listening', resolve));
  const { declared, losses } = await declaredOf({ 'counts.wsdl': WSDL }, { as: 'provider' });
  expect(errorsOf(declared)).toEqual([]);
  expect(losses).toEqual([]);
  files = yamlOf(declared);
  const called = Object.entries(yamlOf((await declaredOf({ 'counts.wsdl': WSDL })).declared));
  relaying = await startTestGateway({
    files: {
      ...Object.fromEntries(
        called.map(([name, yaml]) => [
          `definitions/${name}.yaml`,
          yaml.replace('permission: PARTNER', 'permission: EVERYTHING'),
        ]),
      ),
      'definitions/gateway.yaml': gatewayText(),
      'definitions/relay.yaml': RELAY,
    },
    env: { PARTNER_URL: `http://127.0.0.1:${(partner.address() as AddressInfo).port}/` },
  });
  const own = Object.entries(files).map(([name, yaml]) => [
    `definitions/${name}.yaml`,
    yaml
      .replace('permission: PARTNER', 'permission: EVERYTHING')
      .replace(/^( +)count:\n/m, '$1count:\n$1  handler: count\n'),
  ]);
  gateway = await startTestGateway({
    files: {
      ...Object.fromEntries(own),
      'definitions/gateway.yaml': gatewayText('sample-data: data/*.sql'),
      'definitions/data/tables.sql':
        'create table counts (id text primary key, amount text, kept text);\ncreate table narrow (n integer);\ninsert into narrow values (7);',
      'definitions/own.yaml': OWN,
      'src/handlers/count.ts': 'export default { onRequest: (given) => given };\n',
      'src/handlers/types.ts':
        'export default { onRequest: ({ ID, AMOUNT, KEPT }) => ({ KINDS: [ID, AMOUNT, KEPT].map((each) => `${typeof each} ${each}`).join() }) };\n',
    },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await relaying?.stop();
  partner.close();
});

const own = (path: string): string => `/gateway/RESTListeningConnector/Own.v1/${path}`;

async function send(method: string, path: string, body: string) {
  return gateway.call(own(path), { method, headers: { 'Content-Type': 'application/json' }, body });
}

describe('integers of a contract in XML', () => {
  it('have 64 bits where its bounds say so, and are of any size elsewhere', () => {
    const yaml = Object.values(files).join('\n');
    expect(yaml).toMatch(/any: \{? ?type: big-integer/);
    expect(yaml).toMatch(/small: \{ type: integer/);
  });

  it.each([
    `<any>${LONG}</any>`,
    `<any>-${LONG}</any><serial>18446744073709551615</serial>`,
    '<any>1</any><digits>1234567890123456789012</digits><one>99999999999999999999</one>',
    `<any>0</any><small>99</small><many>-1</many><many>-${LONG}</many>`,
  ])('are served to the last digit: %s', async (fields) => {
    const { status, text: reply } = await post(gateway, envelope(`<count xmlns="urn:t">${fields}</count>`));
    expect(status, reply).toBe(200);
    expect(reply.replaceAll(/ ?xmlns="[^"]*"/g, '')).toContain(fields);
  });

  it.each([
    ['<any>1</any><serial>18446744073709551616</serial>', 'is greater than 18446744073709551615'],
    ['<any>1</any><digits>12345678901234567890123</digits>', 'has more than 22 digits'],
    ['<any>1</any><one>99999999999999999998</one>', 'not one of 1, 99999999999999999999'],
    ['<any>1</any><small>100</small>', 'is greater than 99'],
    [`<any>${'9'.repeat(1001)}</any>`, 'has more than 1000 digits'],
  ])('are refused beyond what the contract allows: %s', async (fields, reason) => {
    const { text: reply } = await post(gateway, envelope(`<count xmlns="urn:t">${fields}</count>`));
    expect(reply).toContain(reason);
  });
});

describe('integers of a contract that is called', () => {
  it('are sent and returned to the last digit', async () => {
    const body = `{"any":-${LONG},"serial":18446744073709551615,"small":7,"many":[-1,-${LONG}]}`;
    const reply = await relaying.call('/gateway/RESTListeningConnector/Relay.v1/relay', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    expect(reply.text).toBe(body);
    expect(got.at(-1)).toMatch(new RegExp(`any>-${LONG}<[^]*serial>18446744073709551615<`));
  });
});

describe('integers of a contract in JSON', () => {
  it('are of any size where its format or its bounds say so', async () => {
    const { declared, losses } = await declaredOf({ 'meters.yaml': OPENAPI });
    expect(errorsOf(declared)).toEqual([]);
    expect(losses.map(({ what, kind }) => [what, kind])).toEqual([
      ['integers without a format or bounds', 'note'],
      ['the default 18446744073709551615', 'value'],
    ]);
    const yaml = Object.values(yamlOf(declared)).join('\n');
    expect(yaml).toMatch(/shown: \{ type: big-integer, example: "?12345678901234567890"? \}/);
    expect(yaml).toMatch(/listed: \{ type: big-integer, example: 1 \}/);
    expect(yaml).toMatch(/usual: \{ type: big-integer, assumed: "?98765432109876543210"? \}/);
    expect(yaml).toMatch(/beyond: long\n/);
    expect(yaml).toMatch(/one: \{ type: long, example: 2000, assumed: 1 \}/);
    expect(yaml).toMatch(/wide: big-integer\n/);
    expect(yaml).toMatch(/other: \{ type: integer, minimum: 0 \}/);
    expect(yaml).toMatch(/exact: \{ type: long, example: "?9007199254740993"? \}/);
    expect(yaml).toMatch(/reading:.*big-integer.*18446744073709551615/);
    expect(yaml).toMatch(/most:.*big-integer.*1000000000000000000001/);
    expect(yaml).toMatch(/plain: integer\n/);
    expect(yaml).toMatch(/long: long\n/);
  });
});

describe('integers of any size in definitions', () => {
  it.each([LONG, `-${LONG}`, '7', '9007199254740993'])('are saved and read: %s', async (id) => {
    const body = `{"ID":${id},"AMOUNT":18446744073709551616,"KEPT":${id}}`;
    expect((await send('PUT', `rows/${id}`, body)).text).toBe(body);
    expect((await gateway.call(own(`rows/${id}`))).text).toBe(body);
  });

  it('are numbers in code where these keep the digits, and bigints elsewhere', async () => {
    const reply = await send('POST', 'types', '{"ID":5,"AMOUNT":18446744073709551616}');
    expect(reply.text).toBe('{"KINDS":"number 5,bigint 18446744073709551616,bigint 123456789012345678901234567890"}');
  });

  it('are refused out of their bounds, and by a database that would round them', async () => {
    const beyond = await send('POST', 'types', '{"ID":5,"AMOUNT":100000000000000000000000000}');
    expect(beyond.text).toContain('AMOUNT is greater than 99999999999999999999999999');
    expect((await gateway.call(own('narrow?LEAST=7'))).text).toContain('7');
    const rounded = await gateway.call(own('narrow?LEAST=18446744073709551616'));
    expect(rounded.status, rounded.text).toBe(400);
    expect(rounded.text).toContain('LEAST is beyond the integers that the database holds');
  });
});

it('a change between an integer and a big-integer is a change of its bounds', () => {
  const ofType = (type: string): string =>
    `service: A.v1\npublic: true\noperations:\n  PUT: { post: a, request: A, response: none }\n---\ndocument: A\nfields: { X: ${type} }\n`;
  const rules = (before: string, after: string) => compareTexts(ofType(before), ofType(after)).map(({ rule }) => rule);
  expect(rules('integer', 'big-integer')).toEqual(['minimum-lowered', 'maximum-raised']);
  expect(rules('big-integer', 'integer')).toEqual(['minimum-raised', 'maximum-lowered']);
});
