import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { databaseBounds } from '../../src/model/gateway.ts';
import { openStore, type Store, type StoreOptions } from '../../src/store/index.ts';
import { locationOf, readAddress } from '../../src/store/postgres/address.ts';
import { type Candidate, type Role, Servers, unverified } from '../../src/store/postgres/servers.ts';
import { freePort } from '../support/free-port.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { type PostgresPair, startPostgresPair } from '../support/postgres-pair.ts';
import { postgresPrograms } from '../support/postgres-server.ts';
import { eventually } from '../support/project.ts';

async function open(url: string, more: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore({ url, root: '/', ...more });
  onTestFinished(() => store.close());
  return store;
}

describe('the address of a PostgreSQL', () => {
  it.each([
    ['postgres://u:p@h1:5432,h2:5433/db', 'h1:5432,h2:5433/db'],
    ['postgres://u@h1,h2,h3:7/db', 'h1:5432,h2:5432,h3:7/db'],
    ['postgres:///db?host=h1,h2&port=1,2', 'h1:1,h2:2/db'],
    ['postgres://u@/db?host=h1,h2&port=7', 'h1:7,h2:7/db'],
    ['postgresql://[::1]:5433,h2/db', '[::1]:5433,h2:5432/db'],
    ['postgres://%2Fvar%2Frun/db', '/var/run:5432/db'],
    ['postgres://h/?dbname=a%20b', 'h:5432/a b'],
    ['postgres:///db', 'localhost:5432/db'],
  ])('%s names %s', (url, location) => {
    expect(locationOf(readAddress(url, '/', {}))).toBe(location);
  });

  it('is completed from the environment, as with libpq', () => {
    const env = {
      PGHOST: 'a,b',
      PGPORT: '1,2',
      PGUSER: 'u',
      PGPASSWORD: 'p',
      PGDATABASE: 'd',
      PGTARGETSESSIONATTRS: 'primary',
    };
    const address = readAddress('postgres://', '/', env);
    expect(locationOf(address)).toBe('a:1,b:2/d');
    expect(address).toMatchObject({ user: 'u', password: 'p', target: 'primary' });
  });

  it('has the credentials as they are meant, and settings of the session', () => {
    const address = readAddress(
      'postgres://me%40x:a%2Fb@c@h/db?options=-c%20search_path%3Da%5C%20b%20--jit=off',
      '/',
      {},
    );
    expect(address).toMatchObject({ user: 'me@x', password: 'a/b@c', settings: { search_path: 'a b', jit: 'off' } });
    expect(readAddress('postgres://u@h/db?password=x%26y', '/', {}).password).toBe('x&y');
  });

  it('may have parameters of libpq that the settings of the gateway replace', () => {
    const url =
      'postgres://h/db?keepalives=1&keepalives_idle=9&keepalives_interval=3&keepalives_count=2&tcp_user_timeout=0';
    expect(locationOf(readAddress(url, '/', {}))).toBe('h:5432/db');
  });

  it.each([
    ['30', 30_000],
    ['1', 2000],
    ['0', undefined],
    ['-1', undefined],
  ])('with connect_timeout=%s waits %s ms for a host', (seconds, ms) => {
    expect(readAddress(`postgres://h/db?connect_timeout=${seconds}`, '/', {}).timeout).toBe(ms);
  });

  it('has its hosts tried in random order with load_balance_hosts=random, otherwise as they are named', async () => {
    const firstOf = async (parameters: string): Promise<Set<string>> => {
      const servers = new Servers(() => `postgres://u@h1,h2,h3/db?target_session_attrs=any${parameters}`);
      const first = new Set<string>();
      const connect = async ({ host }: Candidate): Promise<Role> => {
        first.add(host);
        return { standby: false, readOnly: false };
      };
      for (let times = 1; times <= 100; times++) await servers.choose(connect, () => {});
      return first;
    };
    expect(await firstOf('&load_balance_hosts=random')).toEqual(new Set(['h1', 'h2', 'h3']));
    expect(await firstOf('')).toEqual(new Set(['h1']));
  });

  it.each([
    ['postgres://h1,h2/db?port=1,2,3', '2 hosts and 3 ports'],
    ['postgres://h:70000/db', 'a port that is not a number from 1 to 65535'],
    [
      'postgres://h/db?target_session_attrs=writable',
      'it may be any, read-write, read-only, primary, standby, prefer-standby',
    ],
    ['postgres://h/db?connect_timeout=soon', 'a connect_timeout that is not a number of seconds'],
    ['postgres://h/db?options=-d', 'options other than `-c name=value`'],
    ['postgres://h1,h2/db?load_balance_hosts=yes', 'it may be disable, random'],
    ['postgres://h/db?ssl=false', 'has ssl=false; it may be true'],
    ['postgres://[::1/db', 'an IPv6 address is written in brackets'],
    ['postgres://::1/db', 'an IPv6 address is written in brackets'],
    ['postgres://u:hunter2#x@h/db', 'a port that is not a number'],
    ['postgres://u:%zz@h/db', 'percent-encode special characters'],
  ])('%s is refused, without its password: %s', (url, words) => {
    expect(() => readAddress(url, '/', {})).toThrow(words);
    expect(() => readAddress(url, '/', {})).not.toThrow('hunter2');
  });
});

