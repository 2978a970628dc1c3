import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { project, signalbox } from '../cli/support.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';

// Any JSON (a field of type json, an undeclared member of an open document, JSON without a document) has its digits in
// every role.

const DEFINITIONS = `node: PARTNER
base: \${env:PARTNER_URL}
---
document: ANY
fields: { DATA: json, ROWS: list of json, NAMES: map of json }
---
document: ROW
fields: { ID: { type: string(20), required: true }, MORE: json }
---
component: ROWS
table: digits
shape: ROW
keys: [ID]
---
query: ALL_ROWS
public: true
sql: select id, more from digits order by id
columns: { id: string(20), more: json }
---
document: WHOLE
fields: { content: { type: json, required: true } }
---
document: PLACED
fields: { ID: { type: string(20), required: true }, content: { type: json, required: true } }
---
document: OTHER
fields: { OTHER: json }
---
document: OPEN
open: true
fields: { NAME: text }
---
service: Partner.v1
target: PARTNER
public: true
operations:
  ANY_POST: { post: any, request: ANY, response: ANY }
  OPEN_POST: { post: open, request: OPEN, response: OPEN }
  RAW_POST: { post: raw, request: json, response: json }
  PLACED_POST: { post: "placed/{ID}", request: PLACED, body: content, response: json }
  OTHER_POST: { post: other, request: OTHER, response: none }
---
queue: NEWS
---
subscription: NEWS_OUT
operation: PUBLISH
call: ANY_POST
---
queue: RAW_NEWS
---
subscription: RAW_OUT
operation: PUBLISH_RAW
call: ANY_POST
map: { DATA: "{content}" }
---
subscription: FIELD_OUT
operation: PUBLISH_FIELD
call: RAW_POST
---
subscription: NEWS_OTHER
operation: PUBLISH
call: OTHER_POST
map: { OTHER: "{DATA}" }
---
service: Digits.v1
public: true
operations:
  ECHO: { post: echo, request: ANY, response: ANY, handler: echo }
  ECHO_OPEN: { post: echo-open, request: OPEN, response: OPEN, handler: echo }
  ECHO_RAW: { post: echo-raw, request: json, response: json, handler: echo-raw }
  ADDED: { post: added, request: ANY, response: ANY, handler: added }
  RELAY: { post: relay, request: ANY, response: ANY, call: ANY_POST }
  RELAY_OPEN: { post: relay-open, request: OPEN, response: OPEN, call: OPEN_POST }
  RELAY_RAW: { post: relay-raw, request: json, response: json, call: RAW_POST }
  ROW_SAVE: { put: "rows/{ID}", save: ROWS }
  ROW_READ: { get: "rows/{ID}", read: ROWS }
  ROWS_GET: { get: all-rows, query: ALL_ROWS }
  PUBLISH: { post: publish, request: ANY, queue: NEWS }
  PUBLISH_RAW: { post: publish-raw, request: json, queue: RAW_NEWS }
  RELAY_FIELD: { post: relay-field, request: WHOLE, body: content, response: json, call: RAW_POST }
  RELAY_PLACED: { post: "relay-placed/{ID}", request: PLACED, body: content, response: json, call: PLACED_POST }
  PUBLISH_FIELD: { post: publish-field, request: WHOLE, body: content, queue: RAW_NEWS }
`;

/** A project that only calls. */
const COMMAND_LINE = `node: PARTNER
base: \${env:PARTNER_URL}
---
document: ANY
fields: { DATA: json, ROWS: list of json, NAMES: map of json }
---
document: OPEN
open: true
fields: { NAME: text }
---
document: PLACED
fields: { ID: { type: string(20), required: true }, content: { type: json, required: true } }
---
service: Partner.v1
target: PARTNER
public: true
operations:
  ANY_POST: { post: any, request: ANY, response: ANY }
  OPEN_POST: { post: open, request: OPEN, response: OPEN }
  RAW_POST: { post: raw, request: json, response: json }
  PLACED_POST: { post: "placed/{ID}", request: PLACED, body: content, response: json }
  RAW_OPEN: { post: open, request: json, response: OPEN }
`;

/** Written by JavaScript as they stand, or not. */
const NUMBERS = '[12345678901234567890,0.1000,1e400,1.0,-0,1.5,7,0.1000000000000000055,1E+2,-1e-400]';
const BODY = `{"DATA":{"a":1.0,"b":${NUMBERS}},"ROWS":[0.1000,{"c":1.0}],"NAMES":{"x":1.0,"y":2.50}}`;

