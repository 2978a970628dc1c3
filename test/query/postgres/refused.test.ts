import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { checkQueries, reachDatabase } from '../../../src/query/index.ts';
import { readNames } from '../../../src/query/postgres/called-names.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { query } from '../support.ts';
import { postgresOf } from './support.ts';

const called = (sql: string): string[] => readNames(sql).called.map(({ name }) => name);

describe('the names of a statement', () => {
  it.each([
    ['select set_config(1)', ['set_config']],
    ['select Set_Config /* a */ -- b\n (1)', ['set_config']],
    ['select "set_config"(1), "Set_Config"(1), "a""b"(1)', ['set_config', 'Set_Config', 'a"b']],
    ['select pg_catalog . set_config(1)', ['set_config']],
    ["select 'set_config(1)', E'\\'', set_config(1), '\\', f(1)", ['set_config', 'f']],
    ["select $a$ ' $a$, set_config(1), ' $a$ '", ['set_config']],
    ["select $é$'$é$, set_config(1), ' '", ['set_config']],
    ["/* /* */ ' */ select set_config(1) /* ' */", ['set_config']],
    ['select set_config /* /* */ */ (1)', ['set_config']],
    ['select 1 -- \r , set_config(1)', ['set_config']],
    ['-- set_config(1)\nselect 1 /* set_config(1) */', []],
    ['select a$b$c(1), x.y, $1, 1.5e3', ['a$b$c', 'y']],
    ['select größe(1)', ['größe']],
    ["select e('x'), n'set_config(1)'", ['e']],
    [
      "select ('a') /* . */ . set_config, (t)[1].a.\"F\", $1.b, s.t.c, d, E'.'",
      ['select', 'set_config', 'a', 'F', 'b', 't', 'c'],
    ],
  ])('are read as PostgreSQL reads them: %j', (sql, names) => {
    expect(called(sql)).toEqual(names);
  });

  it('are found wherever literals and comments stand', () => {
    const filler = fc.constantFrom(
      "'a''b'",
      "E'\\''",
      '$$ " $$',
      "$x$ ' $x$",
      '"q ""(" ',
      '/* /* " */ */',
      "-- '\n",
      '1',
      ',',
      'x',
    );
    fc.assert(
      fc.property(fc.array(filler), fc.array(filler), (before, after) => {
        const sql = `select ${before.join(' ')} , set_config(1), ${after.join(' ')}`;
        expect(called(sql)).toContain('set_config');
      }),
    );
  });
});

