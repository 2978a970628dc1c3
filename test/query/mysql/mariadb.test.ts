import { afterAll, describe, expect, it } from 'vitest';
import type { Query } from '../../../src/model/query.ts';
import { checkQueries, type QueryPort, reachDatabase, unboundedFiles } from '../../../src/query/index.ts';
import { scanSql } from '../../../src/wire/sql.ts';
import { freePort } from '../../support/free-port.ts';
import { hasMariadb, startMariadb } from '../../support/mariadb-server.ts';
import { expectFreed, inUse } from '../../support/memory.ts';
import { decimal, field, string } from '../../support/registry.ts';
import { openMariadb, runOn } from '../servers/support.ts';
import { query, type Types, textOf } from '../support.ts';

const ROWS = 200_000;

/** A query whose prompts are found as the loader finds them. */
function scanned(sql: string, columns: Types, prompts: Types = {}): Query {
  const base = query('select 1', columns, prompts);
  const texts: string[] = [];
  const named: Query['prompts'][number][] = [];
  let from = 0;
  for (const token of scanSql(sql, 'mysql')) {
    if (token.kind !== 'prompt') continue;
    texts.push(sql.slice(from, token.offset));
    named.push(...base.prompts.filter(({ name }) => name === token.name));
    from = token.end;
  }
  return { ...base, sql, statement: { texts: [...texts, sql.slice(from)], prompts: named } };
}

