import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { gatewayText } from '../support/project.ts';
import { ENGINES } from './components-project.ts';
import { envelope, SERVICES } from './soap-client.ts';

const DEFINITIONS = `document: CAR
fields:
  PLATE: { type: string(10), required: true }
  VIN: { type: string(20), json: vin/no }
  DEPOT: { type: string(10), required: true }
  BAY: integer
  OWNER: integer
  SEATS: { type: integer, default: 4 }
  COLOUR: string(10)
  LAND: string(5)
  REGION: string(5)
---
component: CARS
table: car
shape: CAR
keys: [PLATE]
columns: { PLATE: plate_no, VIN: chassis, BAY: Bay No, SEATS: n }
---
document: RENTAL
fields: { ID: { type: integer, required: true }, YEAR: { type: integer, required: true }, CODE: string(5), OWNER: integer, DAYS: integer, PLACE: string(5) }
---
component: RENTALS
table: rental
shape: RENTAL
keys: [ID, YEAR]
---
service: Cars.v1
permission: EVERYTHING
operations:
  CAR_GET: { get: "cars/{PLATE}", read: CARS }
  CAR_POST: { post: "cars{?DEPOT}", soap: true, save: CARS }
  CAR_PATCH: { patch: "cars/{PLATE}", save: CARS }
  RENTAL_POST: { post: rentals, save: RENTALS }
  CAR_DELETE: { delete: "cars/{PLATE}", save: CARS }
  CAR_CODE: { post: code, request: { fields: { PLATE: string, VIN: string } }, response: json, handler: code }
`;

const TABLES = `create table owner (id integer primary key);
create table region (land varchar(5), code varchar(5), primary key (land, code));
create table car (
  plate_no varchar(10) primary key, chassis varchar(20) unique, depot varchar(10) not null, "Bay No" integer,
  owner integer references owner (id), n integer check (n < 9), colour varchar(10) not null, land varchar(5), region varchar(5), foreign key (land, region) references region, unique (depot, "Bay No"));
insert into owner (id) values (1);
`;

const RENTAL =
  'id integer, year integer, code varchar(5), owner integer references owner (id), days integer check (days < 9), place varchar(5) not null, primary key (id, year), unique (code, year)';
const PARTITIONS = {
  sqlite: `create table rental (${RENTAL});\n`,
  postgres: `create table rental (${RENTAL}) partition by range (year);
create table rental_old partition of rental for values from (1900) to (2000) partition by list (year);
create table rental_1999 partition of rental_old for values in (1999);
`,
};

const FILES = {
  'definitions/gateway.yaml': gatewayText('sample-data: data/*.sql'),
  'definitions/cars.yaml': DEFINITIONS,
  'src/handlers/code.ts': `export default {
  async onRequest(car, context) {
    await context.saveComponent('CARS', { ...car, DEPOT: 'code', COLOUR: 'red' });
    return {};
  },
};
`,
};

const BASE = '/gateway/RESTListeningConnector/Cars.v1';

