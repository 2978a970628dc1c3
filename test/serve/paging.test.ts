import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { hasMariadb, type MariadbServer, startMariadb } from '../support/mariadb-server.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { gatewayText } from '../support/project.ts';
import { envelope, SERVICES } from './soap-client.ts';

type Kind = 'sqlite' | 'postgres' | 'mariadb';
const KINDS: readonly Kind[] = [
  'sqlite',
  ...(hasPostgres ? (['postgres'] as const) : []),
  ...(hasMariadb ? (['mariadb'] as const) : []),
];

const definitions = (datasource: string): string => `query: CARS
public: true
${datasource}prompts: { OWNER: string(10) }
columns:
  ID: { type: integer, required: true }
  PLATE: { type: string(10), required: true }
  MAKE: string
  PRICE: decimal(20.6)
  SOLD: datetime
  DAY: date
  SEATS: integer
  STATUS: string(1)
sql: |
  select id, plate, make, price, sold, day, seats, status from car
  where :OWNER is null or owner = :OWNER order by id  -- as it likes
---
query: NARROW
public: true
${datasource}columns:
  ID: { type: integer, maximum: 2 }
  PLATE: string(2)
  MAKE: { type: string(2), required: true }
sql: select id, plate, make from car where id > 2
---
service: Cars.v1
public: true
operations:
  CARS_GET:
    get: "cars{?limit,after,sort,count,STATUS,SEATS,OWNER}"
    soap: true
    query: CARS
    paging: { order: [PLATE], sort: [MAKE, PRICE, SOLD, DAY, SEATS, ID], filter: [STATUS, SEATS], limit: 3, maximum: 500 }
  NEWEST_GET:
    get: "newest{?limit,after,OWNER}"
    query: CARS
    paging: { order: [-ID], limit: 2, maximum: 4 }
  NARROW_GET: { get: narrow, soap: true, query: NARROW }
  NARROW_PAGES: { get: "narrow/pages{?limit,after}", soap: true, query: NARROW, paging: { order: [ID] } }
`;

const TYPES: Readonly<Record<Kind, string>> = {
  sqlite: 'price numeric, sold text',
  postgres: 'price numeric(20, 6), sold timestamp(6)',
  mariadb: 'price decimal(20, 6), sold datetime(6)',
};
const tableOf = (kind: Kind): string =>
  `create table car (id integer primary key, plate varchar(10) not null unique, make varchar(20), ${TYPES[kind]}, day date, seats bigint, status varchar(1), owner varchar(10))`;

interface Box extends TestGateway {
  run(sql: string): Promise<unknown>;
  stop(): Promise<void>;
}

async function start(kind: Kind): Promise<Box> {
  let postgres: TestDatabase | undefined;
  let mariadb: MariadbServer | undefined;
  if (kind === 'postgres') postgres = await createDatabase({ migrated: true });
  if (kind === 'mariadb') mariadb = await startMariadb(await freePort());
  const connection = mariadb && (await createConnection({ uri: mariadb.url }));
  await connection?.query('create database cars');
  await connection?.query('use cars');
  await connection?.query(tableOf(kind));
  const uri = mariadb?.url.replace(/\/mysql$/, '/cars');
  const datasource = uri === undefined ? '' : `datasource: SHOP\n`;
  const gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(mariadb === undefined ? 'sample-data: data/*.sql' : ''),
      'definitions/cars.yaml': `${uri === undefined ? '' : `datasource: SHOP\nurl: ${uri}\n---\n`}${definitions(datasource)}`,
      ...(mariadb === undefined ? { 'definitions/data/tables.sql': `${tableOf(kind)};\n` } : {}),
    },
    ...(postgres === undefined ? {} : { env: { DATABASE_URL: postgres.url } }),
  });
  const file = kind === 'sqlite' ? new Database(join(gateway.folder, 'test.db')) : undefined;
  return {
    ...gateway,
    async run(sql) {
      if (connection !== undefined) return (await connection.query(sql))[0];
      if (postgres !== undefined) return (await postgres.run(sql)).rows;
      const statement = file!.prepare(sql);
      return statement.reader ? statement.all() : statement.run();
    },
    async stop() {
      file?.close();
      await connection?.end();
      await gateway.stop();
      await postgres?.drop();
      await mariadb?.remove();
    },
  };
}