let partner: Server;
const got: { path: string; text: string }[] = [];
let gateway: TestGateway;

beforeAll(async () => {
  partner = createServer(async (request, response) => {
    const body = await text(request);
    got.push({ path: request.url ?? '', text: body });
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => partner.once('listening', resolve));
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText('sample-data: data/*.sql'),
      'definitions/data/tables.sql': 'create table digits (id varchar(20) primary key, more text);',
      'definitions/digits.yaml': DEFINITIONS,
      'src/handlers/echo.ts': 'export default { onRequest: (given) => given };\n',
      'src/handlers/echo-raw.ts': 'export default { onRequest: ({ content }) => content };\n',
      'src/handlers/added.ts':
        'export default { onRequest: ({ DATA }) => ({ DATA: { ...DATA, price: DATA.price + 1, kind: typeof DATA.price } }) };\n',
    },
    env: { PARTNER_URL: `http://127.0.0.1:${(partner.address() as AddressInfo).port}/` },
  });
});
afterAll(async () => {
  await gateway.stop();
  partner.close();
});

const url = (path: string): string =>
  `http://127.0.0.1:${gateway.port}/gateway/RESTListeningConnector/Digits.v1/${path}`;

const post = (path: string, body: string): Promise<string> => send('POST', path, body);

async function send(method: string, path: string, body: string): Promise<string> {
  const reply = await fetch(url(path), { method, headers: { 'Content-Type': 'application/json' }, body });
  const answer = await reply.text();
  expect(reply.status, answer).toBeLessThan(300);
  return answer;
}

describe('numbers in any JSON have the digits that they were written with', () => {
  it.each(['echo', 'relay'])('in fields: %s', async (path) => {
    expect(await post(path, BODY)).toBe(BODY);
  });

  it.each(['1.0', '0.1000', '1e400', '12345678901234567890'])('as the whole value of a field: %s', async (number) => {
    const body = `{"DATA":${number}}`;
    expect(await post('echo', body)).toBe(body);
    expect(await post('relay', body)).toBe(body);
    expect(got.at(-1)?.text).toBe(body);
  });

  it.each(['echo-open', 'relay-open'])('in undeclared members: %s', async (path) => {
    const body = `{"NAME":"n","OTHERS":${NUMBERS},"ONE":1.0}`;
    expect(await post(path, body)).toBe(body);
  });

  it.each(['echo-raw', 'relay-raw'])('without a document: %s', async (path) => {
    const body = `{"list":${NUMBERS},"one":1.0,"in":{"two":2.0}}`;
    expect(await post(path, body)).toBe(body);
  });

  const ALONE = ['1.0', '0.1000', '1e400', '-0', '12345678901234567890'];

  it.each(ALONE)('as the whole body of request and reply: %s', async (number) => {
    expect(await post('relay-raw', number)).toBe(number);
    expect(got.at(-1)?.text).toBe(number);
    expect(await post('relay-field', number)).toBe(number);
    expect(got.at(-1)?.text).toBe(number);
    expect(await post('relay-placed/a', number)).toBe(number);
    expect(got.at(-1)).toEqual({ path: '/placed/a', text: number });
  });

  it.each(ALONE)('as the whole message of a queue: %s', async (number) => {
    const before = got.length;
    await post('publish-raw', number);
    await post('publish-field', number);
    const sent = (path: string) =>
      eventually(`a delivery to ${path}`, () => got.slice(before).find((each) => each.path === path)?.text);
    expect(await sent('/any')).toBe(`{"DATA":${number}}`);
    expect(await sent('/raw')).toBe(number);
  });

  it('in messages of queues', async () => {
    const before = got.length;
    await post('publish', '{"DATA":1.0,"ROWS":[0.1000]}');
    const sent = (path: string) =>
      eventually(`a delivery to ${path}`, () => got.slice(before).find((each) => each.path === path)?.text);
    expect(await sent('/any')).toBe('{"DATA":1.0,"ROWS":[0.1000]}');
    expect(await sent('/other')).toBe('{"OTHER":1.0}');
  });

  it.each([NUMBERS, '1.0', '0.1000'])('in columns of tables: %s', async (number) => {
    const body = `{"ID":"a","MORE":${number}}`;
    expect(await send('PUT', 'rows/a', body)).toBe(body);
    expect(await (await fetch(url('rows/a'))).text()).toBe(body);
    expect(await (await fetch(url('all-rows'))).text()).toContain(number);
  });

  it('and code computes with ordinary numbers', async () => {
    expect(await post('added', '{"DATA":{"price":1.0,"tax":0.50}}')).toBe(
      '{"DATA":{"price":2,"tax":0.5,"kind":"number"}}',
    );
  });
});

