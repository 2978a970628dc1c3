import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inlineSchemas } from '../describe/wsdl-reader.ts';
import type { SampleCopy } from '../support/sample.ts';
import { corpusSchema, hasXmllint, validateXml, wsdlSchema } from '../support/xmllint.ts';
import { richSample } from './project.ts';
import { type Served, serve } from './support.ts';

const wadlSchema = corpusSchema('wadl.xsd');
/** Every name that a contract of REST can be asked by. */
const names = [
  'Locations.v1',
  'LOCATIONS.1',
  'Kinds.v2',
  'QAS_QRY_SERVICE.v1',
  'qas_qry_service.1',
  'ExecuteQuery.v1',
  'PROCESSREQUEST.v1',
  'ProcessRequest.v1',
  'LocationSetup.v1',
];

/** Names of services over SOAP. */
const soapNames = [
  'Attachments.v1',
  'ATTACHMENTS.1',
  'Locations.v1',
  'QAS_QRY_SERVICE.v1',
  'PROCESSREQUEST.v1',
  'LocationSetup.v1',
];

let gateway: Served;
let project: SampleCopy;
beforeAll(async () => {
  project = await richSample();
  gateway = await serve(project.root);
});
afterAll(async () => {
  await gateway?.stop();
  project?.remove();
});

async function contract(name: string): Promise<string> {
  const reply = await fetch(`${gateway.connector}/${name}`);
  expect(reply.status, name).toBe(200);
  return reply.text();
}

/** An XML reply, with its status. */
async function xml(path: string): Promise<{ status: number; text: string }> {
  const authorization = `Basic ${Buffer.from('demo:demo').toString('base64')}`;
  const reply = await fetch(`${gateway.connector}/${path}`, { headers: { authorization, accept: 'application/xml' } });
  expect(reply.headers.get('content-type'), path).toMatch(/^application\/xml\b/);
  return { status: reply.status, text: await reply.text() };
}