const PATH = '/gateway/RESTListeningConnector/Cars.v1';
const MAKES = ['audi', 'Audi', 'AUDI', '', 'Škoda', 'a b', 'ä', "o'x", null];
const PRICES = ['10', '9.5', '0.1', '-1', '1000000.000001', '123456789012.123456', null];
const TIMES = ['2026-01-01 10:00:00.000001', '2026-01-01 10:00:00.000002', '2026-01-01 10:00:00', null];
const SEATS = ['2', '9007199254740993', '9007199254740992', null];

const literal = (value: string | null, isText = true): string =>
  value === null ? 'null' : isText ? `'${value.replaceAll("'", "''")}'` : value;

describe.each(KINDS)('pages, on %s', (kind) => {
  let box: Box;
  beforeAll(async () => {
    box = await start(kind);
  }, 60_000);
  afterAll(() => box.stop());

  const fill = async (count: number, pick: (n: number) => number): Promise<void> => {
    await box.run('delete from car');
    if (count === 0) return;
    const rows = Array.from({ length: count }, (_, i) => {
      const of = <T>(list: readonly T[], salt: number): T => list[pick(i * 7 + salt) % list.length] as T;
      const day = literal(of(['2026-01-01', '2025-12-31', null], 3));
      return `(${i + 1}, 'P${String(pick(i) % 10_000).padStart(4, '0')}${i}', ${literal(of(MAKES, 0))}, ${literal(of(PRICES, 1), false)}, ${literal(of(TIMES, 2))}, ${day}, ${literal(of(SEATS, 4), false)}, ${literal(of(['A', 'B', null], 5))}, ${literal(of(['me', 'you'], 6))})`;
    });
    await box.run(
      `insert into car (id, plate, make, price, sold, day, seats, status, owner) values ${rows.join(', ')}`,
    );
  };
  const get = (path: string): Promise<Reply> =>
    box.call(`${PATH}/${path}`, { headers: { accept: 'application/json' } });
  const query = (given: Readonly<Record<string, string>>): string => String(new URLSearchParams(given));
  /** All pages of a list, through the links of their replies. */
  const walk = async (given: Readonly<Record<string, string>>): Promise<{ ids: number[]; pages: number }> => {
    const ids: number[] = [];
    let path: string | undefined = `${PATH}/cars?${query(given)}`;
    let pages = 0;
    while (path !== undefined) {
      const { status, text, headers }: Reply = await box.call(path, { headers: { accept: 'application/json' } });
      expect([status, text.slice(0, 300)]).toEqual([200, expect.stringContaining('"rows"')]);
      const { rows, next } = JSON.parse(text);
      ids.push(...rows.map(({ ID }: { ID: number }) => ID));
      pages++;
      const link: string | undefined = /^<(.*)>; rel="next"$/.exec(String(headers.link))?.[1];
      expect(link === undefined).toBe(next === undefined);
      if (link !== undefined) expect(new URL(link).searchParams.get('after')).toBe(next);
      path = link === undefined ? undefined : new URL(link).pathname + new URL(link).search;
    }
    return { ids, pages };
  };

  it('together are the whole list, under each sort and filter, with NULLs and equal values', async () => {
    const sorts = ['', 'MAKE', '-MAKE', 'PRICE', '-PRICE', 'SOLD', '-SOLD', 'DAY', '-DAY', 'SEATS', '-SEATS', '-ID'];
    const filter = fc.record(
      {
        STATUS: fc.constantFrom('A', 'B'),
        SEATS: fc.constantFrom('2', '9007199254740993'),
        OWNER: fc.constantFrom('me', 'you'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 40 }),
        fc.nat(),
        filter,
        fc.integer({ min: 1, max: 9 }),
        async (count, seed, filters, limit) => {
          await fill(count, (n) => ((n + 1) * 7919 + seed) % 104_729);
          for (const by of sorts) {
            const given = { ...filters, ...(by === '' ? {} : { sort: by }) };
            const whole = JSON.parse((await get(`cars?${query({ ...given, limit: '500', count: 'true' })}`)).text);
            const expected = whole.rows.map(({ ID }: { ID: number }) => ID);
            const { ids, pages } = await walk({ ...given, limit: String(limit) });
            expect(ids).toEqual(expected);
            expect([pages, whole.total, whole.next]).toEqual([
              Math.max(1, Math.ceil(expected.length / limit)),
              ids.length,
              undefined,
            ]);
            const conditions = Object.entries(filters).map(([name, value]) => `${name} = '${value}'`);
            const own = (await box.run(`select id from car where ${['1 = 1', ...conditions].join(' and ')}`)) as {
              id: number;
            }[];
            expect([...ids].sort((a, b) => a - b)).toEqual(own.map(({ id }) => Number(id)).sort((a, b) => a - b));
          }
        },
      ),
      { numRuns: 3, examples: [[30, 7, {}, 4]] },
    );
  }, 60_000);

  it('have each row that stays exactly once while others come and go', async () => {
    await fill(60, (n) => (n * 7919) % 104_729);
    const stay = (await box.run('select id from car where id % 3 <> 0')) as { id: number }[];
    const seen: number[] = [];
    let after = '';
    for (let page = 0; page < 100; page++) {
      const { rows, next } = JSON.parse(
        (await get(`cars?${query({ limit: '7', sort: 'MAKE', ...(after === '' ? {} : { after }) })}`)).text,
      );
      seen.push(...rows.map(({ ID }: { ID: number }) => ID));
      await box.run(`delete from car where id = ${(page + 1) * 3}`);
      await box.run(
        `insert into car (id, plate, make) values (${1000 + page}, 'N${page}', '${page % 2 ? 'Audi' : 'zzz'}')`,
      );
      if (next === undefined) break;
      after = next;
    }
    const staying = seen.filter((id) => id < 1000 && id % 3 !== 0).sort((a, b) => a - b);
    expect(staying).toEqual(stay.map(({ id }) => Number(id)).sort((a, b) => a - b));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('have the declared limit, and no more rows than the maximum; the number of all only on request', async () => {
    await fill(10, (n) => n);
    const { rows, next, total } = JSON.parse((await get('cars')).text);
    expect([rows.length, typeof next, total]).toEqual([3, 'string', undefined]);
    expect(JSON.parse((await get('cars?limit=1&count=true')).text).total).toBe(10);
    const newest = JSON.parse((await get('newest')).text);
    expect(newest.rows.map(({ ID }: { ID: number }) => ID)).toEqual([10, 9]);
    for (const wrong of ['limit=501', 'limit=0', 'limit=-1', 'limit=x', 'sort=OWNER', 'sort=MAKE,ID', 'count=maybe'])
      expect([wrong, (await get(`cars?${wrong}`)).status]).toEqual([wrong, 400]);
  });

  it('refuse cursors of another list, and what is no cursor, with 400 in clear words', async () => {
    await fill(10, (n) => n);
    const { next } = JSON.parse((await get('cars?sort=MAKE&STATUS=A&limit=1')).text);
    const reasonOf = async (path: string): Promise<unknown> => {
      const { status, text } = await get(path);
      return [status, JSON.parse(text).detail, JSON.parse(text).errors?.[0].parameter];
    };
    const foreign = [
      400,
      'after belongs to another list: keep sort, filters and all other values as on the first page.',
      'after',
    ];
    for (const other of [
      'sort=-MAKE&STATUS=A',
      'sort=MAKE&STATUS=B',
      'sort=MAKE',
      'STATUS=A',
      'sort=MAKE&STATUS=A&OWNER=me',
    ])
      expect([other, await reasonOf(`cars?${other}&after=${next}`)]).toEqual([other, foreign]);
    expect(await reasonOf(`newest?after=${next}`)).toEqual(foreign);
    const spoilt = [
      400,
      'after is not a cursor that this list has given; take `next` of the page before, unchanged.',
      'after',
    ];
    const forged = Buffer.from(JSON.stringify(['x', ['1'], 'y'])).toString('base64url');
    const changed = `${next.slice(0, 30)}${next[30] === 'A' ? 'B' : 'A'}${next.slice(31)}`;
    for (const text of [
      'x',
      "'%20or%201=1",
      forged,
      changed,
      `${next}A`,
      next.slice(0, -1),
      'e30',
      'bnVsbA',
      'A'.repeat(20_000),
    ])
      expect([text.slice(0, 40), await reasonOf(`cars?sort=MAKE&STATUS=A&after=${text}`)]).toEqual([
        text.slice(0, 40),
        spoilt,
      ]);
  });

  it('go over SOAP and in XML too', async () => {
    await fill(4, (n) => n);
    const soap = async (fields: string): Promise<string> => {
      const body = envelope(`<CARS_GET xmlns="urn:test:Cars.v1">${fields}</CARS_GET>`);
      return (await box.call(SERVICES, { method: 'POST', headers: { 'content-type': 'text/xml' }, body })).text;
    };
    const first = await soap('<limit>3</limit><count>true</count>');
    expect(first.match(/<ID>/g)).toHaveLength(3);
    expect(first).toContain('<total>4</total>');
    const after = /<next>(.*?)<\/next>/.exec(first)?.[1];
    const second = await soap(`<limit>3</limit><after>${after}</after>`);
    expect([second.match(/<ID>/g)?.length, second.includes('<next>')]).toEqual([1, false]);
    const xml = await box.call(`${PATH}/cars?limit=1`, { headers: { accept: 'application/xml' } });
    expect(xml.text).toMatch(/<next>[\w-]+<\/next>/);
  });

  it('have what the database has, even if it is longer than declared, as a whole list does', async () => {
    await fill(2, (n) => n);
    await box.run("insert into car (id, plate, make) values (3, 'LONG', null)");
    const rowsOf = async (path: string, accept: string): Promise<string | undefined> =>
      /rows>?.*rows|"rows":.*\]/.exec((await box.call(`${PATH}/${path}`, { headers: { accept } })).text)?.[0];
    expect(await rowsOf('narrow/pages', 'application/json')).toBe('"rows":[{"ID":3,"PLATE":"LONG"}]');
    for (const accept of ['application/json', 'application/xml'])
      expect(await rowsOf('narrow/pages', accept)).toBe(await rowsOf('narrow', accept));
  });

  it('take an empty element over SOAP for none, as an empty parameter in a URI', async () => {
    await fill(2, (n) => n);
    const given = '<OWNER/><limit>1</limit><after/><STATUS/>';
    const body = envelope(`<CARS_GET xmlns="urn:test:Cars.v1">${given}</CARS_GET>`);
    const { text } = await box.call(SERVICES, { method: 'POST', headers: { 'content-type': 'text/xml' }, body });
    const after = /<next>(.*?)<\/next>/.exec(text)?.[1];
    expect(JSON.parse((await get(`cars?limit=1&after=${after}`)).text).rows).toHaveLength(1);
  });

  it('takes a forged cursor for a place in the list, or refuses it, and never fails', async () => {
    await fill(5, (n) => n);
    const { createHash } = await import('node:crypto');
    const digest = (value: unknown): string =>
      createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 12);
    for (const sort of ['SEATS', 'SOLD', 'PRICE', 'MAKE']) {
      const { next } = JSON.parse((await get(`cars?sort=${sort}&limit=1`)).text);
      const [mark] = JSON.parse(Buffer.from(next, 'base64url').toString());
      for (const value of [
        "i1'; drop table car --",
        '1e999',
        'NaN',
        'x\u0000',
        '\u{1F600}',
        'i99999999999999999999',
        '2026-13-45',
        'r',
      ]) {
        const values = [value, 'tP'];
        const after = Buffer.from(JSON.stringify([mark, values, digest([mark, values])])).toString('base64url');
        const { status, text } = await get(`cars?sort=${sort}&limit=1&after=${after}`);
        expect([200, 400], `${sort} ${JSON.stringify(value)} ${text}`).toContain(status);
      }
    }
    expect(box.gateway && (await get('cars')).status).toBe(200);
  });
});
