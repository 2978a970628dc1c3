import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Call, DEMO, GUEST, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText, USERS } from '../support/project.ts';
import { envelope, SERVICES } from './soap-client.ts';

// Two versions of one service: the first has its own contract, and the second answers it.
const DEFINITIONS = `document: ADDRESS
fields: { street: string(40), city: { type: string(20), required: true } }
---
document: CAR
fields:
  id: { type: integer, required: true }
  plate: { type: string(10), required: true }
  state: { type: string, enum: [ready, rented, broken], required: true }
  depot: { type: ADDRESS, required: true }
  extras: list of EXTRA
  note: string
---
document: EXTRA
fields: { code: { type: string(5), required: true }, free: { type: boolean, default: false }, since: date }
---
document: OLD_CAR
fields:
  NUMBER: { type: integer, required: true }
  PLATE: { type: string(10), required: true }
  STATUS: { type: string(1), enum: [A, X], required: true }
  CITY: string(20)
  EXTRAS: list of OLD_EXTRA
---
document: OLD_EXTRA
fields: { CODE: string(5), FREE: { type: string(1), enum: [Y, N] } }
---
document: OLD_FAULT
fields: { status: { type: string, fixed: failure }, error: { type: text, default: "{fault.message}" }, code: { type: string, default: "{fault.code}" } }
---
document: SHAPE
fields: { ID: { type: string(10), required: true }, TEXT: string(20), VERSION: string(5) }
---
{ document: PRICE, fields: { price: integer } }
---
{ component: ENTRIES, table: entry, shape: SHAPE, keys: [ID] }
---
{ queue: RENTALS }
---
query: CARS
public: true
prompts: { MAKE: string(10) }
columns: { ID: { type: integer, required: true }, PLATE: { type: string(10), required: true }, MAKE: string(20) }
sql: select id, plate, make from car where :MAKE is null or make = :MAKE order by id
---
{ role: SECOND, permission-lists: [NEW] }
---
{ permission-list: NEW }
---
service: Cars.v2
permission: EVERYTHING
operations:
  CAR_GET: { get: "cars/{id}{?detail}", soap: true, request: { fields: { id: { type: integer, maximum: 1000 }, detail: { type: string, enum: [all, little], default: little } } }, response: CAR }
  CAR_PUT:
    put: "cars/{id}"
    headers: { X-Reason: "{reason}" }
    request: { fields: { id: integer, plate: { type: string(10), required: true, pattern: "[A-Z0-9-]+" }, state: { type: string, enum: [ready, rented] }, depot: { type: ADDRESS, required: true }, reason: string(10), extras: list of EXTRA } }
    response: CAR
  CARS_GET: { get: "cars{?MAKE}", soap: true, query: CARS }
  PAGES_GET: { get: "pages{?limit,after}", query: CARS, paging: { order: [ID], limit: 2 } }
  RENT: { post: rentals, soap: true, queue: RENTALS, request: { fields: { car: { type: integer, required: true }, days: { type: integer, default: 1 } } }, response: PRICE }
  RENT_REPLY: { get: "rentals/{message}", reply-of: Cars.v2.RENT, response: PRICE }
  PHOTO_GET: { get: "photos/{id}", soap: true, request: { fields: { id: integer } }, response: binary }
  PHOTO_PUT: { put: "photos/{id}", soap: true, request: { fields: { id: integer, photo: { type: binary, required: true } } }, body: photo, response: { fields: { bytes: integer } } }
  ENTRY_GET: { get: "entries/{ID}", read: ENTRIES }
  ENTRY_PUT: { put: "entries/{ID}", save: ENTRIES }
  ENTRY_POST: { post: entries, save: ENTRIES }
  SECRET_GET: { get: secret, permission: NEW, response: { fields: { user: string, as: string } } }
  PARTNER_GET: { get: "partner/{id}", call: Shop.v1.PRICE_GET, request: { fields: { id: integer } }, response: { fields: { price: integer } } }
  NOTE: { soap: true, request: { fields: { text: string } } }
---
service: Shop.v1
permission: EVERYTHING
target: SHOP
operations:
  PRICE_GET: { get: "prices/{id}", request: { fields: { id: integer } }, response: { fields: { price: integer } } }
---
{ node: SHOP, base: "\${env:SHOP_URL}" }
---
{ subscription: RENT_PRICES, operation: Cars.v2.RENT, gives-reply: true, handler: rentals }
---
service: Cars.v1
permission: EVERYTHING
fault: OLD_FAULT
call: Cars.v2
operations:
  CAR_GET:
    get: "cars/{NUMBER}{?DETAIL}"
    soap: true
    request: { fields: { NUMBER: integer, DETAIL: { type: string(1), enum: [Y, N] } } }
    response: OLD_CAR
    map:
      request: { id: { from: NUMBER, fault: true }, detail: { from: DETAIL, values: { Y: all, N: little } } }
      response:
        NUMBER: "{id}"
        PLATE: "{plate}"
        STATUS: { from: state, values: { ready: A, rented: A, broken: X } }
        CITY: "{depot.city}"
        EXTRAS: { from: extras, map: { CODE: "{code}", FREE: { from: free, values: { "true": Y, "false": N } } } }
  CAR_PUT:
    put: "cars/{NUMBER}"
    headers: { X-Why: "{WHY}" }
    request: { fields: { NUMBER: integer, PLATE: { type: string(12), required: true }, CITY: { type: string(30), required: true }, WHY: string(20), TRACE: string, EXTRAS: list of OLD_EXTRA } }
    response: { fields: { PLATE: string(10), MADE: { type: string, default: here }, GOT: string } }
    map:
      request:
        id: "{NUMBER}"
        plate: { from: PLATE, fault: true }
        state: ready
        depot.city: { from: CITY, fault: true }
        depot.street: { fixed: none }
        reason: { from: WHY, default: old, fault: true }
        extras: { from: EXTRAS, map: { code: { from: CODE, default: "?" }, free: { from: FREE, values: { Y: true, N: false } } } }
      response: { PLATE: "{plate}", GOT: "{note}" }
      unused: [TRACE]
  CARS_GET:
    get: "cars{?MAKE}"
    soap: true
    request: { fields: { MAKE: string(10) } }
    response: { fields: { rows: { type: list of OLD_ROW } } }
  CARS_SHORT:
    get: "short{?MAKER}"
    soap: true
    call: Cars.v2.CARS_GET
    request: { fields: { MAKER: string(10) } }
    response: { fields: { CARS: list of SHORT_ROW } }
    map: { request: { MAKE: "{MAKER}" }, response: { CARS: { from: rows, map: { NO: "{ID}", PLATE: "{PLATE}" } } } }
  PAGES_GET:
    get: "list{?LIMIT,FROM}"
    request: { fields: { LIMIT: integer, FROM: string } }
    response: { fields: { rows: list of SHORT_ROW, NEXT: string } }
    map: { request: { limit: { from: LIMIT, fault: true }, after: "{FROM}" }, response: { NEXT: "{next}", rows: { map: { NO: "{ID}" } } } }
  RENT: { post: rent, soap: true, request: { fields: { CAR: { type: integer, required: true } } }, map: { request: { car: "{CAR}" } } }
  RENT_REPLY: { get: "rent/{message}", request: { fields: { message: uuid } }, response: { fields: { COST: integer } }, map: { response: { COST: "{price}" } } }
  PHOTO_GET: { get: "photo/{NO}", soap: true, request: { fields: { NO: integer } }, response: binary, map: { request: { id: "{NO}" } } }
  PHOTO_PUT: { put: "photo/{NO}", soap: true, request: { fields: { NO: integer, FILE: { type: binary, required: true } } }, body: FILE, response: { fields: { SIZE: integer } }, map: { request: { id: "{NO}", photo: "{FILE}" }, response: { SIZE: "{bytes}" } } }
  ENTRY_GET: { get: "entry/{KEY}", request: { fields: { KEY: string(10) } }, response: { fields: { KEY: { type: string(10), required: true }, WORDS: string(20) } }, map: { request: { ID: "{KEY}" }, response: { KEY: "{ID}", WORDS: "{TEXT}" } } }
  ENTRY_PUT: { put: "entry/{KEY}", request: { fields: { KEY: string(10), WORDS: text } }, response: { fields: { KEY: string(10), WORDS: string(20) } }, map: { request: { ID: "{KEY}", TEXT: { from: WORDS, fault: true }, VERSION: v1 }, response: { KEY: "{ID}", WORDS: "{TEXT}" } } }
  ENTRY_POST: { post: entry, request: { fields: { KEY: { type: string(10), required: true } } }, response: { fields: { KEY: string(10) } }, map: { request: { ID: "{KEY}" }, response: { KEY: "{ID}" } } }
  SECRET_GET: { get: secret, response: { fields: { user: string, as: string } } }
  SECRET_AS: { get: secret/as, as: SECOND, call: Cars.v2.SECRET_GET, response: { fields: { user: string, as: string } } }
  PARTNER_GET: { get: "partner/{NO}", request: { fields: { NO: integer } }, response: { fields: { COST: integer } }, map: { request: { id: "{NO}" }, response: { COST: "{price}" } } }
  NOTE: { soap: true, request: { fields: { TEXT: string } }, map: { request: { text: "{TEXT}" } } }
  OWN_GET: { get: own, handler: own, response: { fields: { who: string } } }
---
document: OLD_ROW
fields: { ID: { type: integer, required: true }, PLATE: { type: string(10), required: true }, MAKE: string(20) }
---
document: SHORT_ROW
fields: { NO: integer, PLATE: string(10) }
---
service: Cars.v3
permission: EVERYTHING
operations:
  CAR_GET: { get: "cars/{NR}", call: Cars.v1, request: { fields: { NR: integer } }, response: { fields: { PLATE: string(10) } }, map: { request: { NUMBER: "{NR}" } } }
---
service: Cars.v4
permission: EVERYTHING
operations:
  CAR_PUT:
    put: "car/{NUMBER}"
    call: Cars.v2
    headers: { X-Why: "{WHY}" }
    request: { fields: { NUMBER: integer, PLATE: { type: string(12), required: true }, CITY: { type: string(30), required: true }, WHY: string(20), EXTRAS: { type: list of OLD_EXTRA, json: extras } } }
    response: { fields: { PLATE: string(10) } }
    map:
      request:
        id: "{NUMBER}"
        plate: { from: PLATE, fault: true }
        depot.city: { from: CITY, fault: true }
        depot.street: fixed
        reason: { from: WHY, fault: true }
        extras: { from: EXTRAS, map: { code: { from: CODE, default: "?" }, free: { from: FREE, values: { Y: true, N: false } } } }
      response: { PLATE: "{plate}" }
`;