describe('at the command line', () => {
  const invoke = async (operation: string, ...args: readonly string[]) => {
    const before = got.length;
    const cwd = await project({
      'definitions/gateway.yaml': 'gateway: LOCAL\n',
      'definitions/digits.yaml': COMMAND_LINE,
      'input.json': BODY,
    });
    const env = { PARTNER_URL: `http://127.0.0.1:${(partner.address() as AddressInfo).port}/` };
    const { code, stdout, stderr } = await signalbox(['invoke', operation, ...args], { cwd, env });
    expect(code, stderr).toBe(0);
    return { sent: got.slice(before).map((each) => each.text), stdout };
  };

  it.each([
    '1.00',
    '0.1000000000000000055',
    '1e400',
    '12345678901234567890',
    '-0',
    '[1.0,{"a":2.50}]',
  ])('what is given is sent, and the reply shown: %s', async (number) => {
    const { sent, stdout } = await invoke('ANY_POST', `DATA=${number}`, 'ROWS=1.0', 'ROWS=0.50', '--json');
    expect(sent).toEqual([`{"DATA":${number},"ROWS":[1.0,0.50]}`]);
    expect(stdout).toBe(`{"DATA":${number},"ROWS":[1.0,0.50]}\n`);
  });

  it.each([
    ['ANY_POST', ['DATA=1.0', 'ROWS=0.50'], '{"DATA":1.0,"ROWS":[0.50]}'],
    ['OPEN_POST', ['--input', 'open.json'], '{"NAME":"n","OTHER":1.0}'],
    ['RAW_POST', ['content=1.0'], '1.0'],
    ['PLACED_POST', ['ID=a', 'content=1.0'], '1.0'],
  ])('what a dry run shows is what would be sent: %s', async (operation, given, body) => {
    const cwd = await project({
      'definitions/gateway.yaml': 'gateway: LOCAL\n',
      'definitions/digits.yaml': COMMAND_LINE,
      'open.json': '{"NAME":"n","OTHER":1.0}',
    });
    const env = { PARTNER_URL: 'http://127.0.0.1:1/' };
    const { code, stdout, stderr } = await signalbox(['invoke', operation, ...given, '--dry-run'], { cwd, env });
    expect(code, stderr).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(body);
  });

  it('input from a file, and a reply in words', async () => {
    const { sent, stdout } = await invoke('ANY_POST', '--input', 'input.json');
    expect(sent).toEqual([BODY]);
    const words = stdout.split('\n').map((line) => line.replace(/ +/, ' '));
    expect(words).toEqual(
      expect.arrayContaining(['DATA.a 1.0', 'DATA.b[1] 0.1000', 'DATA.b[2] 1e400', 'ROWS[0] 0.1000', 'NAMES.y 2.50']),
    );
  });

  it('undeclared members, and JSON without a document', async () => {
    const members = await invoke('OPEN_POST', 'NAME=n', '--json');
    expect(members.stdout).toBe('{"NAME":"n"}\n');
    for (const number of ['1.0', NUMBERS]) {
      const raw = await invoke('RAW_POST', `content=${number}`, '--json');
      expect(raw).toEqual({ sent: [number], stdout: `{"content":${number}}\n` });
      const placed = await invoke('PLACED_POST', 'ID=a', `content=${number}`, '--json');
      expect(placed).toEqual(raw);
    }
    const open = await invoke('RAW_OPEN', 'content={"NAME":"n","OTHER":1.0,"LIST":[0.50]}', '--json');
    expect(open.stdout).toBe('{"NAME":"n","OTHER":1.0,"LIST":[0.50]}\n');
  });
});

it('a number beyond a double that is not an integer is refused', async () => {
  const reply = await gateway.call('/gateway/RESTListeningConnector/Digits.v1/echo', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"DATA":1e4000}',
  });
  expect(reply.status).toBe(400);
  expect(reply.text).toContain('DATA is a number out of range');
});
