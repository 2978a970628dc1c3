import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compareDryRuns } from '../../src/cli/import/dry-run.ts';
import { type Declared, declare, importContracts } from '../../src/import/index.ts';
import { readFrom } from '../import/support.ts';
import { signalbox, temporaryFolder } from './support.ts';

const TAKEN = { service: [], node: [], 'permission-list': [], scheme: [], document: [] };

/** What the dry runs of a contract differ in, after its declaration was changed. */
async function differencesOf(name: string, text: string, change: (json: string) => string): Promise<readonly string[]> {
  const [imported] = await importContracts([name], readFrom({ [name]: text }));
  if (imported === undefined) throw new Error('nothing was imported');
  const { contract, losses } = imported;
  const declared = declare(contract, { as: 'consumer', name: 'PARTNER', taken: TAKEN }, losses);
  const before = losses.all().length;
  compareDryRuns(contract, JSON.parse(change(JSON.stringify(declared))) as readonly Declared[], losses);
  return losses
    .all()
    .slice(before)
    .map(({ what, instead }) => `${what}; ${instead}`);
}

const OPENAPI = `
openapi: 3.0.3
info: { title: Parts, version: '1' }
servers: [{ url: 'https://parts.example.org/api' }]
paths:
  /parts/{id}:
    patch:
      operationId: changePart
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: dry, in: query, schema: { type: boolean } }
        - { name: X-Tenant, in: header, required: true, schema: { type: string } }
      requestBody: { required: true, content: { application/merge-patch+json: { schema: { $ref: '#/components/schemas/Part' } } } }
      responses:
        '200': { description: ok, content: { application/vnd.part+json: { schema: { $ref: '#/components/schemas/Part' } } } }
        '400': { description: no, content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } } }
components:
  schemas:
    Part: { type: object, properties: { name: { type: string } } }
    Problem: { type: object, properties: { title: { type: string } } }
`;

it.each<[string, (json: string) => string, readonly string[]]>([
  ['nothing', (json) => json, []],
  [
    'the media type',
    (json) => json.replace('"Content-Type":"application/merge-patch+json"', '"Content-Type":"application/json"'),
    ['the media type of the request of "changePart": application/merge-patch+json; a dry run shows application/json'],
  ],
  [
    'what is accepted',
    (json) => json.replace('"application/problem+json"', '"application/json"'),
    [
      'the accepted types of the request of "changePart": application/vnd.part+json, application/problem+json; a dry run shows application/vnd.part+json, application/json',
    ],
  ],
  [
    'the path',
    (json) => json.replace('"parts/{id}', '"part/{id}'),
    [
      expect.stringMatching(
        /^the path of the request of "changePart": parts\/\{id\}.*; a dry run shows https:\/\/parts\.example\.org\/api\/part\//,
      ) as string,
    ],
  ],
  [
    'the name of a parameter',
    (json) => json.replace('{?dry}', '?dryRun={dry}'),
    ['the query of the request of "changePart": dry; a dry run shows no such parameter'],
  ],
  [
    'a header',
    (json) => json.replace('"X-Tenant":"{', '"X-Client":"{'),
    ['the header of the request of "changePart": X-Tenant; a dry run shows none'],
  ],
  [
    'the method',
    (json) => json.replace('"patch":', '"put":'),
    ['the method of the request of "changePart": PATCH; a dry run shows PUT'],
  ],
])('a call that differs from its OpenAPI in %s is listed', async (_, change, expected) => {
  expect(await differencesOf('parts.yaml', OPENAPI, change)).toEqual(expected);
});

const bodyOf = (schema: string): string => `
openapi: 3.0.3
info: { title: Payments, version: '1' }
servers: [{ url: 'https://pay.example.org' }]
paths:
  /payments/{id}:
    post:
      operationId: pay
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: X-Tenant, in: header, required: true, schema: { type: string } }
      requestBody: { required: true, content: { application/vnd.pay+json: { schema: ${schema} } } }
      responses: { '204': { description: ok } }
components:
  schemas:
    Card: { type: object, required: [number], properties: { number: { type: string }, cvc: { type: string } } }
    Cash: { type: object, required: [amount], properties: { amount: { type: integer } } }
    Animal: { type: object, required: [kind], properties: { kind: { type: string } }, discriminator: { propertyName: kind } }
    Cat: { allOf: [{ $ref: '#/components/schemas/Animal' }, { type: object, required: [lives], properties: { lives: { type: integer } } }] }
    Dog: { allOf: [{ $ref: '#/components/schemas/Animal' }, { type: object, required: [bark], properties: { bark: { type: string } } }] }
`;

const EITHER = `[{ $ref: '#/components/schemas/Card' }, { $ref: '#/components/schemas/Cash' }]`;