describe.each(ENGINES)('a record that its table refuses, on %s', (kind) => {
  let gateway: TestGateway;
  let database: TestDatabase | undefined;
  let last = 0;

  beforeAll(async () => {
    database = kind === 'sqlite' ? undefined : await createDatabase({ migrated: true });
    gateway = await startTestGateway({
      files: { ...FILES, 'definitions/data/tables.sql': TABLES + PARTITIONS[kind] },
      ...(database === undefined ? {} : { env: { DATABASE_URL: database.url } }),
    });
    await post({ PLATE: 'FIRST', 'vin/no': 'V1', BAY: 7 }, 'north');
  });
  afterAll(async () => {
    await gateway.stop();
    await database?.drop();
  });

  const post = (body: object, depot = `d${++last}`): Promise<Reply> =>
    gateway.call(`${BASE}/cars?DEPOT=${depot}`, { method: 'POST', body: JSON.stringify({ COLOUR: 'red', ...body }) });
  const told = ({ status, text }: Reply): unknown => {
    const { code, errors, detail } = JSON.parse(text);
    return { status, code, detail, places: errors?.map(({ detail: _, ...place }: { detail: string }) => place) };
  };

  it('is saved and read in columns with names of their own', async () => {
    const { status, text } = await gateway.call(`${BASE}/cars/FIRST`);
    const car = { PLATE: 'FIRST', 'vin/no': 'V1', DEPOT: 'north', BAY: 7, SEATS: 4, COLOUR: 'red' };
    expect([status, JSON.parse(text)]).toEqual([200, car]);
    const patched = await gateway.call(`${BASE}/cars/FIRST`, { method: 'PATCH', body: '{"SEATS":5}' });
    expect(JSON.parse(patched.text)).toEqual({ ...car, SEATS: 5 });
  });

  it.each<[string, object, string | undefined, object]>([
    [
      'a value of another record',
      { PLATE: 'A', 'vin/no': 'V1' },
      undefined,
      { detail: 'CARS A has the same VIN as another record.', places: [{ pointer: '#/vin~1no' }] },
    ],
    [
      'values that another record has together, one of them in the URI',
      { PLATE: 'A', BAY: 7 },
      'north',
      {
        detail: 'CARS A has the same DEPOT and BAY as another record.',
        places: [{ parameter: 'DEPOT' }, { pointer: '#/BAY' }],
      },
    ],
    [
      'its key',
      { PLATE: 'FIRST' },
      undefined,
      { detail: 'CARS FIRST exists already.', places: [{ pointer: '#/PLATE' }] },
    ],
    [
      'a value that a rule refuses',
      { PLATE: 'A', SEATS: 9 },
      undefined,
      { detail: 'CARS A violates a rule of its table about SEATS.', places: [{ pointer: '#/SEATS' }] },
    ],
  ])('names the field of %s with 409', async (_name, body, depot, expected) => {
    expect(told(await post(body, depot))).toEqual({ status: 409, code: 'CONFLICT', ...expected });
  });

  it('names the field of a reference to nothing', async () => {
    expect(told(await post({ PLATE: 'A', OWNER: 2 }))).toEqual({
      status: 409,
      code: 'CONFLICT',
      detail: 'CARS A refers by OWNER to a record that does not exist.',
      places: [{ pointer: '#/OWNER' }],
    });
    expect(told(await post({ PLATE: 'A', OWNER: 1, LAND: 'x', REGION: 'y' }))).toMatchObject({
      status: 409,
      places: [{ pointer: '#/LAND' }, { pointer: '#/REGION' }],
    });
    expect((await post({ PLATE: 'HALF', LAND: 'x' })).status).toBe(201);
  });

  it('names the fields of a table in partitions', async () => {
    const rent = async (fields: object): Promise<unknown> => {
      const body = JSON.stringify({ ID: 2, YEAR: 1999, PLACE: 'x', ...fields });
      const reply = told(await gateway.call(`${BASE}/rentals`, { method: 'POST', body })) as {
        places?: { pointer: string }[];
      };
      return reply.places?.map(({ pointer }) => pointer).sort();
    };
    expect(await rent({ ID: 1, CODE: 'C' })).toBeUndefined();
    expect(await rent({ ID: 1 })).toEqual(['#/ID', '#/YEAR']);
    expect(await rent({ CODE: 'C' })).toEqual(['#/CODE', '#/YEAR']);
    expect(await rent({ DAYS: 9 })).toEqual(['#/DAYS']);
    expect(await rent({ PLACE: undefined })).toEqual(['#/PLACE']);
    expect(await rent({ OWNER: 7 })).toEqual(['#/OWNER']);
  });

  it.skipIf(kind === 'sqlite')('is about the whole record where the database does not name a column', async () => {
    expect(told(await post({ PLATE: 'A', SEATS: 5_000_000_000 }))).toMatchObject({
      status: 400,
      places: [{ pointer: '#' }],
    });
  });

  it('names the field that is missing with 400', async () => {
    const { status, code, places } = told(await post({ PLATE: 'A', COLOUR: undefined })) as Record<string, unknown>;
    expect({ status, code, places }).toEqual({ status: 400, code: 'BAD_PARAMETER', places: [{ pointer: '#/COLOUR' }] });
  });

  it('names the fields in a change too, and never a value of the other record', async () => {
    await post({ PLATE: 'OTHER', 'vin/no': 'SECRET-VIN' });
    const reply = await gateway.call(`${BASE}/cars/FIRST`, { method: 'PATCH', body: '{"vin/no":"SECRET-VIN"}' });
    expect(told(reply)).toMatchObject({ status: 409, places: [{ pointer: '#/vin~1no' }] });
    expect(reply.text).not.toMatch(/SECRET|OTHER/);
    const line = gateway.log().findLast(({ operation }) => operation === 'CAR_PATCH');
    expect(line).toMatchObject({
      decision: 'allowed',
      status: 409,
      reason: 'the record has the same VIN as another record',
    });
    expect(JSON.stringify(gateway.log())).not.toContain('SECRET-VIN');
  });

  it('names the field over SOAP', async () => {
    const fields = '<PLATE>A</PLATE><VIN>V1</VIN><DEPOT>x</DEPOT><COLOUR>red</COLOUR>';
    const { text } = await gateway.call(SERVICES, {
      method: 'POST',
      headers: { 'content-type': 'text/xml' },
      body: envelope(`<CAR_POST xmlns="urn:test:Cars.v1">${fields}</CAR_POST>`),
    });
    expect(text).toContain('CARS A has the same VIN as another record.');
  });

  it('has no place in the request where code saves it', async () => {
    const { text } = await gateway.call(`${BASE}/code`, { method: 'POST', body: '{"PLATE":"A","VIN":"V1"}' });
    expect(told({ status: 409, text, headers: {} })).toEqual({
      status: 409,
      code: 'CONFLICT',
      detail: 'CARS A has the same VIN as another record.',
      places: undefined,
    });
  });
});
