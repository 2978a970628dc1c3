import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText, USERS } from '../support/project.ts';

const DEFINITIONS = `query: ORDERS
public: true
columns: { ID: { type: integer, required: true }, NAME: string(20), PRICE: decimal(10.2), PAID: boolean, DUE: date, SEEN: datetime }
sql: select id, name, price, paid, due, seen from orders order by id
---
query: CUT
public: true
rows: 1
columns: { ID: integer }
sql: select id from orders order by id
---
service: Files.v1
permission: EVERYTHING
operations:
  MADE_GET: { get: "made/{HOW}", variables: { fields: { HOW: string } }, response: binary, handler: made }
  ROWS_GET: { get: "rows/{HOW}/{FORMAT}", variables: { fields: { HOW: string, FORMAT: string } }, response: binary, handler: rows }
  RAW_SEND: { soap: true, response: binary, handler: raw }
  FILE_GET: { get: file, soap: true, response: { fields: { FILE: binary } }, handler: file }
  NOTHING_GET: { get: "nothing/{HOW}", variables: { fields: { HOW: string } }, response: none, handler: nothing }
  NOTHING_SEND: { soap: true, request: { fields: { A: string } }, response: none, handler: nothing }
  THING_GET: { get: thing, response: { fields: { A: string } }, handler: thing }
`;

const FILES = {
  'definitions/gateway.yaml': gatewayText('sample-data: data/*.sql'),
  'definitions/users.yaml': USERS,
  'definitions/files.yaml': DEFINITIONS,
  'definitions/data/tables.sql': `create table orders (id integer, name text, price numeric, paid integer, due text, seen text);
insert into orders values (1, 'Ångström, "A"', 12.5, 1, '2026-01-31', '2026-01-31 08:30:00'), (2, '=1+1', null, 0, null, null);
`,
  'src/handlers/made.ts': `import { Attachment } from 'signalbox';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Readable } from 'node:stream';
const made = {
  text: () => Attachment.from('Grüße'),
  bytes: () => Attachment.from(Buffer.from([1, 2, 3]), { type: 'application/x-three' }),
  named: () => Attachment.from('{}', { name: 'a b.json' }),
  blob: () => Attachment.from(new Blob(['blob'], { type: 'text/x-blob' })),
  stream: () => Attachment.from(Readable.from(['one ', Buffer.from('two')]), { type: 'text/plain', name: 'größe.txt' }),
  generated: () => Attachment.from((async function* () { yield 'made '; yield 'here'; })(), { type: 'text/plain' }),
  fails: () => Attachment.from((async function* () { throw new Error('no content'); })()),
  early: async () => { const file = Attachment.from(createReadStream('/nowhere/at-all')); await stat('/').then(() => stat('/')); await nextTurn(); return file; },
  path: () => Attachment.from('x', { name: '../x' }),
  number: () => Attachment.from(5),
  header: () => Attachment.from('x', { type: 'text/plain\\r\\nX: y' }),
};
export default {
  onRequest({ HOW }, context) {
    if (HOW === 'status') return context.reply(Attachment.from('made', { type: 'text/plain' }), { status: 203, headers: { 'X-Made': 'yes' } });
    return made[HOW]();
  },
};
`,
  'src/handlers/rows.ts': `const filter = (rows) => rows.filter(({ ID }) => ID === 1);
async function* many() { for (let id = 1; id <= 2500; id++) yield { id, half: id / 2, big: 2n ** 70n, yes: id % 2 === 0, text: 'n' + id, at: new Date(0) }; }
const ended = [];
async function* late() { try { for (let id = 1; id <= 1500; id++) yield id < 1200 ? { id } : { id: id + 0.5 }; } finally { ended.push('late'); } }
async function* other() { for (let id = 1; id <= 1500; id++) yield id < 1200 ? { id } : { id, more: 1 }; }
const rows = {
  late: () => late(),
  other: () => other(),
  ended: () => ended.map((name) => ({ name })),
  cut: (context) => context.query('CUT'),
  query: (context) => context.query('ORDERS'),
  filtered: async (context) => filter(await context.query('ORDERS')),
  many: () => many(),
  mixed: () => [{ a: 1 }, { a: 'x', b: true }, {}],
  none: () => [],
};
export default {
  async onRequest({ HOW, FORMAT }, context) {
    const [how, query] = HOW.split('.');
    return context.render(await rows[how](context), FORMAT, { ...(query ? { query } : {}), ...(how === 'many' ? { name: 'all of them' } : {}) });
  },
};
`,
  'src/handlers/raw.ts': `import { Attachment } from 'signalbox';
export default { onRequest: () => Attachment.from('in a message', { name: 'list.csv' }) };
`,
  'src/handlers/file.ts': `import { Attachment } from 'signalbox';
export default { onRequest: () => ({ FILE: Attachment.from('in a document') }) };
`,
  'src/handlers/nothing.ts': `export default {
  onRequest({ HOW }, context) {
    if (HOW === 'async') return Promise.resolve();
    if (HOW === 'status') return context.reply(undefined, { status: 202, headers: { 'X-Made': 'yes' } });
    if (HOW === 'old') return {};
  },
};
`,
  'src/handlers/thing.ts': `export default { onRequest() {} };\n`,
};