it.each<[string, string]>([
  ['one of two', `{ oneOf: ${EITHER} }`],
  ['any of two', `{ anyOf: ${EITHER} }`],
  ['one of two, which a member names', `{ oneOf: ${EITHER}, discriminator: { propertyName: kind } }`],
  ['what others derive from', `{ $ref: '#/components/schemas/Animal' }`],
  ['a member that is one of two', `{ type: object, required: [by], properties: { by: { oneOf: ${EITHER} } } }`],
  ['a list of one of two', `{ type: array, items: { oneOf: ${EITHER} } }`],
])('a call whose body is %s is compared, by a body that its document accepts', async (_, schema) => {
  const contract = bodyOf(schema);
  expect(await differencesOf('pay.yaml', contract, (json) => json)).toEqual([]);
  expect(
    await differencesOf('pay.yaml', contract, (json) =>
      json.replaceAll('application/vnd.pay+json', 'application/json'),
    ),
  ).toEqual(['the media type of the request of "pay": application/vnd.pay+json; a dry run shows application/json']);
});

const WSDL = `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:parts" targetNamespace="urn:parts">
  <types><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:parts" elementFormDefault="qualified">
    <xs:element name="read"><xs:complexType><xs:sequence><xs:element name="id" type="xs:int"/></xs:sequence></xs:complexType></xs:element>
    <xs:element name="readResponse"><xs:complexType><xs:sequence><xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
  </xs:schema></types>
  <message name="In"><part name="body" element="t:read"/></message><message name="Out"><part name="body" element="t:readResponse"/></message>
  <portType name="Parts"><operation name="read"><input message="t:In"/><output message="t:Out"/></operation></portType>
  <binding name="Soap" type="t:Parts"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="read">
    <s:operation soapAction="urn:parts/read"/><input><s:body use="literal"/></input><output><s:body use="literal"/></output></operation></binding>
  <service name="Parts"><port name="P" binding="t:Soap"><s:address location="https://parts.example.org/soap"/></port></service>
</definitions>`;

it.each<[string, (json: string) => string, readonly string[]]>([
  ['nothing', (json) => json, []],
  [
    'the SOAPAction',
    (json) => json.replace('urn:parts/read"', 'urn:parts/get"'),
    ['the SOAPAction of the request of "read": urn:parts/read; a dry run shows urn:parts/get'],
  ],
])('a call that differs from its WSDL in %s is listed', async (_, change, expected) => {
  expect(await differencesOf('parts.wsdl', WSDL, change)).toEqual(expected);
});

it('the dry runs of a contract end within their time, and what was left out is noted', async () => {
  const [imported] = await importContracts(['parts.yaml'], readFrom({ 'parts.yaml': OPENAPI }));
  if (imported === undefined) throw new Error('nothing was imported');
  const { contract, losses } = imported;
  const declared = declare(contract, { as: 'consumer', name: 'PARTNER', taken: TAKEN }, losses);
  let time = 0;
  compareDryRuns(contract, declared, losses, () => (time += 60_000));
  expect(losses.all().map(({ what }) => what)).toContain('the dry runs of 1 operation');
});

// In Accept, `q` is a weight and no parameter of a media type (RFC 9110, section 12.4.2), so that a call can only ask for
// another one.
it('the command lists what no call can send as the contract says it', async () => {
  const cwd = await temporaryFolder();
  const contract = OPENAPI.replace('application/vnd.part+json', "'application/json;q=0.8'");
  await writeFile(join(cwd, 'parts.yaml'), contract);
  const { code, stdout, stderr } = await signalbox(['import', 'parts.yaml'], { cwd });
  expect(code, stderr).toBe(0);
  expect(stdout + stderr).toContain(
    'the accepted types of the request of "changePart": application/json;q=0.8, application/problem+json',
  );
  expect(stdout + stderr).toContain('a dry run shows application/json, application/problem+json');
  const request = await signalbox(['invoke', 'changePart', 'id=1', 'X_Tenant=t', 'name=n', '--dry-run'], { cwd });
  expect(request.stdout, request.stderr).toContain('Accept: application/json;q=0.8, application/problem+json;q=0.9');
});

it.each<[string, (text: string) => string]>([
  ['letters beyond ASCII in a path', (text) => text.replace('/parts/{id}', '/pièces/{id}')],
  ['a host in capitals, and the usual port', (text) => text.replace('//parts.example.org', '//Parts.Example.org:443')],
  ['a name with a percent sign', (text) => text.replace('name: dry', 'name: "a%20b"')],
  [
    'a comma in a quoted parameter',
    (text) => text.replace('application/vnd.part+json', `'application/vnd.part+json;profile="a,b"'`),
  ],
  ['an address with a password', (text) => text.replace('//parts', '//user:pw@parts')],
])('what is sent as stated is no difference: %s', async (_, change) => {
  expect(await differencesOf('parts.yaml', change(OPENAPI), (json) => json)).toEqual([]);
});