/** The schema of a service with those that it imports, each fetched by the name that the import gives. */
async function schemaFiles(name: string): Promise<{ name: string; files: Map<string, string> }> {
  const files = new Map<string, string>();
  const wanted = [`${name}.xsd`];
  for (const file of wanted) {
    if (files.has(file)) continue;
    const text = await contract(file);
    files.set(file, text);
    wanted.push(...[...text.matchAll(/schemaLocation="([^"]+)"/g)].map(([, location]) => location as string));
  }
  return { name: `${name}.xsd`, files };
}

describe.skipIf(!hasXmllint || wadlSchema === undefined)('WADL over HTTP (needs xmllint and ../shared/corpus)', () => {
  test.each(names)('%s.wadl validates against wadl.xsd', async (name) => {
    const text = await contract(`${name}.wadl`);
    expect(text).toContain(`base="${gateway.connector}/LOCAL/"`);
    expect(validateXml(wadlSchema as string, [text])).toBe('');
  });

  test('the schema refuses a WADL that is none', async () => {
    const text = (await contract('Locations.v1.wadl')).replaceAll('style="query"', 'style="nowhere"');
    expect(validateXml(wadlSchema as string, [text])).toContain('nowhere');
  });
});

describe.skipIf(!hasXmllint || wsdlSchema === undefined)('WSDL over HTTP (needs xmllint and ../shared/corpus)', () => {
  const schema = wsdlSchema as NonNullable<typeof wsdlSchema>;
  const services = (): string => `${gateway.address}/gateway/PeopleSoftServiceListeningConnector`;
  const wsdl = async (path: string): Promise<string> => {
    const reply = await fetch(`${services()}/${path}`);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/xml; charset=utf-8']);
    return reply.text();
  };

  test.each(soapNames)('%s.wsdl validates against the schemas of WSDL 1.1 and both SOAP bindings', async (name) => {
    const text = await wsdl(`${name}.wsdl`);
    expect(text.split(`address location="${services()}"`)).toHaveLength(3);
    expect(validateXml(schema, [text])).toBe('');
    expect(await wsdl(`${name}?wsdl`)).toBe(text);
  });

  test.each(soapNames)('the schemas inside %s.wsdl compile', async (name) => {
    const files = inlineSchemas(await wsdl(`${name}.wsdl`));
    const complaint = validateXml({ name: '0.xsd', files }, ['<unknown/>']);
    expect(complaint).toContain('No matching global declaration');
    expect(complaint).not.toContain('Schemas parser error');
  });

  test.each([
    ['<soap:binding style="document"', '<soap:binding style="prose"', 'prose'],
    ['<soap12:body use="literal"', '<soap12:body use="verbatim"', 'verbatim'],
    ['<wsdl:port name=', '<wsdl:port title=', 'title'],
  ])('the schemas refuse %s as %s', async (right, wrong, word) => {
    expect(validateXml(schema, [(await wsdl('Attachments.v1.wsdl')).replace(right, wrong)])).toContain(word);
  });
});

describe.skipIf(!hasXmllint)('XML Schema over HTTP (needs xmllint)', () => {
  test.each([...names, ...soapNames])('%s.xsd compiles, with what it imports', async (name) => {
    const schema = await schemaFiles(name);
    // A document that no schema declares: the complaint is about it, not about the schema.
    const complaint = validateXml(schema, ['<unknown/>']);
    expect(complaint).toContain('No matching global declaration');
    expect(complaint).not.toContain('Schemas parser error');
  });

  test.each(names)('the schemas inside %s.wadl compile too', async (name) => {
    const text = await contract(`${name}.wadl`);
    const files = inlineSchemas(text);
    expect(files.size).toBeGreaterThan(0);
    for (const file of files.keys())
      expect(validateXml({ name: file, files }, ['<unknown/>'])).toContain('No matching global declaration');
  });
});

const query = 'ExecuteQuery.v1/PUBLIC/PROCESS_MONITOR';

/** What an XPath expression says of a document. */
function xpath(document: string, expression: string): string {
  const options = { input: document, encoding: 'utf8' } as const;
  return execFileSync('xmllint', ['--nonet', '--xpath', expression, '-'], options).trim();
}

/** A path, the service whose schema holds for its reply, and the reply's status and root. */
const replies: readonly (readonly [path: string, schema: string, status: number, root: string])[] = [
  ['Locations.v1/Locations/?region=N', 'Locations.v1', 200, 'data'],
  ['Locations.v1/Locations/N/?location=NYC01', 'Locations.v1', 200, 'data'],
  ['Locations.v1/Locations/?region=NN', 'Locations.v1', 400, 'data'],
  ['Locations.v1/Offices/N', 'Locations.v1', 200, 'LOC_RESPONSE'],
  ['Locations.v1/Offices/%3F', 'Locations.v1', 200, 'LOC_RESPONSE'],
  ['Locations.v1/Offices/NN', 'Locations.v1', 400, 'LOC_FAULT'],
  ['Locations.v1/Employees/SALES', 'Locations.v1', 200, 'EMPLOYEES_GET_RESPONSE'],
  ['Locations.v1/Employees/NOBODY', 'Locations.v1', 200, 'EMPLOYEES_GET_RESPONSE'],
  ['Locations.v1/Employees/SALES?maxrows=x', 'Locations.v1', 400, 'LOC_FAULT'],
  ['Locations.v1/Requests?OPRID=VP1', 'Locations.v1', 200, 'REQUESTS_GET_RESPONSE'],
  ['Kinds.v2/Kinds/7', 'Kinds.v2', 200, 'KIND'],
  ['Kinds.v2/Kinds/-1234567890123456789', 'Kinds.v2', 200, 'KIND'],
  ['Kinds.v2/Kinds/seven', 'Kinds.v2', 400, 'KIND_FAULT'],
  [`${query}/XMLP/NONFILE?maxrows=3&json_resp=false`, 'ExecuteQuery.v1', 200, 'QAS_GETQUERYRESULTS_RESP_MSG'],
  [`${query}/XMLP/NONFILE?json_resp=false`, 'QAS_QRY_SERVICE.v1', 200, 'QAS_GETQUERYRESULTS_RESP_MSG'],
  [
    `${query}/XMLP/NONFILE?prompt_uniquepromptname=OPRID&prompt_fieldvalue=NOBODY`,
    'ExecuteQuery.v1',
    200,
    'QAS_GETQUERYRESULTS_RESP_MSG',
  ],
  [`${query}/XMLP/NONFILE?maxrows=-1&json_resp=false`, 'ExecuteQuery.v1', 400, 'QAS_FAILURE'],
  ['ExecuteQuery.v1/PUBLIC/NO_SUCH_QUERY/XMLP/NONFILE?json_resp=false', 'ExecuteQuery.v1', 404, 'QAS_FAILURE'],
  [
    'ExecuteQuery.v1/PUBLIC/DEPARTMENTS/XMLP/NONFILE?isconnectedquery=Y&json_resp=false',
    'ExecuteQuery.v1',
    200,
    'QAS_GETQUERYRESULTS_RESP_MSG',
  ],
  [
    'ExecuteQuery.v1/PUBLIC/DEPARTMENTS/XMLP/FILE?json_resp=false',
    'ExecuteQuery.v1',
    200,
    'QAS_GETQUERYRESULTS_RESP_MSG',
  ],
  ['ListQuery.v1/PUBLIC?json_resp=false', 'QAS_QRY_SERVICE.v1', 200, 'QAS_QUERIES'],
  ['ListQuery.v1/PUBLIC?search=NO_SUCH_QUERY&json_resp=false', 'QAS_QRY_SERVICE.v1', 200, 'QAS_QUERIES'],
  ['QueryFields.v1/PUBLIC/PROCESS_MONITOR?json_resp=false', 'QAS_QRY_SERVICE.v1', 200, 'QAS_FIELDS'],
  ['QueryPrompts.v1/PUBLIC/PROCESS_MONITOR?json_resp=false', 'QAS_QRY_SERVICE.v1', 200, 'QAS_PROMPTS'],
  ['QueryStatus.v1/getstatus?instanceid=none&json_resp=false', 'QAS_QRY_SERVICE.v1', 200, 'QAS_STATUS'],
  ['CancelQuery.v1/cancelquery?instanceid=none&json_resp=false', 'QAS_QRY_SERVICE.v1', 200, 'QAS_CANCELLED'],
  ['ProcessRequest.v1/requests?ProcessRequestCount=3', 'PROCESSREQUEST.v1', 200, 'PRCS_FINDREQUESTS_RESPONSE'],
  ['ProcessRequest.v1/requests/1001', 'PROCESSREQUEST.v1', 200, 'PRQ_REQUEST'],
  ['ProcessRequest.v1/requests/9999', 'PROCESSREQUEST.v1', 404, 'PRQ_FAILURE'],
  ['ProcessRequest.v1/processes', 'PROCESSREQUEST.v1', 200, 'PRCS_GETPROCESSNAMES_RESPONSE'],
  ['LocationSetup.v1/Locations/N/NYC01', 'LocationSetup.v1', 200, 'LOCATION'],
  ['LocationSetup.v1/Locations/N/NOWHERE', 'LocationSetup.v1', 404, 'LOC_FAULT'],
];

describe.skipIf(!hasXmllint)('XML replies and the published schema (needs xmllint)', () => {
  test.each(replies)('%s is valid by %s.xsd', async (path, name, status, root) => {
    const reply = await xml(path);
    expect(reply.status).toBe(status);
    expect(/^(?:<\?xml[^>]*>\s*)?<([\w.:-]+)/.exec(reply.text)?.[1]).toBe(root);
    expect(validateXml(await schemaFiles(name), [reply.text])).toBe('');
  });

  test('a WEBROWSET reply has a cell a column and a row each, in the namespace of JSR 114 below the root of results', async () => {
    const { status, text } = await xml(`${query}/WEBROWSET/NONFILE?maxrows=3&json_resp=false`);
    expect(status).toBe(200);
    expect(validateXml(await schemaFiles('QAS_QRY_SERVICE.v1'), [text])).toBe('');
    expect(xpath(text, "namespace-uri(/QAS_GETQUERYRESULTS_RESP_MSG/*[local-name()='webRowSet'])")).toBe(
      'http://java.sun.com/xml/ns/jdbc',
    );
    expect(xpath(text, "string(//*[local-name()='column-count'])")).toBe('11');
    expect(xpath(text, "count(//*[local-name()='column-definition'])")).toBe('11');
    expect(xpath(text, "count(//*[local-name()='currentRow'])")).toBe('3');
    expect(xpath(text, "count(//*[local-name()='columnValue'])")).toBe('33');
  });

  test('a reply that is damaged is not valid: the schema holds', async () => {
    const { text } = await xml('Kinds.v2/Kinds/7');
    const schema = await schemaFiles('Kinds.v2');
    expect(validateXml(schema, [text.replace('12345678.90', '12,5')])).toContain('PRICE');
    expect(validateXml(schema, [text.replace('urn:signalbox:sample:Kinds.v2', 'urn:other')])).not.toBe('');
  });
});