describe.skipIf(!hasMariadb)('a datasource on MariaDB', async () => {
  if (!hasMariadb) return;
  const server = await startMariadb(await freePort());
  afterAll(() => server.remove());
  await runOn(
    server.url,
    `create database hr; create database secret; create table secret.t (n int);
     create user reader identified by 'pw'; grant select on hr.* to reader;
     use hr;
     create table wide (id bigint primary key, u bigint unsigned, d decimal(65,30), f float, b bit(1), y year, tm time,
       dt datetime, e enum('a','b'), s set('p','q'), j json, bl blob, l varchar(20) character set latin1,
       g varchar(20) collate utf8mb4_general_ci, ok boolean, i4 inet4);
     set sql_mode = '';
     insert into wide values (1, 18446744073709551615, '12345678901234567890123456789012345.123456789012345678901234567890',
       0.1, 1, 2026, '838:59:59', '0000-00-00', 'a', 'p,q', '{"b":1, "a":12345678901234567890.5}', x'00ff', 'é', 'Ä', true, '10.0.0.1');
     create table big (id int primary key, name varchar(80), at datetime, cost decimal(10,2));
     insert into big select seq, concat('request number ', seq, ' of many, each of them long enough'), '2026-01-01 10:00:00', seq * 1.25 from seq_1_to_${ROWS}`,
  );
  const at = (user: string, database = 'hr'): string => {
    const url = new URL(server.url);
    [url.username = '', url.password = ''] = user.split(':');
    url.pathname = `/${database}`;
    return url.href;
  };
  const port: QueryPort = await openMariadb(at('reader:pw'), '/tmp/signalbox-test-maria-results', {}, afterAll);
  const rows = (wanted: Query, prompts = {}) => port.rows({ query: wanted, prompts });

  it('returns every digit, and other types as what they hold', async () => {
    const all = query('select * from wide', {
      U: 'integer',
      D: 'decimal',
      F: 'decimal',
      B: 'boolean',
      Y: 'integer',
      TM: 'string',
      DT: 'string',
      E: 'string',
      S: 'string',
      J: 'json',
      BL: 'binary',
      L: 'string',
      G: 'string',
      OK: 'boolean',
      I4: 'string',
    });
    expect(await rows(all)).toEqual([
      {
        U: 18446744073709551615n,
        D: '12345678901234567890123456789012345.123456789012345678901234567890',
        F: '0.1',
        B: true,
        Y: 2026,
        TM: '838:59:59',
        DT: '0000-00-00 00:00:00',
        E: 'a',
        S: 'p,q',
        J: '{"b":1, "a":12345678901234567890.5}',
        BL: 'AP8=',
        L: 'é',
        G: 'Ä',
        OK: true,
        I4: '10.0.0.1',
      },
    ]);
  });

  it('is sent prompts with their types, in literals and comments of its own kind none', async () => {
    const echo = query(
      'select :A as a, :B as b, :C as c, :D as d, :E as e, :F as f',
      { A: 'text', B: 'integer', C: 'decimal', D: 'date', E: 'datetime', F: 'boolean' },
      { A: 'text', B: 'integer', C: 'decimal', D: 'date', E: 'datetime', F: 'boolean' },
    );
    const given = { B: 9007199254740993n, C: '12.50', D: '2026-02-03', E: '2026-07-01T12:00:00.5+02:00', F: true };
    for (const A of ["\\' or 1=1 -- ", 'ends with \\', 'a\'b"c`d', '\0', '😀', '?', ':A'])
      expect(await rows(echo, { ...given, A })).toEqual([{ ...given, A, E: '2026-07-01T10:00:00.500000+00:00' }]);
    const none = { A: null, B: null, C: null, D: null, E: null, F: null };
    expect(await rows(echo, {})).toEqual([none]);
    const quoted = scanned(
      "select 'it\\'s :NOT' as `a`, \"\\\":NOT\" as b, 5--:N as c # comment's :NOT\n from wide -- :NOT '\n where g = :G and l = :L and id = :N /* :NOT */ limit :N",
      { A: 'text', B: 'text', C: 'integer' },
      { N: 'integer', G: 'string', L: 'string' },
    );
    expect(await rows(quoted, { N: 1, G: 'Ä', L: 'é' })).toEqual([{ A: "it's :NOT", B: '":NOT', C: 6 }]);
    const exact = query(
      'select id from wide where d = :D and u > :N',
      { ID: 'integer' },
      { D: 'decimal', N: 'integer' },
    );
    const D = '12345678901234567890123456789012345.123456789012345678901234567890';
    expect(await rows(exact, { D, N: 9223372036854775807n })).toEqual([{ ID: 1 }]);
    await expect(rows(exact, { D: `0.${'1'.repeat(31)}`, N: 1 })).rejects.toMatchObject({
      code: 'BAD_PARAMETER',
      message: 'D has more digits than the database holds.',
    });
  });

  it.each([
    ['delete from wide', /begins with SELECT/],
    ["select 1 as n into outfile '/tmp/signalbox-no'", /INTO does more than read/],
    ["select load_file('/etc/passwd') as n", /the function load_file/],
    ["select `Load_File` /* x */ ('/etc/passwd') as n", /the function load_file/],
    ["select get_lock('a', 1) as n", /the function get_lock/],
    ['select id as n from wide for update', /FOR UPDATE/],
    ['select id as n from wide lock in share mode', /LOCK IN SHARE MODE/],
    ['select 1 /*! + 1 */ as n', /runs what a comment/],
    ["select /*+ SET_VAR(sql_mode = '') */ 1 as n", /runs what a comment/],
    ['select 1 as n; select 2', /more than one statement/],
    ['select n from secret.t', /ER_TABLEACCESS_DENIED_ERROR: SELECT command denied/],
    ["select ':N' as n", /^query A_QUERY: the server reads its prompts in other places/],
  ])('runs no %j', async (sql, message) => {
    const asDeclared = query(sql, { N: 'integer' }, sql.includes(':N') ? { N: 'integer' } : {});
    await expect(rows(asDeclared)).rejects.toMatchObject({
      code: 'INTERNAL',
      cause: { message: expect.stringMatching(message) },
    });
    const problems = await checkQueries(await reachDatabase(at('reader:pw'), '/'), [asDeclared]);
    expect(problems.map(({ kind }) => kind)).toEqual(['refused']);
  });

  it('is asked for columns and their types, and runs nothing for it', async () => {
    const declared = query(
      'select sleep(60) as a, dt as b, bl as c, g as d, d as e, :P as f, j as g, ok as h from wide',
      {
        A: 'integer',
        B: 'integer',
        C: 'string',
        D: string(5),
        E: decimal(20, 2),
        F: 'date',
        G: 'json',
        H: 'boolean',
        Z: 'string',
      },
      { P: 'integer' },
    );
    const problems = await checkQueries(await reachDatabase(at('reader:pw'), '/'), [declared]);
    expect(problems.map(({ message }) => message)).toEqual([
      'column Z is not in the result, which has a, b, c, d, e, f, g, h',
      'column B is datetime in the database',
      'column C is blob in the database',
      'column D may be longer: it is varchar(20) in the database',
      'column E may be longer: it is decimal(65,30) in the database',
    ]);
  });

  it('is asked which columns have no offset, are larger than declared, or may be NULL', async () => {
    const declared = query('select at, id, name, cost from big', {
      AT: 'datetime',
      ID: field('ID', 'int', { required: true }),
      NAME: field('NAME', string(80), { required: true }),
      COST: decimal(10, 2),
    });
    const problems = await checkQueries(await reachDatabase(at('reader:pw'), '/'), [
      declared,
      query('select id as n from wide', { N: 'int' }),
      query('select cast(id as signed) as n, timestamp(now()) as t from wide', { N: 'integer', T: 'datetime' }),
    ]);
    expect(problems.map(({ kind, message }) => [kind, message])).toEqual([
      ['local-column', 'column AT has no offset: it is datetime in the database'],
      ['nullable-column', 'column NAME may be NULL in the database'],
      ['narrow-column', 'column N may be larger: it is bigint in the database'],
      ['local-column', 'column T has no offset: it is datetime in the database'],
    ]);
  });

  it('says whom it refused and where, never the password', async () => {
    const reached = await reachDatabase(at('reader:hunter2'), '/');
    await expect(checkQueries(reached, [])).rejects.toThrow(
      /^127\.0\.0\.1:\d+\/hr can't be used: Access denied for user 'reader'@'127\.0\.0\.1' \(using password: YES\); see to the user and the password/,
    );
    const forbidden = await reachDatabase(at('reader:pw', 'mysql'), '/');
    await expect(checkQueries(forbidden, [])).rejects.toThrow(
      /to database 'mysql'; give its user the right to SELECT there$/,
    );
    const plain = await reachDatabase(`${at('reader:pw')}?sslmode=require`, '/');
    await expect(checkQueries(plain, [])).rejects.toThrow('Server does not support secure connection');
    expect((await unboundedFiles(await reachDatabase(at('reader:pw'), '/'), 1024)) ?? '').toMatch(
      /because this server has no setting|^$/,
    );
  });

  it.each([
    ['mysql://', 'the URL names no host'],
    ['mysql://h', 'the URL names no database behind the host'],
    ['mysql://h/d?multipleStatements=true', 'the URL has multipleStatements; it may have sslmode'],
    ['mysql://h/d?sslmode=x', 'sslmode is not disable, require, verify-ca or verify-full'],
    ['mysql://127.0.0.1/d?sslmode=verify-full', 'sslmode=verify-full needs a host that is a name'],
    ['mariadb://h/d?sslrootcert=ca.pem', "sslrootcert of the URL can't be read"],
    ['mysql://%ZZ:hunter2@h/d', 'the URL is not well-formed'],
  ])('is not reached by %s', async (url, message) => {
    const refused = reachDatabase(url, '/');
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow('hunter2');
  });

  it('whose server goes away in the middle of a result is unavailable, and comes back', async () => {
    const endless = query('select a.name from big a, big b', { NAME: 'string' });
    const cut = port.run({ query: { ...endless, rows: 10_000_000 }, prompts: {}, format: 'csv' });
    const [found] = await expectRunning(server.url);
    await runOn(server.url, `kill ${found}`);
    await expect(cut).rejects.toMatchObject({ code: 'UNAVAILABLE', headers: { 'Retry-After': '1' } });
    expect(await rows(query('select 1 as n', { N: 'integer' }))).toEqual([{ N: 1 }]);
  });

  it('leaves the memory of the gateway flat, however many rows it returns', { timeout: 90_000 }, async () => {
    const all = query('select * from big', { ID: 'integer', NAME: 'string', AT: 'datetime', COST: 'decimal' });
    const once = async (): Promise<number> => {
      const result = await port.run({ query: all, prompts: {}, format: 'json' });
      expect(result.rows).toBe(ROWS);
      expect((await textOf(result)).length).toBe(result.length);
      return result.length;
    };
    const length = await once();
    const before = inUse();
    for (let round = 0; round < 3; round += 1) await once();
    await expectFreed(before, length / 2);
  });
});

/** Waits for the statement that joins. */
async function expectRunning(url: string): Promise<readonly unknown[]> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const found = await runOn(
      url,
      "select id from information_schema.processlist where info like '%big a, big b%' and user = 'reader'",
    );
    if (found.length > 0) return found.map(({ id }) => id);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the statement does not run');
}