const FILES = {
  'definitions/gateway.yaml': gatewayText('migrations: migrations\naudit: audit.log\nlimits: { timeout: 2 s }'),
  'definitions/users.yaml': USERS,
  'definitions/cars.yaml': DEFINITIONS,
  'src/handlers/cars.v2-car-get.ts': `import { Fault } from 'signalbox';
export default {
  async onRequest(request, context) {
    const { id } = request;
    if (id === 404) throw Fault.of('NOT_FOUND', { what: 'car 404' }, { at: { parameter: 'id' } });
    if (id === 500) throw new Error('broken');
    if (id === 504) await new Promise((_, reject) => context.signal.addEventListener('abort', () => { reject(context.signal.reason); }));
    if (id === 501) return { id, plate: 'P'.repeat(11), state: 'ready', depot: { city: 'Bonn' } };
    context.log('info', 'asked', { id, uri: context.uriIndex, operation: context.operation.id });
    return context.reply({ id, plate: 'B-' + id, state: id === 2 ? 'broken' : 'rented', depot: { city: 'Berlin' }, extras: [{ code: 'GPS' }, { code: 'SKI', free: true }] }, { headers: { 'X-Seen': context.operation.id } });
  },
  onError(fault) { return 'Second version: ' + fault.message; },
};
`,
  'src/handlers/cars.v2-car-put.ts': `import { Fault } from 'signalbox';
export default {
  onRequest(request) {
    if (request.plate === 'TAKEN') throw Fault.custom('TAKEN', 409, 'It is taken.', { at: { pointer: '#/depot/city' } });
    if (request.plate === 'EXTRA') throw Fault.custom('EXTRA', 409, 'No such extra.', { at: { pointer: '#/extras/1/code' } });
    if (request.plate === 'WHY') throw Fault.custom('WHY', 409, 'No reason.', { at: { header: 'X-Reason' } });
    if (request.plate === 'STREET') throw Fault.custom('STREET', 409, 'No street.', { at: { pointer: '#/depot/street' } });
    return { ...request, note: JSON.stringify(request) };
  },
};
`,
  'src/handlers/cars.v2-photo-get.ts': `export default {
  onRequest({ id }, context) {
    async function* body() { for (let n = 0; n < id; n++) yield Buffer.alloc(65536, n % 256); }
    return context.bytes({ contentType: 'image/png', length: id * 65536, body });
  },
};
`,
  'src/handlers/cars.v2-photo-put.ts': `export default {
  async onRequest({ photo }) {
    let bytes = 0;
    for await (const chunk of photo.stream()) bytes += chunk.length;
    return { bytes };
  },
};
`,
  'src/handlers/cars.v2-secret-get.ts': `export default { onRequest: (_, context) => ({ user: context.caller.user, as: context.as?.id }) };
`,
  'src/handlers/cars.v2-note.ts': `export default { onRequest: () => ({}) };
`,
  'src/handlers/own.ts': `export default { onRequest: () => ({ who: 'own' }) };
`,
  'src/handlers/rentals.ts': `export default { onMessage: ({ car, days }) => ({ price: car * days * 10 }) };
`,
  'migrations/0001-cars.sql': `create table car (id integer primary key, plate varchar(10), make varchar(20));
insert into car values (1, 'B-1', 'Audi'), (2, 'B-2', 'Seat'), (3, 'B-3', 'Audi');
create table entry (id varchar(10) primary key, text varchar(20), version varchar(5));
`,
};

