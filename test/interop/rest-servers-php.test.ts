import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JsonBuilder } from '../../src/codec/json/builder.ts';
import { type Client, ReplyFault } from '../../src/invoke/index.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { signalbox } from '../cli/support.ts';
import { thrown } from '../invoke/support.ts';
import { freePort } from '../support/free-port.ts';
import { large } from './servers/large.ts';
import { type RestProject, restProject } from './servers/rest-client.ts';
import { type StartedServer, startServer } from './servers/start.ts';
import { has } from './support.ts';

const nodes = `node: PARTNER
base: \${env:PARTNER_URL}
credential: { basic: { user: "\${env:PARTNER_USER}", password: "\${secret:PARTNER_PASSWORD}" } }
retry: { attempts: 1 }
`;

const partner = `service: Partner.v1
public: true
target: PARTNER
fault: TROUBLE
operations:
  FORM_POST:
    post: form
    request: { fields: { NAME: text, "OTHER": text } }
    form: { name: "{NAME}", "both": "{NAME}|{OTHER}", "ü &=": "{OTHER}", fixed: a b }
    response: json
  JSON_POST: { post: json, request: json, response: json }
  ORDER_JSON_POST: { post: json, request: ORDER, response: json }
  ORDER_XML_POST: { post: order, request: ORDER, headers: { Content-Type: application/xml }, response: ORDER }
  SEARCH_GET:
    get:
      - "search{?TEXT,TAGS*}"
      - "search{?TEXT,TAGS}"
    request: { fields: { TEXT: text, TAGS: list of text } }
    response: json
  NAME_GET: { get: "names/{NAME}", request: { fields: { NAME: text } }, response: json }
  BYTES_POST: { post: bytes, request: binary, response: json }
  WHO_GET: { get: who, response: WHO }
  TROUBLE_POST: { post: trouble, request: text, response: WHO }
  WARNING_GET: { get: warning, response: WHO }
---
document: WHO
fields: { user: text, password: { type: text, sensitive: true } }
---
document: ORDER
fields:
  ID: { type: integer, attribute: true }
  seen: { type: text, attribute: true }
  NAME: text
  PRICE: decimal(12.2)
  DAY: date
  LINES: list of LINE
  CODES: { type: list of text, flat: true }
---
document: LINE
fields: { SKU: { type: text, attribute: true }, QUANTITY: integer }
---
document: TROUBLE
fields:
  status: { type: string, fixed: failure }
  error: { fields: { message: { type: text, default: "{fault.message}" }, detail: { type: text, default: "{fault.detail}" } } }
`;

/** All that a form or an address would take for its own. */
const TRICKY = `a+b c&d=e%41%2B;"f'~ü日🚂/?#[]@!$()*,\r\n\t\\ <x>`;

const order = {
  ID: 7,
  NAME: 'Jürgen & <Groß> ]]> "x"',
  PRICE: '1234567890.10',
  DAY: '2026-02-28',
  LINES: [{ SKU: 'a"<', QUANTITY: 2 }, { SKU: 'b' }],
  CODES: ['x', 'ü'],
};