let test: TestGateway;
beforeAll(async () => {
  test = await startTestGateway({ files: FILES });
});
afterAll(() => test.stop());
const get = (path: string, method = 'GET'): Promise<Reply> =>
  test.call(`/gateway/RESTListeningConnector/Files.v1/${path}`, { method });

describe('Attachment.from', () => {
  it.each([
    ['text', 'Grüße', { 'content-type': 'text/plain; charset=utf-8', 'content-length': '7' }],
    ['bytes', '\u0001\u0002\u0003', { 'content-type': 'application/x-three', 'content-length': '3' }],
    ['named', '{}', { 'content-type': 'application/json', 'content-disposition': 'attachment; filename="a b.json"' }],
    ['blob', 'blob', { 'content-type': 'text/x-blob', 'content-length': '4' }],
    [
      'stream',
      'one two',
      { 'content-type': 'text/plain', 'content-disposition': "attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe.txt" },
    ],
    ['generated', 'made here', { 'content-type': 'text/plain' }],
    ['status', 'made', { 'content-type': 'text/plain', 'x-made': 'yes' }],
  ])('of %s is a binary reply', async (how, text, headers) => {
    const reply = await get(`made/${how}`);
    expect(reply).toMatchObject({ status: how === 'status' ? 203 : 200, text, headers });
  });

  it.each(['fails', 'path', 'number', 'header'])('refuses %s, before anything is sent', async (how) => {
    expect((await get(`made/${how}`)).status).toBe(500);
  });

  it('of a stream that fails before it is read is an error of that call alone', async () => {
    expect((await get('made/early')).status).toBe(500);
    expect((await get('made/text')).status).toBe(200);
  });

  it('is part of the message over SOAP, whose headers name no file', async () => {
    const reply = await test.call('/gateway/PeopleSoftServiceListeningConnector', {
      method: 'POST',
      headers: { 'content-type': 'text/xml', soapaction: '"RAW_SEND.v1"' },
      body: '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><RAW_SEND xmlns="urn:test:Files.v1"/></e:Body></e:Envelope>',
    });
    expect(reply).toMatchObject({ status: 200, text: expect.stringContaining(btoa('in a message')) });
    expect(reply.headers).not.toHaveProperty('content-disposition');
  });

  it('fills a binary field of a document', async () => {
    const { FILE } = JSON.parse((await get('file')).text) as { FILE: string };
    expect(Buffer.from(FILE, 'base64').toString()).toBe('in a document');
  });
});