describe.skipIf(!hasPostgres)('a query on PostgreSQL', async () => {
  const database = hasPostgres
    ? await postgresOf(
        `create table t (id integer, name varchar(30), price numeric(12,4), at timestamp, yes boolean, key uuid);
         create sequence s;
         create function harmless(integer) returns integer language sql as 'select $1 + 1'`,
        afterAll,
      )
    : (undefined as never);
  const problemsOf = async (sql: string, columns: Parameters<typeof query>[1] = { N: 'text' }, prompts = {}) => {
    const reached = await reachDatabase(database.url, '/');
    return (await checkQueries(reached, [query(sql, columns, prompts)])).map(({ query: _, ...problem }) => problem);
  };

  it.each([
    "set_config('search_path', 'x', false)",
    "nextval('s')",
    "setval('s', 5)",
    'pg_terminate_backend(1)',
    'pg_cancel_backend(1)',
    "pg_read_file('/etc/passwd')",
    "pg_ls_dir('.')",
    "lo_import('/etc/passwd')",
    'lo_unlink(1)',
    'pg_advisory_lock(1)',
    'pg_try_advisory_lock(1)',
    "pg_notify('a', 'b')",
    'pg_reload_conf()',
    "query_to_xml('select 1', true, true, '')",
    "ts_stat('select 1')",
    'pg_export_snapshot()',
    '"pg_sleep"(1), pg_catalog."set_config"(\'a.b\', \'c\', false)',
    "('/etc/passwd'::text).pg_read_file",
    "(('select to_tsvector(name) from signal' || 'box_user')::text) /**/ . ts_stat",
    '(array[1::bigint])[1].pg_advisory_lock',
    "f.ts_stat::text as n from unnest(array['select array_to_tsvector(array[password]) from signal' || 'box_user']) as f --",
    'f."pg_read_file" as n from unnest(array[\'/etc/passwd\']) as f --',
    "(s.f) /**/ . pg_ls_dir as n from (select 'x'::text as f) as s --",
    'f . /* */ pg_advisory_lock as n from generate_series(1::bigint, 2::bigint) as f --',
  ])('is refused that calls %s', async (call) => {
    expect(await problemsOf(`select ${call} as n`)).toContainEqual(
      expect.objectContaining({
        kind: 'refused',
        message: expect.stringMatching(/^the function \w+ does more than read$/),
      }),
    );
  });

  it.each([
    'random()',
    'clock_timestamp()',
    'gen_random_uuid()',
    'pg_sleep(0)',
    'harmless(1)',
    "upper(replace('a', 'b', 'c'))",
    "substring('abc' for 2)",
    'count(*) filter (where true) over ()',
    'pg_total_relation_size(1)',
    'c.system as n from (select 1 as system) as c --',
  ])('may call %s', async (call) => {
    expect(await problemsOf(`select ${call} as n`, { N: 'json' })).not.toContainEqual(
      expect.objectContaining({ kind: 'refused' }),
    );
  });

  it.each([
    ['select id as n from t for update', 'FOR UPDATE does more than read; leave it out', 22],
    ['select id as n from t for no key update', 'FOR NO does more than read; leave it out', 22],
    ['select id as n into x from t', 'the SQL returns no rows', undefined],
    ['select nme as n from t', 'column "nme" does not exist', 7],
    ['select id as n from t where', 'syntax error at end of input', 27],
    ['select U&"\\0073et_config"(1) as n', expect.stringContaining('set_config'), expect.anything()],
    ['explain select 1', 'the SQL must be one statement that begins with SELECT, WITH or VALUES', 0],
  ])('is refused where it says %j', async (sql, message, offset) => {
    expect((await problemsOf(sql))[0]).toEqual({
      kind: 'refused',
      message,
      ...(offset === undefined ? {} : { offset }),
    });
  });

  it('is told where in the SQL as it is declared the mistake stands, prompts counted', async () => {
    const sql = 'select id as n from t\nwhere (:ID is null or id = :ID)\n and nme = :NAME';
    const [problem] = await problemsOf(sql, { N: 'integer' }, { ID: 'integer', NAME: 'string' });
    expect(problem?.offset).toBe(sql.indexOf('nme'));
  });

  it('is told which columns are missing, of another type, or narrow', async () => {
    const found = await problemsOf(
      'select id, name, name as other, price, at, yes, key, key as text, key as no, name as link, id as uri from t',
      {
        ID: 'date',
        NAME: { kind: 'string', length: 10 },
        OTHER: 'integer',
        PRICE: { kind: 'decimal', length: 10, scale: 2 },
        AT: 'datetime',
        YES: 'flag',
        KEY: 'uuid',
        TEXT: 'string',
        NO: 'uri',
        LINK: 'uri',
        URI: 'uuid',
        GONE: 'text',
      },
    );
    expect(found.map(({ kind, message }) => [kind, message])).toEqual([
      [
        'missing-column',
        'column GONE is not in the result, which has id, name, other, price, at, yes, key, text, no, link, uri',
      ],
      ['column-type', 'column ID is integer in the database'],
      ['narrow-column', 'column NAME may be longer: it is varchar(30) in the database'],
      ['column-type', 'column OTHER is varchar(30) in the database'],
      ['narrow-column', 'column PRICE may be longer: it is numeric(12,4) in the database'],
      ['local-column', 'column AT has no offset: it is timestamp in the database'],
      ['column-type', 'column NO is uuid in the database'],
      ['column-type', 'column URI is integer in the database'],
    ]);
  });
});
