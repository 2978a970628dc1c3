import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signalbox } from '../cli/support.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { writeProject } from '../support/project.ts';

// Editors of Windows begin a file in UTF-8 with a byte order mark, and some clients a body.

const MARK = '\uFEFF';

const FILES = {
  'definitions/gateway.yaml': `${MARK}gateway: LOCAL\nsample-data: sample/*.sql\n`,
  'definitions/sample/items.sql': `${MARK}CREATE TABLE IF NOT EXISTS ITEMS (ID INTEGER);\nINSERT INTO ITEMS VALUES (7);\n`,
  'definitions/marks.yaml': `${MARK}query: ITEMS
public: true
sql: SELECT ID FROM ITEMS
columns: { ID: integer }
---
service: Marks.v1
public: true
operations:
  ITEMS: { get: items, query: ITEMS }
  ECHO: { post: echo, request: ITEM, response: ITEM, handler: echo }
---
document: ITEM
fields: { ID: integer }
`,
  'src/handlers/echo.ts': 'export default { onRequest: (given) => given };\n',
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ files: FILES });
});
afterAll(() => gateway.stop());

const BASE = '/gateway/RESTListeningConnector/Marks.v1/';

describe('a byte order mark is ignored', () => {
  it('in definitions and sample data', async () => {
    const reply = await gateway.call(`${BASE}items`);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.text).toContain('7');
  });

  it.each([
    ['application/json', '{"ID":5}'],
    ['application/xml', '<ITEM xmlns="urn:signalbox:local:Marks.v1"><ID>5</ID></ITEM>'],
  ])('in a body of %s', async (type, body) => {
    const sent = { method: 'POST', headers: { 'Content-Type': type, Accept: 'application/json' }, body: MARK + body };
    const reply = await fetch(`http://127.0.0.1:${gateway.port}${BASE}echo`, sent);
    expect(await reply.json()).toEqual({ ID: 5 });
  });

  it('in .env', async () => {
    const { root } = writeProject({
      'definitions/node.yaml': 'node: STOCK\nbase: ${env:STOCK_URL}\n',
      '.env': `${MARK}STOCK_URL=https://stock.example.org\n`,
    });
    const { stdout, stderr } = await signalbox(['env', '--json'], { cwd: root });
    expect(stderr).not.toContain('ignored');
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'STOCK_URL', state: '.env' }));
  });
});