describe('context.render', () => {
  it('writes the rows of a query as its CSV, with its columns', async () => {
    const reply = await get('rows/query/csv');
    expect(reply.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="ORDERS.csv"',
    });
    expect(reply.text).toBe(
      'ID,NAME,PRICE,PAID,DUE,SEEN\r\n1,"Ångström, ""A""",12.5,true,2026-01-31,2026-01-31T08:30:00+0000\r\n2,=1+1,,false,,\r\n',
    );
  });

  it('gives other rows the columns of a query that is named, or else those of their values', async () => {
    expect((await get('rows/filtered.ORDERS/csv')).text).toBe(
      'ID,NAME,PRICE,PAID,DUE,SEEN\r\n1,"Ångström, ""A""",12.5,true,2026-01-31,2026-01-31T08:30:00+0000\r\n',
    );
    expect((await get('rows/mixed/csv')).text).toBe('a,b\r\n1,\r\nx,true\r\n,\r\n');
    const many = (await get('rows/many/csv')).text.split('\r\n');
    expect(many).toHaveLength(2502);
    expect(many.slice(0, 2)).toEqual([
      'id,half,big,yes,text,at',
      `1,0.5,${2n ** 70n},false,n1,1970-01-01T00:00:00+0000`,
    ]);
    expect(many[2500]).toBe(`2500,1250,${2n ** 70n},true,n2500,1970-01-01T00:00:00+0000`);
    expect((await get('rows/none/csv')).status).toBe(200);
    expect((await get('rows/query.ORDRES/csv')).status).toBe(500);
    expect((await get('rows/query/pdf')).status).toBe(500);
  });

  it('says that a limit has cut the rows', async () => {
    const { text, headers } = await get('rows/cut/csv');
    expect([text, headers['rows-truncated']]).toEqual(['ID\r\n1\r\n', 'true']);
  });

  it('writes a fraction that comes late, ends the source of rows, and refuses a column that comes late', async () => {
    expect((await get('rows/late/csv')).text.split('\r\n').slice(1199, 1201)).toEqual(['1199', '1200.5']);
    await get('rows/late/csv', 'HEAD');
    expect((await get('rows/ended/csv')).text).toBe('name\r\nlate\r\nlate\r\n');
    await get('rows/other/csv').catch(() => undefined);
    expect(JSON.stringify(test.log())).toContain('row 1200 has more, which none of the first 1000 rows has');
  });

  it.each([
    ['query', 3],
    ['many', 2501],
    ['none', 1],
  ])('writes a workbook of %s that others read', async (how, rows) => {
    const { port } = test;
    const reply = await fetch(`http://127.0.0.1:${port}/gateway/RESTListeningConnector/Files.v1/rows/${how}/xlsx`, {
      headers: { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` },
    });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-disposition')).toBe(
      `attachment; filename="${{ query: 'ORDERS', many: 'all of them', none: 'rows' }[how]}.xlsx"`,
    );
    const file = join(test.folder, `${how}.xlsx`);
    writeFileSync(file, Buffer.from(await reply.arrayBuffer()));
    const sheet = spawnSync('unzip', ['-p', file, 'xl/worksheets/sheet1.xml'], {
      encoding: 'utf8',
      maxBuffer: 1e8,
    }).stdout;
    expect(sheet.match(/<row /g)).toHaveLength(rows);
    if (how === 'query') expect(sheet).toMatch(/<v>12\.5<\/v>.*<v>46053<\/v>/);
  });
});

describe('an operation without a reply', () => {
  it.each([
    ['sync', 204],
    ['async', 204],
    ['old', 204],
    ['status', 202],
  ])('is answered by code that returns nothing: %s', async (how, status) => {
    expect(await get(`nothing/${how}`)).toMatchObject({ status, text: '' });
  });

  it('is so over SOAP', async () => {
    const reply = await test.call('/gateway/PeopleSoftServiceListeningConnector', {
      method: 'POST',
      headers: { 'content-type': 'text/xml', soapaction: '"NOTHING_SEND.v1"' },
      body: '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><NOTHING_SEND xmlns="urn:test:Files.v1"/></e:Body></e:Envelope>',
    });
    expect(reply).toMatchObject({ status: 202, text: '' });
  });

  it('is the only one that may return nothing', async () => {
    expect((await get('thing')).status).toBe(500);
  });
});
