import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mockAnswerer } from '../../src/mock/answer.ts';
import { startMock } from '../../src/mock/serve.ts';
import type { Operation } from '../../src/model/service.ts';
import { registryIn } from '../mock/project.ts';
import { atFileEnd } from '../support/file-end.ts';
import { DEMO, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { gatewayText } from '../support/project.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const DEFINITIONS = `service: Sales.v2
permission: EVERYTHING
operations:
  SALES: { get: "sales{?REGION,maxrows}", query: SALES, response: [json, csv, xlsx] }
  FILES: { get: files, soap: true, query: SALES, response: [csv] }
  CAPPED: { get: capped, query: CAPPED, response: [csv, xml] }
  MANY: { get: many, query: MANY, response: [csv] }
  NAMED: { get: named, query: NAMED, response: [xlsx, csv] }
---
service: Sales.v1
permission: EVERYTHING
operations:
  OLD_SALES:
    get: "sales{?REGION}"
    request: { fields: { REGION: string(1) } }
    response: { application/json: { fields: { rows: list of OLD_SALE } }, text/csv: text, ${XLSX}: binary }
    call: SALES
---
document: OLD_SALE
fields: { ID: integer, BUYER: string(20) }
---
query: SALES
permission: EVERYTHING
prompts: { REGION: { type: string(1), default: N } }
columns: { ID: integer, BUYER: string(20), PRICE: decimal(10.2) }
sql: >-
  select * from (select 1 as id, 'Ada, "A"' as buyer, 10.25 as price, 'N' as region
  union all select 2, 'Bo', null, 'N' union all select 3, 'Cy', 7, 'S') x where region = :REGION order by id
---
query: CAPPED
permission: EVERYTHING
rows: 2
columns: { ID: integer }
sql: select 1 as id union all select 2 union all select 3 order by 1
---
query: MANY
permission: EVERYTHING
rows: 1000000
columns: { ID: integer, TEXT: string(2000) }
sql: >-
  with recursive c(n) as (select 1 union all select n + 1 from c where n < 20000)
  select n as id, '0123456789012345678901234567890123456789012345678901234567890123456789' as text from c
---
query: NAMED
permission: EVERYTHING
columns: { ID: integer }
csv: { bom: true, file: weekly.csv }
sql: select 1 as id
`;

const OUTSIDE = `service: Outside.v1
permission: EVERYTHING
operations:
  CSV_GET: { get: "csv{?REGION}", request: { fields: { REGION: string(1) } }, response: { text/csv: text }, call: SALES_CSV }
  BOOK_GET: { get: "book{?REGION}", request: { fields: { REGION: string(1) } }, response: { ${XLSX}: binary }, call: SALES_XLSX }
---
service: Partner.v1
permission: EVERYTHING
target: PARTNER
operations:
  SALES_CSV: { get: "Sales.v2/sales{?REGION}", request: { fields: { REGION: string(1) } }, response: { text/csv: text } }
  SALES_XLSX: { get: "Sales.v2/sales{?REGION}", request: { fields: { REGION: string(1) } }, response: { ${XLSX}: binary } }
---
node: PARTNER
base: "\${env:PARTNER}"
credential: { basic: { user: demo, password: "\${secret:PARTNER_PASSWORD}" } }
`;

const engines = hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'];

describe.each(engines)('response: [json, csv, xlsx] of a query, on %s', (engine) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const env = engine === 'SQLite' ? {} : { DATABASE_URL: (await createDatabase({ migrated: true })).url };
    gateway = await startTestGateway({
      files: { 'definitions/gateway.yaml': gatewayText(''), 'definitions/sales.yaml': DEFINITIONS },
      env,
    });
  });
  afterAll(() => gateway.stop());

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> =>
    gateway.call(`/gateway/RESTListeningConnector/${path}`, { headers, method });
  const CSV = /^ID,BUYER,PRICE\r\n1,"Ada, ""A""",10\.25\r\n2,Bo,\r\n$/;

  it('answers in the first of them unless Accept names another', async () => {
    const json = await get('Sales.v2/sales');
    expect(json.headers['content-type']).toBe('application/json');
    expect(JSON.parse(json.text)).toEqual({
      rows: [
        { ID: 1, BUYER: 'Ada, "A"', PRICE: 10.25 },
        { ID: 2, BUYER: 'Bo' },
      ],
    });
    const csv = await get('Sales.v2/sales', { Accept: 'text/csv, application/json;q=0.5' });
    expect(csv.status).toBe(200);
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(csv.headers['content-disposition']).toBe('attachment; filename="SALES.csv"');
    expect(csv.headers['content-length']).toBe(String(Buffer.byteLength(csv.text)));
    expect(csv.text).toMatch(CSV);
    expect((await get('Sales.v2/files')).text).toBe(csv.text);
  });

  it('answers a workbook with the rows', async () => {
    const reply = await fetchBytes(gateway, 'Sales.v2/sales?REGION=S', XLSX);
    expect(reply.headers.get('content-type')).toBe(XLSX);
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="SALES.xlsx"');
    const sheet = sheetOf(reply.bytes);
    expect(sheet).toContain('Cy');
    expect(sheet).not.toContain('Bo');
  });

  it('names the file as csv: of the query does, and has its options', async () => {
    const { headers, text } = await get('Sales.v2/named', { Accept: 'text/csv' });
    expect(headers['content-disposition']).toBe('attachment; filename="weekly.csv"');
    expect(text).toBe('\uFEFFID\r\n1\r\n');
    expect((await get('Sales.v2/named')).headers['content-type']).toBe(XLSX);
  });

  it('refuses others with 406, which lists them', async () => {
    const refused = await get('Sales.v2/sales', { Accept: 'application/xml' });
    expect(refused.status).toBe(406);
    expect(refused.text).toContain(`application/json, text/csv; charset=utf-8, ${XLSX}`);
    expect((await get('Sales.v2/capped', { Accept: XLSX })).status).toBe(406);
  });

  it('reports rows that the cap of the query cut, and cuts by maxrows', async () => {
    const capped = await get('Sales.v2/capped');
    expect(capped.text).toBe('ID\r\n1\r\n2\r\n');
    expect(capped.headers['rows-truncated']).toBe('true');
    const own = await get('Sales.v2/sales?maxrows=1', { Accept: 'text/csv' });
    expect(own.text.split('\r\n')).toHaveLength(3);
    expect(own.headers['rows-truncated']).toBeUndefined();
  });

  it('answers HEAD with the headers alone', async () => {
    const head = await get('Sales.v2/sales', { Accept: 'text/csv' }, 'HEAD');
    const whole = await get('Sales.v2/sales', { Accept: 'text/csv' });
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'content-disposition'])
      expect(head.headers[name]).toBe(whole.headers[name]);
  });

  it('answers large results', async () => {
    const { text, headers } = await get('Sales.v2/many');
    expect(text.split('\r\n')).toHaveLength(20_002);
    expect(headers['content-length']).toBe(String(text.length));
  });

  it('answers with the document over SOAP', async () => {
    const body =
      '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><FILES xmlns="urn:test:Sales.v2"/></e:Body></e:Envelope>';
    const reply = await gateway.call('/gateway/PeopleSoftServiceListeningConnector', {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml', SOAPAction: 'FILES.v2' },
      body,
    });
    expect(reply.text).toContain('<rows><row><ID>1</ID>');
  });

  it('passes files on behind an earlier version, and converts its document', async () => {
    const csv = await get('Sales.v1/sales?REGION=S', { Accept: 'text/csv' });
    expect(csv.text).toMatch(/^ID,BUYER,PRICE\r\n3,Cy,7(\.00)?\r\n$/);
    expect(JSON.parse((await get('Sales.v1/sales?REGION=S')).text)).toEqual({ rows: [{ ID: 3, BUYER: 'Cy' }] });
    const book = await fetchBytes(gateway, 'Sales.v1/sales?REGION=S', XLSX);
    expect(sheetOf(book.bytes)).toContain('Cy');
  });

  it('can be called by another gateway, as text and as content', async () => {
    const outside = await startTestGateway({
      files: { 'definitions/gateway.yaml': gatewayText(''), 'definitions/outside.yaml': OUTSIDE },
      env: { PARTNER: `http://127.0.0.1:${gateway.port}/gateway/RESTListeningConnector/`, PARTNER_PASSWORD: 'demo' },
    });
    atFileEnd(() => outside.stop());
    const csv = await outside.call('/gateway/RESTListeningConnector/Outside.v1/csv?REGION=S');
    expect(csv.text).toMatch(/^ID,BUYER,PRICE\r\n3,Cy,7(\.00)?\r\n$/);
    const book = await fetchBytes(outside, 'Outside.v1/book?REGION=S');
    expect(book.headers.get('content-type')).toBe(XLSX);
    expect(sheetOf(book.bytes)).toContain('Cy');
  });
});

