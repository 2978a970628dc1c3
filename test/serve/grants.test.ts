import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, GUEST, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';
import { envelope, send, TYPES } from './soap-client.ts';

// `demo` holds what the lists add; `guest` may call the operations, and reach nothing behind them.
const HASH = '$scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$';
const DEFINITIONS = `permission-list: CALLS
operations: [Grants.*]
---
permission-list: BEHIND
operations: [SEND]
queries: ["STAFF_*"]
components: [PLAC*]
---
role: CALLER
permission-lists: [CALLS]
---
role: INNER
permission-lists: [BEHIND]
---
user: demo
password: ${HASH}AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ
roles: [CALLER, INNER]
sample: true
---
user: guest
password: ${HASH}omzwekRZhK7H14WBx2uNfQdcBMmSmpudUeBNrb/md2A
roles: [CALLER]
sample: true
---
query: STAFF_NAMES
columns: { NAME: string }
sql: select 'Ada' as name
---
document: PLACE
fields: { ID: { type: string(5), required: true }, NAME: string(10) }
---
component: PLACES
table: place
shape: PLACE
keys: [ID]
events:
  - { event: SavePostChange, service: SEEN, sequence: 1 }
  - { event: SavePreChange, service: GUARDED }
---
component: NOTES
table: note
shape: PLACE
keys: [ID]
---
{ related-content: SEEN, class: seen, public: true }
---
{ related-content: GUARDED, class: guarded, permission: BEHIND }
---
node: UPSTREAM
base: \${env:UPSTREAM_URL}
---
service: Out.v1
target: UPSTREAM
operations:
  SEND: { get: hello, response: text }
---
service: Grants.v1
operations:
  QUERY: { get: query, query: STAFF_NAMES }
  QUERY_AS: { get: as/query, query: STAFF_NAMES, as: INNER, soap: true }
  LISTS: { get: lists, query: { rows: STAFF_NAMES }, response: { fields: { rows: { list: { fields: { NAME: string } } } } } }
  LISTS_AS: { get: as/lists, as: INNER, query: { rows: STAFF_NAMES }, response: { fields: { rows: { list: { fields: { NAME: string } } } } } }
  READ: { get: "places/{ID}", read: PLACES }
  READ_AS: { get: "as/places/{ID}", read: PLACES, as: INNER }
  SAVE: { put: "places/{ID}", save: PLACES }
  SAVE_AS: { put: "as/places/{ID}", save: PLACES, as: INNER }
  NOTE: { put: "notes/{ID}", save: NOTES }
  CALL: { get: call, response: text, call: SEND }
  CALL_AS: { get: as/call, response: text, call: SEND, as: INNER }
  CODE: { get: "code/{HOW}", request: { fields: { HOW: string } }, response: json, handler: code }
  CODE_AS: { get: "as/code/{HOW}", request: { fields: { HOW: string } }, response: json, handler: code, as: INNER }
`;
const CODE = `const ways = {
  query: (context) => context.query('STAFF_NAMES'),
  component: (context) => context.saveComponent('PLACES', { ID: 'code', NAME: 'by code' }),
  call: async (context) => (await context.call('SEND', {})).value.content,
};
export default {
  async onRequest({ HOW }, context) {
    const said = await ways[HOW](context);
    return { caller: context.caller.user, said: said.record ?? said };
  },
};
`;
const audit = (name: string) => `import { ServiceInterface } from 'signalbox';
export default class extends ServiceInterface {
  execute({ execute, after, caller }) {
    return execute('insert into audit (class, id, oprid) values (:class, :id, :user)', { class: '${name}', id: after.ID, user: caller.user });
  }
}
`;
const REST = '/gateway/RESTListeningConnector/Grants.v1';

let upstream: Server;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('hello'));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  gateway = await startTestGateway({
    env: { UPSTREAM_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` },
    files: {
      'definitions/gateway.yaml': gatewayText('sample-data: data/*.sql'),
      'definitions/users.yaml': DEFINITIONS,
      'definitions/data/tables.sql': `create table place (id varchar(5) primary key, name varchar(10));
create table note (id varchar(5) primary key, name varchar(10));
create table audit (class text, id text, oprid text);
insert into place values ('one', 'Here');`,
      'src/handlers/code.ts': CODE,
      'src/handlers/seen.ts': audit('seen'),
      'src/handlers/guarded.ts': audit('guarded'),
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  upstream.closeAllConnections();
  upstream.close();
});

async function ask(path: string, as: 'demo' | 'guest', body?: object): Promise<[number, string]> {
  const { status, text } = await gateway.call(`${REST}/${path}`, {
    method: body === undefined ? 'GET' : 'PUT',
    headers: { authorization: as === 'demo' ? DEMO : GUEST, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return [status, status < 400 ? text : (JSON.parse(text) as { detail: string }).detail];
}

const PLACE = { NAME: 'There' };
const ways: [string, string, object?][] = [
  ['query', 'query STAFF_NAMES'],
  ['lists', 'query STAFF_NAMES'],
  ['places/one', 'component PLACES'],
  ['places/one', 'component PLACES', PLACE],
  ['call', 'operation SEND'],
  ['code/query', 'query STAFF_NAMES'],
  ['code/component', 'component PLACES'],
  ['code/call', 'operation SEND'],
];

describe('what answers an operation', () => {
  it.each(ways)('is granted by itself: %s needs the %s', async (path, what, body) => {
    expect(await ask(path, 'guest', body)).toEqual([403, `User guest may not use ${what}.`]);
    expect((await ask(path, 'demo', body))[0]).toBe(200);
  });

  it.each(ways)('is reached by the role that `as` names: %s, the %s', async (path, _, body) => {
    expect((await ask(`as/${path}`, 'guest', body))[0]).toBe(200);
  });

  it('is reached so over SOAP too', async () => {
    const body = envelope('<QUERY_AS xmlns="urn:test:Grants.v1"/>');
    const reply = await send(gateway, { headers: { 'content-type': TYPES['1.1'] }, authorization: GUEST, body });
    expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('<NAME>Ada</NAME>')]);
  });

  it('needs no grant where it is a component that nobody names', async () => {
    expect((await ask('notes/one', 'guest', PLACE))[0]).toBe(201);
  });

  it('keeps the name of who called', async () => {
    const [, text] = await ask('as/code/query', 'guest');
    expect(JSON.parse(text)).toEqual({ caller: 'guest', said: [{ NAME: 'Ada' }] });
  });
});

it('what follows a save is in the name of who called, and by the grants of that user', async () => {
  expect((await ask('as/places/mine', 'guest', PLACE))[0]).toBe(201);
  expect((await ask('as/places/ours', 'demo', PLACE))[0]).toBe(201);
  const file = new Database(join(gateway.folder, 'test.db'), { readonly: true });
  const rows = () => file.prepare("select class, oprid from audit where id in ('mine', 'ours') order by 1, 2").all();
  const expected = [
    { class: 'guarded', oprid: 'demo' },
    { class: 'seen', oprid: 'demo' },
    { class: 'seen', oprid: 'guest' },
  ];
  await expect.poll(rows, { timeout: 10_000, interval: 10 }).toEqual(expected);
  file.close();
});