const REST = '/gateway/RESTListeningConnector';

describe('an operation that another version answers', () => {
  let box: TestGateway;
  let shop: Server;
  beforeAll(async () => {
    shop = createServer((request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ price: Number(request.url?.split('/').at(-1)) * 2 }));
    });
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    const SHOP_URL = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    box = await startTestGateway({ files: FILES, env: { SHOP_URL } });
  }, 60_000);
  afterAll(async () => {
    await box.stop();
    shop.close();
  });

  const rest = (path: string, options?: Call): Promise<Reply> => box.call(`${REST}/${path}`, options);
  const send = (method: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    rest(path, { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
  const soap = (body: string): Promise<Reply> =>
    box.call(SERVICES, { method: 'POST', headers: { 'content-type': 'text/xml' }, body: envelope(body) });
  const old = (name: string, fields = ''): string => `<${name} xmlns="urn:test:Cars.v1">${fields}</${name}>`;

  it('keeps its own contract over REST: fields are renamed, moved, converted and dropped', async () => {
    const reply = await rest('Cars.v1/cars/1?DETAIL=Y');
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.text)).toEqual({
      ...{ NUMBER: 1, PLATE: 'B-1', STATUS: 'A', CITY: 'Berlin' },
      EXTRAS: [
        { CODE: 'GPS', FREE: 'N' },
        { CODE: 'SKI', FREE: 'Y' },
      ],
    });
    expect(reply.headers['x-seen']).toBe('Cars.v2.CAR_GET');
    const asXml = await rest('Cars.v1/cars/2', { headers: { accept: 'application/xml' } });
    expect(asXml.text).toContain(
      '<OLD_CAR xmlns="urn:test:Cars.v1"><NUMBER>2</NUMBER><PLATE>B-2</PLATE><STATUS>X</STATUS>',
    );
  });

  it('keeps its own contract over SOAP', async () => {
    const reply = await soap(old('CAR_GET', '<NUMBER>1</NUMBER><DETAIL>N</DETAIL>'));
    expect(reply.status).toBe(200);
    expect(reply.text).toContain(
      '<CAR_GETResponse xmlns="urn:test:Cars.v1"><NUMBER>1</NUMBER><PLATE>B-1</PLATE><STATUS>A</STATUS><CITY>Berlin</CITY>',
    );
  });

  it('is answered through a third version as well', async () => {
    expect((await rest('Cars.v3/cars/1')).text).toBe('{"PLATE":"B-1"}');
  });

  it('fills fields that callers do not send: values, defaults, and those in inner documents', async () => {
    const body = { PLATE: 'HH-1', CITY: 'Hamburg', TRACE: 'x', EXTRAS: [{ FREE: 'Y' }, { CODE: 'SKI' }] };
    const reply = await send('PUT', 'Cars.v1/cars/7', body);
    const { GOT, ...answered } = JSON.parse(reply.text) as { GOT: string };
    expect(answered).toEqual({ PLATE: 'HH-1', MADE: 'here' });
    expect(JSON.parse(GOT)).toEqual({
      ...{ id: 7, plate: 'HH-1', state: 'ready', depot: { street: 'none', city: 'Hamburg' }, reason: 'old' },
      extras: [
        { code: '?', free: true },
        { code: 'SKI', free: false },
      ],
    });
  });

  it('reports a value that the other version does not take by the name that the caller sent', async () => {
    const reply = await send('PUT', 'Cars.v1/cars/7', { PLATE: 'no good', CITY: 'C'.repeat(21) });
    expect(reply.status).toBe(400);
    const fault = JSON.parse(reply.text) as { status: string; error: string; code: string };
    expect(fault).toMatchObject({ status: 'failure', code: 'BAD_PARAMETER' });
    expect(fault.error).toContain('PLATE');
    const path = await rest('Cars.v1/cars/1001');
    expect([path.status, JSON.parse(path.text)]).toEqual([
      400,
      { status: 'failure', code: 'BAD_PARAMETER', error: 'NUMBER is greater than 1000.' },
    ]);
    const header = await send('PUT', 'Cars.v1/cars/7', { PLATE: 'A', CITY: 'C' }, { 'x-why': 'w'.repeat(11) });
    expect(JSON.parse(header.text)).toMatchObject({ error: expect.stringMatching(/^WHY /) });
  });

  it('answers faults of the other version with its own fault document, in the words of its code', async () => {
    const missing = await rest('Cars.v1/cars/404');
    expect([missing.status, JSON.parse(missing.text)]).toEqual([
      404,
      { status: 'failure', code: 'NOT_FOUND', error: 'Second version: There is no car 404.' },
    ]);
    const broken = await rest('Cars.v1/cars/500');
    expect([broken.status, JSON.parse(broken.text).code]).toEqual([500, 'INTERNAL']);
    const unwritable = await rest('Cars.v1/cars/501');
    expect([unwritable.status, JSON.parse(unwritable.text).code]).toEqual([500, 'INTERNAL']);
    const inSoap = await soap(old('CAR_GET', '<NUMBER>404</NUMBER>'));
    expect(inSoap.text).toContain('<OLD_FAULT xmlns="urn:test:Cars.v1">');
    expect(inSoap.text).not.toContain('v2');
  });

  it('names the places of errors as its callers know them', async () => {
    const errorsOf = async (body: object, headers = {}): Promise<unknown> => {
      const reply = await send('PUT', 'Cars.v4/car/7', { CITY: 'Ulm', ...body }, headers);
      return (JSON.parse(reply.text) as { errors?: unknown }).errors;
    };
    expect(await errorsOf({ PLATE: 'TAKEN' })).toEqual([{ detail: 'It is taken.', pointer: '#/CITY' }]);
    expect(await errorsOf({ PLATE: 'EXTRA' })).toEqual([{ detail: 'No such extra.', pointer: '#/extras/1/CODE' }]);
    expect(await errorsOf({ PLATE: 'WHY' })).toEqual([{ detail: 'No reason.', header: 'X-Why' }]);
    expect(await errorsOf({ PLATE: 'STREET' })).toEqual([{ detail: 'No street.' }]);
    expect(await errorsOf({ PLATE: 'low' })).toEqual([
      { detail: expect.stringMatching(/^PLATE does not match/), pointer: '#/PLATE' },
    ]);
    expect(await errorsOf({ PLATE: 'A', CITY: 'C'.repeat(21) })).toMatchObject([{ pointer: '#/CITY' }]);
    expect(await errorsOf({ PLATE: 'A' }, { 'x-why': 'w'.repeat(11) })).toEqual([
      { detail: expect.stringMatching(/^WHY /), header: 'X-Why' },
    ]);
    const path = JSON.parse((await send('PUT', 'Cars.v4/car/x', { PLATE: 'A', CITY: 'Ulm' })).text);
    expect(path.errors[0]).toMatchObject({ parameter: 'NUMBER' });
  });

  it('ends the work of the other version when its own time is over', async () => {
    const reply = await rest('Cars.v1/cars/504');
    expect([reply.status, JSON.parse(reply.text).code]).toEqual([504, 'TIMEOUT']);
  });

  it('passes the rows of a query on in its own form, and converts those that differ', async () => {
    const same = await rest('Cars.v1/cars?MAKE=Audi');
    expect(JSON.parse(same.text)).toEqual({
      rows: [
        { ID: 1, PLATE: 'B-1', MAKE: 'Audi' },
        { ID: 3, PLATE: 'B-3', MAKE: 'Audi' },
      ],
    });
    const inSoap = await soap(old('CARS_GET', '<MAKE>Seat</MAKE>'));
    expect(inSoap.text).toContain('<CARS_GETResponse xmlns="urn:test:Cars.v1"><rows><OLD_ROW><ID>2</ID>');
    const short = await rest('Cars.v1/short?MAKER=Seat');
    expect(JSON.parse(short.text)).toEqual({ CARS: [{ NO: 2, PLATE: 'B-2' }] });
    const shortSoap = await soap(old('CARS_SHORT'));
    expect(shortSoap.text).toContain('<CARS><SHORT_ROW><NO>1</NO><PLATE>B-1</PLATE></SHORT_ROW>');
  });

  it('leads to its own next page', async () => {
    const first = await rest('Cars.v1/list?LIMIT=2');
    const { rows, NEXT } = JSON.parse(first.text) as { rows: unknown[]; NEXT: string };
    expect(rows).toEqual([
      { NO: 1, PLATE: 'B-1' },
      { NO: 2, PLATE: 'B-2' },
    ]);
    const [, address = ''] = /^<(.*)>; rel="next"$/.exec(String(first.headers.link)) ?? [];
    expect(address).toContain('/RESTListeningConnector/Cars.v1/list?');
    expect(new URL(address).searchParams.get('FROM')).toBe(NEXT);
    const next = await box.call(address.replace(/^https?:\/\/[^/]+/, ''));
    expect(JSON.parse(next.text)).toEqual({ rows: [{ NO: 3, PLATE: 'B-3' }] });
    expect(next.headers.link).toBeUndefined();
  });

  it('publishes to the queue of the other version, and reads the reply in its own form', async () => {
    const accepted = await send('POST', 'Cars.v1/rent', { CAR: 4 });
    const { message } = JSON.parse(accepted.text) as { message: string };
    expect(accepted.status).toBe(202);
    expect(String(accepted.headers.location)).toMatch(new RegExp(`/RESTListeningConnector/Cars.v1/rent/${message}$`));
    const reply = await eventually('the reply', async () => {
      const read = await rest(`Cars.v1/rent/${message}`);
      return read.status === 200 ? read : undefined;
    });
    expect(JSON.parse(reply.text)).toEqual({ COST: 40 });
    const inSoap = await soap(old('RENT', '<CAR>1</CAR>'));
    expect([inSoap.status, inSoap.text]).toEqual([202, '']);
  });

  it('passes binary content on while it is read, in both directions', async () => {
    const photo = await rest('Cars.v1/photo/3');
    expect([photo.headers['content-type'], photo.headers['content-length']]).toEqual(['image/png', '196608']);
    const body = Buffer.alloc(300_000);
    const sent = await rest('Cars.v1/photo/3', { method: 'PUT', headers: { 'content-type': 'image/png' }, body });
    expect(sent.text).toBe('{"SIZE":300000}');
    const empty = await soap(old('PHOTO_PUT', `<NO>1</NO><FILE>${Buffer.from('abc').toString('base64')}</FILE>`));
    expect(empty.text).toContain('<SIZE>3</SIZE>');
    expect((await soap(old('PHOTO_GET', '<NO>0</NO>'))).status).toBe(200);
  });

  it('reads and saves records of a component, under its own addresses and with preconditions', async () => {
    const made = await send('POST', 'Cars.v1/entry', { KEY: 'a' });
    expect([made.status, made.text]).toEqual([201, '{"KEY":"a"}']);
    expect(String(made.headers.location)).toMatch(/\/RESTListeningConnector\/Cars.v1\/entry\/a$/);
    const saved = await send('PUT', 'Cars.v1/entry/a', { WORDS: 'one' }, { 'if-match': String(made.headers.etag) });
    expect([saved.status, saved.text]).toEqual([200, '{"KEY":"a","WORDS":"one"}']);
    const late = await send('PUT', 'Cars.v1/entry/a', { WORDS: 'two' }, { 'if-match': String(made.headers.etag) });
    expect(late.status).toBe(412);
    expect((await rest('Cars.v1/entry/a')).text).toBe('{"KEY":"a","WORDS":"one"}');
    const long = await send('PUT', 'Cars.v1/entry/a', { WORDS: 'w'.repeat(21) });
    expect([long.status, JSON.parse(long.text).code]).toEqual([400, 'BAD_PARAMETER']);
    const file = new Database(`${box.folder}/test.db`);
    expect(file.prepare('select * from entry').all()).toEqual([{ id: 'a', text: 'one', version: 'v1' }]);
    file.close();
  });

  it('gives its callers no rights: the other version needs its own grant, or `as`', async () => {
    const refused = await rest('Cars.v1/secret');
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([403, 'FORBIDDEN']);
    const granted = await rest('Cars.v1/secret/as');
    expect(JSON.parse(granted.text)).toEqual({ user: 'demo', as: 'SECOND' });
    expect((await rest('Cars.v1/cars/1', { headers: { authorization: GUEST } })).status).toBe(403);
  });

  it('is answered through a call to another system', async () => {
    expect((await rest('Cars.v1/partner/21')).text).toBe('{"COST":42}');
  });

  it('accepts one-way messages, and leaves operations with an answer of their own alone', async () => {
    expect((await soap(old('NOTE', '<TEXT>hello</TEXT>'))).status).toBe(202);
    expect((await rest('Cars.v1/own')).text).toBe('{"who":"own"}');
  });

  it('is audited and measured as itself', async () => {
    await rest('Cars.v1/cars/1', { headers: { authorization: DEMO } });
    const metrics = (await box.call('/metrics')).text;
    expect(metrics).toMatch(/operation="CAR_GET"/);
    expect(metrics).not.toMatch(/operation="Cars.v2.CAR_GET"/);
  });
});