describe('response: [json, csv, xlsx] of a query', () => {
  it('is in the contract', async () => {
    const gateway = await startTestGateway({
      files: { 'definitions/gateway.yaml': gatewayText(''), 'definitions/sales.yaml': DEFINITIONS },
    });
    atFileEnd(() => gateway.stop());
    const openapi = await gateway.call('/gateway/RESTListeningConnector/Sales.v2.openapi.json');
    const contract = JSON.parse(openapi.text);
    const content = (path: string) => contract.paths[path].get.responses['200'].content;
    expect(Object.keys(content('/Sales.v2/sales'))).toEqual(['application/json', 'text/csv', XLSX]);
    expect(Object.keys(content('/Sales.v2/files'))).toEqual(['text/csv']);
    const wadl = await gateway.call('/gateway/RESTListeningConnector/Sales.v2.wadl');
    expect(wadl.text).toContain('<representation mediaType="text/csv"');
    expect(wadl.text).toContain(`<representation mediaType="${XLSX}"`);
  });
});

describe('a mock of a query', () => {
  it('answers rows of made values as CSV and as a workbook', async () => {
    const { registry } = registryIn({
      'definitions/gateway.yaml': gatewayText(''),
      'definitions/sales.yaml': DEFINITIONS,
    });
    const replaced = (operation: Operation) => ({ answerer: mockAnswerer(operation, {}) });
    const { address, close } = await startMock({ registry, replaced, port: 0, log: { level: 'silent' } });
    atFileEnd(close);
    const base = `${address}/gateway/RESTListeningConnector/Sales.v2`;
    const csv = await fetch(`${base}/sales`, { headers: { Accept: 'text/csv' } });
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(await csv.text()).toMatch(/^ID,BUYER,PRICE\r\n\d+,.+\r\n/);
    const book = await fetch(`${base}/named`);
    expect(sheetOf(new Uint8Array(await book.arrayBuffer()))).toContain('ID');
  });
});

const sheetOf = (bytes: Uint8Array): string =>
  Object.entries(unzipSync(bytes))
    .map(([, content]) => Buffer.from(content).toString())
    .join('');

async function fetchBytes({ port }: TestGateway, path: string, accept = '*/*') {
  const reply = await fetch(`http://127.0.0.1:${port}/gateway/RESTListeningConnector/${path}`, {
    headers: { Accept: accept, Authorization: DEMO },
  });
  expect(reply.status).toBe(200);
  return { headers: reply.headers, bytes: new Uint8Array(await reply.arrayBuffer()) };
}