describe.skipIf(!has('php'))("PHP's own web server (needs php)", () => {
  let server: StartedServer;
  let project: RestProject;
  let client: Client;
  const env = () => ({ PARTNER_URL: server.url, PARTNER_USER: 'Jürgen', PARTNER_PASSWORD: 'hu:sh é' });
  beforeAll(async () => {
    const script = fileURLToPath(new URL('servers/rest-partner.php', import.meta.url));
    server = await startServer(['php', '-S', `127.0.0.1:${await freePort()}`, script]);
    project = restProject({ 'definitions/nodes.yaml': nodes, 'definitions/partner.yaml': partner });
    client = project.clientIn(env());
  });
  afterAll(async () => {
    await project?.close();
    await server?.stop();
  });

  const contentOf = async (operation: string, input: DocumentValue, uriIndex = 1): Promise<unknown> =>
    (await client.call(operation, input, { uriIndex })).value.content;

  it('sees each value of a form as it was, decoded once', async () => {
    expect(await contentOf('FORM_POST', { NAME: TRICKY, OTHER: '' })).toMatchObject({
      type: 'application/x-www-form-urlencoded',
      // PHP makes _ of blanks in names.
      post: { name: TRICKY, both: `${TRICKY}|`, 'ü_&=': '', fixed: 'a b' },
      raw: expect.stringMatching(/^name=[\w.~%-]+&both=[\w.~%-]+%7C&%C3%BC%20%26%3D=&fixed=a%20b$/),
    });
  });

  it('sees the JSON that was built, to the letter', async () => {
    const content = new JsonBuilder()
      .startArray('')
      .startObject('')
      .addProperty('name', TRICKY)
      .startObject('nested')
      .addProperty('a', '')
      .endObject('nested')
      .endObject('')
      .endArray('')
      .toString();
    expect(await contentOf('JSON_POST', { content })).toEqual({
      type: 'application/json',
      value: [{ name: TRICKY, nested: { a: '' } }],
      raw: content,
    });
  });

  it('sees a document in JSON', async () => {
    const { PRICE, ...rest } = order;
    expect(await contentOf('ORDER_JSON_POST', order)).toMatchObject({
      value: { ...rest, PRICE: expect.anything() },
      raw: expect.stringContaining(PRICE),
    });
  });

  it('sees a document in XML, and sends it back in ISO-8859-1', async () => {
    const { value } = await client.call('ORDER_XML_POST', order);
    expect(value).toEqual({ ...order, seen: 'application/xml' });
  });

  it('sees a variable of many values, repeated or in one', async () => {
    const input = { TEXT: TRICKY, TAGS: ['a b', 'c,d&e', 'ü'] };
    const text = { TEXT: TRICKY };
    expect(await contentOf('SEARCH_GET', input)).toMatchObject({
      get: { ...text, TAGS: 'ü' },
      raw: expect.stringMatching(/&TAGS=a%20b&TAGS=c%2Cd%26e&TAGS=%C3%BC$/),
    });
    expect(await contentOf('SEARCH_GET', input, 2)).toMatchObject({ get: { ...text, TAGS: 'a b,c,d&e,ü' } });
  });

  it('sees a segment of a path as it was, decoded once', async () => {
    const NAME = TRICKY.replace(/[\r\n\t\\]/g, '');
    expect(await contentOf('NAME_GET', { NAME })).toEqual({ name: NAME });
  });

  it.each([true, false])('sees every byte of what is sent, its length known: %s', async (isKnown) => {
    const { content, sha256, length } = large(isKnown, 3);
    expect(await contentOf('BYTES_POST', { content })).toEqual({ type: 'application/octet-stream', length, sha256 });
  });

  it('sees who calls', async () => {
    const { value } = await client.call('WHO_GET', {});
    expect(value).toEqual({ user: 'Jürgen', password: 'hu:sh é' });
  });

  it('answers with a failure, which is our fault document', async () => {
    const fault = await thrown(client.call('TROUBLE_POST', { content: 'x' }));
    expect(fault).toBeInstanceOf(ReplyFault);
    expect(fault).toMatchObject({
      httpResponseCode: 422,
      reason: 'Ärger & <mehr>',
      detail: 'Zeile 3',
      fault: { status: 'failure', error: { message: 'Ärger & <mehr>', detail: 'Zeile 3' } },
    });
  });

  it('answers with HTML before its JSON, which is told', async () => {
    expect(await thrown(client.call('WARNING_GET', {}))).toMatchObject({
      code: 'BAD_REPLY',
      httpResponseCode: 200,
      body: expect.stringContaining('Undefined variable'),
    });
  });

  it('is called by the command line', async () => {
    writeFileSync(join(project.root, 'text.txt'), TRICKY);
    const args = ['invoke', 'FORM_POST', 'NAME=@text.txt', 'OTHER=a=b', '--json'];
    const { code, stdout } = await signalbox(args, { cwd: project.root, env: env() });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ content: { post: { name: TRICKY, both: `${TRICKY}|a=b` } } });
  });
});