describe.skipIf(postgresPrograms() === undefined)('of a primary and its standby', () => {
  let pair: PostgresPair;
  beforeAll(async () => {
    pair = await startPostgresPair();
  }, 60_000);
  afterAll(() => pair.remove());

  const hosts = (...names: ('primary' | 'standby')[]): string =>
    names.map((name) => new URL(pair[name].url).host).join(',');
  const at = (target: string, order = hosts('standby', 'primary')): string =>
    `postgres://postgres@${order}/postgres${target === '' ? '' : `?target_session_attrs=${target}`}`;
  const isStandby = async (store: Store): Promise<boolean> => {
    const asked = sql<{ found: boolean }>`select pg_is_in_recovery() as found`;
    return (await asked.execute(await store.tables())).rows[0]?.found as boolean;
  };

  it.each([
    ['', false],
    ['read-write', false],
    ['primary', false],
    ['any', true],
    ['standby', true],
    ['read-only', true],
    ['prefer-standby', true],
  ])('target_session_attrs=%s is a standby: %s', async (target, expected) => {
    expect(await isStandby(await open(at(target)))).toBe(expected);
  });

  it('one that is not there is passed over, and the others are named where none is wanted', async () => {
    const gone = `127.0.0.1:${await freePort()}`;
    expect(await isStandby(await open(at('prefer-standby', `${gone},${hosts('primary')}`)))).toBe(false);
    const store = await open(at('standby', `${gone},${hosts('primary')}`));
    const named = new RegExp(`${gone}: .*ECONNREFUSED.*${hosts('primary')}: it is a primary .*, and standby is wanted`);
    await expect(store.ready()).rejects.toThrow(named);
  });

  it('one that can not be written to any more is left', async () => {
    const store = await open(at('read-write'), { connections: 6 });
    const tables = await store.tables();
    await sql`create table if not exists kept (n integer)`.execute(tables);
    // As of a server that was demoted, in all connections of the pool.
    await sql`set default_transaction_read_only = on`.execute(tables);
    const insert = () => sql`insert into kept values (1)`.execute(tables);
    await expect(insert()).rejects.toThrow(
      /^a connection to .* was lost: cannot execute INSERT in a read-only transaction$/,
    );
    await insert();
  });
});

describe.skipIf(!hasPostgres)('the options of a URL', () => {
  it('are in force, those that the server does not know by itself too', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const store = await open(`${database.url}?options=-c%20app.tenant%3D7%20-c%20jit%3Doff`);
    const asked = sql`select current_setting('app.tenant', true) as tenant, current_setting('jit') as jit`;
    expect((await asked.execute(await store.tables())).rows).toEqual([{ tenant: '7', jit: 'off' }]);
  });

  it('are refused when the server does not take one, which is not reported as a lost connection too', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const lost: Error[] = [];
    const url = `${database.url}?options=-c%20no_such_setting%3D1`;
    const store = await open(url, { onError: (error) => lost.push(error) });
    await expect(store.ready()).rejects.toThrow('no_such_setting');
    await eventually('the end of its session', async () => {
      const sessions = "datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'";
      const { rows } = await database.run(`select 1 from pg_stat_activity where ${sessions}`);
      return rows.length === 0 || undefined;
    });
    expect(lost).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)('a host that takes long to answer', () => {
  it('has its share of the time for connecting that the settings allow', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const { port } = new URL(database.url);
    const slow = createServer((socket) => {
      setTimeout(() => pipeline(socket, connect(Number(port), '127.0.0.1'), socket, () => {}), 1200);
    });
    await once(slow.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void slow.close());
    const gone = await Promise.all(Array.from({ length: 4 }, freePort));
    const hosts = [(slow.address() as AddressInfo).port, ...gone].map((each) => `127.0.0.1:${each}`).join(',');
    const url = database.url.replace(/@[^/]*/, `@${hosts}`);
    const patient = databaseBounds(30_000, { timeouts: { connect: 10_000 } });
    await expect((await open(url, { bounds: patient })).ready()).resolves.toBeUndefined();
  });
});

describe.skipIf(!hasPostgres)('the password of a PostgreSQL', () => {
  it('may change while the gateway runs', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    let asked = 0;
    const store = await open(database.url, {
      renewed: () => {
        asked += 1;
        return database.url.replace('postgres@', `postgres:secret${asked}@`);
      },
    });
    await store.ready();
    const before = asked;
    const terminate = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()';
    await database.run(`${terminate} and pid <> pg_backend_pid()`);
    await eventually('another connection', () =>
      store.ready().then(
        () => true,
        () => undefined,
      ),
    );
    expect(asked).toBeGreaterThan(before);
  });
});

describe.skipIf(!hasPostgres)('what an operator should know', () => {
  it('is when there may be too few connections, by the limits of the server, the role and the database', async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const store = await open(database.url, { connections: 10 });
    expect(await store.warnings(1)).toEqual([]);
    expect(await store.warnings(0)).toEqual([]);
    expect(await store.warnings(40)).toEqual([
      expect.stringMatching(
        /allows \d+ connections, which may not be enough: these 40 gateways may take 12 each, other gateways hold \d+ now, and other programs \d+\. Raise max_connections/,
      ),
    ]);
    const name = new URL(database.url).pathname.slice(1);
    await database.run(`alter database ${name} connection limit 5`);
    expect(await store.warnings(1)).toEqual([expect.stringContaining('allows 5 connections')]);
  });

  it.each([
    [
      'postgres://db.example.org/db',
      /^Nothing verifies that db\.example\.org:5432\/db is the database \(sslmode=prefer\)/,
    ],
    ['postgres://u:hunter2@localhost,10.0.0.1/db?sslmode=require', /sslmode=require/],
  ])('is that nothing verifies %s', (url, words) => {
    const servers = new Servers(() => url);
    expect(unverified(servers)).toMatch(words);
    expect(unverified(servers)).not.toContain('hunter2');
  });

  it.each([
    'postgres://localhost/db',
    'postgres://127.0.0.1,[::1]/db',
    'postgres://%2Frun/db',
    'postgres://db.example.org/db?sslmode=verify-full',
  ])('is nothing of %s', (url) => {
    const servers = new Servers(() => url);
    expect(unverified(servers)).toBeUndefined();
  });
});
